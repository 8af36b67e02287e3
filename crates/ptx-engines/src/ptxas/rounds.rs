//! From lines to outcomes, in as few processes as possible.
//!
//! - A syntax error ends the pass over its module. The lines after it are asked about again, in shorter modules if
//!   errors are frequent, and many modules per process.
//! - Lines without a message in a process that complained are asked about together until a process has no complaint at
//!   all. An undeclared name is only reported at the end of a pass, which a syntax error prevents. And after an error,
//!   macros are not expanded, so an instruction that is a macro (`wmma` before version 13) is not checked.
//! - A process that dies does not name a line. Its suspects are asked about once more with a mark after every line, and
//!   the first line without a mark after it is asked about alone.
//! - In code generation, a line with another address size than the module changes the size for the whole process, so
//!   that other lines pass that would be refused alone. A warning tells about it, and lines of each size are then asked
//!   about separately.
//! - An error in a macro names no line and spoils the next module. Marks find it, and the lines from there on get
//!   modules of their own, with one of ours after each.

use std::collections::{BTreeSet, VecDeque};

use tempfile::TempDir;

use super::answer::{AskMode, Complaints, ask, death, join, refusal};
use super::company::{Company, company, leaves};
use super::{Arch, Ptxas};
use crate::child::End;
use crate::words::{cut, visible};
use crate::{Batch, Depth, Outcome};

/// The most lines of a module that is only checked; longer ones are not faster.
const CHECKED_LINES: usize = 8192;
/// The most lines of a module that code is generated for; the time grows faster than their number.
const GENERATED_LINES: usize = 100;
/// The most modules of a process.
const MODULES: usize = 2000;
/// The modules of a process that generates code: one error stops all of them, and warnings do not name theirs.
const GENERATED_MODULES: usize = 1;
/// An eighth of the modules with which the density of syntax errors is first measured.
const FIRST_MODULES: usize = 4;
/// So few lines get a module each after the first syntax error: that many modules cost less than another process.
const FEW_LINES: usize = 128;
/// Modules of the first process with marks between them.
const SPACED_MODULES: usize = 64;
/// The most bytes of a line that a note shows; those of matrices have thousands.
const NOTED_BYTES: usize = 160;
/// The signal that kills a process from outside, for example when the machine runs out of memory.
const KILL: i32 = 9;
/// The most lines of a process.
const PROCESS_LINES: usize = 1 << 17;

/// One outcome for each line of the batch. If the assembler can no longer be run, the remaining lines are skipped and
/// count as losses.
pub(super) fn judge(ptxas: &Ptxas, batch: &Batch<'_>, depth: Depth) -> Vec<Outcome> {
    let mut outcomes = vec![None; batch.lines.len()];
    let done = rounds(ptxas, batch, depth, &mut outcomes);
    let why = match done {
        Ok(()) => format!("{} gave no answer", ptxas.id),
        Err(error) => format!("{} could not be run: {error}", ptxas.id),
    };
    ptxas.health.lost(&why, outcomes.iter().filter(|outcome| outcome.is_none()).count());
    outcomes.into_iter().map(|outcome| outcome.unwrap_or_else(|| Outcome::Skipped(why.clone()))).collect()
}

fn rounds(ptxas: &Ptxas, batch: &Batch<'_>, depth: Depth, outcomes: &mut [Option<Outcome>]) -> std::io::Result<()> {
    let arch = |depth| ptxas.arch(batch.environment.target, depth).map_err(std::io::Error::other);
    let mut rounds = Rounds {
        ptxas,
        batch,
        directory: ptxas.binary.directory()?,
        arch: arch(Depth::Check)?,
        mode: AskMode::Check,
        scaffold_passes: false,
        outcomes,
        survivors: Vec::new(),
        died_together: None,
    };
    rounds.check()?;
    if depth == Depth::Generate {
        rounds.arch = arch(depth)?;
        rounds.generate()?;
    }
    rounds.look_back();
    Ok(())
}

struct Rounds<'a> {
    ptxas: &'a Ptxas,
    batch: &'a Batch<'a>,
    directory: TempDir,
    arch: Arch,
    mode: AskMode,
    /// True if the scaffold without lines is known to pass.
    scaffold_passes: bool,
    outcomes: &'a mut [Option<Outcome>],
    /// Lines that a process passed before it died on a later one.
    survivors: Vec<usize>,
    /// The first death of a process with several lines: the lines, and how it died.
    died_together: Option<(Vec<usize>, String)>,
}

/// Lines that are asked about together.
struct Group {
    waiting: VecDeque<usize>,
    /// The most lines of a module.
    most: usize,
    /// The lines per module of the next process, from the density of syntax errors so far.
    chunk: usize,
    /// Modules of the next process.
    modules: usize,
    /// Lines without a message in a process that complained.
    silent: Vec<usize>,
    /// How many times these lines have been silent before.
    stage: u32,
    marks: Marks,
}

/// The marks of a group whose modules have up to `most` lines.
fn marks(most: usize) -> Marks {
    if most > 1 { Marks::Possible } else { Marks::Useless }
}

/// The use of marks in finding a line that kills the process.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Marks {
    /// They can.
    Possible,
    /// There is one after every line of the only module.
    Set,
    /// Each module has one line, with marks between them, because errors in macros name no line.
    Between,
    /// They cannot, or each module has one line anyway.
    Useless,
}

impl Group {
    fn new(lines: Vec<usize>, most: usize, modules: usize, marks: Marks) -> Self {
        let chunk = if marks == Marks::Between { 1 } else { most };
        Self { waiting: lines.into(), most, chunk, modules, silent: Vec::new(), stage: 0, marks }
    }

    /// Other lines, asked about in the same way from the start.
    fn fresh(&self, lines: Vec<usize>) -> Self {
        Self::new(lines, self.most, self.modules, self.marks)
    }

    /// The lines of the next process.
    fn take(&mut self) -> Vec<usize> {
        let many = self.chunk.saturating_mul(self.modules).min(PROCESS_LINES);
        self.waiting.drain(..many.min(self.waiting.len())).collect()
    }

    /// Learns from a process that read `seen` lines, and none of `unseen` others because `cut` modules ended early.
    fn learn(&mut self, seen: usize, unseen: usize, cut: usize, modules: usize) {
        let few = self.waiting.len() + unseen <= FEW_LINES.min(modules);
        if cut > 0 {
            // The first samples are small, so increase the number of modules slowly.
            let known = if self.chunk == self.most { FIRST_MODULES } else { self.modules };
            self.modules = if few { modules } else { known.saturating_mul(8).min(modules) };
        }
        if self.marks != Marks::Between {
            self.chunk = if cut > 0 && few { 1 } else { (seen / cut.max(1)).clamp(1, self.most) };
        }
    }

    /// The same lines with marks between them.
    fn spaced(self) -> Self {
        Self { chunk: 1, modules: SPACED_MODULES, marks: Marks::Between, ..self }
    }

    /// Learns how many of `asked` lines had an error in a macro. If only a few had, it is faster to search for them.
    fn learn_strays(&mut self, strays: usize, asked: usize) {
        if strays * 16 >= asked || self.most == 1 {
            self.modules = (self.modules * 4).min(MODULES / 2);
        } else {
            let waiting = std::mem::take(&mut self.waiting).into();
            let silent = std::mem::take(&mut self.silent);
            *self = Self { silent, ..Self::new(waiting, self.most, MODULES, marks(self.most)) };
        }
    }

    /// The silent lines as a group. Each time that they are silent and not accepted, their modules get shorter, to
    /// separate lines that hide each other's faults.
    fn confirmed(self, modules: usize) -> Option<Self> {
        let silent = self.silent.len();
        let most = match self.stage {
            0 => self.most,
            _ if silent <= FEW_LINES.min(modules) => 1,
            stage => (silent >> (3 * stage).min(63)).clamp(1, self.most),
        };
        let marks = if self.marks == Marks::Between { marks(self.most) } else { self.marks };
        let next = Self { stage: self.stage + 1, ..Self::new(self.silent, most, modules, marks) };
        (!next.waiting.is_empty()).then_some(next)
    }
}

impl Rounds<'_> {
    /// Settles every line by a check.
    fn check(&mut self) -> std::io::Result<()> {
        self.settle_all((0..self.outcomes.len()).collect(), CHECKED_LINES)
    }

    /// Settles what the check accepted by generating code for it.
    fn generate(&mut self) -> std::io::Result<()> {
        self.mode = AskMode::Generate;
        self.scaffold_passes = false;
        let accepted = |&index: &usize| self.outcomes[index] == Some(Outcome::Accepted);
        let mut lines: Vec<usize> = (0..self.outcomes.len()).filter(accepted).collect();
        for &index in &lines {
            self.outcomes[index] = None;
        }
        // Some lines are only refused beside others (`.cta_group::1` beside `.cta_group::2`), and a process that refuses
        // them names none. In the order of their text, halving parts them soon.
        lines.sort_by_key(|&index| self.batch.lines[index]);
        self.settle_all(lines, GENERATED_LINES)
    }

    /// Settles lines, together with others as far as possible, up to `most` per module.
    fn settle_all(&mut self, lines: Vec<usize>, most: usize) -> std::io::Result<()> {
        let (mut shared, mut modules, mut processes) = (Vec::new(), Vec::new(), Vec::new());
        for index in lines {
            let line = self.batch.lines[index];
            match company(line) {
                // The lines after it would be deleted.
                Company::Shared if self.mode == AskMode::Generate && leaves(line) => modules.push(index),
                Company::Shared => shared.push(index),
                Company::Module => modules.push(index),
                Company::Process => processes.push(index),
            }
        }
        self.settle(shared, most)?;
        self.settle(modules, 1)?;
        processes.into_iter().try_for_each(|line| self.settle(vec![line], 1))
    }

    /// The most modules of a process.
    fn modules(&self) -> usize {
        if self.mode == AskMode::Generate { GENERATED_MODULES } else { MODULES }
    }

    /// Settles lines, up to `most` per module, unless the scaffold has settled them already.
    fn settle(&mut self, mut lines: Vec<usize>, most: usize) -> std::io::Result<()> {
        lines.retain(|&line| self.outcomes[line].is_none());
        let marks = if self.mode == AskMode::Check { marks(most) } else { Marks::Useless };
        let mut groups = vec![Group::new(lines, most, self.modules(), marks)];
        while let Some(mut group) = groups.pop().or_else(|| self.survivors(most, marks)) {
            let asked = group.take();
            if asked.is_empty() {
                groups.extend(group.confirmed(self.modules()));
                continue;
            }
            let (chunk, mode) = match group.marks {
                Marks::Set => (asked.len(), AskMode::Marked),
                Marks::Between if asked.len() > 1 => (1, AskMode::Spaced),
                _ => (group.chunk, self.mode),
            };
            let answer = self.ask(&asked, chunk, mode)?;
            if let Some(how) = death(&self.ptxas.binary.limits, answer.end).filter(|_| asked.len() > 1) {
                self.died_together.get_or_insert_with(|| (asked.clone(), how));
            }
            let parted = parted_by_address_size(&answer, &asked, &group);
            if !parted.is_empty() {
                groups.push(group);
                groups.extend(parted);
            } else if answer.end == End::Exited(0) && answer.is_silent() {
                self.all(&asked, &Outcome::Accepted);
                group.learn(asked.len(), 0, 0, self.modules());
                groups.push(group);
            } else if asked.len() == 1 {
                self.outcomes[asked[0]] = Some(self.alone(&answer, &asked, chunk, mode)?);
                groups.push(group);
            } else if self.is_unclear(&answer) && !self.scaffold_passes()? {
                self.survivors.clear();
                return Ok(());
            } else if mode == AskMode::Marked {
                self.find(&answer, &asked, group, &mut groups);
            } else if self.died(&answer) || answer.strays > 0 && mode == AskMode::Check {
                self.suspect(&answer, &asked, group, &mut groups);
            } else {
                self.sort(&answer, &asked, group, &mut groups);
            }
        }
        Ok(())
    }

    /// The lines that processes passed before they died, as a group. It shrinks every time, because the line that
    /// killed the process gets an outcome.
    fn survivors(&mut self, most: usize, marks: Marks) -> Option<Group> {
        let lines = std::mem::take(&mut self.survivors);
        (!lines.is_empty()).then(|| Group::new(lines, most, self.modules(), marks))
    }

    fn ask(&self, lines: &[usize], chunk: usize, mode: AskMode) -> std::io::Result<Complaints> {
        ask(self.ptxas, self.batch, &self.arch, self.directory.path(), lines, chunk, mode)
    }

    fn died(&self, answer: &Complaints) -> bool {
        death(&self.ptxas.binary.limits, answer.end).is_some()
    }

    /// The outcome of a line that was asked about alone and not accepted. A death by a kill or a limit only counts if
    /// it happens again; otherwise the machine may be at fault, and the line is not judged. Any other crash counts even
    /// if it does not happen every time.
    fn alone(&self, answer: &Complaints, asked: &[usize], chunk: usize, mode: AskMode) -> std::io::Result<Outcome> {
        let first = self.outcome(answer);
        let Outcome::Crashed(how) = &first else { return Ok(first) };
        let again = self.ask(asked, chunk, mode)?;
        if matches!(self.outcome(&again), Outcome::Crashed(_)) {
            return Ok(first);
        }
        if matches!(answer.end, End::Exited(_)) || matches!(answer.end, End::Signal(signal) if signal != KILL) {
            return Ok(Outcome::Crashed(format!("{how}, but not every time")));
        }
        let why = format!("{} is unstable: it died ({how}) on a line, and did not when asked again", self.ptxas.id);
        self.ptxas.health.lost(&why, 1);
        Ok(Outcome::Skipped(why))
    }

    /// Notes the death of a process with several lines if no line caused one alone.
    fn look_back(&mut self) {
        let blamed = |outcome: &Option<Outcome>| matches!(outcome, Some(Outcome::Crashed(_) | Outcome::TimedOut));
        if let Some((lines, how)) = self.died_together.take()
            && !self.outcomes.iter().any(blamed)
        {
            let (id, many) = (&self.ptxas.id, lines.len());
            let first = visible(lines.first().map_or("", |&line| self.batch.lines[line]));
            let first = cut(&first, NOTED_BYTES);
            let note =
                format!("{id} died ({how}) on {many} lines together, and on none of them alone; the first: {first}");
            self.ptxas.health.note(note);
        }
    }

    /// True if something other than the lines may be at fault.
    fn is_unclear(&self, answer: &Complaints) -> bool {
        self.died(answer) || answer.own.is_empty() || !answer.lost.is_empty() || !answer.loose.is_empty()
    }

    fn all(&mut self, lines: &[usize], outcome: &Outcome) {
        for &line in lines {
            self.outcomes[line] = Some(outcome.clone());
        }
    }

    /// True if a module without lines passes; asked after a failure. If it does not, every line that is not settled
    /// gets its outcome.
    fn scaffold_passes(&mut self) -> std::io::Result<bool> {
        if !self.scaffold_passes {
            let answer = self.ask(&[], 1, self.mode)?;
            self.scaffold_passes = answer.end == End::Exited(0) && answer.is_silent();
            if !self.scaffold_passes {
                let outcome = self.outcome(&answer);
                for unsettled in self.outcomes.iter_mut().filter(|outcome| outcome.is_none()) {
                    *unsettled = Some(outcome.clone());
                }
            }
        }
        Ok(self.scaffold_passes)
    }

    /// The outcome of a line that was not accepted by a process for it alone.
    fn outcome(&self, answer: &Complaints) -> Outcome {
        if answer.end == End::OutOfTime {
            return Outcome::TimedOut;
        }
        if let Some(how) = death(&self.ptxas.binary.limits, answer.end) {
            return Outcome::Crashed(how);
        }
        let lost = answer.lost.iter().map(|(_, text)| text);
        let own = answer.own.iter().map(|(_, text)| text);
        let said = join(lost.chain(own).chain(&answer.loose).map(String::as_str));
        match answer.end {
            End::Exited(status) if said.is_empty() => Outcome::Rejected(format!("status {status} without a message")),
            _ => refusal(said),
        }
    }

    /// Sorts the lines of a process that complained into those that are settled and those to ask about again.
    fn sort(&mut self, answer: &Complaints, asked: &[usize], mut group: Group, groups: &mut Vec<Group>) {
        let mut open = vec![true; asked.len()];
        let rejected = self.reject(answer, asked, &mut open);
        let mut unseen = Vec::new();
        for range in &answer.unseen {
            unseen.extend(take_open(range.clone(), asked, &mut open));
        }
        group.learn(asked.len() - unseen.len(), unseen.len(), answer.unseen.len(), self.modules());
        let mut parted = Vec::new();
        for (range, _) in &answer.lost {
            // The only module of a process cannot blame another one.
            if range.len() < asked.len() {
                parted.push(group.fresh(take_open(range.clone(), asked, &mut open)));
            }
        }
        let silent = take_open(0..asked.len(), asked, &mut open);
        if silent.len() == asked.len() && !answer.other_address_sizes.is_empty() {
            // Their address size is refused, so each of them is refused alone as well.
            parted.extend(silent.into_iter().map(|line| group.fresh(vec![line])));
        } else if silent.len() == asked.len() {
            parted.extend(halves(silent).map(|half| group.fresh(half)));
        } else {
            group.silent.extend(silent);
        }
        if group.marks == Marks::Between {
            group.learn_strays(answer.strays, asked.len());
        }
        for line in unseen.into_iter().rev() {
            group.waiting.push_front(line);
        }
        debug_assert!(rejected || !parted.is_empty(), "this round settled and split nothing");
        groups.push(group);
        groups.extend(parted);
    }

    /// Splits the lines of a process that died. Its messages do not count, because a refused line may also be the one
    /// that killed it.
    fn suspect(&mut self, answer: &Complaints, asked: &[usize], group: Group, groups: &mut Vec<Group>) {
        // If every line was reached, any of them may be at fault: macros are expanded last.
        let reached = if answer.reached < asked.len() { answer.reached } else { 0 };
        let (before, suspects) = asked.split_at(reached);
        self.survivors.extend(before);
        if group.marks == Marks::Possible && suspects.len() > 1 {
            groups.push(Group::new(suspects.to_vec(), CHECKED_LINES, MODULES, Marks::Set));
        } else if !self.died(answer) {
            groups.push(group.fresh(suspects.to_vec()).spaced());
        } else if before.is_empty() {
            groups.extend(halves(suspects.to_vec()).map(|half| group.fresh(half)));
        } else {
            groups.push(group.fresh(suspects.to_vec()));
        }
        // The remaining lines of the group are not suspects.
        groups.insert(0, group);
    }

    /// Rejects the lines with messages of their own; returns whether there were any.
    fn reject(&mut self, answer: &Complaints, asked: &[usize], open: &mut [bool]) -> bool {
        let mut own: Vec<(usize, &str)> =
            answer.own.iter().map(|(position, text)| (*position, text.as_str())).collect();
        own.sort_by_key(|(position, _)| *position);
        for texts in own.chunk_by(|a, b| a.0 == b.0) {
            let position = texts[0].0;
            open[position] = false;
            self.outcomes[asked[position]] = Some(refusal(join(texts.iter().map(|(_, text)| *text))));
        }
        !own.is_empty()
    }

    /// Splits the lines of a process that had marks set: those passed, the first one not passed, and the rest.
    fn find(&mut self, answer: &Complaints, asked: &[usize], group: Group, groups: &mut Vec<Group>) {
        let died = self.died(answer);
        let group = Group { marks: Marks::Possible, ..group };
        // The first mark is before the first line. If it is missing, marks do not work here.
        match answer.marks.checked_sub(1) {
            Some(passed) if answer.strays > 0 && passed < asked.len() => {
                self.survivors.extend(&asked[..passed]);
                groups.push(group.fresh(asked[passed..].to_vec()).spaced());
            }
            Some(passed) if died && passed < asked.len() => {
                self.survivors.extend(&asked[..passed]);
                groups.push(group.fresh(asked[passed + 1..].to_vec()));
                groups.push(group.fresh(vec![asked[passed]]));
            }
            _ => {
                let group = Group { marks: Marks::Useless, ..group };
                groups.extend(halves(asked.to_vec()).map(|half| group.fresh(half)));
            }
        }
    }
}

/// One group for each address size, if there are several sizes; otherwise none.
fn parted_by_address_size(answer: &Complaints, asked: &[usize], group: &Group) -> Vec<Group> {
    let sizes = || answer.other_address_sizes.values();
    let usual = (0..asked.len()).filter(|position| !sizes().any(|lines| lines.contains(position)));
    let of_size = |lines: &BTreeSet<usize>| lines.iter().map(|&position| asked[position]).collect();
    let mut parts: Vec<Vec<usize>> = sizes().map(of_size).collect();
    parts.push(usual.map(|position| asked[position]).collect());
    parts.retain(|lines| !lines.is_empty());
    if parts.len() == 1 {
        return Vec::new();
    }
    parts.into_iter().map(|lines| group.fresh(lines)).collect()
}

/// Takes the lines in `range` that are still open, and closes them.
fn take_open(range: std::ops::Range<usize>, asked: &[usize], open: &mut [bool]) -> Vec<usize> {
    range.filter(|&position| std::mem::take(&mut open[position])).map(|position| asked[position]).collect()
}

fn halves(mut lines: Vec<usize>) -> impl Iterator<Item = Vec<usize>> {
    let second = lines.split_off(lines.len() / 2);
    [lines, second].into_iter()
}
