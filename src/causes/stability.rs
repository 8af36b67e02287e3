//! Asks again before causes are searched for: an engine that does not answer the same twice has no causes.

use super::inquiry::Inquiry;
use super::open_group::OpenGroup;
use super::search::Seen;
use crate::case::{Case, InternalError};
use crate::engine::Depth;

/// Cases of each group that are asked about again.
const AGAIN: usize = 4;
/// Of a hundred cases asked about twice, how many may change before an engine counts as unstable.
const CHANGED: usize = 5;
/// Cases that change before anything is concluded.
const FEWEST: usize = 3;

/// Asks about some lines of each group twice. Groups that fail neither time are taken out of the search; where
/// too many lines change from one time to the other, says so in words: then nothing is to be searched for.
pub(super) fn check(inquiry: &Inquiry<'_>, groups: &mut [OpenGroup<'_>]) -> Result<Option<String>, InternalError> {
    // Where each failing case costs a process, the search itself has to do.
    let usual = |group: &OpenGroup<'_>| !group.is_of_rows() && !group.is_costly();
    let mut of_group: Vec<usize> = Vec::new();
    let mut cases: Vec<Case<'_>> = Vec::new();
    for (at, group) in groups.iter().enumerate().filter(|(_, group)| usual(group)) {
        let step = group.open.len().div_ceil(AGAIN).max(1);
        for values in group.open.iter().step_by(step) {
            of_group.push(at);
            cases.push(Case { instruction: group.instruction, form: group.form, values });
        }
    }
    let mut failed = vec![0_usize; groups.len()];
    let mut times: Vec<Vec<Seen>> = Vec::new();
    for _ in 0..2 {
        let results = inquiry.ask(Depth::Check, &cases)?;
        let seen = of_group
            .iter()
            .zip(&results)
            .map(|(&at, result)| inquiry.seen(&groups[at].mismatch, groups[at].instruction, result));
        let seen: Vec<Seen> = seen.collect();
        of_group.iter().zip(&seen).for_each(|(&at, seen)| failed[at] += usize::from(*seen == Seen::Fails));
        times.push(seen);
    }
    let changed = times[0].iter().zip(&times[1]).filter(|(first, second)| first != second).count();
    let asked = of_group.len();
    if changed >= FEWEST && changed * 100 >= asked * CHANGED {
        let name = inquiry.name();
        return Ok(Some(format!(
            "{name} is unstable: {changed} of {asked} lines gave different answers when asked about twice, so no \
             cause was searched for"
        )));
    }
    for (at, group) in groups.iter_mut().enumerate().filter(|(at, _)| of_group.contains(at)) {
        if failed[at] == 0 {
            group.open.clear();
            group.vanished = Some("not reproduced");
        }
    }
    Ok(None)
}
