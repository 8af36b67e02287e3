//! Judged cases: printed, read again, judged here and by an engine.

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::{Behavior, Case, CaseResult, Expected, InternalError, outcomes_of_all};
use crate::directive;
use crate::engine::{Batch, Depth, LineJudge};
use crate::environment::Environment;
use crate::judge::{Judge, Reading};
use crate::must::Must as _;
use crate::ptx::{Declarations, Item, Line, OBJECT_KINDS, Printer, Scaffold, Setting, scaffold, scaffold_of};
use crate::space::EnvironmentValues;
use crate::spec::{Choice, Spec};

/// The things that the cases of one module have in common: the environment (by target, version, address size), what the lines
/// stand in, whether there is a `.unified` variable, which changes how a module is assembled, and, where `.target` has options, the kinds of objects that are
/// declared: a declaration that is refused must not refuse the lines without it. A line after which control does not go
/// on has a module of its own, by its position, if code is generated: there would be no code for the lines after it.
type Surroundings<'a> = ((u8, u8, u8), Setting<'a>, bool, Vec<&'static str>, Option<usize>);

impl Case<'_> {
    fn surroundings<'p>(&self, printer: &Printer<'p>, ends: Option<usize>) -> Surroundings<'p> {
        let form = self.form();
        let unified = |axis: usize| form.value(self.values, axis) == "unified";
        let unified = form.operands.iter().filter_map(|operand| operand.base).any(unified);
        // The options of `.target` decide which declarations are refused.
        let operands = form.operands.iter().filter(|_| form.axis_of(Choice::Mode).is_some());
        let types = operands.filter_map(|operand| operand.of_type).map(|axis| form.value(self.values, axis));
        let mut objects: Vec<&str> = types.filter_map(|of| OBJECT_KINDS.into_iter().find(|kind| *kind == of)).collect();
        objects.sort_unstable();
        objects.dedup();
        let [size, target, ptx] = EnvironmentValues::EACH.map(|axis| self.values[axis]);
        ((target, ptx, size), printer.setting(self.values), unified, objects, ends)
    }
}

/// The most lines of modules that an engine is asked about together: it may take several at once, and all threads shall
/// have some.
const TOGETHER: usize = 2000;

/// A module to ask about: what its lines stand in, and the positions of its cases.
type ModuleCases<'a> = (Setting<'a>, &'a [usize]);

/// Asks an engine to judge cases, up to `batch` in a module. Returns one result for each, in order.
///
/// # Errors
/// If a generated text cannot be read.
pub fn ask(
    spec: &Spec,
    engine: &dyn LineJudge,
    depth: Depth,
    cases: &[Case<'_>],
    batch: usize,
) -> Result<Vec<CaseResult>, InternalError> {
    let mut printers: BTreeMap<&str, Printer<'_>> = BTreeMap::new();
    let mut surroundings: BTreeMap<Surroundings<'_>, Vec<usize>> = BTreeMap::new();
    for (at, case) in cases.iter().enumerate() {
        let form = case.form();
        let printer = printers.entry(&form.id).or_insert_with(|| Printer::new(form));
        // A directive has a module of its own.
        let ends = (form.template.is_some() || form.ends && depth == Depth::Generate).then_some(at);
        surroundings.entry(case.surroundings(printer, ends)).or_default().push(at);
    }
    let question = Question { spec, engine, depth, cases, printers: &printers };
    let modules: Vec<ModuleCases<'_>> = surroundings
        .iter()
        .flat_map(|((_, setting, ..), group)| group.chunks(batch.max(1)).map(|group| (*setting, group)))
        .collect();
    // Where lines are to be asked about alone, or code is generated, so are modules.
    let together = if batch > 1 && depth == Depth::Check { TOGETHER } else { 1 };
    let answered: Result<Vec<Vec<CaseResult>>, InternalError> =
        packs(&modules, together).into_par_iter().map(|modules| question.ask(modules)).collect();
    let mut results: Vec<Option<CaseResult>> = vec![None; cases.len()];
    let positions = modules.iter().flat_map(|(_, group)| *group);
    for (&at, result) in positions.zip(answered?.into_iter().flatten()) {
        results[at] = Some(result);
    }
    Ok(results.into_iter().map(|result| result.must("each case is in one module")).collect())
}

/// The modules in order, parted so that several have up to `most` lines.
fn packs<'m, 'a>(modules: &'m [ModuleCases<'a>], most: usize) -> Vec<&'m [ModuleCases<'a>]> {
    let mut packs = Vec::new();
    let (mut start, mut lines) = (0, 0);
    for (at, (_, group)) in modules.iter().enumerate() {
        if at > start && lines + group.len() > most {
            packs.push(&modules[start..at]);
            (start, lines) = (at, 0);
        }
        lines += group.len();
    }
    packs.push(&modules[start..]);
    packs
}

/// A module with its lines as they are asked about, and how they read.
struct WrittenModule {
    environment: Environment,
    scaffold: Scaffold,
    lines: Vec<String>,
    readings: Vec<Reading>,
}

impl WrittenModule {
    fn batch(&self) -> Batch<'_> {
        let invalid = self.readings.iter().filter(|reading| !reading.valid()).count();
        Batch {
            environment: self.environment,
            scaffold: self.scaffold.clone(),
            lines: self.lines.iter().map(String::as_str).collect(),
            mostly_invalid: invalid * 2 > self.readings.len(),
        }
    }
}

/// The things that the modules of one question have in common.
struct Question<'a> {
    spec: &'a Spec,
    engine: &'a dyn LineJudge,
    depth: Depth,
    cases: &'a [Case<'a>],
    printers: &'a BTreeMap<&'a str, Printer<'a>>,
}

impl Question<'_> {
    /// The results of the cases of modules, in order.
    fn ask(&self, modules: &[ModuleCases<'_>]) -> Result<Vec<CaseResult>, InternalError> {
        let written: Vec<WrittenModule> =
            modules.iter().map(|(setting, group)| self.write(group, *setting)).collect::<Result<_, _>>()?;
        let batches: Vec<Batch<'_>> = written.iter().map(WrittenModule::batch).collect();
        let outcomes = outcomes_of_all(self.engine, &batches, self.depth)?;
        let readings = written.into_iter().flat_map(|module| module.readings);
        let result = |(reading, outcome)| CaseResult {
            expected: Expected::Verdict(reading),
            behavior: Behavior::Judged(outcome),
            row: None,
        };
        Ok(readings.zip(outcomes.into_iter().flatten()).map(result).collect())
    }

    /// The cases at these positions in one module.
    fn write(&self, group: &[usize], setting: Setting<'_>) -> Result<WrittenModule, InternalError> {
        let mut items: FxHashSet<Item<'_>> = FxHashSet::default();
        let mut lines: Vec<String> = Vec::with_capacity(group.len());
        let mut texts: Vec<String> = Vec::new();
        for &at in group {
            let case = &self.cases[at];
            let printer = &self.printers[case.form().id.as_str()];
            let mut line = String::with_capacity(80);
            let mut declare = |item| {
                items.insert(item);
            };
            printer.line(case.values, &mut line, &mut declare);
            if self.depth == Depth::Generate {
                let mut text = line.clone();
                printer.stores(case.values, &mut text, &mut declare);
                texts.push(text);
            }
            lines.push(line);
        }
        let first = &self.cases[group[0]];
        let environment = first.environment();
        if first.form().template.is_some() {
            let scaffold = scaffold_of(first.form(), first.values, items);
            let (module, _) = scaffold.module(&environment, "k", &[&lines[0]]);
            let reading = directive::read_case(self.spec, &environment, &module, first.instruction, first.form);
            let reading = reading.map_err(|why| InternalError(format!("{}: {why}", lines[0])))?;
            return Ok(WrittenModule { environment, scaffold, lines, readings: vec![reading] });
        }
        let scaffold = scaffold(items, setting);
        let readings = self.read(&environment, &scaffold, group, &lines)?;
        let lines = if texts.is_empty() { lines } else { texts };
        Ok(WrittenModule { environment, scaffold, lines, readings })
    }

    /// Judges lines by their text.
    fn read(
        &self,
        environment: &Environment,
        scaffold: &Scaffold,
        group: &[usize],
        lines: &[String],
    ) -> Result<Vec<Reading>, InternalError> {
        let declarations = Declarations::parse(&scaffold.declarations(), &self.spec.isa)
            .map_err(|error| InternalError(format!("generated declarations cannot be read: {error}")))?;
        let judge = Judge::new(self.spec, environment).map_err(|error| InternalError(error.to_string()))?;
        let read = |(&at, line): (&usize, &String)| {
            let parsed = Line::parse(line).map_err(|error| InternalError(format!("{line}: {error}")))?;
            Ok(judge.read_as(self.cases[at].instruction, &parsed, &declarations))
        };
        group.iter().zip(lines).map(read).collect()
    }
}
