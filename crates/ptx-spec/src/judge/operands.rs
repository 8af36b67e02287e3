//! Reads the choices of a line's operands.

use crate::role::{self, Found};
use crate::spec::{Form, Isa, Kind, Pattern, Role, TextFault, Writing};
use crate::text::{Argument, Declarations, Line, OperandText, Symbol};

/// What the operands say beside the values of their axes.
#[derive(Default)]
pub(super) struct Read {
    /// They do not fit the punctuation of the form; their axes are unread.
    pub(super) mismatched: bool,
    /// The writing for a suffix that only other forms have there.
    pub(super) foreign_suffix: Option<usize>,
    /// What else the operands and the guard contain.
    pub(super) found: Found,
}

/// Reads the operands into their axes.
pub(super) fn read(isa: &Isa, form: &Form, line: &Line<'_>, declarations: &Declarations, values: &mut [u8]) -> Read {
    let mut read = Read::default();
    if let Some((_, name)) = line.guard {
        read.guard(isa, declarations, name, values);
    }
    let mut texts = line.operands.iter();
    for part in &form.pattern {
        let text = texts.next();
        match (part, text) {
            (Pattern::Operand(at), None) if form.operands[*at].optional => {
                let operand = &form.operands[*at];
                operand.of_type.iter().chain(&operand.shape).for_each(|&axis| values[axis] = 0);
            }
            (Pattern::Operand(at), Some(text)) if !matches!(text.argument, Argument::Bracket(_)) => {
                let operand = &form.operands[*at];
                role::read((isa, form), declarations, operand, (&text.argument, false), values, &mut read.found);
            }
            (Pattern::Bracket(inside), Some(OperandText { argument: Argument::Bracket(elements), suffix, .. }))
                if inside.len() == elements.len() =>
            {
                for (&at, element) in inside.iter().zip(elements) {
                    let operand = &form.operands[at];
                    role::read((isa, form), declarations, operand, (element, true), values, &mut read.found);
                }
                read.suffix(form, inside.last().copied(), *suffix, values);
            }
            // `a[4]` is an address without brackets around it.
            (
                Pattern::Bracket(inside),
                Some(OperandText { argument: argument @ Argument::Element(..), suffix, .. }),
            ) if let [at] = inside[..]
                && matches!(form.operands[at].role, Role::Address { .. }) =>
            {
                let operand = &form.operands[at];
                role::read((isa, form), declarations, operand, (argument, false), values, &mut read.found);
                read.suffix(form, Some(at), *suffix, values);
            }
            _ => read.mismatched = true,
        }
    }
    read.mismatched |= texts.next().is_some();
    if read.mismatched {
        // The assignment of operands would then be a guess, so no rule about operands is judged.
        let axes = form.operands.iter().flat_map(|o| [o.shape, o.of_type, o.sinks, o.base, o.offset]);
        axes.flatten().for_each(|axis| values[axis] = crate::spec::UNREAD);
        form.suffixes.iter().for_each(|(_, axis)| values[*axis] = crate::spec::UNREAD);
        read.found.more.clear();
        read.found.faults.clear();
    }
    read
}

impl Read {
    /// Checks that the guard is a predicate register.
    fn guard(&mut self, isa: &Isa, declarations: &Declarations, name: &str, values: &[u8]) {
        let predicate = match (declarations.symbol(name), isa.special(name)) {
            (Some(Symbol::Register(Some(of), 1)), _) => isa.types[of].kind == Kind::Predicate,
            (None, Some(special)) => {
                self.found.special(isa, special, values);
                isa.register_type(&special.of_type).is_some_and(|of| of.kind == Kind::Predicate)
            }
            _ => false,
        };
        if !predicate {
            self.found.fault(TextFault::Guard);
        }
    }

    /// Reads a suffix.
    fn suffix(&mut self, form: &Form, operand: Option<usize>, suffix: Option<&str>, values: &mut [u8]) {
        let mut known = suffix.is_none();
        for (at, axis) in &form.suffixes {
            if Some(*at) == operand {
                let value = suffix.and_then(|suffix| form.axes[*axis].position(suffix));
                known |= value.is_some();
                values[*axis] = value.unwrap_or(0);
            }
        }
        if !known {
            let foreign = operand.zip(suffix).map(|(at, suffix)| Writing::Suffixed(at, suffix.to_owned()));
            self.foreign_suffix = foreign.and_then(|writing| form.writing_of(&writing));
            self.mismatched |= self.foreign_suffix.is_none();
        }
    }
}
