//! One line and one directive of each kind in a file: those that the smallest header depends on.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::diagnostic::{CheckedDirective, CheckedLine};
use crate::environment::{Target, Version};
use crate::space::EnvironmentValues;
use crate::spec::SpecialNeeds;

/// The parts that the lines of a kind have in common: opcode and modifiers, form, choices except for the
/// environment, the rules that are broken, and what the special registers need.
type LineKind<'a> = (&'a str, Vec<&'a str>, usize, Vec<u8>, Vec<usize>, (Option<Version>, Option<Target>));

/// One line of each kind.
#[derive(Default)]
pub(super) struct Samples<'a> {
    known: FxHashSet<LineKind<'a>>,
    lines: Vec<Arc<CheckedLine<'a>>>,
}

impl<'a> Samples<'a> {
    pub(super) fn add(&mut self, line: &Arc<CheckedLine<'a>>) {
        if self.known.insert(kind(line)) {
            self.lines.push(Arc::clone(line));
        }
    }

    /// Adds those of another part of the file.
    pub(super) fn extend(&mut self, other: &Self) {
        other.lines.iter().for_each(|line| self.add(line));
    }

    pub(super) fn into_lines(self) -> Vec<CheckedLine<'a>> {
        self.lines.into_iter().map(Arc::unwrap_or_clone).collect()
    }
}

/// One directive of each kind.
#[derive(Default)]
pub(super) struct DirectiveSamples<'a> {
    known: FxHashSet<(&'a str, usize, Vec<u8>)>,
    all: Vec<Arc<CheckedDirective<'a>>>,
}

impl<'a> DirectiveSamples<'a> {
    pub(super) fn add(&mut self, of: &Arc<CheckedDirective<'a>>) {
        let reading = &of.read.reading;
        let choices = EnvironmentValues::split(&reading.values).1.to_vec();
        if self.known.insert((of.read.directive.name.as_str(), reading.form, choices)) {
            self.all.push(Arc::clone(of));
        }
    }

    /// Adds those of another part of the file.
    pub(super) fn extend(&mut self, other: &Self) {
        other.all.iter().for_each(|of| self.add(of));
    }

    pub(super) fn into_all(self) -> Vec<CheckedDirective<'a>> {
        self.all.into_iter().map(Arc::unwrap_or_clone).collect()
    }
}

fn kind<'a>(line: &CheckedLine<'a>) -> LineKind<'a> {
    let CheckedLine { line, reading, .. } = line;
    let (form, SpecialNeeds { ptx, target }) = (reading.form, reading.specials);
    let choices = EnvironmentValues::split(&reading.values).1.to_vec();
    (line.opcode, line.modifiers.clone(), form, choices, reading.broken.clone(), (ptx, target))
}
