//! What the manual forbids and every known assembler accepts.

use super::{Divergences, Does, EngineVersion};
use crate::check::Remark;
use crate::engine::ptxas::FAMILY;
use crate::environment::Version;
use crate::judge::Reading;
use crate::space::environment;
use crate::spec::Instruction;

/// The rules that no known version of the assembler enforces.
pub struct Leniency {
    divergences: Divergences,
    /// Each with the newest PTX version that it reads.
    engines: Vec<(EngineVersion, Version)>,
}

impl Leniency {
    /// The rules that these divergences say no version enforces.
    pub fn new(divergences: Divergences) -> Self {
        let engines = divergences.versions(FAMILY);
        Self { divergences, engines }
    }

    /// The remark on invalid lines that every known version accepts that reads their PTX version.
    pub fn remark(&self) -> Box<Remark<'_>> {
        Box::new(|instruction, reading| self.of(instruction, reading))
    }

    fn of(&self, instruction: &Instruction, reading: &Reading) -> Option<String> {
        let form = &instruction.forms[reading.form];
        let ptx = environment(form, &reading.values).ptx;
        let mut accepting = self.engines.iter().filter(|(_, newest)| *newest >= ptx).map(|(engine, _)| {
            let expected = self.divergences.expect(engine, instruction, reading);
            expected.divergence.filter(|_| expected.outcome == Does::Accepts)
        });
        let id = accepting.next()??;
        let all = accepting.all(|divergence| divergence.is_some());
        all.then(|| format!("every known {FAMILY} accepts this (known divergence `{id}`); --strict makes it an error"))
    }
}
