//! Questions the listed divergences in executing lines: which no longer happen, and which no row of the run can tell about.

use std::sync::Arc;

use super::planner::spread;
use super::programs::costly;
use super::results::{Problem, Questioned};
use super::rows::Executor;
use super::tally::Tally;
use crate::case::{Case, CostlyRows, InternalError, RowQuestion, execute_all};
use crate::divergences::{DefectKind, Divergence, Does};
use crate::environment::Environment;
use crate::model;
use crate::setup;
use crate::space::{Diagram, Values, environment_values};
use crate::spec::{Instruction, Spec};

/// Rows that must come out right before a divergence counts as gone: some come out right by chance.
const ENOUGH: usize = 1000;
/// The parts in which the rows of a divergence are executed: every which one, from which on. The first part that shows it spares
/// the others, so it is small: where an assembler dies of each row, each costs several processes.
const PARTS: [(usize, usize); 11] =
    [(1024, 0), (1024, 512), (512, 256), (256, 128), (128, 64), (64, 32), (32, 16), (16, 8), (8, 4), (4, 2), (2, 1)];
/// How many of these parts are executed of a divergence that is listed only for other versions.
const ELSEWHERE: usize = 3;

/// A divergence, and rows by which it can be questioned.
struct QuestionedRows<'d> {
    divergence: &'d Divergence,
    /// The forms that it is about, by their instructions and positions, and rows of each.
    rows: Vec<(Arc<Instruction>, usize, Vec<Values>)>,
    /// How many rows it has at all.
    exist: u128,
    /// How many parts of the rows are executed at most.
    parts: usize,
    /// The results of the rows.
    tally: Tally,
}

impl<'d> QuestionedRows<'d> {
    fn new(spec: &Spec, divergence: &'d Divergence, environment: &Environment, concerned: &[&Instruction]) -> Self {
        let mut exist = 0;
        let mut rows = Vec::new();
        for instruction in concerned {
            let executed = Arc::new(setup::executed(spec, instruction));
            for (at, form) in executed.forms.iter().enumerate() {
                let Some(choices) = environment_values(form, environment) else { continue };
                for listed in divergence.cubes_in(&form.id) {
                    let diagram = Diagram::inside(form, None, &listed.cube.clone().at(&choices));
                    exist += diagram.count();
                    rows.push((Arc::clone(&executed), at, spread(&diagram.all(), ENOUGH as u128).collect()));
                }
            }
        }
        Self { divergence, rows, exist, parts: PARTS.len(), tally: Tally::default() }
    }

    /// True if all rows that exist were executed, and each came out right.
    fn is_gone(&self) -> bool {
        let met = self.tally.met(self.divergence);
        self.exist > 0 && met.did == 0 && u128::from(met.did_not) >= self.exist
    }
}

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
        let mut asked: Vec<QuestionedRows<'_>> = Vec::new();
        for divergence in self.divergences.all.iter().filter(|known| known.does == Does::Computes) {
            let concerned = concerned(divergence, instructions);
            let applies = divergence.applies(version);
            let elsewhere = self.options.depth.budget().elsewhere && divergence.applies_elsewhere(version);
            if concerned.is_empty() || !applies && !elsewhere {
                continue;
            }
            if applies && self.options.has_expired(divergence) {
                questioned.needs_attention(divergence, Problem::Expired);
            }
            if applies && tally.met(divergence).did > 0 {
                continue;
            }
            match environment {
                Some(environment) => {
                    let all = QuestionedRows::new(self.spec, divergence, &environment, &concerned);
                    asked.push(QuestionedRows { parts: if applies { PARTS.len() } else { ELSEWHERE }, ..all });
                }
                None if applies => self.conclude(divergence, false, tally, &mut questioned),
                None => {}
            }
        }
        // A row that kills an assembler costs those beside it a process each.
        asked.sort_by_key(|of| of.divergence.defect_kind() != Some(DefectKind::Crash));
        let deadly = asked.partition_point(|of| of.divergence.defect_kind() == Some(DefectKind::Crash));
        let (deadly, others) = asked.split_at_mut(deadly);
        self.ask_about(deadly)?;
        self.ask_about(others)?;
        let mut all: Vec<(&Divergence, bool, bool)> = Vec::new();
        for of in asked {
            let unlisted = of.tally.groups.keys().any(|key| !key.mismatch.listed);
            all.push((of.divergence, of.is_gone(), unlisted));
            tally.merge(of.tally);
        }
        for (divergence, is_gone, unlisted) in all {
            match divergence.applies(version) {
                true => self.conclude(divergence, is_gone, tally, &mut questioned),
                false if unlisted => questioned.needs_attention(divergence, Problem::Wider),
                false => {}
            }
        }
        Ok(questioned)
    }

    /// Concludes about a divergence of the engine; `all` is true if all its rows came out right.
    fn conclude(&self, divergence: &Divergence, all: bool, tally: &Tally, questioned: &mut Questioned) {
        let met = tally.met(divergence);
        let lost = !self.engine.losses().is_empty() || self.progress.stopped();
        match () {
            () if met.did > 0 => {}
            () if lost => questioned.not_asked(divergence, "rows of the engine have no answer"),
            () if all || met.did_not >= ENOUGH as u64 => questioned.needs_attention(divergence, Problem::Fixed),
            () => questioned.not_asked(divergence, "too few rows of it can be told right from wrong here"),
        }
    }

    /// Executes rows of divergences, part by part, until one shows each.
    fn ask_about(&self, asked: &mut [QuestionedRows<'_>]) -> Result<(), InternalError> {
        for (part, (every, from)) in PARTS.into_iter().enumerate() {
            if self.progress.stopped() || self.health.step().is_none() {
                return Ok(());
            }
            let is_open = |of: &&mut QuestionedRows<'_>| part < of.parts && of.tally.met(of.divergence).did == 0;
            let mut open: Vec<&mut QuestionedRows<'_>> = asked.iter_mut().filter(is_open).collect();
            let of_part = |rows: &Vec<Values>| rows.iter().skip(from).step_by(every).cloned().collect();
            let rows: Vec<Vec<Vec<Values>>> =
                open.iter().map(|of| of.rows.iter().map(|(.., rows)| of_part(rows)).collect()).collect();
            let costly: Vec<Vec<CostlyRows>> =
                open.iter().map(|of| of.rows.iter().map(|_| costly(self.engine, 0)).collect()).collect();
            let mut questions = Vec::new();
            for ((of, rows), costly) in open.iter().zip(&rows).zip(&costly) {
                for (((executed, at, _), rows), costly) in of.rows.iter().zip(rows).zip(costly) {
                    questions.push(RowQuestion { form: &executed.forms[*at], rows, costly });
                }
            }
            let mut results = execute_all(self.spec, self.engine, &questions)?.into_iter();
            for (of, rows) in open.iter_mut().zip(&rows) {
                let QuestionedRows { rows: forms, tally, .. } = &mut **of;
                for (((executed, at, _), rows), results) in forms.iter().zip(rows).zip(results.by_ref()) {
                    for (values, result) in rows.iter().zip(&results) {
                        self.note(&Case { instruction: executed, form: *at, values }, result, true, tally);
                    }
                }
            }
        }
        Ok(())
    }
}

/// The instructions with rows that a divergence is about.
fn concerned<'i>(divergence: &Divergence, instructions: &[&'i Instruction]) -> Vec<&'i Instruction> {
    let about = |instruction: &&&Instruction| {
        let concerned = |id: &str| divergence.cubes_in(id).next().is_some();
        model::models(&instruction.name) && instruction.forms.iter().any(|form| concerned(&form.id))
    };
    instructions.iter().filter(about).copied().collect()
}
