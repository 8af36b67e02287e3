//! Asks one engine about causes, and interprets its answers.

use std::sync::atomic::AtomicU64;

use super::search::exact::Seen;
use crate::campaign::{CODE_BATCH, Mismatch, Progress, Subject, WordLine, newest};
use crate::case::{self, Behavior, Case, CaseResult, CostlyRows, Expected, InternalError};
use crate::divergences::{Divergences, Does, EngineVersion};
use crate::engine::{Batch, CaseExecutor, Depth, Listing};
use crate::environment::AddressSize;
use crate::judge::Judge;
use crate::line_case::LineCase;
use crate::must::Must as _;
use crate::ptx::{Declarations, Line};
use crate::space::{Values, environment};
use crate::spec::{Form, Instruction, Spec};

/// Lines of one module.
const BATCH: usize = 10_000;

/// Asks one engine.
pub(super) struct Inquiry<'a> {
    pub(super) spec: &'a Spec,
    pub(super) divergences: &'a Divergences,
    pub(super) subject: &'a Subject<'a>,
    pub(super) version: Option<EngineVersion>,
    pub(super) progress: &'a Progress,
}

impl<'a> Inquiry<'a> {
    /// One for each engine, in their order.
    pub(super) fn of_all(
        spec: &'a Spec,
        divergences: &'a Divergences,
        subjects: &'a [Subject<'a>],
        progress: &'a Progress,
    ) -> Vec<Self> {
        let inquiry = |subject: &'a Subject<'a>| {
            let version = subject.id().and_then(EngineVersion::of);
            Self { spec, divergences, subject, version, progress }
        };
        subjects.iter().map(inquiry).collect()
    }

    /// The name of the engine.
    pub(super) fn name(&self) -> String {
        self.subject.id().map(ToString::to_string).unwrap_or_default()
    }

    /// The family of the engine.
    pub(super) fn family(&self) -> &'a str {
        self.subject.id().map_or("", |id| id.family())
    }

    /// Executes rows, if the engine executes.
    pub(super) fn execute(
        &self,
        form: &Form,
        rows: &[Values],
        costly: &CostlyRows,
    ) -> Result<Vec<CaseResult>, InternalError> {
        match self.subject.executor {
            Some(executor) => case::execute(self.spec, executor, form, rows, costly),
            None => Ok(Vec::new()),
        }
    }

    /// The code that the engine makes of a program with one row in the smallest module; none if it cannot tell, or after
    /// a stop.
    pub(super) fn listing(&self, program: &LineCase) -> Option<Listing> {
        if self.stopped() {
            return None;
        }
        self.subject.executor?.as_lister()?.smallest(program)
    }

    /// How many rows may end their kernel: `most` if each costs a process.
    pub(super) fn costly(&self, most: u64) -> CostlyRows {
        let cost = self.subject.executor.is_some_and(CaseExecutor::traps_cost);
        CostlyRows { traps: cost.then(|| AtomicU64::new(most)), undefined: AtomicU64::new(0) }
    }

    /// True if the run was stopped, so that the search must end.
    pub(super) fn stopped(&self) -> bool {
        self.progress.stopped()
    }

    /// Asks about lines.
    pub(super) fn ask(&self, depth: Depth, cases: &[Case<'_>]) -> Result<Vec<CaseResult>, InternalError> {
        match self.subject.judge {
            Some(judge) if !cases.is_empty() => {
                let batch = if depth == Depth::Generate { CODE_BATCH } else { BATCH };
                case::ask(self.spec, judge, depth, cases, batch)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Asks about lines with words; those that share declarations go together.
    pub(super) fn ask_words(&self, lines: &[&WordLine]) -> Result<Vec<CaseResult>, InternalError> {
        let Some(judge) = self.subject.judge else { return Ok(Vec::new()) };
        let together = |a: &&WordLine, b: &&WordLine| a.environment == b.environment && a.scaffold == b.scaffold;
        let mut results = Vec::with_capacity(lines.len());
        for lines in lines.chunk_by(together) {
            let batch = Batch {
                environment: lines[0].environment,
                scaffold: (*lines[0].scaffold).clone(),
                lines: lines.iter().map(|line| line.line.as_str()).collect(),
                mostly_invalid: true,
            };
            let outcomes = case::outcomes(judge, &batch, Depth::Check)?;
            results.extend(lines.iter().zip(outcomes).map(|(line, outcome)| CaseResult {
                expected: Expected::Verdict(line.reading.clone()),
                behavior: Behavior::Judged(outcome),
                row: None,
            }));
        }
        Ok(results)
    }

    /// A line with a word as this engine can be asked about it: as it is, or in the newest environment that the
    /// engine takes.
    pub(super) fn adapted_word(&self, line: &WordLine, instruction: &Instruction) -> Option<WordLine> {
        if self.subject.takes(&line.environment, Depth::Check) {
            return Some(line.clone());
        }
        const OURS: &str = "the line was read before, in another environment of the specification";
        let environment = newest(self.spec, self.subject)?;
        let declarations = Declarations::parse(&line.scaffold.declarations(), &self.spec.isa).must(OURS);
        let judge = Judge::new(self.spec, &environment).must(OURS);
        let parsed = Line::parse(&line.line).must(OURS);
        let reading = judge.read_as(instruction, &parsed, &declarations);
        Some(WordLine { environment, reading, ..line.clone() })
    }

    /// True if the engine accepts the environment of these choices.
    pub(super) fn supports(&self, form: &Form, values: &[u8], mismatch: &Mismatch) -> bool {
        let environment = environment(form, values);
        if mismatch.does == Does::Computes {
            // Programs have addresses of 64 bits.
            let executes = |executor: &dyn CaseExecutor| executor.executes(&environment).is_ok();
            return environment.address_size == AddressSize::Bits64 && self.subject.executor.is_some_and(executes);
        }
        self.subject.takes(&environment, mismatch.depth)
    }

    /// The meaning of an answer for a kind of mismatch of lines.
    pub(super) fn seen(&self, kind: &Mismatch, instruction: &Instruction, result: &CaseResult) -> Seen {
        let (Some(reading), Some(outcome)) = (result.reading(), result.outcome()) else { return Seen::Masked };
        let Some(did) = Does::of(outcome) else { return Seen::Masked };
        if !reading.rules(instruction).map(|rule| &rule.id).eq(&kind.rules) {
            return Seen::Masked;
        }
        let version = self.version.as_ref();
        let compared = self.divergences.compare(version, instruction, reading, kind.depth, did);
        if let Some(contradicts) = kind.contradicts() {
            return match compared.divergence {
                Some(id) if id == contradicts && compared.as_expected => Seen::Passes,
                Some(id) if id == contradicts && did == kind.does => Seen::Fails,
                _ => Seen::Masked,
            };
        }
        match did == kind.does {
            _ if did == compared.claimed => Seen::Passes,
            true if !compared.as_expected && result.message() == kind.message => Seen::Fails,
            _ => Seen::Masked,
        }
    }
}
