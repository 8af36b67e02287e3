//! The choices of a line, read from the form.

use std::cell::Cell;

use ptx_spec::spec::Form;

use crate::float::FloatType;

/// The choices of a drawn variant.
pub(crate) struct Asked<'a> {
    form: &'a Form,
    values: &'a [u8],
    /// The suffix of each operand as the line writes it, where the choice stands for many.
    suffixes: &'a [String],
    /// Which of the values is given where the manual allows several.
    allowed: usize,
    /// True if one was.
    is_open: Cell<bool>,
}

/// An integer type of an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Type {
    /// The size of an element.
    pub(crate) size: usize,
    pub(crate) signed: bool,
    pub(crate) elements: usize,
}

/// A result that the manual leaves open.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Open;

impl Type {
    /// The type with this name; floats are rows of bits.
    ///
    /// # Panics
    /// If it is no type.
    pub(crate) fn named(name: &str) -> Self {
        if name == ".pred" {
            return Self { size: 1, signed: false, elements: 1 };
        }
        let (size, elements) = name[2..].split_once('x').unwrap_or((&name[2..], "1"));
        let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("{name} is no type"));
        assert!("busf".contains(&name[1..2]), "{name} is no type");
        Self { size: number(size), signed: &name[1..2] == "s", elements: number(elements) }
    }
}

impl<'a> Asked<'a> {
    pub(crate) fn new(form: &'a Form, values: &'a [u8], suffixes: &'a [String]) -> Self {
        Self { form, values, suffixes, allowed: 0, is_open: Cell::new(false) }
    }

    /// How many values are asked for where the manual allows several: each bit that may differ does in some of them.
    pub(crate) const ALLOWED: usize = 3;

    /// The same choices, with another of the values that the manual allows.
    pub(crate) fn another(&self, allowed: usize) -> Self {
        Self { allowed, is_open: Cell::new(false), ..*self }
    }

    /// True if the opinion had to choose among values.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open.get()
    }

    /// An unspecified NaN.
    pub(crate) fn any_nan(&self, of: FloatType) -> u128 {
        self.is_open.set(true);
        of.nan(self.allowed)
    }

    /// The type of floats in a slot.
    ///
    /// # Panics
    /// If there is none.
    pub(crate) fn float(&self, slot: &str) -> FloatType {
        FloatType::named(self.word(slot)).unwrap_or_else(|| panic!("{} has no floats in {slot}", self.form.id))
    }

    pub(crate) fn opcode(&self) -> &str {
        self.form.opcode()
    }

    /// The name of the form without its opcode.
    pub(crate) fn form(&self) -> &str {
        self.form.id.rsplit('.').next().expect("a text has a last part")
    }

    /// The word in a slot without its dot; empty if there is none.
    pub(crate) fn word(&self, slot: &str) -> &str {
        let Some(axis) = self.form.axis(slot) else { return "" };
        match self.form.value(self.values, axis) {
            "none" => "",
            word => word.strip_prefix('.').unwrap_or(word),
        }
    }

    pub(crate) fn has(&self, slot: &str) -> bool {
        !self.word(slot).is_empty()
    }

    /// The type in a slot.
    ///
    /// # Panics
    /// If there is none.
    pub(crate) fn of_type(&self, slot: &str) -> Type {
        let axis = self.form.axis(slot).unwrap_or_else(|| panic!("{} has no {slot}", self.form.id));
        Type::named(self.form.value(self.values, axis))
    }

    /// The suffix of an operand without its dot: what the line writes, where there is a choice of many.
    pub(crate) fn suffix(&self, operand: &str, slot: &str) -> &str {
        let at = self.form.operands.iter().position(|of| of.name == operand);
        match at.and_then(|at| self.suffixes[at].strip_prefix('.')) {
            Some(written) => written,
            None => self.word(slot),
        }
    }
}
