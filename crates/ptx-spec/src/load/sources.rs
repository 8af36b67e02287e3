//! The file of an instruction, and what it is read against.

use super::file::File;
use super::notation::Syntax;
use super::raw::{RawForm, RawInstruction, RawIsa};
use crate::role::RawOperand;
use crate::spec::{Isa, SlotClaims, stands_for};
use crate::yaml::At;

/// All that the loader reads an instruction from.
#[derive(Clone, Copy)]
pub(super) struct Sources<'a> {
    pub(super) isa: &'a Isa,
    pub(super) raw_isa: &'a RawIsa,
    pub(super) isa_file: &'a File<'a>,
    /// The file of the instruction.
    pub(super) file: &'a File<'a>,
    /// Its text.
    pub(super) raw: &'a RawInstruction,
}

/// A form as the file has it, and its syntax line taken apart.
pub(super) struct ReadForm<'a> {
    pub(super) raw: &'a RawForm,
    pub(super) syntax: Syntax,
    /// The slots of the syntax line, with their claimed values.
    pub(super) slots: Vec<SlotClaims>,
}

/// A form as the file has it, and the other forms of the instruction.
pub(super) struct FormSource<'a> {
    pub(super) raw_isa: &'a RawIsa,
    pub(super) instruction: &'a RawInstruction,
    pub(super) form: &'a RawForm,
    pub(super) syntax: &'a Syntax,
    /// The slots of the other forms, and their syntax lines.
    pub(super) others: &'a [&'a [SlotClaims]],
    pub(super) other_lines: &'a [&'a Syntax],
    /// How many of the other forms come before this one.
    pub(super) earlier: usize,
}

impl<'a> FormSource<'a> {
    /// The description of an operand in the file.
    pub(super) fn operand(&self, name: &str) -> &'a RawOperand {
        let named = |(known, _): &&(At<String>, RawOperand)| known.value == name;
        let found = self.form.operands.0.iter().find(named).or_else(|| self.instruction.operands.0.iter().find(named));
        &found.expect("the loader checks that every operand of a syntax line is described").1
    }

    /// The options of `.target` that the form asks about.
    pub(super) fn modes(&self) -> &'a [At<String>] {
        if self.form.modes.is_empty() { &self.instruction.modes } else { &self.form.modes }
    }

    /// True if a modifier belongs to a page of the manual that the file does not describe.
    pub(super) fn is_elsewhere(&self, modifier: &str) -> bool {
        self.instruction.elsewhere.iter().any(|word| stands_for(&word.value, modifier))
    }
}
