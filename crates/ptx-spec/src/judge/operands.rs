//! Reads the choices of a line's operands.

use crate::role::{self, Found};
use crate::space::Values;
use crate::spec::{Form, Isa, Kind, Pattern, Role, TextFault, UNREAD, Writing};
use crate::text::{Argument, Declarations, Line, OperandText, Symbol};

/// What the operands say beside the values of their axes.
#[derive(Default)]
pub(super) struct Read {
    /// They do not fit the punctuation of the form.
    pub(super) mismatched: bool,
    /// The writing for a suffix that only other forms have there.
    pub(super) foreign_suffix: Option<usize>,
    /// What else the operands and the guard contain.
    pub(super) found: Found,
}

/// Reads the operands into their axes. If they do not fit the form, their axes are left unread.
pub(super) fn read(isa: &Isa, form: &Form, line: &Line<'_>, declarations: &Declarations, values: &mut [u8]) -> Read {
    let mut read = Read::default();
    if let Some((_, name)) = line.guard {
        read.guard(isa, declarations, name, values);
    }
    let reader = OperandsReader { isa, form, declarations, texts: &line.operands };
    read.mismatched |= !reader.read(&Writing::Plain, values, &mut read);
    if read.mismatched {
        reader.forget(values);
        // What an operand was meant to be is a guess, so no rule about operands is judged.
        read.found.more.clear();
        read.found.faults.clear();
    }
    read
}

/// Reads operands that do not fit the form into their axes, as those of the faulty writing that they fit, if any.
pub(super) fn read_faulty(isa: &Isa, form: &Form, line: &Line<'_>, declarations: &Declarations, values: &mut Values) {
    let reader = OperandsReader { isa, form, declarations, texts: &line.operands };
    if let Some(written) = reader.faulty(values) {
        *values = written;
    }
}

/// The operands of a line, with all that they are read against.
struct OperandsReader<'l> {
    isa: &'l Isa,
    form: &'l Form,
    declarations: &'l Declarations,
    texts: &'l [OperandText<'l>],
}

impl OperandsReader<'_> {
    /// Reads the operands as they stand in a writing, and returns whether their punctuation fits it.
    fn read(&self, writing: &Writing, values: &mut [u8], read: &mut Read) -> bool {
        let (mut texts, surplus) = (self.texts.iter(), usize::from(*writing == Writing::ExtraOperand));
        for part in &self.form.pattern {
            let fits = match part {
                Pattern::Operand(at) if *writing == Writing::Without(*at) => true,
                Pattern::Operand(at) => match texts.next() {
                    None if self.form.operands[*at].optional => {
                        let operand = &self.form.operands[*at];
                        operand.of_type.iter().chain(&operand.shape).for_each(|&axis| values[axis] = 0);
                        true
                    }
                    Some(OperandText { argument, .. }) if !matches!(argument, Argument::Bracket(_)) => {
                        self.operand(*at, (argument, false), values, read);
                        true
                    }
                    _ => false,
                },
                Pattern::Bracket(inside) => self.bracket(inside, writing, &mut texts, values, read),
            };
            if !fits {
                return false;
            }
        }
        texts.len() == surplus
    }

    /// Reads operands that belong in square brackets.
    fn bracket<'t>(
        &self,
        inside: &[usize],
        writing: &Writing,
        texts: &mut impl Iterator<Item = &'t OperandText<'t>>,
        values: &mut [u8],
        read: &mut Read,
    ) -> bool {
        let there = || inside.iter().copied().filter(|&at| *writing != Writing::Without(at));
        if there().next().is_none() {
            return true;
        }
        let mut last = None;
        if *writing == Writing::Unbracketed {
            for at in there() {
                let Some(text) = texts.next().filter(|text| !matches!(text.argument, Argument::Bracket(_))) else {
                    return false;
                };
                self.operand(at, (&text.argument, true), values, read);
                last = text.suffix;
            }
        } else {
            let Some(OperandText { argument, suffix, .. }) = texts.next() else { return false };
            match argument {
                Argument::Bracket(elements) if there().count() == elements.len() => {
                    for (at, element) in there().zip(elements) {
                        self.operand(at, (element, true), values, read);
                    }
                }
                // `a[4]` is an address without brackets around it.
                Argument::Element(..) if matches!(inside, &[at] if self.is_address(at)) => {
                    self.operand(inside[0], (argument, false), values, read);
                }
                _ => return false,
            }
            last = *suffix;
        }
        read.suffix(self.form, inside.last().copied(), last, values);
        true
    }

    fn operand(&self, at: usize, argument: (&Argument<'_>, bool), values: &mut [u8], read: &mut Read) {
        let operand = &self.form.operands[at];
        role::read((self.isa, self.form), self.declarations, operand, argument, values, &mut read.found);
    }

    fn is_address(&self, at: usize) -> bool {
        matches!(self.form.operands[at].role, Role::Address { .. })
    }

    /// Leaves all axes of operands unread.
    fn forget(&self, values: &mut [u8]) {
        let axes = self.form.operands.iter().flat_map(|o| [o.shape, o.of_type, o.sinks, o.base, o.offset]);
        let suffixes = self.form.suffixes.iter().map(|(_, axis)| *axis);
        axes.flatten().chain(suffixes).for_each(|axis| values[axis] = UNREAD);
    }

    /// The choices of the faulty writing that the operands fit best, unless the modifiers have a fault that the
    /// axis of writings expresses already. Of two that fit as well, one without an operand is a guess.
    fn faulty(&self, values: &[u8]) -> Option<Values> {
        let (form, axis) = (self.form, self.form.writing());
        if values[axis] != 0 {
            return None;
        }
        let fit = |(at, writing): (usize, &Writing)| {
            let without = match writing {
                Writing::Without(_) => true,
                Writing::ExtraOperand | Writing::Unbracketed => false,
                _ => return None,
            };
            let mut written = values.to_vec();
            written[axis] = u8::try_from(at).ok()?;
            let mut read = Read::default();
            let fits = self.read(writing, &mut written, &mut read);
            fits.then(|| ((form.broken(&written).len() + read.found.faults.len(), without), written))
        };
        let mut fitting: Vec<_> = form.writings.iter().enumerate().filter_map(fit).collect();
        fitting.sort_by_key(|(rank, _)| *rank);
        let tied = fitting.len() > 1 && fitting[0].0 == fitting[1].0;
        fitting.into_iter().next().filter(|_| !tied).map(|(_, written)| written)
    }
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
