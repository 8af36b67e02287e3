//! Asks one engine about causes, and says what its answers mean.

use super::search::Seen;
use crate::campaign::{Mismatch, Progress, Subject};
use crate::case::{self, Case, CaseResult, InternalError};
use crate::divergences::{Divergences, Does, EngineVersion};
use crate::engine::{Depth, Engine};
use crate::environment::AddressSize;
use crate::space::environment;
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
            let version = EngineVersion::parse(subject.engine.name()).ok();
            Self { spec, divergences, subject, version, progress }
        };
        subjects.iter().map(inquiry).collect()
    }

    pub(super) fn engine(&self) -> &'a dyn Engine {
        self.subject.engine
    }

    /// Whether the search is to end.
    pub(super) fn stopped(&self) -> bool {
        self.progress.stopped()
    }

    /// Asks about lines.
    pub(super) fn ask(&self, depth: Depth, cases: &[Case<'_>]) -> Result<Vec<CaseResult>, InternalError> {
        case::ask(self.spec, self.engine(), depth, cases, BATCH)
    }

    /// Whether the engine takes the environment of these choices.
    pub(super) fn supports(&self, form: &Form, values: &[u8], mismatch: &Mismatch) -> bool {
        let Some(environment) = environment(form, values) else { return false };
        if mismatch.does == Does::Computes {
            // Programs have addresses of 64 bits.
            return environment.address_size == AddressSize::Bits64 && self.engine().executes(&environment).is_ok();
        }
        self.subject.takes(&environment, mismatch.depth)
    }

    /// What an answer says of a kind of mismatch of lines.
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
