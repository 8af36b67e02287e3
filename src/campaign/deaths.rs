//! Deaths of engines that several lines cause only together: grouped by the opcodes of the lines, and compared with the
//! list.

use std::collections::{BTreeMap, BTreeSet};

use super::options::Subject;
use super::results::{DeathGroup, EngineResult, Results};
use super::tasks::all_deaths;
use crate::divergences::{Divergence, Divergences, EngineVersion};
use crate::engine::{DeadlyModule, Depth, JointDeath};
use crate::ledger::{Ledger, LedgerError};
use crate::ptx::{Line, Statement, Statements};
use crate::spec::Spec;

impl Results {
    /// Takes the deaths of the engines that judged: a new one is a disagreement, a listed one counts as met.
    ///
    /// # Errors
    /// If the ledger, with those of earlier processes, cannot be read.
    pub fn note_joint_deaths(
        &mut self,
        spec: &Spec,
        divergences: &Divergences,
        subjects: &[Subject<'_>],
        ledger: Option<&Ledger>,
    ) -> Result<(), LedgerError> {
        for judge in subjects.iter().filter_map(|subject| subject.judge) {
            let name = judge.id().as_str();
            let version = EngineVersion::of(judge.id());
            let groups = groups(spec, divergences, name, version.as_ref(), all_deaths(judge, ledger)?);
            for engine in self.engines.iter_mut().filter(|engine| engine.name == name) {
                engine.note_listed_deaths(divergences, version.as_ref(), &groups);
            }
            self.deaths.extend(groups);
        }
        Ok(())
    }
}

impl EngineResult {
    /// Counts the listed deaths of lines together that happened; of the others nothing can be said.
    fn note_listed_deaths(
        &mut self,
        divergences: &Divergences,
        version: Option<&EngineVersion>,
        groups: &[DeathGroup],
    ) {
        for id in groups.iter().filter_map(|group| group.divergence.as_ref()) {
            self.tally.listed.entry(id.clone()).or_default().note(true);
        }
        let applies = |known: &&Divergence| known.together && version.is_some_and(|version| known.applies(version));
        for known in divergences.all.iter().filter(applies) {
            let of_run = self.forms.iter().any(|plan| known.cubes_in(&plan.form).next().is_some());
            if of_run && !self.tally.listed.contains_key(&known.id) {
                let why = "no lines that it lists died together, which depends on the lines that meet in a process";
                self.not_asked.insert(known.id.clone(), why.to_owned());
            }
        }
    }
}

fn groups(
    spec: &Spec,
    divergences: &Divergences,
    engine: &str,
    version: Option<&EngineVersion>,
    deaths: Vec<JointDeath>,
) -> Vec<DeathGroup> {
    let mut groups: BTreeMap<(BTreeSet<String>, Depth, String), (u64, JointDeath)> = BTreeMap::new();
    for death in deaths {
        let lines = death.modules.iter().flat_map(|module| &module.lines);
        let key = (lines.map(|line| opcode(spec, line)).collect(), death.depth, death.how.clone());
        let (count, example) = groups.entry(key).or_insert_with(|| (0, death.clone()));
        *count += 1;
        if DeadlyModule::size(&death.modules) < DeadlyModule::size(&example.modules) {
            *example = death;
        }
    }
    let group = |((opcodes, depth, how), (count, example))| {
        let listed = version.and_then(|version| divergences.kills_together(version, &opcodes, depth));
        let divergence = listed.map(str::to_owned);
        DeathGroup { engine: engine.to_owned(), opcodes, depth, how, count, example, divergence }
    };
    groups.into_iter().map(group).collect()
}

/// The instruction of a line's first statement, or its opcode if no specification has it: where code is generated, a second
/// statement stores the result. A line that cannot be read stands for itself: it shares a group with no other.
fn opcode(spec: &Spec, line: &str) -> String {
    match Statements::of_part(line).next_statement() {
        Ok(Some(Statement::Instruction(read))) => {
            let named = spec.instruction_of(read.opcode, &read.modifiers);
            named.map_or_else(|| read.opcode.to_owned(), |of| of.name.clone())
        }
        _ => Line::opcode_of(line).unwrap_or(line).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_belongs_to_the_instruction_of_its_first_statement() {
        let spec = crate::shipped::spec().expect("the specification is sound");
        for (line, instruction) in [
            (
                "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1}, %rd1, %rd2, 1, 1, 1; st.global.f32 [g], %f1;",
                "wgmma.mma_async",
            ),
            ("@!%p1 mov.b32 %r1, %r2;", "mov"),
            ("nonsense.b32 %r1;", "nonsense"),
            ("mov.b32 %r1, {", "mov"),
            ("= 5", "= 5"),
        ] {
            assert_eq!(opcode(&spec, line), instruction, "{line}");
        }
    }
}
