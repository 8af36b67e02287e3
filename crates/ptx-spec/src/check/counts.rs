//! How many instructions of a file are what.

use std::collections::BTreeMap;

use serde::Serialize;

/// How many there are of what. Each instruction is valid, invalid, tolerated, unknown or unjudged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Instructions.
    pub instructions: u64,
    /// Instructions that break no rule.
    pub valid: u64,
    /// Instructions that break a rule, or use a name that is not declared.
    pub invalid: u64,
    /// Invalid instructions that are of no instruction of PTX.
    pub misspelt: u64,
    /// Instructions that break a rule that nobody has enforced so far.
    pub tolerated: u64,
    /// Instructions that the specification does not have, by opcode.
    pub unknown: BTreeMap<String, u64>,
    /// Instructions that could not be judged: the version or the target of the file is not known, or the declaration of
    /// a name is wrong or could not be read.
    pub unjudged: u64,
    /// Valid instructions that the manual leaves undefined.
    pub undefined: u64,
    /// Instructions with a remark.
    pub remarked: u64,
    /// Statements that could not be read.
    pub unread: u64,
    /// Directives that are not known, and were skipped.
    pub skipped: u64,
    /// Declarations that were read; they are not judged.
    pub declarations: u64,
    /// Directives and headers that were read; they are not judged.
    pub directives: u64,
    /// Diagnostics that are errors.
    pub errors: u64,
    /// Diagnostics that are warnings.
    pub warnings: u64,
}

impl Counts {
    /// How many instructions the specification does not have.
    pub fn unknown(&self) -> u64 {
        self.unknown.values().sum()
    }

    /// Adds an instruction that the specification does not have.
    pub(super) fn add_unknown(&mut self, opcode: &str) {
        match self.unknown.get_mut(opcode) {
            Some(count) => *count += 1,
            None => drop(self.unknown.insert(opcode.to_owned(), 1)),
        }
    }

    /// Adds those of another file, or of another part of this one.
    pub fn add(&mut self, other: &Self) {
        for (opcode, count) in &other.unknown {
            *self.unknown.entry(opcode.clone()).or_default() += count;
        }
        self.instructions += other.instructions;
        self.valid += other.valid;
        self.invalid += other.invalid;
        self.misspelt += other.misspelt;
        self.tolerated += other.tolerated;
        self.unjudged += other.unjudged;
        self.undefined += other.undefined;
        self.remarked += other.remarked;
        self.unread += other.unread;
        self.skipped += other.skipped;
        self.declarations += other.declarations;
        self.directives += other.directives;
        self.errors += other.errors;
        self.warnings += other.warnings;
    }
}
