//! Asks an engine to judge the variants of a task, and compares.

use super::costly::CostlyLines;
use super::first_answers::FirstAnswers;
use super::options::Options;
use super::plan::{PlannedVariant, Purpose, Task};
use super::tally::{GroupKey, Mismatch, Sample, Tally};
use crate::case::{self, Case, CaseResult, InternalError, first_message};
use crate::divergences::{Comparison, Divergences, Does, EngineVersion};
use crate::engine::{Depth, LineJudge, Outcome};
use crate::environment::Environment;
use crate::judge::Reading;
use crate::review::is_as_meant;
use crate::spec::{Instruction, Spec};

/// Asks one engine to judge lines.
pub(super) struct Asker<'a> {
    pub(super) spec: &'a Spec,
    pub(super) divergences: &'a Divergences,
    pub(super) engine: &'a dyn LineJudge,
    pub(super) version: Option<EngineVersion>,
    pub(super) health: &'a FirstAnswers,
}

/// Variants that are asked about together.
pub(super) struct LineQuestion<'a> {
    pub(super) purpose: Purpose,
    pub(super) parts: Vec<QuestionPart<'a>>,
}

/// Variants of one or several instructions in an environment.
pub(super) struct QuestionPart<'a> {
    pub(super) environment: Environment,
    pub(super) variants: Vec<(&'a Instruction, PlannedVariant)>,
}

impl<'a> LineQuestion<'a> {
    pub(super) fn new(instruction: &'a Instruction, task: Task) -> Self {
        let (environment, purpose) = (task.environment, task.purpose);
        let variants = task.rows().into_iter().map(|variant| (instruction, variant)).collect();
        Self { purpose, parts: vec![QuestionPart { environment, variants }] }
    }

    /// Its variants.
    pub(super) fn variants(&self) -> impl Iterator<Item = &(&'a Instruction, PlannedVariant)> {
        self.parts.iter().flat_map(|part| &part.variants)
    }
}

/// Variants by what an engine will probably do with them.
#[derive(Default)]
struct Foreseen<'a> {
    accepted: Vec<(&'a Instruction, PlannedVariant)>,
    others: Vec<(&'a Instruction, PlannedVariant)>,
    crashing: Vec<(&'a Instruction, PlannedVariant)>,
}

/// A judged line, with everything known about it.
struct JudgedLine<'a> {
    case: &'a Case<'a>,
    row: &'a PlannedVariant,
    purpose: Purpose,
    environment: Environment,
    reading: &'a Reading,
    outcome: &'a Outcome,
    rules: Vec<&'a str>,
}

impl JudgedLine<'_> {
    fn depth(&self) -> Depth {
        self.purpose.depth()
    }
}

impl<'a> Asker<'a> {
    pub(super) fn new(
        spec: &'a Spec,
        divergences: &'a Divergences,
        engine: &'a dyn LineJudge,
        health: &'a FirstAnswers,
    ) -> Self {
        Self { spec, divergences, engine, version: EngineVersion::of(engine.id()), health }
    }

    /// Asks about variants.
    pub(super) fn ask(&self, question: LineQuestion<'_>, options: &Options) -> Tally {
        let mut tally = Tally::default();
        let LineQuestion { purpose, parts } = question;
        let depth = purpose.depth();
        let mut foreseen = Foreseen::default();
        for QuestionPart { environment, variants } in parts {
            match self.engine.supports(&environment, depth) {
                Ok(()) => self.foresee(depth, variants, &mut foreseen, &mut tally),
                Err(reason) => *tally.skipped.entry(reason.to_string()).or_default() += variants.len() as u64,
            }
        }
        let Foreseen { accepted, others, crashing } = foreseen;
        // A process that complains about some lines must be asked again about the others; one that dies, several times.
        for (rows, batch) in [(accepted, options.batch), (others, options.batch), (crashing, 1)] {
            let cases: Vec<Case<'_>> = rows
                .iter()
                .map(|(instruction, row)| Case { instruction, form: row.form, values: &row.values })
                .collect();
            match self.in_steps(&cases, depth, batch) {
                Ok(results) => {
                    let unasked = (cases.len() - results.len()) as u64;
                    if unasked > 0 {
                        *tally.skipped.entry(self.health.not_asked()).or_default() += unasked;
                    }
                    for (((instruction, row), case), result) in rows.iter().zip(&cases).zip(&results) {
                        let (Some(reading), Some(outcome)) = (result.reading(), result.outcome()) else { continue };
                        let environment = case.environment();
                        let rules = reading.rules(instruction).map(|rule| rule.id.as_str()).collect();
                        let judged = JudgedLine { case, row, purpose, environment, reading, outcome, rules };
                        self.compare(&judged, result, &mut tally);
                    }
                }
                Err(error) => tally.note_internal_error(error.to_string()),
            }
        }
        tally
    }

    /// Parts the rows of a task by what the engine will probably do. Most of those that cost processes of their own are
    /// left out, and counted as skipped.
    fn foresee<'i>(
        &self,
        depth: Depth,
        rows: Vec<(&'i Instruction, PlannedVariant)>,
        parted: &mut Foreseen<'i>,
        tally: &mut Tally,
    ) {
        let mut costly = CostlyLines::default();
        for (instruction, row) in rows {
            let form = &instruction.forms[row.form];
            let foreseen = self.divergences.foresee(self.version.as_ref(), &form.id, &row.values, row.meant, depth);
            let costs = match foreseen.outcome {
                Does::Crashes => true,
                Does::Rejects => depth == Depth::Generate,
                Does::Accepts | Does::Computes => false,
            };
            if let Some(id) = foreseen.divergence.filter(|_| costs)
                && costly.admit(id, tally).is_err()
            {
                continue;
            }
            match foreseen.outcome {
                Does::Accepts => parted.accepted.push((instruction, row)),
                Does::Crashes => parted.crashing.push((instruction, row)),
                Does::Rejects | Does::Computes => parted.others.push((instruction, row)),
            }
        }
    }

    /// An engine that always fails must be detected with few cases: until it has done anything else, it is
    /// asked about few at a time, and after too many failures it is abandoned.
    fn in_steps(&self, cases: &[Case<'_>], depth: Depth, batch: usize) -> Result<Vec<CaseResult>, InternalError> {
        let mut results = Vec::with_capacity(cases.len());
        while results.len() < cases.len() {
            let Some(step) = self.health.step() else { break };
            let next = &cases[results.len()..cases.len().min(results.len().saturating_add(step))];
            let answered = case::ask(self.spec, self.engine, depth, next, batch)?;
            if answered.is_empty() {
                break;
            }
            answered.iter().for_each(|result| self.health.note(result));
            results.extend(answered);
        }
        Ok(results)
    }

    fn compare(&self, judged: &JudgedLine<'_>, result: &CaseResult, tally: &mut Tally) {
        let instruction = judged.case.instruction;
        self.check_meaning(judged, tally);
        let Some(did) = Does::of(judged.outcome) else {
            if let Outcome::Skipped(reason) = judged.outcome {
                *tally.skipped.entry(reason.clone()).or_default() += 1;
                let unanswered = match judged.reading.valid() {
                    true => &mut tally.unanswered.valid,
                    false => &mut tally.unanswered.breaches,
                };
                *unanswered += 1;
            }
            return;
        };
        let depth = judged.depth();
        let compared = self.divergences.compare(self.version.as_ref(), instruction, judged.reading, depth, did);
        let agreed = did == compared.claimed;
        let form = &judged.case.form().id;
        let count = match (judged.purpose, judged.rules.first()) {
            (Purpose::Code, _) => tally.code.entry(form.clone()).or_default(),
            (_, None) => tally.valid.entry(form.clone()).or_default(),
            (_, Some(rule)) => tally.breaches.entry((form.clone(), (*rule).to_owned())).or_default(),
        };
        count.cases += 1;
        count.agreed += u64::from(agreed);
        self.note_listed(judged, &compared, tally);
        // A listed line on which the engine follows the specification is a mismatch too.
        if !agreed || !compared.as_expected {
            self.note_mismatch(judged, result, &compared, tally);
        }
    }

    /// Checks that the judge reads what the generator meant.
    fn check_meaning(&self, judged: &JudgedLine<'_>, tally: &mut Tally) {
        let meant = judged.row.meant.map(|rule| judged.case.form().rules[rule].id.as_str());
        let rules = &judged.rules;
        let among_others = judged.row.loose && meant.is_none_or(|meant| rules.contains(&meant));
        let own_form = judged.reading.form == judged.row.form;
        let as_meant = among_others || is_as_meant(judged.case.form(), own_form, meant, rules);
        if !as_meant {
            let words = |rules: &[&str]| if rules.is_empty() { "valid".to_owned() } else { rules.join(", ") };
            let (form, read) = (&judged.case.form().id, &judged.case.instruction.forms[judged.reading.form].id);
            tally.note_internal_error(format!(
                "{}: made from `{form}` as {}, read as `{read}` and {}; `spec lint` says more",
                judged.case.line(),
                words(meant.as_slice()),
                words(rules)
            ));
        }
    }

    /// Counts which divergences were exercised, and whether the engine behaved as listed.
    fn note_listed(&self, judged: &JudgedLine<'_>, compared: &Comparison<'a>, tally: &mut Tally) {
        let (instruction, reading) = (judged.case.instruction, judged.reading);
        let version = self.version.as_ref();
        for id in self.divergences.deciding(version, instruction, reading, judged.depth(), compared) {
            tally.listed.entry(id.to_owned()).or_default().note(compared.as_expected);
        }
    }

    fn note_mismatch(
        &self,
        judged: &JudgedLine<'_>,
        result: &CaseResult,
        compared: &Comparison<'_>,
        tally: &mut Tally,
    ) {
        let (case, depth) = (judged.case, judged.depth());
        let mismatch = Mismatch {
            does: compared.did,
            rules: judged.rules.iter().map(|&rule| rule.to_owned()).collect(),
            depth,
            message: result.message(),
            divergence: compared.divergence.map(str::to_owned),
            listed: compared.as_expected,
        };
        let key = GroupKey { instruction: case.instruction.name.clone(), form: case.form().id.clone(), mismatch };
        let group = tally.groups.entry(key).or_default();
        group.count += 1;
        group.keep(case.values.to_vec(), compared.did);
        if group.is_simpler(case.values) {
            let (module, _) = case.module(depth);
            let command = case::command(self.engine, &module, &judged.environment, depth);
            group.sample = Some(Sample {
                values: case.values.to_vec(),
                line: case.line(),
                module,
                environment: judged.environment,
                message: first_message(judged.outcome),
                command,
            });
        }
    }
}
