//! Where something is available, in the words of the manual: from which PTX version and target on, and where it is gone
//! again.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::pairs::{Grid, ModulePair, PairSet};
use crate::environment::{Suffix, Target, Version};

/// Where something is available.
///
/// It is so in each environment that meets one of `from`, and none of `gone`. If that cannot say it, `ranges` does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Availability {
    /// The smallest environments, oldest first; empty if it is available nowhere.
    pub from: Vec<Requirement>,
    /// Where it is gone again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<Requirement>,
    /// If `from` and `gone` are not all there is to say, where it is available, target by target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<TargetRange>,
}

/// A PTX version and a target: an environment meets it with that version or a later one, and with a target that has what
/// this one has, by the PTX manual: `sm_80` is met by every later target, `sm_100f` by those of its family, `sm_90a` by
/// itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// The PTX version.
    pub ptx: Version,
    /// The target.
    pub target: Target,
}

/// Some PTX versions of a target, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetRange {
    /// The target.
    pub target: Target,
    /// The first version.
    pub first: Version,
    /// The last version.
    pub last: Version,
}

impl Availability {
    /// Describes a set of pairs among those that were looked at.
    pub(super) fn of(grid: &Grid, set: &PairSet, domain: &PairSet) -> Self {
        let from = smallest(grid, set);
        let missing = closure(grid, &from, domain).without(set);
        let gone = smallest(grid, &missing);
        let said = closure(grid, &from, domain).without(&closure(grid, &gone, domain));
        let requirement = |pair: &ModulePair| Requirement { ptx: grid.version(*pair), target: grid.target(*pair) };
        let requirements = |pairs: &[ModulePair]| pairs.iter().map(requirement).collect();
        match said == *set {
            true => Self { from: requirements(&from), gone: requirements(&gone), ranges: Vec::new() },
            false => Self { from: requirements(&from), gone: Vec::new(), ranges: ranges(grid, set, domain) },
        }
    }

    /// True if it is available in an environment.
    pub fn has(&self, ptx: Version, target: Target) -> bool {
        let met = |needs: &[Requirement]| needs.iter().any(|need| need.ptx <= ptx && need.target.met_by(target));
        match self.ranges.as_slice() {
            [] => met(&self.from) && !met(&self.gone),
            ranges => ranges.iter().any(|range| range.target == target && (range.first..=range.last).contains(&ptx)),
        }
    }

    /// True if the feature is available nowhere.
    pub fn is_nowhere(&self) -> bool {
        self.from.is_empty()
    }

    /// The smallest environments as positions.
    pub(super) fn smallest(grid: &Grid, set: &PairSet) -> Vec<ModulePair> {
        smallest(grid, set)
    }
}

impl fmt::Display for Availability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |requirements: &[Requirement]| {
            requirements.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
        };
        match (self.is_nowhere(), self.ranges.as_slice()) {
            (true, _) => f.write_str("nowhere"),
            (false, []) => {
                f.write_str(&list(&self.from))?;
                for gone in &self.gone {
                    write!(f, "; not from PTX {} on for {}", gone.ptx, with_those_that_meet(gone.target))?;
                }
                Ok(())
            }
            (false, ranges) => {
                let ranges: Vec<String> = ranges.iter().map(ToString::to_string).collect();
                write!(f, "irregular: {}", ranges.join(", "))
            }
        }
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PTX {}, {}", self.ptx, self.target)
    }
}

impl fmt::Display for TargetRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first == self.last {
            true => write!(f, "{} in PTX {}", self.target, self.first),
            false => write!(f, "{} in PTX {} to {}", self.target, self.first, self.last),
        }
    }
}

/// A target and those that have what it has, in words.
fn with_those_that_meet(target: Target) -> String {
    match target.suffix {
        Suffix::Plain => format!("{target} and later"),
        Suffix::Family => format!("{target} and its family"),
        Suffix::Exact => target.to_string(),
    }
}

/// True if each environment that meets `pair` meets `need`, too. Of two that meet each other, the first does not need
/// the second.
fn covers(grid: &Grid, need: ModulePair, pair: ModulePair) -> bool {
    let meets = |need: ModulePair, pair: ModulePair| {
        grid.target(need).met_by(grid.target(pair)) && need.version <= pair.version
    };
    need != pair && meets(need, pair) && (!meets(pair, need) || need < pair)
}

/// The pairs of a set that no other of it makes unnecessary, oldest first.
fn smallest(grid: &Grid, set: &PairSet) -> Vec<ModulePair> {
    let first = |target| set.versions(target).next().map(|version| ModulePair { version, target });
    let candidates: Vec<ModulePair> = (0..grid.targets.len()).filter_map(first).collect();
    let needed = |pair: &&ModulePair| !candidates.iter().any(|need| covers(grid, *need, **pair));
    let mut needed: Vec<ModulePair> = candidates.iter().filter(needed).copied().collect();
    needed.sort_unstable();
    needed
}

/// The pairs of the domain that meet one of some requirements.
fn closure(grid: &Grid, needs: &[ModulePair], domain: &PairSet) -> PairSet {
    let mut closure = grid.none();
    for pair in domain.iter() {
        let met = |need: &ModulePair| need.version <= pair.version && grid.target(*need).met_by(grid.target(pair));
        if needs.iter().any(met) {
            closure.insert(pair);
        }
    }
    closure
}

/// A set target by target: neighbouring versions of the domain together.
fn ranges(grid: &Grid, set: &PairSet, domain: &PairSet) -> Vec<TargetRange> {
    let mut ranges: Vec<TargetRange> = Vec::new();
    for (target, &(name, _)) in grid.targets.iter().enumerate() {
        let mut open = false;
        for version in domain.versions(target) {
            let inside = set.contains(ModulePair { version, target });
            let last = grid.versions[version];
            match ranges.last_mut().filter(|_| inside && open) {
                Some(range) => range.last = last,
                None if inside => ranges.push(TargetRange { target: name, first: last, last }),
                None => {}
            }
            open = inside;
        }
    }
    ranges
}
