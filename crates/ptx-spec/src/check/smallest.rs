//! The smallest header under which all lines of a file are valid.

use super::diagnostic::CheckedLine;
use crate::environment::{AddressSize, Environment, Target, Version};
use crate::judge::Judge;
use crate::spec::Spec;

/// The reason why a header cannot be smaller.
#[derive(Clone, Debug)]
pub enum Demand<'l, 'a> {
    /// This line is invalid in the version or target before it.
    Line(&'l CheckedLine<'a>),
    /// The target came with the version.
    Target,
    /// There is none before it.
    First,
}

/// The smallest target for which all lines are valid, with the smallest version for it.
#[derive(Clone, Debug)]
pub enum SmallestHeader<'l, 'a> {
    /// There is one.
    Found {
        /// The version.
        ptx: Version,
        /// The reason for the version.
        ptx_demand: Demand<'l, 'a>,
        /// The target.
        target: Target,
        /// The reason for the target.
        target_demand: Demand<'l, 'a>,
    },
    /// These lines are valid nowhere.
    Nowhere(Vec<&'l CheckedLine<'a>>),
    /// Each of these lines is valid somewhere, but not all together.
    Conflict(Vec<&'l CheckedLine<'a>>),
}

/// The smallest header under which these lines are valid, apart from rules of which that is tolerated: tries all targets, smallest first, and the versions of each,
/// oldest first.
pub fn smallest_header<'l, 'a>(
    spec: &Spec,
    lines: &'l [CheckedLine<'a>],
    address_size: AddressSize,
) -> SmallestHeader<'l, 'a> {
    let mut targets = spec.isa.targets.clone();
    targets.sort_unstable();
    let search = HeaderSearch { spec, lines, address_size, targets };
    search.found().unwrap_or_else(|| search.nothing())
}

struct HeaderSearch<'s, 'l, 'a> {
    spec: &'s Spec,
    lines: &'l [CheckedLine<'a>],
    address_size: AddressSize,
    /// Smallest first, each with the version that brought it.
    targets: Vec<(Target, Version)>,
}

impl<'l, 'a> HeaderSearch<'_, 'l, 'a> {
    fn found(&self) -> Option<SmallestHeader<'l, 'a>> {
        // A line that is invalid in one environment is likely to be so in the next.
        let mut order: Vec<usize> = (0..self.lines.len()).collect();
        for (at, &(target, since)) in self.targets.iter().enumerate() {
            let versions = &self.spec.isa.versions;
            let first = versions.partition_point(|version| *version < since);
            for (version, &ptx) in versions.iter().enumerate().skip(first) {
                match order.iter().position(|&line| !self.valid(&self.lines[line], ptx, target)) {
                    Some(position) => order[..=position].rotate_right(1),
                    None => {
                        let ptx_demand = match version > first {
                            true => self.first_invalid(versions[version - 1], target),
                            false if version == 0 => Demand::First,
                            false => Demand::Target,
                        };
                        let target_demand = self.target_demand(at);
                        return Some(SmallestHeader::Found { ptx, ptx_demand, target, target_demand });
                    }
                }
            }
        }
        None
    }

    fn target_demand(&self, at: usize) -> Demand<'l, 'a> {
        let newest = self.spec.isa.versions.last();
        match at.checked_sub(1).zip(newest) {
            Some((before, newest)) => self.first_invalid(*newest, self.targets[before].0),
            None => Demand::First,
        }
    }

    /// The first line that is invalid in an environment.
    fn first_invalid(&self, ptx: Version, target: Target) -> Demand<'l, 'a> {
        self.lines.iter().find(|line| !self.valid(line, ptx, target)).map_or(Demand::First, Demand::Line)
    }

    /// True if a line is valid in an environment, or breaks only the rules of which that is tolerated.
    fn valid(&self, line: &CheckedLine<'_>, ptx: Version, target: Target) -> bool {
        let environment = Environment { ptx, target, address_size: self.address_size };
        let Ok(judge) = Judge::new(self.spec, &environment) else { return false };
        let reading = judge.read_as(line.instruction, &line.line, &line.declarations);
        let tolerated = |id: &str| line.tolerated && line.reading.rules(line.instruction).any(|rule| rule.id == id);
        reading.rules(line.instruction).all(|rule| tolerated(&rule.id))
    }

    /// The answer where there is no header.
    fn nothing(&self) -> SmallestHeader<'l, 'a> {
        let sets: Vec<Vec<bool>> = self.lines.iter().map(|line| self.environments(line)).collect();
        let valid_nowhere = |at: &usize| sets[*at].iter().all(|valid| !valid);
        let nowhere: Vec<_> = (0..self.lines.len()).filter(valid_nowhere).map(|at| &self.lines[at]).collect();
        if !nowhere.is_empty() {
            return SmallestHeader::Nowhere(nowhere);
        }
        // The lines that rule something out that those before them do not, without those that turn out not to be needed.
        let mut left = vec![true; sets.first().map_or(0, Vec::len)];
        let mut needed: Vec<usize> = Vec::new();
        for (at, set) in sets.iter().enumerate() {
            if left.iter().zip(set).any(|(left, valid)| *left && !valid) {
                needed.push(at);
                left.iter_mut().zip(set).for_each(|(left, valid)| *left &= valid);
            }
        }
        let mut at = 0;
        while at < needed.len() {
            let others = || needed.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, line)| &sets[*line]);
            let possible = (0..left.len()).any(|environment| others().all(|set| set[environment]));
            if possible {
                at += 1;
            } else {
                needed.remove(at);
            }
        }
        SmallestHeader::Conflict(needed.into_iter().map(|at| &self.lines[at]).collect())
    }

    /// For each target and version, whether a line is valid there.
    fn environments(&self, line: &CheckedLine<'_>) -> Vec<bool> {
        let each = |&(target, since): &(Target, Version)| {
            let versions = self.spec.isa.versions.iter();
            versions.map(move |&ptx| ptx >= since && self.valid(line, ptx, target)).collect::<Vec<_>>()
        };
        self.targets.iter().flat_map(each).collect()
    }
}
