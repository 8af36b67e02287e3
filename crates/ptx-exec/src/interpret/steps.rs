//! The steps of threads, as a caller sees them who asks which values a module computes on its way.

use std::ops::Range;

use super::code::{CodeLine, CodeOperation, CodeSource};
use super::stop::ThreadStop;
use super::thread::{Going, InterpretedThread};

/// A line that computes results from registers and numbers only, as a thread came to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedStep {
    /// Its bytes in the module.
    pub at: Range<usize>,
    /// The predicate of its guard; none if it has none.
    pub guard: Option<TracedRegister>,
    /// True if the guard let it be executed.
    pub executed: bool,
    /// The registers that it reads, in the order of the line.
    pub sources: Vec<TracedRegister>,
    /// The registers that it writes, in the order of the line, with their values after it; sinks are left out.
    pub destinations: Vec<TracedRegister>,
    /// The values of these before it.
    pub before: Vec<TracedRegister>,
}

/// A register and its value at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracedRegister {
    /// Its number among those of all frames of the thread: that of a function that returned may be used again.
    pub number: usize,
    /// The value; undefined bits are 0.
    pub value: u128,
    /// The bits that are undefined.
    pub undefined: u128,
}

/// Collects the steps of threads, up to a number.
#[derive(Debug, Default)]
pub(super) struct StepTrace {
    pub(super) steps: Vec<TracedStep>,
    /// How many more are collected.
    pub(super) left: usize,
}

impl StepTrace {
    /// Executes the next instruction of a thread, and collects it.
    ///
    /// # Errors
    /// As [`InterpretedThread::step`].
    #[inline]
    pub(super) fn step(&mut self, thread: &mut InterpretedThread<'_>) -> Result<Going, ThreadStop> {
        if self.left == 0 {
            return thread.step();
        }
        let traced = thread.traced();
        let going = thread.step()?;
        if let Some(mut step) = traced {
            thread.end_traced(&mut step);
            self.steps.push(step);
            self.left -= 1;
        }
        Ok(going)
    }
}

impl InterpretedThread<'_> {
    /// The step that comes next, with the values before it; none if it does more than to compute.
    fn traced(&self) -> Option<TracedStep> {
        let CodeLine { guard, operation, at } = &self.bodies[self.frame.body].lines[self.frame.next];
        let CodeOperation::Compute { sources, destinations, .. } = operation else { return None };
        let register = |slot: u32| self.traced_register(slot);
        let read = |source: &CodeSource| match source {
            CodeSource::Register(slot) | CodeSource::Inverted(slot) => Some(register(*slot)),
            _ => None,
        };
        let before: Vec<TracedRegister> = destinations.iter().filter_map(|to| to.slot).map(register).collect();
        let guard = guard.map(|guard| (register(guard.slot), guard.negated));
        Some(TracedStep {
            at: at.clone(),
            executed: guard.is_none_or(|(predicate, negated)| (predicate.value & 1 == 1) != negated),
            guard: guard.map(|(predicate, _)| predicate),
            sources: sources.iter().filter_map(read).collect(),
            destinations: before.clone(),
            before,
        })
    }

    /// Fills in the values after a step.
    fn end_traced(&self, step: &mut TracedStep) {
        for to in &mut step.destinations {
            let of = self.registers[to.number];
            (to.value, to.undefined) = (of.value, !of.defined);
        }
    }

    fn traced_register(&self, slot: u32) -> TracedRegister {
        let number = self.frame.registers + slot as usize;
        let of = self.registers[number];
        TracedRegister { number, value: of.value, undefined: !of.defined }
    }
}
