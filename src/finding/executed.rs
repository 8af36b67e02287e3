//! Rows that came out wrong, reduced to their causes.
//!
//! The search is that for lines: the same cubes, over the axes of the variant and of where it is
//! executed. Which numbers are there is left out of it: a place is taken to fail where any numbers
//! fail there, for most faults show with some numbers only.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

use serde::Serialize;

use super::cubes::ENVIRONMENT;
use super::search::{Effort, Local, Search, Seen};
use super::words::{Condition, Values as Named};
use crate::case::{self, Tried};
use crate::engine::Engine;
use crate::execution::{Answer, Execution};
use crate::model::{Allowed, Difference, Ending, Expectation, Verdict};
use crate::run::{ExecutedForm, Progress, Results};
use crate::space::{Diagram, Draw, Values, distance};
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

/// Times that rows which no cause explains yet are looked into.
const WAVES: usize = 4;
/// Numbers that each place is asked about with, beside those of rows that failed.
const NUMBERS: usize = 10;
/// Numbers of rows that failed.
const FAILED_NUMBERS: usize = 6;

/// Reduces the rows of a run that came out wrong to findings.
///
/// # Errors
/// Where a text of ours cannot be read.
pub fn find_executed(
    spec: &Spec,
    engines: &[&dyn Engine],
    results: &Results,
    progress: &Progress,
) -> Result<Vec<ExecutedFinding>, NoState> {
    let mut findings: BTreeMap<(String, String), ExecutedFinding> = BTreeMap::new();
    for result in &results.executed {
        let Some(engine) = engines.iter().find(|engine| engine.name() == result.name) else { continue };
        for of_form in result.forms.iter().filter(|form| form.differed > 0) {
            let Some(instruction) = spec.instruction(&of_form.instruction) else { continue };
            let inquiry = Inquiry::new(spec, *engine, instruction, of_form, progress);
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

/// Looks into the wrong rows of one form.
struct Inquiry<'a> {
    spec: &'a Spec,
    engine: &'a dyn Engine,
    instruction: &'a Instruction,
    of_form: &'a ExecutedForm,
    /// With all axes.
    whole: Instruction,
    /// Without those of numbers.
    places: Instruction,
    progress: &'a Progress,
}

/// The numbers that places are asked about with: choices on the last axes.
type Tails = Vec<Values>;

impl<'a> Inquiry<'a> {
    fn new(
        spec: &'a Spec,
        engine: &'a dyn Engine,
        instruction: &'a Instruction,
        of_form: &'a ExecutedForm,
        progress: &'a Progress,
    ) -> Self {
        let whole = state::executed(spec, instruction);
        let places = state::without_numbers(spec, instruction);
        Self { spec, engine, instruction, of_form, whole, places, progress }
    }

    fn form(&self) -> &Form {
        &self.whole.forms[self.of_form.form]
    }

    fn findings(&self) -> Result<Vec<ExecutedFinding>, NoState> {
        let form = self.form();
        let place = form.axes.len() - state::numbers(form);
        let Some(first) = self.of_form.sample.first() else { return Ok(Vec::new()) };
        let environment = [first[0], first[1], first[2]];
        let domain = Diagram::within(form, None, &environment);
        let mut open: Vec<Values> = self.of_form.sample.clone();
        open.sort_by_key(|values| (distance(values), values.clone()));
        let mut findings = Vec::new();
        for wave in 0..WAVES {
            if open.is_empty() || self.progress.stop.load(Ordering::Relaxed) {
                break;
            }
            let tails = self.tails(&open, place);
            let mut seeds: Vec<Values> = open.iter().map(|values| values[..place].to_vec()).collect();
            seeds.sort();
            seeds.dedup();
            let draw = Draw::named(&format!("executed {} {wave}", form.id), 0);
            let mut search =
                Search::new(&self.places, self.of_form.form, None, environment, seeds, Effort::EXECUTED, draw);
            let mut failed: BTreeMap<Values, (Values, Tried)> = BTreeMap::new();
            loop {
                let questions = search.questions();
                if questions.is_empty() || self.progress.stop.load(Ordering::Relaxed) {
                    break;
                }
                for (values, (seen, shown)) in questions.iter().zip(self.ask(&domain, &questions, &tails)?) {
                    if let Some(shown) = shown {
                        failed.insert(values.clone(), shown);
                    }
                    search.tell(values.clone(), seen);
                }
            }
            let causes = search.causes();
            open.retain(|values| !causes.iter().any(|cause| cause.cube.contains(&values[..place])));
            for cause in &causes {
                findings.extend(self.finding(&search, cause, &failed)?);
            }
            if causes.is_empty() {
                break;
            }
        }
        Ok(findings)
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

    /// What is seen at each place, and the first row that failed there.
    fn ask(
        &self,
        domain: &Diagram,
        places: &[Values],
        tails: &Tails,
    ) -> Result<Vec<(Seen, Option<(Values, Tried)>)>, NoState> {
        let mut rows: Vec<Values> = Vec::new();
        let mut ends = Vec::new();
        for place in places {
            for tail in tails {
                let values = [place.as_slice(), tail].concat();
                if domain.contains(&values) {
                    rows.push(values);
                }
            }
            ends.push(rows.len());
        }
        let tried = case::execute(self.spec, self.engine, self.form(), &rows, None)?;
        let mut all = rows.into_iter().zip(tried);
        let mut start = 0;
        let mut seen = Vec::new();
        for end in ends {
            let of_place: Vec<(Values, Tried)> = all.by_ref().take(end - start).collect();
            start = end;
            let passes = of_place.iter().any(|(_, tried)| matches!(tried.verdict, Verdict::Agrees(_)));
            let fails = of_place.into_iter().find(|(_, tried)| matches!(tried.verdict, Verdict::Differs(_)));
            seen.push(match (fails, passes) {
                (Some(shown), _) => (Seen::Fails, Some(shown)),
                (None, true) => (Seen::Passes, None),
                (None, false) => (Seen::Masked, None),
            });
        }
        Ok(seen)
    }

    fn finding(
        &self,
        search: &Search<'_>,
        cause: &Local,
        failed: &BTreeMap<Values, (Values, Tried)>,
    ) -> Result<Option<ExecutedFinding>, NoState> {
        let Some((values, tried)) = cause.fails.first().and_then(|place| failed.get(place)) else { return Ok(None) };
        let form = self.form();
        let execution = state::execution(self.spec, form, &[values])?;
        let inferred: BTreeSet<String> =
            tried.expectation.inferred.iter().map(|inference| inference.id.to_owned()).collect();
        // The fault may be ours only where everything that fails rests on something inferred.
        let all_inferred = cause
            .fails
            .iter()
            .filter_map(|place| failed.get(place))
            .all(|(_, tried)| tried.expectation.inferred.iter().any(|inference| inferred.contains(inference.id)));
        let suspect = if inferred.is_empty() || !all_inferred {
            "engine: the manual promises what must come of it".to_owned()
        } else {
            let names: Vec<&str> = inferred.iter().map(String::as_str).collect();
            format!("model: what must come of it is inferred ({})", names.join(", "))
        };
        Ok(Some(ExecutedFinding {
            fingerprint: String::new(),
            title: String::new(),
            engine: self.engine.name().to_owned(),
            forms: vec![form.id.clone()],
            when: condition(search, &cause.cube),
            evidence: vec![ExecutedEvidence {
                form: form.id.clone(),
                places: cause.size.to_string(),
                asked: cause.asked,
                failed: cause.fails.len(),
            }],
            mismatches: self.of_form.differed,
            inferred: inferred.into_iter().collect(),
            suspect,
            manual: vec![self.instruction.page()],
            case: minimal(form, values, tried, execution),
        }))
    }
}

/// A cube in words: of each axis that it names the values that occur.
fn condition(search: &Search<'_>, cube: &Cube) -> Condition {
    let form = search.form();
    let region = search.region();
    let occurring = region.together(usize::MAX, 0);
    let named = cube.sets().iter().filter(|(axis, _)| *axis >= ENVIRONMENT).map(|(axis, set)| {
        let of = &form.axes[*axis];
        let names = |set: ValueSet| -> BTreeSet<String> {
            set.iter().filter_map(|value| of.values.get(usize::from(value)).cloned()).collect()
        };
        let inside = set.and(&occurring[*axis]);
        let outside = occurring[*axis].without(set);
        let order: Vec<&String> = of.values.iter().collect();
        (of.name.clone(), Named::shortest(&names(inside), &names(outside), &order, true))
    });
    Condition(named.collect())
}

fn minimal(form: &Form, values: &[u8], tried: &Tried, execution: Execution) -> ExecutedMinimal {
    let of_state = form.axes.iter().enumerate().skip(form.writing() + 1).filter(|(axis, _)| values[*axis] != 0);
    let state: Vec<String> = of_state.map(|(axis, of)| format!("{}: {}", of.name, form.value(values, axis))).collect();
    let difference = match &tried.verdict {
        Verdict::Differs(difference) => describe(difference, &execution),
        _ => String::new(),
    };
    ExecutedMinimal {
        id: case::execution_id(&execution),
        state: state.join(", "),
        difference,
        expected: expected(&tried.expectation),
        got: tried.answer.as_ref().map(got).unwrap_or_default(),
        execution,
    }
}

fn describe(difference: &Difference, execution: &Execution) -> String {
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
    fn join(&mut self, other: Self) {
        self.forms.extend(other.forms);
        self.evidence.extend(other.evidence);
        self.mismatches += other.mismatches;
        self.inferred.retain(|inference| other.inferred.contains(inference));
    }

    fn name(&mut self) {
        let family = self.engine.split('@').next().unwrap_or_default();
        let when = self.when.to_string();
        let words = format!("{family} computes {} {when}", self.forms.join(" "));
        self.fingerprint = blake3::hash(words.as_bytes()).to_hex()[..12].to_owned();
        let when = if self.when.0.is_empty() { String::new() } else { format!(" when {when}") };
        self.title = format!("{family} computes something else in {}{when}", self.forms.join(", "));
    }
}
