//! Rows that came out wrong, reduced to their causes.
//!
//! The axes are those of the variant and of where it is executed. Which numbers are there is left out:
//! a place is taken to fail where any numbers fail there, for most faults show with some only.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

use super::cubes::ENVIRONMENT;
use super::generalise::{Combination, Generalise};
use super::words::{Condition, Values as Named};
use crate::case::{self, Costly, Tried};
use crate::divergence::{Divergences, EngineVersion};
use crate::engine::CaseExecutor;
use crate::execution::{Answer, Execution};
use crate::model::{Allowed, Difference, Ending, Expectation, Verdict};
use crate::run::{ExecutedForm, Progress, Results, Wrong};
use crate::space::{Diagram, Draw, Region, Slice, Values, distance};
use crate::spec::{Cube, Form, Instruction, Spec, ValueSet};
use crate::state::{self, NoState};

/// Wrong rows with one cause.
#[derive(Clone, Debug, Serialize)]
pub struct ExecutedFinding {
    /// From the engine's family and the combination: the same in every run.
    pub fingerprint: String,
    /// In one sentence: who does what, where.
    pub title: String,
    /// The engine.
    pub engine: String,
    /// The forms in which it shows.
    pub forms: Vec<String>,
    /// When it shows; always where this is empty.
    pub when: Condition,
    /// In each form, how many places were asked about in the combination, how many failed with some
    /// numbers, and how many there are.
    pub evidence: Vec<ExecutedEvidence>,
    /// Rows of the run that came out wrong in these forms, whatever the cause.
    pub mismatches: u64,
    /// What of the expectation is inferred and not promised: names of inferences.
    pub inferred: Vec<String>,
    /// Who is suspected, and why.
    pub suspect: String,
    /// The manual's page.
    pub manual: Vec<String>,
    /// The simplest case.
    pub case: ExecutedMinimal,
    /// The YAML that would list it; empty where it was recorded, and says nothing of when.
    pub yaml: String,
}

/// What was asked about a finding in one form.
#[derive(Clone, Debug, Serialize)]
pub struct ExecutedEvidence {
    /// The form.
    pub form: String,
    /// Places in the combination. Text, as JSON numbers end at 2^53.
    pub places: String,
    /// How many of them were asked about.
    pub asked: usize,
    /// How many failed.
    pub failed: usize,
}

/// The simplest case of a finding.
#[derive(Clone, Debug, Serialize)]
pub struct ExecutedMinimal {
    /// A hash of the case.
    pub id: String,
    /// The state and the row by the names of their choices, those at their first value left out.
    pub state: String,
    /// In what the answer differs.
    pub difference: String,
    /// What must come of it.
    pub expected: String,
    /// What came of it.
    pub got: String,
    /// The case, with one row.
    pub execution: Execution,
}

/// Numbers that each place is asked about with, beside those of rows that failed.
const NUMBERS: usize = 10;
/// Rows that must trap which an engine is asked about in one form, where each costs a process.
const TRAPS: u64 = 100;
/// Places drawn from a combination that say enough of it.
const ENOUGH: usize = 20;
/// Numbers of rows that failed.
const FAILED_NUMBERS: usize = 6;

/// Reduces the rows of a run that came out wrong to findings.
///
/// # Errors
/// Where a text of ours cannot be read.
pub fn find_executed(
    spec: &Spec,
    divergences: &Divergences,
    engines: &[&dyn CaseExecutor],
    results: &Results,
    progress: &Progress,
) -> Result<Vec<ExecutedFinding>, NoState> {
    let mut findings: BTreeMap<(String, String), ExecutedFinding> = BTreeMap::new();
    for result in &results.executed {
        for (at, finding) in recorded(spec, &result.name, &result.recorded)?.into_iter().enumerate() {
            findings.insert((result.name.clone(), format!("recorded {at}")), finding);
        }
        let Some(engine) = engines.iter().find(|engine| engine.id().as_str() == result.name) else { continue };
        for of_form in result.forms.iter().filter(|form| form.differed > 0) {
            let Some(instruction) = spec.instruction(&of_form.instruction) else { continue };
            let inquiry = Inquiry::new(spec, divergences, *engine, instruction, of_form, progress);
            for finding in inquiry.findings()? {
                let key = (finding.engine.clone(), finding.when.to_string());
                match findings.get_mut(&key) {
                    Some(known) if known.forms[0].split('.').next() == finding.forms[0].split('.').next() => {
                        known.join(finding);
                    }
                    Some(_) => {
                        findings.insert((key.0, format!("{} {}", key.1, finding.forms[0])), finding);
                    }
                    None => {
                        findings.insert(key, finding);
                    }
                }
            }
        }
    }
    let mut findings: Vec<ExecutedFinding> = findings.into_values().collect();
    findings.iter_mut().for_each(ExecutedFinding::name);
    findings.sort_by(|a, b| (b.mismatches, &a.fingerprint).cmp(&(a.mismatches, &b.fingerprint)));
    Ok(findings)
}

/// Recorded rows cannot be asked about again: those of one form that differ in one way are one
/// finding.
fn recorded(spec: &Spec, engine: &str, wrong: &[Wrong]) -> Result<Vec<ExecutedFinding>, NoState> {
    let mut groups: BTreeMap<(&str, String), Vec<&Wrong>> = BTreeMap::new();
    for row in wrong {
        let Verdict::Differs(difference) = &row.tried.verdict else { continue };
        groups.entry((&row.form, kind(difference))).or_default().push(row);
    }
    let finding = |((form, kind), rows): ((&str, String), Vec<&Wrong>)| {
        let shown = rows.iter().min_by_key(|row| (row.execution.line.len(), &row.execution.line))?;
        let inferred = names(&shown.tried);
        let all = rows.iter().all(|row| !row.tried.expectation.inferred.is_empty());
        let opcode = form.split('.').next().unwrap_or_default();
        Some(ExecutedFinding {
            fingerprint: String::new(),
            title: kind,
            engine: engine.to_owned(),
            forms: vec![form.to_owned()],
            when: Condition::default(),
            evidence: Vec::new(),
            mismatches: rows.len() as u64,
            suspect: suspect(&inferred, all),
            inferred: inferred.into_iter().collect(),
            manual: spec.instruction(opcode).map(Instruction::page).into_iter().collect(),
            case: minimal(String::new(), &shown.tried, shown.execution.clone()),
            yaml: String::new(),
        })
    };
    Ok(groups.into_iter().filter_map(finding).collect())
}

/// In what way an answer differs, in words that rows of one cause have in common.
fn kind(difference: &Difference) -> String {
    match difference {
        Difference::Returned => "it returns where it must trap".to_owned(),
        Difference::Trapped => "it traps where it must not".to_owned(),
        Difference::Register(_) => "a register".to_owned(),
        Difference::Surface(_) => "the surface".to_owned(),
        Difference::Failed(how) => {
            how.lines().next().unwrap_or_default().chars().filter(|c| !c.is_ascii_digit()).collect()
        }
    }
}

/// The names of what an expectation rests on.
fn names(tried: &Tried) -> BTreeSet<String> {
    tried.expectation.inferred.iter().map(|inference| inference.id.to_owned()).collect()
}

/// The fault may be ours only where everything that fails rests on something inferred.
fn suspect(inferred: &BTreeSet<String>, all: bool) -> String {
    if inferred.is_empty() || !all {
        return "engine: the manual promises what must come of it".to_owned();
    }
    let names: Vec<&str> = inferred.iter().map(String::as_str).collect();
    format!("model: what must come of it is inferred ({})", names.join(", "))
}

/// Looks into the wrong rows of one form.
struct Inquiry<'a> {
    spec: &'a Spec,
    divergences: &'a Divergences,
    version: Option<EngineVersion>,
    engine: &'a dyn CaseExecutor,
    of_form: &'a ExecutedForm,
    /// With all axes.
    whole: Instruction,
    /// Without those of numbers.
    places: Instruction,
    costly: Costly,
    progress: &'a Progress,
}

/// What was seen at a place.
enum Shown {
    /// A row that failed.
    Fails(Values, Box<Tried>),
    Passes,
    Nothing,
}

impl Shown {
    fn seen(&self) -> Option<bool> {
        match self {
            Self::Fails(..) => Some(true),
            Self::Passes => Some(false),
            Self::Nothing => None,
        }
    }
}

/// The numbers that places are asked about with: choices on the last axes.
type Tails = Vec<Values>;

impl<'a> Inquiry<'a> {
    fn new(
        spec: &'a Spec,
        divergences: &'a Divergences,
        engine: &'a dyn CaseExecutor,
        instruction: &'a Instruction,
        of_form: &'a ExecutedForm,
        progress: &'a Progress,
    ) -> Self {
        let whole = state::executed(spec, instruction);
        let places = state::without_numbers(spec, instruction);
        let traps = engine.traps_cost().then(|| AtomicU64::new(TRAPS));
        let costly = Costly { traps, undefined: AtomicU64::new(0) };
        let version = EngineVersion::of(engine.id());
        Self { spec, divergences, version, engine, of_form, whole, places, costly, progress }
    }

    fn form(&self) -> &Form {
        &self.whole.forms[self.of_form.form]
    }

    fn findings(&self) -> Result<Vec<ExecutedFinding>, NoState> {
        let form = self.form();
        let place = form.axes.len() - state::numbers(form);
        let Some(first) = self.of_form.sample.first() else { return Ok(Vec::new()) };
        let whole = Diagram::within(form, None, &first[..ENVIRONMENT]);
        let places = &self.places.forms[self.of_form.form];
        let domain = Diagram::within(places, None, &first[..ENVIRONMENT]);
        let mut open: Vec<Values> = self.of_form.sample.clone();
        open.sort_by_key(|values| (distance(values), values.clone()));
        // A guard hides what is wrong as often as not, so it is left out where it is not needed.
        let unguarded = |values: &Values| values[ENVIRONMENT] == 0;
        let prefix = if open.iter().any(unguarded) {
            open.retain(unguarded);
            ENVIRONMENT + 1
        } else {
            ENVIRONMENT
        };
        let tails = self.tails(&open, place);
        let mut fails: Vec<Values> = open.iter().map(|values| values[..place].to_vec()).collect();
        fails.sort();
        fails.dedup();
        let mut asked: BTreeMap<Values, Shown> = BTreeMap::new();
        let region = domain.all().below(&open[0][..prefix]);
        let draw = Draw::named(&format!("executed {}", form.id), 0);
        let prefix = region.prefix().to_vec();
        let mut generalise = Generalise { diagram: &domain, prefix, form: places, draw };
        let combinations = generalise.explain(&fails, &mut |questions: &[Values]| {
            let mut new: Vec<Values> =
                questions.iter().filter(|values| !asked.contains_key(*values)).cloned().collect();
            new.sort();
            new.dedup();
            let shown = self.ask(&whole, &new, &tails)?;
            asked.extend(new.into_iter().zip(shown));
            let stopped = self.progress.stop.load(Ordering::Relaxed);
            Ok(questions.iter().map(|values| asked.get(values).filter(|_| !stopped)?.seen()).collect())
        })?;
        let findings = combinations.iter().map(|combination| self.finding(&region, combination, &asked));
        findings.filter_map(Result::transpose).collect()
    }

    /// Those of the simplest rows that failed, and some more.
    fn tails(&self, open: &[Values], place: usize) -> Tails {
        let form = self.form();
        let mut tails: Tails = vec![vec![0; form.axes.len() - place]];
        let mut draw = Draw::named("numbers", 0);
        for _ in 0..NUMBERS {
            let below = |axis: usize, draw: &mut Draw| {
                let drawn = draw.below(form.axes[axis].values.len() as u128);
                drawn.and_then(|drawn| u8::try_from(drawn).ok()).unwrap_or_default()
            };
            tails.push((place..form.axes.len()).map(|axis| below(axis, &mut draw)).collect());
        }
        for values in open {
            let tail = values[place..].to_vec();
            if tails.len() < 1 + NUMBERS + FAILED_NUMBERS && !tails.contains(&tail) {
                tails.push(tail);
            }
        }
        tails
    }

    /// What is seen at each place.
    fn ask(&self, domain: &Diagram, places: &[Values], tails: &Tails) -> Result<Vec<Shown>, NoState> {
        let mut rows: Vec<Values> = Vec::new();
        let mut ends = Vec::new();
        for place in places {
            let with = tails.iter().map(|tail| [place.as_slice(), tail].concat());
            let listed = |values: &Values| {
                self.divergences.computes(self.version.as_ref(), &self.form().id, values).next().is_some()
            };
            rows.extend(with.filter(|values| domain.contains(values) && !listed(values)));
            ends.push(rows.len());
        }
        let tried = case::execute(self.spec, self.engine, self.form(), &rows, &self.costly)?;
        let mut all = rows.into_iter().zip(tried);
        let mut start = 0;
        let mut shown = Vec::new();
        for end in ends {
            let of_place: Vec<(Values, Tried)> = all.by_ref().take(end - start).collect();
            start = end;
            let passes = of_place.iter().any(|(_, tried)| matches!(tried.verdict, Verdict::Agrees(_)));
            let fails = of_place.into_iter().find(|(_, tried)| matches!(tried.verdict, Verdict::Differs(_)));
            shown.push(match (fails, passes) {
                (Some((values, tried)), _) => Shown::Fails(values, Box::new(tried)),
                (None, true) => Shown::Passes,
                (None, false) => Shown::Nothing,
            });
        }
        Ok(shown)
    }

    fn finding(
        &self,
        region: &Region<'_>,
        combination: &Combination,
        asked: &BTreeMap<Values, Shown>,
    ) -> Result<Option<ExecutedFinding>, NoState> {
        let Some(Shown::Fails(values, tried)) = asked.get(&combination.simplest) else { return Ok(None) };
        let form = self.form();
        let execution = state::execution(self.spec, form, &[values])?;
        let inferred = names(tried);
        let all = asked.iter().filter(|(place, _)| combination.cube.contains(place)).all(|(_, shown)| {
            let Shown::Fails(_, tried) = shown else { return true };
            tried.expectation.inferred.iter().any(|inference| inferred.contains(inference.id))
        });
        Ok(Some(ExecutedFinding {
            fingerprint: String::new(),
            title: String::new(),
            engine: self.engine.id().to_string(),
            forms: vec![form.id.clone()],
            when: condition(&self.places.forms[self.of_form.form], region, combination),
            evidence: vec![evidence(form, combination, asked)],
            mismatches: self.of_form.differed,
            suspect: suspect(&inferred, all),
            inferred: inferred.into_iter().collect(),
            manual: vec![form.page()],
            case: minimal(words(form, values), tried, execution),
            yaml: String::new(),
        }))
    }
}

/// What was drawn says how much of a combination fails; where an engine skips most of it, what was asked
/// about at all has to do.
fn evidence(form: &Form, combination: &Combination, asked: &BTreeMap<Values, Shown>) -> ExecutedEvidence {
    let (mut known, mut failed) = (combination.asked, combination.failed);
    if known < ENOUGH {
        let inside =
            || asked.iter().filter(|(place, _)| combination.cube.contains(place)).filter_map(|(_, s)| s.seen());
        (known, failed) = (inside().count(), inside().filter(|failed| *failed).count());
    }
    ExecutedEvidence { form: form.id.clone(), places: combination.size.to_string(), asked: known, failed }
}

/// A cube in words: of each axis that it names the values that occur.
fn condition(form: &Form, region: &Region<'_>, combination: &Combination) -> Condition {
    let cube = &combination.cube;
    let named = cube.sets().iter().map(|(axis, set)| {
        // What could stand there, the rest of the combination being as it is.
        let others = Cube::new(cube.sets().iter().copied().filter(|(other, _)| other != axis));
        let of = &form.axes[*axis];
        let possible = ValueSet::of(of.values.len(), |value| {
            let one = ValueSet::of(of.values.len(), |at| at == value);
            Slice::new(region, &others.clone().with(*axis, one)).count() > 0
        });
        let possible = possible.without(&combination.unknown[*axis]);
        let names = |set: ValueSet| -> BTreeSet<String> {
            set.iter().filter_map(|value| of.values.get(usize::from(value)).cloned()).collect()
        };
        let order: Vec<&String> = of.values.iter().collect();
        let values = Named::shortest(&names(set.and(&possible)), &names(possible.without(set)), &order, true);
        (of.name.clone(), values)
    });
    Condition(named.collect())
}

/// A state and a row by the names of their choices, those at their first value left out.
fn words(form: &Form, values: &[u8]) -> String {
    let of_state = form.axes.iter().enumerate().skip(form.writing() + 1).filter(|(axis, _)| values[*axis] != 0);
    let words: Vec<String> = of_state.map(|(axis, of)| format!("{}: {}", of.name, form.value(values, axis))).collect();
    words.join(", ")
}

fn minimal(state: String, tried: &Tried, execution: Execution) -> ExecutedMinimal {
    let difference = match &tried.verdict {
        Verdict::Differs(difference) => describe(difference, &execution),
        _ => String::new(),
    };
    ExecutedMinimal {
        id: case::execution_id(&execution),
        state,
        difference,
        expected: expected(&tried.expectation),
        got: tried.answer.as_ref().map(got).unwrap_or_default(),
        execution,
    }
}

/// In what an answer differs, in words.
pub fn describe(difference: &Difference, execution: &Execution) -> String {
    match difference {
        Difference::Returned => "it returns where it must trap".to_owned(),
        Difference::Trapped => "it traps where it must not".to_owned(),
        Difference::Register(at) => {
            let name = execution.outputs.get(*at).map_or("a register", |output| output.register.as_str());
            format!("{name} holds something else")
        }
        Difference::Surface(at) => format!("the surface holds something else, first at byte {at}"),
        Difference::Failed(how) => how.clone(),
    }
}

/// What must come of a row, in words.
pub fn expected(expectation: &Expectation) -> String {
    let ending = |ending: &Ending| match ending {
        Ending::Traps => "traps".to_owned(),
        Ending::Returns(effect) => {
            let registers = effect.registers().iter().map(|register| {
                if register.known == u128::MAX { format!("{:x}", register.bits) } else { "anything".to_owned() }
            });
            let written = effect.write.map(|write| {
                let count = usize::from(write.count);
                let bytes = write.bytes.bits.to_le_bytes();
                let known = write.bytes.known.to_le_bytes();
                let hex = |at: usize| match known[at] {
                    0xff => format!("{:02x}", bytes[at]),
                    0 => "..".to_owned(),
                    _ => "??".to_owned(),
                };
                format!("writes {} at byte {}", (0..count.min(16)).map(hex).collect::<String>(), write.at)
            });
            let words: Vec<String> = registers.chain(written).collect();
            if words.is_empty() { "writes nothing".to_owned() } else { words.join(" ") }
        }
    };
    match &expectation.allowed {
        Allowed::Only(one) => ending(one),
        Allowed::Either(two) => format!("{}, or {}", ending(&two[0]), ending(&two[1])),
        Allowed::Any(why) => format!("anything: {}", why.says()),
    }
}

/// What came of a row, in words.
pub fn got(answer: &Answer) -> String {
    match answer {
        Answer::Trapped(how) => format!("traps: {how}"),
        Answer::Skipped(why) => format!("skipped: {why}"),
        Answer::Failed(how) => format!("failed: {how}"),
        Answer::Returned(returned) => {
            let registers = returned.registers.iter().map(|bits| format!("{bits:x}"));
            let surface = returned.surface.iter().map(|bytes| {
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                format!("surface {hex}")
            });
            let words: Vec<String> = registers.chain(surface).collect();
            if words.is_empty() { "writes nothing".to_owned() } else { words.join(" ") }
        }
    }
}

impl ExecutedFinding {
    /// The family of the engine.
    pub fn family(&self) -> &str {
        self.engine.split('@').next().unwrap_or_default()
    }

    fn join(&mut self, other: Self) {
        self.forms.extend(other.forms);
        self.evidence.extend(other.evidence);
        self.mismatches += other.mismatches;
        self.inferred.retain(|inference| other.inferred.contains(inference));
    }

    /// Its title holds the kind of its difference, where that is what its rows have in common.
    fn name(&mut self) {
        let family = self.family().to_owned();
        let (when, kind) = (self.when.to_string(), std::mem::take(&mut self.title));
        let words = format!("{family} computes {} {when}{kind}", self.forms.join(" "));
        self.fingerprint = blake3::hash(words.as_bytes()).to_hex()[..12].to_owned();
        let when = if self.when.0.is_empty() { String::new() } else { format!(" when {when}") };
        let kind = if kind.is_empty() { kind } else { format!(": {kind}") };
        self.title = format!("{family} computes something else in {}{when}{kind}", self.forms.join(", "));
        // What was recorded says nothing of when.
        if !self.evidence.is_empty() {
            let mut text = String::new();
            // Writing to a String cannot fail.
            let _ = self.entry(&mut text);
            self.yaml = text;
        }
    }

    fn entry(&self, to: &mut String) -> std::fmt::Result {
        let parts = || self.forms.iter().filter_map(|form| form.split_once('.'));
        let opcode = parts().next().map_or("", |(opcode, _)| opcode);
        let forms: Vec<&str> = parts().map(|(_, form)| form).collect();
        writeln!(to, "  - id: {opcode}-computes-{}", &self.fingerprint[..6])?;
        writeln!(to, "    instructions: [{opcode}]")?;
        writeln!(to, "    forms: [{}]", forms.join(", "))?;
        writeln!(to, "    does: computes")?;
        if !self.when.0.is_empty() {
            writeln!(to, "    when: {}", self.when)?;
        }
        let why = self.suspect.split_once(": ").map_or("", |(_, why)| why);
        writeln!(to, "    because: Not explained yet ({why}, finding {}).", self.fingerprint)
    }
}
