//! Lines that are asked about together: how many share a module, and how many modules a process.
//!
//! A process costs 8 ms, a module with few declarations 0.02 ms, and a line 0.003 ms (13.5, one core). So a module for
//! each line is cheaper than a second process as long as the lines are few.

use std::collections::VecDeque;

/// The most lines of a module that is only checked; longer ones are not faster.
pub(super) const CHECKED_LINES: usize = 8192;
/// The most lines of a module that code is generated for; the time grows faster than their number.
pub(super) const GENERATED_LINES: usize = 100;
/// The most modules of a process; more are not faster.
pub(super) const MODULES: usize = 2000;
/// The modules of a process that generates code: one error stops all of them, and warnings do not name theirs.
pub(super) const GENERATED_MODULES: usize = 1;
/// The modules of the first process for lines that will probably be refused: they cost a third of a second process, which
/// the first syntax error in a shared module would cost.
const REFUSED_MODULES: usize = 128;
/// The number of modules that cost as much as a process. Once there is a complaint, up to this many lines get a module each.
const FEW_MODULES: usize = 400;
/// The modules of a process for lines that were silent although they will probably be refused: something in the other
/// modules' errors hides theirs.
const HIDDEN_MODULES: usize = 1000;
/// Modules of the first process with marks between them.
const SPACED_MODULES: usize = 64;
/// The most lines of a process.
const PROCESS_LINES: usize = 1 << 17;

/// Lines that are asked about together.
pub(super) struct Group {
    /// The lines of the next processes.
    pub(super) waiting: VecDeque<usize>,
    /// The sizes of modules and processes.
    limits: GroupLimits,
    /// The lines per module of the next process, from the density of syntax errors so far.
    pub(super) chunk: usize,
    /// The most modules of the next process.
    modules: usize,
    /// Lines without a message in a process that complained.
    pub(super) silent: Vec<usize>,
    /// How many times these lines have been silent before.
    stage: u32,
    /// The use of marks for these lines.
    pub(super) marks: Marks,
    /// The rest of the lines of a process that died, if these are the first half: if these do not kill, one of those does.
    pub(super) otherwise: Vec<usize>,
}

/// How large modules and processes may be, and what is expected of the lines.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct GroupLimits {
    /// The most lines of a module.
    pub(super) lines: usize,
    /// The most modules of a process.
    pub(super) modules: usize,
    /// True if most lines will probably be refused.
    pub(super) refused: bool,
}

/// The use of marks in finding a line that kills the process.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Marks {
    /// Marks can be set.
    Possible,
    /// A mark follows every line of the only module.
    Set,
    /// Each module has one line, with marks between them, because errors in macros name no line.
    Between,
    /// Marks cannot help, or each module has one line anyway.
    Useless,
}

impl Marks {
    /// The marks of a group whose modules have up to `lines` lines.
    fn of(lines: usize) -> Self {
        if lines > 1 { Self::Possible } else { Self::Useless }
    }
}

impl GroupLimits {
    /// The lines per module if `lines` are spread over this many modules, of one process or several.
    fn chunk(self, lines: usize, modules: usize) -> usize {
        lines.div_ceil(modules.max(1)).clamp(1, self.lines)
    }

    /// True if each module costs a process.
    fn generates(self) -> bool {
        self.modules == GENERATED_MODULES
    }
}

impl Group {
    /// Lines that are only checked, for which marks help if they share modules.
    pub(super) fn checked(lines: Vec<usize>, limits: GroupLimits) -> Self {
        Self::new(lines, limits, Marks::of(limits.lines))
    }

    pub(super) fn new(lines: Vec<usize>, limits: GroupLimits, marks: Marks) -> Self {
        let first = if limits.refused { REFUSED_MODULES } else { 1 };
        let chunk = if marks == Marks::Between { 1 } else { limits.chunk(lines.len(), first) };
        let (modules, silent, otherwise) = (limits.modules, Vec::new(), Vec::new());
        Self { waiting: lines.into(), limits, chunk, modules, silent, stage: 0, marks, otherwise }
    }

    /// Other lines, asked about in the same way from the start.
    pub(super) fn fresh(&self, lines: Vec<usize>) -> Self {
        Self::new(lines, self.limits, self.marks)
    }

    /// The first half of the lines of a process that died, and the rest for later.
    pub(super) fn halved(&self, mut lines: Vec<usize>, middle: usize) -> Self {
        let otherwise = lines.split_off(middle);
        Self { otherwise, ..self.fresh(lines) }
    }

    /// The same lines in one module with a mark after each.
    pub(super) fn marked(self) -> Self {
        Self { chunk: CHECKED_LINES, marks: Marks::Set, ..self }
    }

    /// The same lines, each in a module, with marks between them.
    pub(super) fn spaced(self) -> Self {
        Self { chunk: 1, modules: SPACED_MODULES, marks: Marks::Between, ..self }
    }

    /// True if lines may share a module.
    pub(super) fn shares_modules(&self) -> bool {
        self.limits.lines > 1
    }

    /// Forgets lines.
    pub(super) fn leave_out(&mut self, gone: impl Fn(usize) -> bool) {
        self.waiting.retain(|&line| !gone(line));
        self.silent.retain(|&line| !gone(line));
    }

    /// The lines of the next process.
    pub(super) fn take(&mut self) -> Vec<usize> {
        let many = self.chunk.saturating_mul(self.modules).min(PROCESS_LINES);
        self.waiting.drain(..many.min(self.waiting.len())).collect()
    }

    /// Learns from a process that read `seen` lines, and none of `unseen` others because `cut` modules ended early. The
    /// more modules, the fewer lines are unseen again: twice as many as errors are expected, or eight times if they cost
    /// less than a process.
    pub(super) fn learn(&mut self, seen: usize, unseen: usize, cut: usize) {
        if self.marks == Marks::Between {
            return;
        }
        if cut == 0 {
            self.chunk = self.chunk.saturating_mul(8).min(self.limits.lines);
            return;
        }
        let waiting = self.waiting.len() + unseen;
        let expected = waiting.saturating_mul(cut).div_ceil(seen.max(1));
        let modules = match waiting {
            _ if self.limits.generates() => expected,
            0..=FEW_MODULES => waiting,
            _ => expected.saturating_mul(8).min(FEW_MODULES).max(expected.saturating_mul(2)),
        };
        self.chunk = self.limits.chunk(waiting, modules);
    }

    /// Learns how many of `asked` lines had an error in a macro. If only a few had, it is faster to search for them.
    pub(super) fn learn_macros(&mut self, errors: usize, asked: usize) {
        if errors * 16 >= asked || !self.shares_modules() {
            self.modules = (self.modules * 4).min(MODULES / 2);
        } else {
            let waiting = std::mem::take(&mut self.waiting).into();
            let silent = std::mem::take(&mut self.silent);
            *self = Self { silent, ..Self::checked(waiting, self.limits) };
        }
    }

    /// The silent lines as a group. Each time that they are silent and not accepted, they are spread over more modules, to
    /// separate lines that hide each other's faults.
    pub(super) fn confirmed(self) -> Option<Self> {
        let modules = match self.stage {
            stage if self.limits.generates() => 8_usize.saturating_pow(stage),
            0 if !self.limits.refused => FEW_MODULES,
            0 => HIDDEN_MODULES,
            _ => MODULES,
        };
        let chunk = self.limits.chunk(self.silent.len(), modules);
        let marks = if self.marks == Marks::Between { Marks::of(self.limits.lines) } else { self.marks };
        let stage = self.stage + 1;
        let next = Self { stage, chunk, ..Self::new(self.silent, self.limits, marks) };
        (!next.waiting.is_empty()).then_some(next)
    }
}
