//! The names of a body that are not declared.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::diagnostic::{Diagnostic, DiagnosticSeverity, OBSERVED};
use crate::text::range;

/// The names of a body that are not declared, in the order of their first uses.
#[derive(Default)]
pub(super) struct UndeclaredNames<'a> {
    names: Vec<UndeclaredName<'a>>,
    /// The positions of the names.
    positions: FxHashMap<&'a str, usize>,
    /// Of each instruction with such names, their positions.
    lines: Vec<Vec<usize>>,
}

/// A name that is not declared: where it is used first, how often, and what is probably meant by it.
struct UndeclaredName<'a> {
    name: &'a str,
    at: Range<usize>,
    uses: u64,
    help: Option<String>,
}

/// The errors about names that are not declared.
#[derive(Default)]
pub(super) struct UndeclaredErrors<'a> {
    pub(super) diagnostics: Vec<Diagnostic<'a>>,
    /// How many instructions are wrong because of them.
    pub(super) invalid: u64,
    /// How many instructions have no other such names than those of wrong declarations.
    pub(super) unjudged: u64,
}

/// Of how many names of a body it is found out what is meant.
const HELPED: usize = 20;

impl<'a> UndeclaredNames<'a> {
    /// Adds those of an instruction. `help` says what is probably meant by one.
    pub(super) fn add(&mut self, file: &'a str, names: Vec<&'a str>, help: impl Fn(&'a str) -> Option<String>) {
        let mut line = Vec::with_capacity(names.len());
        for name in names {
            let next = self.names.len();
            let at = *self.positions.entry(name).or_insert(next);
            if at == next {
                let help = (next < HELPED).then(|| help(name)).flatten();
                self.names.push(UndeclaredName { name, at: range(file, name), uses: 0, help });
            }
            line.push(at);
        }
        self.lines.push(line);
    }

    /// The errors about them. None is about a name that follows from another fault.
    pub(super) fn errors(mut self, follows: impl Fn(&str) -> bool) -> UndeclaredErrors<'a> {
        let silent: Vec<bool> = self.names.iter().map(|of| follows(of.name)).collect();
        let mut found = UndeclaredErrors::default();
        for line in &self.lines {
            line.iter().for_each(|&at| self.names[at].uses += 1);
            match line.iter().all(|&at| silent[at]) {
                true => found.unjudged += 1,
                false => found.invalid += 1,
            }
        }
        for (UndeclaredName { name, at, uses, help }, _) in
            self.names.into_iter().zip(silent).filter(|(_, silent)| !silent)
        {
            let message = format!("`{name}` is not declared before this, nor a label around it");
            let diagnostic = Diagnostic::new(DiagnosticSeverity::Error, "isa/undeclared", at, message);
            let diagnostic = diagnostic.with_note(OBSERVED).with_help(help);
            found.diagnostics.push(match uses {
                1 => diagnostic,
                uses => diagnostic.with_note(format!("{uses} instructions here use it")),
            });
        }
        found
    }
}
