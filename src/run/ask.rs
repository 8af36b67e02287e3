//! Asks an engine about the variants of a task, and compares.

use std::collections::BTreeMap;

use super::plan::{FormPlan, Purpose, Row, Task, Variants};
use super::{Options, Subject, depth};
use crate::divergence::{Divergences, Does, EngineVersion};
use crate::engine::{Batch, Depth, Engine, Outcome};
use crate::environment::{AddressSize, Environment, Suffix};
use crate::judge::{Judge, Reading, needs};
use crate::ptx::{Context, Declarations, Item, Line, Printer, Scaffold, scaffold};
use crate::space::{Values, environment_values};
use crate::spec::{Example, Form, Instruction, Spec, Verdict};

/// What a heap of disagreements has in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The instruction.
    pub instruction: String,
    /// The form.
    pub form: String,
    /// The rules broken; none where the line is claimed valid.
    pub rules: Vec<String>,
    /// What the engine did: `accepted`, `rejected`, `crashed`, `timed out`.
    pub outcome: &'static str,
    /// Whether it was taken through code generation.
    pub generate: bool,
    /// The engine's first message, what it quotes left out.
    pub message: String,
    /// The divergence that lists it.
    pub divergence: Option<String>,
}

/// The simplest of the cases of a heap.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sample {
    /// Its choices.
    pub values: Values,
    /// Its line.
    pub line: String,
    /// A module of it alone.
    pub module: String,
    /// Where.
    pub environment: Environment,
    /// What the engine said.
    pub message: String,
}

/// A heap of disagreements.
#[derive(Clone, Debug)]
pub struct Group {
    /// How many.
    pub count: u64,
    /// The simplest.
    pub sample: Sample,
}

/// Cases of one claim: tried, and how many the engine did as the specification says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Cases judged.
    pub cases: u64,
    /// Cases in which engine and specification agree.
    pub agreed: u64,
}

/// The comparison of one engine.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// By form: cases claimed valid.
    pub valid: BTreeMap<String, Count>,
    /// By form: cases that were taken through code generation.
    pub code: BTreeMap<String, Count>,
    /// By form and rule: cases that break it alone.
    pub breaches: BTreeMap<(String, String), Count>,
    /// Not asked, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Disagreements.
    pub groups: BTreeMap<Key, Group>,
    /// Listed divergences by id: cases that did as listed, and cases that did not.
    pub listed: BTreeMap<String, (u64, u64)>,
    /// Variants whose text is judged other than the generator meant: a bug of ours.
    pub confused: Vec<String>,
}

impl Tally {
    /// How many cases were judged.
    pub fn cases(&self) -> u64 {
        let counts = self.valid.values().chain(self.code.values()).chain(self.breaches.values());
        counts.map(|count| count.cases).sum()
    }

    /// Adds another tally.
    pub fn merge(&mut self, other: Self) {
        fn add<K: Ord>(to: &mut BTreeMap<K, Count>, from: BTreeMap<K, Count>) {
            for (key, count) in from {
                let sum = to.entry(key).or_default();
                sum.cases += count.cases;
                sum.agreed += count.agreed;
            }
        }
        add(&mut self.valid, other.valid);
        add(&mut self.code, other.code);
        add(&mut self.breaches, other.breaches);
        other.skipped.into_iter().for_each(|(reason, count)| *self.skipped.entry(reason).or_default() += count);
        for (id, (did, not)) in other.listed {
            let sum = self.listed.entry(id).or_default();
            *sum = (sum.0 + did, sum.1 + not);
        }
        for (key, group) in other.groups {
            self.add(key, group);
        }
        self.confused.extend(other.confused);
        self.confused.truncate(20);
    }

    fn add(&mut self, key: Key, group: Group) {
        match self.groups.get_mut(&key) {
            None => {
                self.groups.insert(key, group);
            }
            Some(known) => {
                known.count += group.count;
                // The simplest variant, and of equals the text decides: whatever order they come in.
                let simpler = |sample: &Sample| (sample.values[3..].to_vec(), sample.values.clone());
                if simpler(&group.sample) < simpler(&known.sample) {
                    known.sample = group.sample;
                }
            }
        }
    }
}

/// A line to be asked about.
struct Case {
    row: Row,
    line: String,
    reading: Reading,
}

pub(super) struct Asker<'a> {
    spec: &'a Spec,
    divergences: &'a Divergences,
    engine: &'a dyn Engine,
    version: Option<EngineVersion>,
}

impl<'a> Asker<'a> {
    pub(super) fn new(spec: &'a Spec, divergences: &'a Divergences, engine: &'a dyn Engine) -> Self {
        Self { spec, divergences, engine, version: EngineVersion::parse(engine.name()).ok() }
    }

    /// Asks about the variants of a task.
    pub(super) fn ask(&self, instruction: &Instruction, plan: &FormPlan, task: &Task, options: &Options) -> Tally {
        let mut tally = Tally::default();
        let depth = depth(task.purpose);
        let rows: Vec<Row> = match &task.variants {
            Variants::Listed(rows) => rows.clone(),
            Variants::Range(form, rule, from, count) => {
                let variants = range(&instruction.forms[*form], plan, task, *rule, *from, *count);
                variants.into_iter().map(|values| Row { form: *form, values, meant: *rule }).collect()
            }
        };
        if let Err(reason) = self.engine.supports(&task.environment, depth) {
            *tally.skipped.entry(reason).or_default() += u64::try_from(rows.len()).unwrap_or(0);
            return tally;
        }
        // One scaffold has one context, and a `.unified` variable changes how a module is assembled.
        let printers: Vec<Printer<'_>> = instruction.forms.iter().map(Printer::new).collect();
        let mut surroundings: BTreeMap<(Context, bool), Vec<Row>> = BTreeMap::new();
        for row in rows {
            let key = (printers[row.form].context(&row.values), unified(&instruction.forms[row.form], &row.values));
            surroundings.entry(key).or_default().push(row);
        }
        for ((context, _), rows) in surroundings {
            for rows in rows.chunks(options.batch.max(1)) {
                self.batch(instruction, &printers, task, context, rows, &mut tally);
            }
        }
        tally
    }

    fn batch(
        &self,
        instruction: &Instruction,
        printers: &[Printer<'_>],
        task: &Task,
        context: Context,
        rows: &[Row],
        tally: &mut Tally,
    ) {
        let depth = depth(task.purpose);
        let mut items: rustc_hash::FxHashSet<Item<'_>> = rustc_hash::FxHashSet::default();
        let mut lines: Vec<String> = Vec::with_capacity(rows.len());
        for row in rows {
            let mut line = String::with_capacity(80);
            printers[row.form].line(&row.values, &mut line, |item| {
                items.insert(item);
            });
            lines.push(line);
        }
        let mut texts: Vec<String> = Vec::new();
        if depth == Depth::Generate {
            for (row, line) in rows.iter().zip(&lines) {
                let mut text = line.clone();
                printers[row.form].stores(&row.values, &mut text, |item| {
                    items.insert(item);
                });
                texts.push(text);
            }
        }
        let scaffold = scaffold(items, context);
        let Some(cases) = self.read(instruction, task, &scaffold, rows, lines, tally) else { return };
        let asked: Vec<&str> = if texts.is_empty() {
            cases.iter().map(|case| case.line.as_str()).collect()
        } else {
            texts.iter().map(String::as_str).collect()
        };
        let batch = Batch { environment: task.environment, scaffold, lines: asked };
        let outcomes = self.engine.judge(&batch, depth);
        for (case, outcome) in cases.iter().zip(&outcomes) {
            self.compare(instruction, task, case, outcome, tally);
        }
    }

    /// Judges the lines by their text. `None`, and a note, where our own declarations cannot be
    /// read, which is a bug of ours.
    fn read(
        &self,
        instruction: &Instruction,
        task: &Task,
        scaffold: &Scaffold,
        rows: &[Row],
        lines: Vec<String>,
        tally: &mut Tally,
    ) -> Option<Vec<Case>> {
        let declarations = Declarations::parse(&scaffold.declarations(), &self.spec.isa);
        let judge = Judge::new(self.spec, &task.environment);
        let (Ok(declarations), Ok(judge)) = (declarations, judge) else {
            tally.confused.push(format!("declarations of a batch of {} cannot be read", instruction.name));
            return None;
        };
        let mut cases = Vec::with_capacity(lines.len());
        for (row, line) in rows.iter().zip(lines) {
            let Ok(parsed) = Line::parse(&line) else {
                tally.confused.push(line);
                return None;
            };
            let reading = judge.read_as(instruction, &parsed, &declarations);
            cases.push(Case { row: row.clone(), line, reading });
        }
        Some(cases)
    }

    fn compare(&self, instruction: &Instruction, task: &Task, case: &Case, outcome: &Outcome, tally: &mut Tally) {
        let form = &instruction.forms[case.row.form];
        let rules: Vec<String> = case.reading.rules(instruction).map(|rule| rule.id.clone()).collect();
        let meant = case.row.meant.map(|rule| form.rules[rule].id.as_str());
        if !rules.iter().map(String::as_str).eq(meant) {
            tally.confused.push(format!("{}: meant {meant:?}, judged {rules:?}", case.line));
        }
        let Some(did) = Does::of(outcome) else {
            if let Outcome::Skipped(reason) = outcome {
                *tally.skipped.entry(reason.clone()).or_default() += 1;
            }
            return;
        };
        let claimed = if rules.is_empty() { Does::Accepts } else { Does::Rejects };
        let count = match (task.purpose, rules.first()) {
            (Purpose::Code, _) => tally.code.entry(form.id.clone()).or_default(),
            (_, None) => tally.valid.entry(form.id.clone()).or_default(),
            (_, Some(rule)) => tally.breaches.entry((form.id.clone(), rule.clone())).or_default(),
        };
        count.cases += 1;
        count.agreed += u64::from(did == claimed);
        let depth = depth(task.purpose);
        let expected =
            self.version.as_ref().map(|version| self.divergences.expect_at(version, instruction, &case.reading, depth));
        let mut divergence = expected.and_then(|expected| expected.divergence);
        let mut as_listed = expected.map_or(claimed, |expected| expected.outcome) == did;
        if let (false, Some(version)) = (as_listed, &self.version)
            && let Some(id) = self.divergences.sometimes(version, instruction, &case.reading, depth, did)
        {
            (divergence, as_listed) = (Some(id), true);
        }
        if let Some(id) = divergence {
            let counts = tally.listed.entry(id.to_owned()).or_default();
            if as_listed { counts.0 += 1 } else { counts.1 += 1 }
        }
        // What is listed and does as the specification says is as worth knowing as the reverse.
        if did == claimed && as_listed {
            return;
        }
        let message = message(outcome);
        let key = Key {
            instruction: instruction.name.clone(),
            form: form.id.clone(),
            rules,
            outcome: outcome.word(),
            generate: depth == Depth::Generate,
            message: without_quotes(&message),
            divergence: divergence.filter(|_| as_listed).map(str::to_owned),
        };
        let module = || self.module(form, &case.row.values, task.environment, depth);
        let simpler = tally.groups.get(&key).is_none_or(|group| case.row.values[3..] < group.sample.values[3..]);
        if simpler {
            let sample = Sample {
                values: case.row.values.clone(),
                line: case.line.clone(),
                module: module(),
                environment: task.environment,
                message,
            };
            let count = tally.groups.get(&key).map_or(0, |group| group.count);
            tally.groups.insert(key, Group { count: count + 1, sample });
        } else if let Some(group) = tally.groups.get_mut(&key) {
            group.count += 1;
        }
    }

    /// A module of one case alone.
    fn module(&self, form: &Form, values: &[u8], environment: Environment, depth: Depth) -> String {
        let printer = Printer::new(form);
        let mut items = Vec::new();
        let mut line = String::new();
        printer.line(values, &mut line, |item| items.push(item));
        if depth == Depth::Generate {
            printer.stores(values, &mut line, |item| items.push(item));
        }
        scaffold(items, printer.context(values)).module(&environment, "k", &[&line]).0
    }

    /// What an example that is valid elsewhere needs and an environment does not have.
    fn needed(&self, instruction: &Instruction, example: &Example, environment: &Environment) -> Option<String> {
        if example.spec != Verdict::Valid {
            return None;
        }
        let declarations = Declarations::parse(&example.declarations, &self.spec.isa).ok()?;
        let line = Line::parse(&example.line).ok()?;
        let reading = Judge::new(self.spec, environment).ok()?.read_as(instruction, &line, &declarations);
        let needs = needs(&self.spec.isa, &instruction.forms[reading.form], &reading.values)?;
        (!reading.valid()).then(|| format!("needs PTX {} and {}", needs.ptx, needs.target))
    }

    /// The manual's own examples, each alone in the newest environment that the engine takes.
    pub(super) fn examples(
        &self,
        instructions: &[&Instruction],
        subject: &Subject<'_>,
    ) -> Vec<(String, usize, Outcome)> {
        let isa = &self.spec.isa;
        let Some(&ptx) = isa.versions.iter().rev().find(|version| **version <= subject.newest) else {
            return Vec::new();
        };
        let environments = isa.targets.iter().rev().filter(|(t, since)| t.suffix == Suffix::Plain && *since <= ptx);
        let mut environments =
            environments.map(|(target, _)| Environment { ptx, target: *target, address_size: AddressSize::Bits64 });
        let Some(newest) = environments.find(|env| self.engine.supports(env, Depth::Check).is_ok()) else {
            return Vec::new();
        };
        let mut outcomes = Vec::new();
        for instruction in instructions {
            for (at, example) in instruction.examples.iter().enumerate() {
                let environment = Environment { target: example.target.unwrap_or(newest.target), ..newest };
                if let Some(needs) = self.needed(instruction, example, &environment) {
                    outcomes.push((instruction.name.clone(), at, Outcome::Skipped(needs)));
                    continue;
                }
                let scaffold = Scaffold::from_declarations(&example.declarations);
                let line = example.line.split("//").next().unwrap_or(&example.line).trim();
                let batch = Batch { environment, scaffold, lines: vec![line] };
                let outcome = self.engine.judge(&batch, Depth::Check).into_iter().next();
                outcomes.push((instruction.name.clone(), at, outcome.unwrap_or(Outcome::TimedOut)));
            }
        }
        outcomes
    }
}

/// The variants of a range.
fn range(form: &Form, plan: &FormPlan, task: &Task, rule: Option<usize>, from: u128, count: u128) -> Vec<Values> {
    let diagram = plan.spaces.of(rule);
    let region = diagram.zip(environment_values(form, &task.environment)).map(|(d, e)| d.all().below(&e));
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    region.into_iter().flat_map(|region| region.iter_from(from).take(count)).collect()
}

fn unified(form: &Form, values: &[u8]) -> bool {
    form.operands.iter().any(|operand| operand.base.is_some_and(|axis| form.value(values, axis) == "unified"))
}

fn message(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Accepted | Outcome::TimedOut => String::new(),
        Outcome::Rejected(text) | Outcome::Skipped(text) | Outcome::Crashed(text) => {
            text.lines().next().unwrap_or_default().to_owned()
        }
    }
}

/// A message without what it quotes: names differ from line to line.
fn without_quotes(message: &str) -> String {
    let parts = message.split('\'').enumerate();
    parts.map(|(at, part)| if at % 2 == 0 { part } else { "'…'" }).collect()
}
