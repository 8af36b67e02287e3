//! Questions the listed divergences in executing lines: which no longer happen, and which no row of the run can tell about.

use std::sync::Arc;

use super::options::Shard;
use super::planner::spread;
use super::programs::costly;
use super::results::{OTHER_SHARD, Problem, Questioned};
use super::rows::Executor;
use super::tally::Tally;
use crate::case::{Case, CostlyRows, InternalError, RowQuestion, execute_all};
use crate::divergences::{Divergence, Does};
use crate::environment::Environment;
use crate::model;
use crate::setup;
use crate::space::{Diagram, Values, environment_values};
use crate::spec::Instruction;

/// Rows that must come out right before a divergence counts as gone: some come out right by chance.
const ENOUGH: usize = 1000;
/// The parts in which the rows of a divergence are executed: every which one, from which on. The first part that shows it spares
/// the others, so it is small: where an assembler dies of each row, each costs several processes.
const PARTS: [(usize, usize); 8] = [(128, 0), (128, 64), (64, 32), (32, 16), (16, 8), (8, 4), (4, 2), (2, 1)];

impl Executor<'_> {
    /// The divergences that need attention, and those that no row can tell about. Those that no row has shown are asked
    /// about by rows of their own first, in the environment of the run. For recorded rows there is no environment, and no other row.
    ///
    /// # Errors
    /// If a generated text cannot be read.
    pub(super) fn question(
        &self,
        environment: Option<Environment>,
        instructions: &[&Instruction],
        tally: &mut Tally,
    ) -> Result<Questioned, InternalError> {
        let mut questioned = Questioned::default();
        let Some(version) = &self.version else { return Ok(questioned) };
        let own = self.divergences.all.iter().filter(|known| known.does == Does::Computes && known.applies(version));
        for divergence in own {
            let about = |instruction: &&&Instruction| {
                let concerned = |id: &str| divergence.cubes_in(id).next().is_some();
                model::models(&instruction.name) && instruction.forms.iter().any(|form| concerned(&form.id))
            };
            let concerned: Vec<&Instruction> = instructions.iter().filter(about).copied().collect();
            if concerned.is_empty() {
                continue;
            }
            if self.options.has_expired(divergence) {
                questioned.needs_attention(divergence, Problem::Expired);
            }
            if tally.met(divergence).did > 0 {
                continue;
            }
            let whole = self.options.shard == Shard::WHOLE;
            let all = match environment.filter(|_| whole) {
                Some(environment) => self.ask_about(divergence, &environment, &concerned, tally)?,
                None => false,
            };
            let met = tally.met(divergence);
            let lost = !self.engine.losses().is_empty() || self.progress.stopped();
            match () {
                () if met.did > 0 => {}
                () if lost => questioned.not_asked(divergence, "rows of the engine have no answer"),
                () if all || met.did_not >= ENOUGH as u64 => questioned.needs_attention(divergence, Problem::Fixed),
                () if !whole => questioned.not_asked(divergence, OTHER_SHARD),
                () => questioned.not_asked(divergence, "too few rows of it can be told right from wrong here"),
            }
        }
        Ok(questioned)
    }

    /// Executes rows of a divergence until one shows it. Returns whether all that exist were executed, and each came out
    /// right.
    fn ask_about(
        &self,
        divergence: &Divergence,
        environment: &Environment,
        concerned: &[&Instruction],
        tally: &mut Tally,
    ) -> Result<bool, InternalError> {
        let before = tally.met(divergence).did_not;
        let mut exist = 0;
        let mut all: Vec<(Arc<Instruction>, usize, Vec<Values>)> = Vec::new();
        for instruction in concerned {
            let executed = Arc::new(setup::executed(self.spec, instruction));
            for (at, form) in executed.forms.iter().enumerate() {
                let Some(choices) = environment_values(form, environment) else { continue };
                for listed in divergence.cubes_in(&form.id) {
                    let diagram = Diagram::inside(form, None, &listed.cube.clone().at(&choices));
                    exist += diagram.count();
                    all.push((Arc::clone(&executed), at, spread(&diagram.all(), ENOUGH as u128).collect()));
                }
            }
        }
        for (every, from) in PARTS {
            if self.progress.stopped() || self.health.step().is_none() {
                return Ok(false);
            }
            let of_part = |rows: &Vec<Values>| rows.iter().skip(from).step_by(every).cloned().collect();
            let rows: Vec<Vec<Values>> = all.iter().map(|(.., rows)| of_part(rows)).collect();
            let costly: Vec<CostlyRows> = all.iter().map(|_| costly(self.engine, 0)).collect();
            let questions = all.iter().zip(&rows).zip(&costly).map(|(((executed, at, _), rows), costly)| RowQuestion {
                form: &executed.forms[*at],
                rows,
                costly,
            });
            let questions: Vec<RowQuestion<'_>> = questions.collect();
            let results = execute_all(self.spec, self.engine, &questions)?;
            for (((executed, at, _), rows), results) in all.iter().zip(&rows).zip(&results) {
                for (values, result) in rows.iter().zip(results) {
                    self.note(&Case { instruction: executed, form: *at, values }, result, tally);
                }
            }
            if tally.met(divergence).did > 0 {
                return Ok(false);
            }
        }
        Ok(exist > 0 && u128::from(tally.met(divergence).did_not - before) >= exist)
    }
}
