//! Questions the listed divergences in executing lines: which no longer happen, and which no row of the run can tell about.

use std::sync::Arc;

use rayon::prelude::*;

use super::planner::spread;
use super::programs::costly;
use super::results::{ListedRows, Problem, Questioned};
use super::rows::Executor;
use super::tally::Tally;
use super::tasks::{PlannedTask, TaskKeeper, TaskResult, WatchedEngine};
use crate::case::{Case, CostlyRows, InternalError, RowQuestion, execute_all};
use crate::divergences::{DefectKind, Divergence, Does, EngineVersion};
use crate::environment::Environment;
use crate::ledger::{TaskCounts, TaskKind};
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

/// Divergences of a task: few, since some take seconds.
const TASK: usize = 4;

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

impl TaskResult for ListedRows {
    fn counts(&self) -> TaskCounts {
        self.tally.counts()
    }
}

impl ListedRows {
    fn add(&mut self, other: Self) {
        self.tally.merge(other.tally);
        self.gone.extend(other.gone);
        self.wider.extend(other.wider);
    }
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
    /// The listed divergences that this engine can be asked about in rows: its own, and at some depths those of other versions.
    fn listed_divergences(&self, version: &EngineVersion, instructions: &[&Instruction]) -> Vec<&Divergence> {
        let elsewhere = self.options.depth.budget().elsewhere;
        let asked = |known: &&Divergence| {
            known.does == Does::Computes
                && (known.applies(version) || elsewhere && known.applies_elsewhere(version))
                && !concerned(known, instructions).is_empty()
        };
        self.divergences.all.iter().filter(asked).collect()
    }

    /// Executes rows of the listed divergences in the environment of the run.
    ///
    /// # Errors
    /// If a generated text cannot be read.
    pub(super) fn ask_listed(
        &self,
        environment: &Environment,
        instructions: &[&Instruction],
        work: &TaskKeeper<'_>,
    ) -> Result<ListedRows, InternalError> {
        let mut answers = ListedRows::default();
        let Some(version) = &self.version else { return Ok(answers) };
        // A row that kills an assembler costs those beside it a process each.
        let is_deadly = |known: &&Divergence| known.defect_kind() == Some(DefectKind::Crash);
        let (deadly, others): (Vec<_>, Vec<_>) =
            self.listed_divergences(version, instructions).into_iter().partition(is_deadly);
        let plan = |some: &&[&Divergence]| {
            let names: Vec<&str> = some.iter().map(|known| known.id.as_str()).collect();
            let words = || format!("from {}", names[0]);
            let what = || format!("{environment}\n{}", names.join("\n"));
            work.plan(self.engine, TaskKind::ListedRows, names.len() as u64, words, what)
        };
        let packs: Vec<&[&Divergence]> = deadly.chunks(TASK).chain(others.chunks(TASK)).collect();
        let planned: Vec<PlannedTask> = packs.iter().map(plan).collect();
        let watched = WatchedEngine { engine: self.engine, judge: None, health: self.health };
        let asked = packs.par_iter().zip(&planned).map(|(some, task)| {
            let ask = || {
                let drawn = some.iter().map(|known| self.drawn(known, version, environment, instructions));
                self.answered(drawn.collect(), version)
            };
            work.result(task, watched, ask)
        });
        let asked: Vec<Option<Result<ListedRows, InternalError>>> = asked.collect();
        for done in asked.into_iter().flatten() {
            answers.add(done?);
        }
        Ok(answers)
    }

    fn drawn<'d>(
        &self,
        divergence: &'d Divergence,
        version: &EngineVersion,
        environment: &Environment,
        instructions: &[&Instruction],
    ) -> QuestionedRows<'d> {
        let all = QuestionedRows::new(self.spec, divergence, environment, &concerned(divergence, instructions));
        QuestionedRows { parts: if divergence.applies(version) { PARTS.len() } else { ELSEWHERE }, ..all }
    }

    /// The answers to the rows of divergences.
    fn answered(
        &self,
        mut asked: Vec<QuestionedRows<'_>>,
        version: &EngineVersion,
    ) -> Result<ListedRows, InternalError> {
        self.ask_about(&mut asked)?;
        let mut answers = ListedRows::default();
        for of in asked {
            let (divergence, is_gone) = (of.divergence, of.is_gone());
            let mut unlisted = of.tally.groups.keys().filter(|key| !key.mismatch.listed);
            match divergence.applies(version) {
                true if is_gone => drop(answers.gone.insert(divergence.id.clone())),
                false if unlisted.next().is_some() => drop(answers.wider.insert(divergence.id.clone())),
                true | false => {}
            }
            answers.tally.merge(of.tally);
        }
        Ok(answers)
    }

    /// The divergences that need attention, and those that no row can tell about. For recorded rows there are no others to ask.
    pub(super) fn question(&self, instructions: &[&Instruction], answers: ListedRows, tally: &mut Tally) -> Questioned {
        let mut questioned = Questioned::default();
        let Some(version) = &self.version else { return questioned };
        tally.merge(answers.tally);
        for divergence in self.listed_divergences(version, instructions) {
            if !divergence.applies(version) {
                if answers.wider.contains(&divergence.id) {
                    questioned.needs_attention(divergence, Problem::Wider);
                }
                continue;
            }
            if self.options.has_expired(divergence) {
                questioned.needs_attention(divergence, Problem::Expired);
            }
            self.conclude(divergence, answers.gone.contains(&divergence.id), tally, &mut questioned);
        }
        questioned
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
