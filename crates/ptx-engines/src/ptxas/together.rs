//! Deaths that several lines cause only together, reduced to as few lines and modules as are found to do it.

use std::io;

use super::answer::{KILL, arguments, run};
use super::mode::AskMode;
use super::writer::{BatchWriter, ProcessFile};
use super::{Arch, Ptxas};
use crate::addresses::FixedAddresses;
use crate::child::End;
use crate::words::{cut, visible};
use crate::{DeadlyModule, Depth, JointDeath};

/// The most processes that are started to reduce one death: four times what halving 100,000 lines to two takes. (Not a
/// time, so that the result does not depend on the machine.)
const PROCESSES: usize = 256;
/// How often a process must die in a row before the lines that it was not given are left out. Some deaths depend on what
/// lies in memory, and happen with fewer lines in fewer runs.
const TIMES: usize = 3;
/// The most bytes of a line that a note shows; those of matrices have thousands.
const NOTED_BYTES: usize = 160;

/// A process with several lines that died.
#[derive(Clone, Debug)]
pub(super) struct ProcessDeath {
    /// Its lines (positions over all batches), by module.
    pub(super) modules: Vec<Vec<usize>>,
    pub(super) arch: Arch,
    pub(super) mode: AskMode,
    pub(super) end: End,
    /// How it ended, in words.
    pub(super) how: String,
}

impl ProcessDeath {
    /// Its lines.
    pub(super) fn lines(&self) -> impl Iterator<Item = usize> {
        self.modules.iter().flatten().copied()
    }

    /// True if the lines are the reason, and not the machine: a signal that nobody sends from outside.
    fn is_of_lines(&self) -> bool {
        matches!(self.end, End::Signal(signal) if signal != KILL)
    }
}

/// Reduces a death that none of its lines causes alone, and records it as one of the engine's. One that cannot be
/// reproduced, or that is one of limits (time, memory, messages), is only noted.
///
/// # Errors
/// If the assembler or its files cannot be used, or the assembler no longer answers.
pub(super) fn record(ptxas: &Ptxas, writer: &BatchWriter<'_>, death: ProcessDeath) -> io::Result<()> {
    let mut reduction =
        DeathReduction { ptxas, writer, arch: &death.arch, mode: death.mode, end: death.end, left: PROCESSES };
    if !death.is_of_lines() || !reduction.dies(&death.modules)? {
        note(ptxas, writer, &death);
        return Ok(());
    }
    let modules = reduction.smallest(death.modules.clone())?;
    // Our own statements are not part of it unless they must be.
    reduction.mode = AskMode::Generate;
    let plain = reduction.always_dies(&modules)?;
    let mode = if plain { AskMode::Generate } else { death.mode };
    ptxas.keep_joint_death(JointDeath {
        // Each text says its own.
        environment: modules.iter().flatten().next().map_or(writer.first(), |&line| writer.batch(line)).environment,
        depth: if death.mode == AskMode::Generate { Depth::Generate } else { Depth::Check },
        how: death.how,
        modules: deadly(writer, &modules, mode),
        command: command(writer, &death.arch, modules.len(), mode),
    });
    Ok(())
}

fn note(ptxas: &Ptxas, writer: &BatchWriter<'_>, death: &ProcessDeath) {
    let first = visible(death.lines().next().map_or("", |line| writer.line(line)));
    let (first, many) = (cut(&first, NOTED_BYTES), death.lines().count());
    let again = match death.is_of_lines() {
        true if FixedAddresses::new().hold() => ", and not when asked again",
        true => ", and not when asked again (this system places memory at random, and does not let that be changed)",
        false => "",
    };
    let (id, how) = (&ptxas.id, &death.how);
    ptxas
        .health
        .note(format!("{id} died ({how}) on {many} lines together, on none of them alone{again}; the first: {first}"));
}

/// The modules as texts.
fn deadly(writer: &BatchWriter<'_>, modules: &[Vec<usize>], mode: AskMode) -> Vec<DeadlyModule> {
    let of = |(number, lines): (usize, &Vec<usize>)| {
        let mut statements = Vec::new();
        mode.fill(&mut statements, lines.iter().map(|&line| writer.line(line)));
        let batch = lines.first().map_or(0, |&line| writer.batch_of(line));
        let lines = lines.iter().map(|&line| writer.line(line).to_owned()).collect();
        let file = ProcessFile { number, shares: modules.len() > 1 };
        DeadlyModule { lines, text: writer.module(batch, file, &statements, true).0 }
    };
    modules.iter().enumerate().map(of).collect()
}

fn command(writer: &BatchWriter<'_>, arch: &Arch, modules: usize, mode: AskMode) -> String {
    let names: Vec<String> = (0..modules).map(super::diagnostics::file_name).collect();
    format!("ptxas {}", arguments(writer.first(), &Arch { stopped: false, ..arch.clone() }, &names, mode).join(" "))
}

/// The search for the fewest lines of which a process dies in the same way.
struct DeathReduction<'a> {
    ptxas: &'a Ptxas,
    writer: &'a BatchWriter<'a>,
    arch: &'a Arch,
    mode: AskMode,
    end: End,
    /// The processes that may still be started.
    left: usize,
}

impl DeathReduction<'_> {
    /// True if a process with these modules dies in the same way; not if no more processes may be started.
    fn dies(&mut self, modules: &[Vec<usize>]) -> io::Result<bool> {
        if self.left == 0 {
            return Ok(false);
        }
        self.left -= 1;
        let (batch, directory) = (self.writer.first(), self.writer.path());
        let names = self.writer.write_each(modules, self.mode)?;
        let many = modules.iter().map(Vec::len).sum();
        let arguments = arguments(batch, self.arch, &names, self.mode);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        self.ptxas.binary.count(names.len(), many);
        let time = self.ptxas.binary.limits.time;
        let (end, _) = run(self.ptxas, batch, self.arch, (directory, &arguments), many, time)?;
        Ok(end == self.end)
    }

    /// True if several such processes die, one after the other.
    fn always_dies(&mut self, modules: &[Vec<usize>]) -> io::Result<bool> {
        for _ in 0..TIMES {
            if !self.dies(modules)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The fewest modules, then the fewest lines.
    fn smallest(&mut self, modules: Vec<Vec<usize>>) -> io::Result<Vec<Vec<usize>>> {
        let modules = fewest(modules, |modules| self.always_dies(modules))?;
        let placed =
            |(module, lines): (usize, &Vec<usize>)| lines.iter().map(|&line| (module, line)).collect::<Vec<_>>();
        let lines: Vec<(usize, usize)> = modules.iter().enumerate().flat_map(placed).collect();
        let lines = fewest(lines, |lines| self.always_dies(&by_module(lines)))?;
        Ok(by_module(&lines))
    }
}

/// The lines by module; a module without lines goes.
fn by_module(lines: &[(usize, usize)]) -> Vec<Vec<usize>> {
    lines.chunk_by(|a, b| a.0 == b.0).map(|module| module.iter().map(|(_, line)| *line).collect()).collect()
}

/// The items without those that are not needed to fail: parts of them are left out, then smaller parts, down to single
/// ones (delta debugging).
fn fewest<T: Clone>(mut items: Vec<T>, mut fails: impl FnMut(&[T]) -> io::Result<bool>) -> io::Result<Vec<T>> {
    let mut parts = 2;
    while items.len() > 1 {
        let size = items.len().div_ceil(parts);
        let mut start = 0;
        let before = items.len();
        while start < items.len() && items.len() > 1 {
            let rest = [&items[..start], &items[(start + size).min(items.len())..]].concat();
            if !rest.is_empty() && fails(&rest)? {
                items = rest;
            } else {
                start += size;
            }
        }
        if size == 1 && items.len() == before {
            break;
        }
        parts = if items.len() == before { parts * 2 } else { parts }.clamp(2, items.len().max(2));
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_items_that_are_needed_remain() {
        for (many, needed) in [(2, vec![0, 1]), (1000, vec![3, 998]), (777, vec![5]), (64, vec![0, 31, 63])] {
            let mut asked = 0;
            let fails = |items: &[usize]| {
                asked += 1;
                Ok(needed.iter().all(|item| items.contains(item)))
            };
            assert_eq!(fewest((0..many).collect(), fails).expect("no process"), needed);
            assert!(asked < 120, "{asked} of {many}");
        }
        // Nothing fails again.
        assert_eq!(fewest((0..9).collect(), |_: &[usize]| Ok(false)).expect("no process").len(), 9);
    }
}
