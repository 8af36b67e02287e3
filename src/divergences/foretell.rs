//! What can be foretold of an engine on a line, at every depth.

use super::{Divergences, Does, EngineVersion};
use crate::engine::Depth;
use crate::judge::Reading;
use crate::spec::Instruction;

/// The behavior that is foretold of an engine on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foretold<'a> {
    /// The behavior; none if it is one or another, as a divergence says.
    pub outcome: Option<Does>,
    /// The divergence that decides this, if there is one.
    pub divergence: Option<&'a str>,
}

impl Divergences {
    /// Foretells the behavior of an engine on a line that it checks and generates code for. If that is one or the other,
    /// because the engine does something only sometimes or only in code generation, there is no outcome.
    pub fn foretell<'d>(
        &'d self,
        engine: &EngineVersion,
        instruction: &Instruction,
        reading: &Reading,
    ) -> Foretold<'d> {
        let either = |id: Option<&'d str>| id.map(|id| Foretold { outcome: None, divergence: Some(id) });
        let checked = self.expect_at(engine, instruction, reading, Depth::Check);
        let known = Foretold { outcome: Some(checked.outcome), divergence: checked.divergence };
        // A PTX version that is too new is refused whatever the line is.
        if self.too_new(engine, &instruction.forms[reading.form], &reading.values) {
            return known;
        }
        let differing = |depth| self.differing(engine, instruction, reading, depth, checked.outcome);
        if let Some(found) = either(differing(Depth::Check)) {
            return found;
        }
        if checked.outcome != Does::Accepts {
            return known;
        }
        let generated = self.expect_at(engine, instruction, reading, Depth::Generate);
        let other = generated.divergence.filter(|_| generated.outcome != checked.outcome);
        either(other.or_else(|| differing(Depth::Generate))).unwrap_or(known)
    }

    /// A divergence by which a line that is expected to end so may end otherwise.
    fn differing<'d>(
        &'d self,
        engine: &EngineVersion,
        instruction: &Instruction,
        reading: &Reading,
        depth: Depth,
        expected: Does,
    ) -> Option<&'d str> {
        let others = [Does::Accepts, Does::Rejects, Does::Crashes].into_iter().filter(|does| *does != expected);
        let compared = others.map(|did| self.compare(Some(engine), instruction, reading, depth, did));
        compared.into_iter().find(|compared| compared.as_expected).and_then(|compared| compared.divergence)
    }
}
