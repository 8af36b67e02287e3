//! The smallest header under which all statements of a file are valid.

use super::CheckedFile;
use super::diagnostic::{CheckedDirective, CheckedLine};
use crate::environment::{AddressSize, Environment, Target, Version};
use crate::judge::{Judge, Needs};
use crate::space::environment_values;
use crate::spec::{Isa, Spec};

/// A statement that a header must suit.
#[derive(Clone, Copy, Debug)]
pub enum HeaderStatement<'l, 'a> {
    /// An instruction.
    Line(&'l CheckedLine<'a>),
    /// A directive or declaration.
    Directive(&'l CheckedDirective<'a>),
}

impl HeaderStatement<'_, '_> {
    /// Its first byte in the file.
    pub fn start(&self) -> usize {
        match self {
            Self::Line(line) => line.at.start,
            Self::Directive(of) => of.at().start,
        }
    }

    /// Its text.
    pub fn text(&self) -> &str {
        match self {
            Self::Line(line) => line.text(),
            Self::Directive(of) => of.text(),
        }
    }

    /// The smallest versions and targets that it needs, the nearest to its own first.
    pub fn needs(&self, isa: &Isa) -> Vec<Needs> {
        match self {
            Self::Line(line) => line.needs(isa),
            Self::Directive(of) => of.needs(isa),
        }
    }
}

/// The reason why a header cannot be smaller.
#[derive(Clone, Debug)]
pub enum Demand<'l, 'a> {
    /// This statement is invalid in the version or target before it.
    Statement(HeaderStatement<'l, 'a>),
    /// The target came with the version.
    Target,
    /// There is none before it.
    First,
}

/// The smallest target for which all statements are valid, with the smallest version for it.
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
    /// These statements are valid nowhere.
    Nowhere(Vec<HeaderStatement<'l, 'a>>),
    /// Each of these statements is valid somewhere, but not all together.
    Conflict(Vec<HeaderStatement<'l, 'a>>),
}

/// The smallest header under which the statements of a file are valid, of which it has [samples](super::Checker::sample), apart from
/// rules of which that is tolerated: tries all targets, smallest first, and the versions of each, oldest first.
pub fn smallest_header<'l, 'a>(spec: &Spec, file: &'l CheckedFile<'a>) -> SmallestHeader<'l, 'a> {
    let mut targets = spec.isa.targets.clone();
    targets.sort_unstable();
    let lines = file.samples.iter().map(HeaderStatement::Line);
    let mut statements: Vec<_> = lines.chain(file.directives.iter().map(HeaderStatement::Directive)).collect();
    statements.sort_by_key(HeaderStatement::start);
    let search = HeaderSearch { spec, statements, address_size: file.address_size(), targets };
    search.found().unwrap_or_else(|| search.nothing())
}

struct HeaderSearch<'s, 'l, 'a> {
    spec: &'s Spec,
    statements: Vec<HeaderStatement<'l, 'a>>,
    address_size: AddressSize,
    /// Smallest first, each with the version that brought it.
    targets: Vec<(Target, Version)>,
}

impl<'l, 'a> HeaderSearch<'_, 'l, 'a> {
    fn found(&self) -> Option<SmallestHeader<'l, 'a>> {
        // A statement that is invalid in one environment is likely to be so in the next.
        let mut order: Vec<usize> = (0..self.statements.len()).collect();
        for (at, &(target, since)) in self.targets.iter().enumerate() {
            let versions = &self.spec.isa.versions;
            let first = versions.partition_point(|version| *version < since);
            for (version, &ptx) in versions.iter().enumerate().skip(first) {
                match order.iter().position(|&line| !self.valid(&self.statements[line], ptx, target)) {
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
        self.statements
            .iter()
            .find(|of| !self.valid(of, ptx, target))
            .map_or(Demand::First, |of| Demand::Statement(*of))
    }

    /// True if a statement is valid in an environment, or breaks only the rules of which that is tolerated.
    fn valid(&self, of: &HeaderStatement<'_, '_>, ptx: Version, target: Target) -> bool {
        let environment = Environment { ptx, target, address_size: self.address_size };
        match of {
            HeaderStatement::Line(line) => self.line_valid(line, &environment),
            HeaderStatement::Directive(of) => {
                let (form, reading) = (of.read.form(), &of.read.reading);
                let Some(values) = environment_values(form, &environment) else { return false };
                let mut choices = reading.values.clone();
                values.give_to(&mut choices);
                form.judged_rules(&choices).iter().all(|rule| of.tolerated && reading.broken.contains(rule))
            }
        }
    }

    fn line_valid(&self, line: &CheckedLine<'_>, environment: &Environment) -> bool {
        let Ok(judge) = Judge::new(self.spec, environment) else { return false };
        let reading = judge.read_as(line.instruction, &line.line, &line.declarations);
        let tolerated = |id: &str| line.tolerated && line.reading.rules(line.instruction).any(|rule| rule.id == id);
        reading.rules(line.instruction).all(|rule| tolerated(&rule.id))
    }

    /// The answer where there is no header.
    fn nothing(&self) -> SmallestHeader<'l, 'a> {
        let sets: Vec<Vec<bool>> = self.statements.iter().map(|of| self.environments(of)).collect();
        let valid_nowhere = |at: &usize| sets[*at].iter().all(|valid| !valid);
        let nowhere: Vec<_> = (0..self.statements.len()).filter(valid_nowhere).map(|at| self.statements[at]).collect();
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
        SmallestHeader::Conflict(needed.into_iter().map(|at| self.statements[at]).collect())
    }

    /// For each target and version, whether a statement is valid there.
    fn environments(&self, of: &HeaderStatement<'_, '_>) -> Vec<bool> {
        let each = |&(target, since): &(Target, Version)| {
            let versions = self.spec.isa.versions.iter();
            versions.map(move |&ptx| ptx >= since && self.valid(of, ptx, target)).collect::<Vec<_>>()
        };
        self.targets.iter().flat_map(each).collect()
    }
}
