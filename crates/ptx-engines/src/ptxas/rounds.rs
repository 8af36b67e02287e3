//! From lines to outcomes, in as few processes as possible.
//!
//! - A syntax error ends the pass over its module. The lines after it are asked about again, in shorter modules if
//!   errors are frequent, and many modules per process.
//! - Lines without a message in a process that complained are asked about together until a process has no complaint at
//!   all. An undeclared name is only reported at the end of a pass, which a syntax error prevents. And after an error,
//!   macros are not expanded, so an instruction that is a macro (`wmma` before version 13) is not checked.
//! - Lines of several batches share processes, never modules. If such a process dies, it is asked about halves of them.
//! - A process that dies does not name a line. Its suspects are asked about once more with a mark after every line, and
//!   the first line without a mark after it is asked about alone.
//! - In code generation, a line with another address size than the module changes the size for the whole process, so
//!   that other lines pass that would be refused alone. A warning tells about it, and lines of each size are then asked
//!   about separately.
//! - An error in a macro names no line and spoils the next module. Marks find it, and the lines from there on get
//!   modules of their own, with one of ours after each.

use std::collections::BTreeSet;
use std::time::Duration;

use super::answer::{Complaints, KILL, ask, death, join, refusal};
use super::group::{CHECKED_LINES, GENERATED_LINES, GENERATED_MODULES, Group, GroupLimits, MODULES, Marks};
use super::mode::AskMode;
use super::sharing::{Sharing, may_leave};
use super::together::{self, ProcessDeath};
use super::writer::{BatchWriter, ModuleLines};
use super::{Arch, Ptxas};
use crate::child::End;
use crate::{Batch, Depth, Outcome};

/// One outcome for each line of each batch, which can share processes. If the assembler can no longer be run, the
/// remaining lines are skipped and count as losses.
pub(super) fn judge(ptxas: &Ptxas, batches: &[&Batch<'_>], depth: Depth) -> Vec<Vec<Outcome>> {
    let mut outcomes = vec![None; batches.iter().map(|batch| batch.lines.len()).sum()];
    let done = rounds(ptxas, batches, depth, &mut outcomes);
    let why = match done {
        Ok(()) => format!("{} gave no answer", ptxas.id),
        Err(error) => format!("{} could not be run: {error}", ptxas.id),
    };
    ptxas.health.lost(&why, outcomes.iter().filter(|outcome| outcome.is_none()).count());
    let mut outcomes = outcomes.into_iter().map(|outcome| outcome.unwrap_or_else(|| Outcome::Skipped(why.clone())));
    batches.iter().map(|batch| outcomes.by_ref().take(batch.lines.len()).collect()).collect()
}

fn rounds(
    ptxas: &Ptxas,
    batches: &[&Batch<'_>],
    depth: Depth,
    outcomes: &mut [Option<Outcome>],
) -> std::io::Result<()> {
    let Some(first) = batches.first() else { return Ok(()) };
    let arch = |depth| ptxas.arch(first.environment.target, depth).map_err(std::io::Error::other);
    let mut rounds = Rounds {
        ptxas,
        writer: BatchWriter::new(ptxas, batches)?,
        arch: arch(Depth::Check)?,
        mode: AskMode::Check,
        scaffolds: BTreeSet::new(),
        outcomes,
        passed: Vec::new(),
        hung: false,
        deaths: Vec::new(),
    };
    rounds.check()?;
    if depth == Depth::Generate {
        rounds.arch = arch(depth)?;
        rounds.generate()?;
    }
    rounds.record_joint_deaths()
}

struct Rounds<'a> {
    ptxas: &'a Ptxas,
    writer: BatchWriter<'a>,
    arch: Arch,
    mode: AskMode,
    /// The batches whose scaffold without lines is known to pass, or not to.
    scaffolds: BTreeSet<usize>,
    outcomes: &'a mut [Option<Outcome>],
    /// Lines that a process passed before it died on a later one.
    passed: Vec<usize>,
    /// True once a process with several lines did not end.
    hung: bool,
    /// The deaths of processes with several lines.
    deaths: Vec<ProcessDeath>,
}

impl Rounds<'_> {
    /// Settles every line by a check.
    fn check(&mut self) -> std::io::Result<()> {
        self.settle_all((0..self.outcomes.len()).collect(), CHECKED_LINES)
    }

    /// Settles what the check accepted by generating code for it.
    fn generate(&mut self) -> std::io::Result<()> {
        self.mode = AskMode::Generate;
        self.hung = false;
        self.scaffolds.clear();
        let accepted = |&index: &usize| self.outcomes[index] == Some(Outcome::Accepted);
        let mut lines: Vec<usize> = (0..self.outcomes.len()).filter(accepted).collect();
        for &index in &lines {
            self.outcomes[index] = None;
        }
        // Some lines are only refused beside others (`.cta_group::1` beside `.cta_group::2`), and a process that refuses
        // them names none. In the order of their text, halving parts them soon.
        lines.sort_by_key(|&index| self.writer.line(index));
        self.settle_all(lines, GENERATED_LINES)
    }

    /// Settles lines, together with others as far as possible, up to `most` per module.
    fn settle_all(&mut self, lines: Vec<usize>, most: usize) -> std::io::Result<()> {
        let (mut shared, mut modules, mut processes) = (Vec::new(), Vec::new(), Vec::new());
        for index in lines {
            match self.writer.sharing(index) {
                // The lines after it would be deleted.
                Sharing::Module if self.mode == AskMode::Generate && may_leave(self.writer.line(index)) => {
                    modules.push(index);
                }
                Sharing::Module => shared.push(index),
                Sharing::Process => modules.push(index),
                Sharing::Nothing => processes.push(index),
            }
        }
        self.settle(shared, most)?;
        self.settle(modules, 1)?;
        processes.into_iter().try_for_each(|line| self.settle(vec![line], 1))
    }

    /// The limits of groups whose modules have up to `lines` lines.
    fn limits(&self, lines: usize) -> GroupLimits {
        let generates = self.mode == AskMode::Generate;
        // What comes to code generation was accepted by the check.
        let refused = self.writer.first().mostly_invalid && !generates;
        GroupLimits { lines, modules: if generates { GENERATED_MODULES } else { MODULES }, refused }
    }

    /// Lines as a group whose modules have up to `most` lines. Without code generation, marks may find what kills.
    fn group(&self, lines: Vec<usize>, most: usize) -> Group {
        match self.mode {
            AskMode::Check => Group::checked(lines, self.limits(most)),
            _ => Group::new(lines, self.limits(most), Marks::Useless),
        }
    }

    /// Settles lines, up to `most` per module, unless the scaffold has settled them already.
    fn settle(&mut self, lines: Vec<usize>, most: usize) -> std::io::Result<()> {
        let mut groups = vec![self.group(lines, most)];
        while let Some(mut group) = groups.pop().or_else(|| self.passed_lines(most)) {
            // A scaffold that does not pass has settled lines of other groups too.
            group.leave_out(|line| self.outcomes[line].is_some());
            let asked = group.take();
            if asked.is_empty() {
                let rest = std::mem::take(&mut group.otherwise);
                groups.extend((!rest.is_empty()).then(|| group.fresh(rest)));
                groups.extend(group.confirmed());
                continue;
            }
            let (chunk, mode) = match group.marks {
                Marks::Set => (asked.len(), AskMode::Marked),
                Marks::Between if asked.len() > 1 => (1, AskMode::Spaced),
                _ => (group.chunk, self.mode),
            };
            let answer = self.ask(&self.writer.parted(&asked, chunk), mode)?;
            if asked.len() > 1 && mode == self.mode {
                self.note_death(&answer, &asked, chunk);
            }
            self.narrow(&answer, mode, &mut group, &mut groups);
            let parted = parted_by_address_size(&answer, &asked, &group);
            if !parted.is_empty() {
                groups.push(group);
                groups.extend(parted);
            } else if answer.end == End::Exited(0) && answer.is_silent() {
                self.all(&asked, &Outcome::Accepted);
                group.learn(asked.len(), 0, 0);
                groups.push(group);
            } else if asked.len() == 1 {
                self.outcomes[asked[0]] = Some(self.outcome_of_one(&answer, &asked, mode)?);
                groups.push(group);
            } else if self.is_unclear(&answer) && !self.scaffolds_of(&asked)? {
                let asked = group.fresh(asked);
                groups.extend([group, asked]);
            } else if mode == AskMode::Marked {
                self.find(&answer, &asked, group, &mut groups);
            } else if self.kills(&answer, mode) {
                self.suspect(&answer, &asked, group, &mut groups);
            } else {
                self.sort(&answer, &asked, group, &mut groups);
            }
        }
        Ok(())
    }

    /// The lines that processes passed before they died, as a group. It shrinks every time, because the line that
    /// killed the process gets an outcome.
    fn passed_lines(&mut self, most: usize) -> Option<Group> {
        let lines = std::mem::take(&mut self.passed);
        (!lines.is_empty()).then(|| self.group(lines, most))
    }

    /// After the first half of the lines of a process that died: if it died too, the second half is asked about with what
    /// else is left. If not, a line of the second half is to blame, which then need not be asked about as a whole. So the
    /// search takes one process for each halving.
    fn narrow(&mut self, answer: &Complaints, mode: AskMode, group: &mut Group, groups: &mut Vec<Group>) {
        match std::mem::take(&mut group.otherwise) {
            rest if rest.is_empty() => {}
            rest if self.kills(answer, mode) => self.passed.extend(rest),
            rest => groups.push(self.halved(group, rest)),
        }
    }

    /// The first half of lines one of which kills a process, and the rest for later. Batches are not parted while there are
    /// several.
    fn halved(&self, like: &Group, lines: Vec<usize>) -> Group {
        let batches: Vec<usize> = self.writer.by_batch(&lines).map(<[usize]>::len).collect();
        let middle = match batches.len() {
            1 => lines.len() / 2,
            many => batches[..many / 2].iter().sum(),
        };
        match lines.len() {
            1 => like.fresh(lines),
            _ => like.halved(lines, middle),
        }
    }

    fn ask(&self, modules: &[ModuleLines<'_>], mode: AskMode) -> std::io::Result<Complaints> {
        let lines = modules.iter().map(|module| module.lines.len()).sum();
        ask(self.ptxas, &self.writer, &self.arch, modules, mode, self.time(lines))
    }

    /// How long a process with this many lines may take. Once one did not end, those that search for its cause have less;
    /// but a line is blamed, and a module refused, only after the whole time.
    fn time(&self, lines: usize) -> Duration {
        let whole = self.ptxas.binary.limits.time;
        match self.hung && lines > 1 {
            true => self.ptxas.health_of(&self.arch).search_time(whole),
            false => whole,
        }
    }

    fn died(&self, answer: &Complaints) -> bool {
        death(&self.ptxas.binary.limits, answer.end).is_some()
    }

    /// True if one line spoiled the answer about all: a process died, or an error in a macro names no line.
    fn kills(&self, answer: &Complaints, mode: AskMode) -> bool {
        self.died(answer) || answer.macro_errors > 0 && mode == AskMode::Check
    }

    /// The outcome of the only line of a process, which was not accepted. A death by a kill or a limit only counts if
    /// it happens again; otherwise the machine may be at fault, and the line is not judged. Any other crash counts even
    /// if it does not happen every time.
    fn outcome_of_one(&self, answer: &Complaints, asked: &[usize], mode: AskMode) -> std::io::Result<Outcome> {
        let first = self.outcome(answer);
        let Outcome::Crashed(how) = &first else { return Ok(first) };
        let again = self.ask(&self.writer.parted(asked, 1), mode)?;
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

    fn note_death(&mut self, answer: &Complaints, asked: &[usize], chunk: usize) {
        self.hung |= answer.end == End::OutOfTime;
        if let Some(how) = death(&self.ptxas.binary.limits, answer.end) {
            let modules = self.writer.parted(asked, chunk).iter().map(|module| module.lines.to_vec()).collect();
            self.deaths.push(ProcessDeath { modules, arch: self.arch.clone(), mode: self.mode, end: answer.end, how });
        }
    }

    /// Records, for each batch, the smallest death of a process none of whose lines is to blame.
    fn record_joint_deaths(&mut self) -> std::io::Result<()> {
        let blamed = |line: usize| matches!(self.outcomes[line], Some(Outcome::Crashed(_) | Outcome::TimedOut));
        let mut deaths = std::mem::take(&mut self.deaths);
        deaths.retain(|death| !death.lines().any(blamed));
        deaths.sort_by_key(|death| death.lines().count());
        let mut recorded = BTreeSet::new();
        for death in deaths {
            let batches: BTreeSet<usize> = death.lines().map(|line| self.writer.batch_of(line)).collect();
            if recorded.is_disjoint(&batches) {
                recorded.extend(batches);
                together::record(self.ptxas, &self.writer, death)?;
            }
        }
        Ok(())
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

    /// True if the modules of these lines pass without them; asked after a failure.
    fn scaffolds_of(&mut self, lines: &[usize]) -> std::io::Result<bool> {
        let batches: BTreeSet<usize> = lines.iter().map(|&line| self.writer.batch_of(line)).collect();
        let unknown: Vec<usize> = batches.difference(&self.scaffolds).copied().collect();
        self.scaffolds_pass(&unknown)
    }

    /// True if modules without lines pass. If that of a batch does not, each of its lines that is not settled gets the
    /// outcome.
    fn scaffolds_pass(&mut self, batches: &[usize]) -> std::io::Result<bool> {
        let modules: Vec<ModuleLines<'_>> = batches.iter().map(|&batch| ModuleLines { batch, lines: &[] }).collect();
        if modules.is_empty() {
            return Ok(true);
        }
        let answer = self.ask(&modules, self.mode)?;
        let pass = answer.end == End::Exited(0) && answer.is_silent();
        if let ([_, _, ..], false) = (batches, pass) {
            let (some, others) = batches.split_at(batches.len() / 2);
            let some = self.scaffolds_pass(some)?;
            return Ok(self.scaffolds_pass(others)? && some);
        }
        self.scaffolds.extend(batches);
        if !pass {
            let outcome = self.outcome(&answer);
            for (line, unsettled) in self.outcomes.iter_mut().enumerate().filter(|(_, outcome)| outcome.is_none()) {
                if batches.contains(&self.writer.batch_of(line)) {
                    *unsettled = Some(outcome.clone());
                }
            }
        }
        Ok(pass)
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
        group.learn(asked.len() - unseen.len(), unseen.len(), answer.unseen.len());
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
            group.learn_macros(answer.macro_errors, asked.len());
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
        if self.writer.by_batch(asked).count() > 1 {
            groups.push(self.halved(&group, asked.to_vec()));
            groups.insert(0, group);
            return;
        }
        // If every line was reached, any of them may be at fault: macros are expanded last.
        let reached = if answer.reached < asked.len() { answer.reached } else { 0 };
        let (before, suspects) = asked.split_at(reached);
        self.passed.extend(before);
        if group.marks == Marks::Possible && suspects.len() > 1 {
            groups.push(group.fresh(suspects.to_vec()).marked());
        } else if !self.died(answer) {
            groups.push(group.fresh(suspects.to_vec()).spaced());
        } else if before.is_empty() {
            groups.push(self.halved(&group, suspects.to_vec()));
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
    fn find(&mut self, answer: &Complaints, asked: &[usize], mut group: Group, groups: &mut Vec<Group>) {
        let died = self.died(answer);
        group.marks = Marks::Possible;
        // The first mark is before the first line. If it is missing, marks do not work here.
        match answer.marks.checked_sub(1) {
            Some(passed) if answer.macro_errors > 0 && passed < asked.len() => {
                self.passed.extend(&asked[..passed]);
                groups.push(group.fresh(asked[passed..].to_vec()).spaced());
            }
            Some(passed) if died && passed < asked.len() => {
                self.passed.extend(&asked[..passed]);
                groups.push(group.fresh(asked[passed + 1..].to_vec()));
                groups.push(group.fresh(vec![asked[passed]]));
            }
            _ => {
                group.marks = Marks::Useless;
                groups.push(self.halved(&group, asked.to_vec()));
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
