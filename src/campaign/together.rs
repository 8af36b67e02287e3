//! Variants of several instructions or environments that are asked about together: a process of an assembler costs as much
//! as a hundred lines.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::ask::{LineQuestion, QuestionPart};
use super::plan::{PlannedVariant, Purpose, Task, TaskVariants};
use crate::environment::Environment;
use crate::spec::Instruction;

/// The most lines that are asked about together: enough that processes are few, and few enough that all threads have some.
const LINES: usize = 2000;
/// The same of directives, each of which has a module and some of which have a process.
const DIRECTIVES: usize = 128;

/// The least random lines that are asked about on their own: they take no memory until then, and all that wait for others do.
const DRAWN: usize = 128;
/// How many questions those that wait must fill before they are asked.
const FULL: usize = 2;

/// The kind of lines that are asked about together: their purpose, and whether they are directives and have faults of
/// syntax, which may end an assembler's pass.
type Alike = (Purpose, bool, bool);

/// The properties that variants asked about together share. Some lines are refused beside those of other instructions when
/// code is generated.
type Common = (Alike, Environment, Option<usize>);

/// Collects tasks, and makes questions of them that do not depend on the order in which they came.
pub(super) struct Together<'a> {
    instructions: &'a [&'a Instruction],
    waiting: Mutex<BTreeMap<Common, Vec<(usize, PlannedVariant)>>>,
}

impl<'a> Together<'a> {
    pub(super) fn new(instructions: &'a [&'a Instruction]) -> Self {
        Self { instructions, waiting: Mutex::default() }
    }

    /// Adds a task of the instruction at this position.
    pub(super) fn add(&self, at: usize, task: Task) {
        let (purpose, environment) = (task.purpose, task.environment);
        let alone = (purpose == Purpose::Code).then_some(at);
        // Each task is added whole.
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        for variant in task.rows() {
            let alike = alike(purpose, self.instructions[at], &variant);
            waiting.entry((alike, environment, alone)).or_default().push((at, variant));
        }
    }

    /// The questions that can be made of what waits now without making them smaller: so no more than some instructions' tasks
    /// wait.
    pub(super) fn full_questions(&self, batch: usize) -> Vec<LineQuestion<'a>> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let full = waiting.extract_if(.., |(alike, ..), waiting| waiting.len() >= FULL * most(*alike, batch));
        full.flat_map(|(common, waiting)| self.questions_of(common, waiting, batch)).collect()
    }

    /// The questions, each about up to some thousand lines, or as many as are in a batch.
    pub(super) fn questions(self, batch: usize) -> Vec<LineQuestion<'a>> {
        let waiting = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        let questions = waiting.into_iter().flat_map(|(common, waiting)| self.questions_of(common, waiting, batch));
        packed(questions.collect(), batch)
    }

    fn questions_of(
        &self,
        (alike, environment, _): Common,
        mut waiting: Vec<(usize, PlannedVariant)>,
        batch: usize,
    ) -> Vec<LineQuestion<'a>> {
        // Sorted, since threads add tasks in any order; and two tasks may ask about the same variant.
        waiting.sort_unstable_by(|(a, x), (b, y)| (a, x.form, &x.values).cmp(&(b, y.form, &y.values)));
        waiting.dedup_by(|(a, x), (b, y)| (a, x.form, &x.values) == (b, y.form, &y.values));
        // Parts of one size: a small rest would cost a process as well.
        let parts = waiting.len().div_ceil(most(alike, batch)).max(1);
        let size = waiting.len().div_ceil(parts);
        let of = |(at, variant): (usize, PlannedVariant)| (self.instructions[at], variant);
        let mut waiting = waiting.into_iter().map(of);
        let mut questions = Vec::with_capacity(parts);
        while waiting.len() > 0 {
            // Without the room of those that follow.
            let mut variants = Vec::with_capacity(size);
            variants.extend(waiting.by_ref().take(size));
            questions.push(LineQuestion { purpose: alike.0, parts: vec![QuestionPart { environment, variants }] });
        }
        questions
    }
}

/// True if a task is so small that it is better asked about together with others.
pub(super) fn is_small(task: &Task) -> bool {
    let small = if matches!(task.variants, TaskVariants::Drawn(..)) { DRAWN } else { LINES };
    task.purpose == Purpose::Check && task.size() < small
}

/// The same questions in an order of their own, small ones together. The targets follow one another, because an assembler
/// takes several in one process. Faults of syntax stay apart.
pub(super) fn packed(mut questions: Vec<LineQuestion<'_>>, batch: usize) -> Vec<LineQuestion<'_>> {
    let lines = |question: &LineQuestion<'_>| question.variants().count();
    questions.sort_by(order);
    let mut packed: Vec<LineQuestion<'_>> = Vec::new();
    for question in questions {
        let fits = |last: &&mut LineQuestion<'_>| {
            let of = kind(last);
            let fits = || lines(last) + lines(&question) <= of.map_or(LINES, |of| most(of, batch));
            of == kind(&question) && last.purpose == Purpose::Check && fits()
        };
        match packed.last_mut().filter(fits) {
            Some(last) => last.parts.extend(question.parts),
            None => packed.push(question),
        }
    }
    packed
}

/// The kind of a variant.
fn alike(purpose: Purpose, instruction: &Instruction, variant: &PlannedVariant) -> Alike {
    (purpose, instruction.is_directive(), variant.is_faulty(instruction))
}

/// The kind of a question's lines; none if it has no lines.
fn kind(question: &LineQuestion<'_>) -> Option<Alike> {
    question.variants().next().map(|(instruction, variant)| alike(question.purpose, instruction, variant))
}

/// The most lines of a kind that are asked about together.
fn most((_, directives, _): Alike, batch: usize) -> usize {
    batch.min(if directives { DIRECTIVES } else { LINES })
}

fn order(a: &LineQuestion<'_>, b: &LineQuestion<'_>) -> Ordering {
    let place = |question: &LineQuestion<'_>| {
        let environment = question.parts.first().map(|part| part.environment);
        (kind(question), environment.map(|of| (of.target, of.address_size, of.ptx)))
    };
    place(a).cmp(&place(b)).then_with(|| choices(a).cmp(choices(b)))
}

fn choices<'q>(question: &'q LineQuestion<'_>) -> impl Iterator<Item = (&'q str, usize, &'q [u8])> {
    question.variants().map(|(instruction, variant)| (instruction.name.as_str(), variant.form, &variant.values[..]))
}
