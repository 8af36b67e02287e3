//! Batches with few lines, asked about in one process: each has a module with its own declarations and its own PTX version.
//!
//! A process without any complaint accepts all of them. If there is one, its batches are halved, down to one that is asked
//! about in the usual way: so every outcome but acceptance is one of a batch alone.

use std::collections::BTreeMap;
use std::io;

use super::answer::{AskMode, BatchWriter, arguments, death, run};
use super::group::{CHECKED_LINES, MODULES};
use super::sharing::{Sharing, sharing};
use super::{Arch, Ptxas, diagnostics};
use crate::child::End;
use crate::words::shown;
use crate::{Batch, Depth, LineJudge as _, Outcome};
use ptx_spec::environment::Target;

/// Deaths without a cause after which it is asked no more.
const UNEXPLAINED: u32 = 20;

/// One outcome for each line of each batch. Only checks share processes: one that generates code takes one module.
pub(super) fn judge_all(ptxas: &Ptxas, batches: &[Batch<'_>], depth: Depth) -> Vec<Vec<Outcome>> {
    let mut outcomes: Vec<Option<Vec<Outcome>>> = vec![None; batches.len()];
    if depth == Depth::Check {
        let mut together: BTreeMap<(Target, bool), Vec<usize>> = BTreeMap::new();
        for (at, batch) in batches.iter().enumerate().filter(|(_, batch)| shares(batch)) {
            together.entry((batch.environment.target, batch.scaffold.separate)).or_default().push(at);
        }
        for ((target, _), all) in together {
            // What cannot be asked about gets its reason below.
            let Ok(arch) = ptxas.arch(target, depth) else { continue };
            let known = all.into_iter().filter(|&at| batches[at].environment.ptx <= ptxas.newest);
            let known: Vec<usize> = known.collect();
            known.chunks(MODULES).for_each(|some| settle(ptxas, batches, &arch, some, &mut outcomes));
        }
    }
    let alone = |(outcome, batch): (Option<Vec<Outcome>>, _)| outcome.unwrap_or_else(|| ptxas.judge(batch, depth));
    outcomes.into_iter().zip(batches).map(alone).collect()
}

/// True if a batch will probably be accepted, and its lines fit into one module that can share a process.
fn shares(batch: &Batch<'_>) -> bool {
    let alone = batch.lines.len() == 1;
    let fits = |line: &&str| match sharing(line) {
        Sharing::Module => true,
        Sharing::Process => alone,
        Sharing::Nothing => false,
    };
    !batch.mostly_invalid && (1..=CHECKED_LINES).contains(&batch.lines.len()) && batch.lines.iter().all(fits)
}

/// Settles the batches at these positions whose process has no complaint: all in one, or each half. The others stay open.
fn settle(ptxas: &Ptxas, batches: &[Batch<'_>], arch: &Arch, at: &[usize], outcomes: &mut [Option<Vec<Outcome>>]) {
    if at.len() < 2 {
        return;
    }
    match pass(ptxas, batches, arch, at) {
        Ok(None) => at.iter().for_each(|&at| outcomes[at] = Some(vec![Outcome::Accepted; batches[at].lines.len()])),
        Ok(Some(end)) => {
            let (first, second) = at.split_at(at.len() / 2);
            settle(ptxas, batches, arch, first, outcomes);
            settle(ptxas, batches, arch, second, outcomes);
            for &at in at {
                outcomes[at].get_or_insert_with(|| ptxas.judge(&batches[at], Depth::Check));
            }
            let dies = |outcome: &Outcome| matches!(outcome, Outcome::Crashed(_) | Outcome::TimedOut);
            let blamed = at.iter().filter_map(|&at| outcomes[at].as_ref()).flatten().any(dies);
            if let Some(how) = death(&ptxas.binary.limits, end).filter(|_| !blamed) {
                let (id, first) = (&ptxas.id, shown(batches[at[0]].lines[0].to_owned()));
                let note = format!("{id} died ({how}) on {} modules together, and on none alone: {first}", at.len());
                ptxas.health.unexplained(note, UNEXPLAINED);
            }
        }
        // What keeps it from being asked is said where each is asked about alone.
        Err(_) => {}
    }
}

/// Asks one process about the batches at these positions: how it ended, unless it had no complaint.
fn pass(ptxas: &Ptxas, batches: &[Batch<'_>], arch: &Arch, at: &[usize]) -> io::Result<Option<End>> {
    let directory = ptxas.binary.directory()?;
    let mut names = Vec::with_capacity(at.len());
    for (number, &at) in at.iter().enumerate() {
        let mut statements = Vec::new();
        AskMode::Check.fill(&mut statements, batches[at].lines.iter().copied());
        let (module, _) = BatchWriter::new(ptxas, &batches[at])?.module(number, &statements, true);
        names.push(diagnostics::file_name(number));
        std::fs::write(directory.path().join(&names[number]), module)?;
    }
    let first = &batches[at[0]];
    let lines = at.iter().map(|&at| batches[at].lines.len()).sum();
    let arguments = arguments(first, arch, &names, AskMode::Check);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    ptxas.binary.count(names.len(), lines);
    let (end, printed) = run(ptxas, first, arch, directory.path(), &arguments, lines)?;
    // Beside the file that keeps it from generating code, if there is one.
    let ended = if arch.stopped { End::Exited(255) } else { End::Exited(0) };
    let silent = diagnostics::errors(&printed).is_empty();
    Ok((end != ended || !silent).then_some(end))
}
