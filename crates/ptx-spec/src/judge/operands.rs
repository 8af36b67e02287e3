//! Reads the choices of a line's operands.

use smallvec::{SmallVec, smallvec};

use crate::component::split_component;
use crate::must::Must;
use crate::role::{self, Found};
use crate::space::Values;
use crate::spec::{Form, Isa, Kind, Operand, Pattern, Role, TextFault, UNREAD, Writing};
use crate::text::{Argument, Declarations, Line, OperandText, Symbol};

/// More optional operands than this are read in their order: each doubles the ways to read a line.
const MOST_OPTIONAL: usize = 6;

/// The findings in the operands beside the values of their axes.
#[derive(Default)]
pub(super) struct Read {
    /// They do not fit the punctuation of the form.
    pub(super) mismatched: bool,
    /// The writing for a suffix that only other forms have there.
    pub(super) foreign_suffix: Option<usize>,
    /// The further contents of the operands and the guard.
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
        read.found.lanes.clear();
        read.found.faults.clear();
    } else if form.fault(TextFault::ArgumentCount).is_some() {
        role::compare(isa, form, &line.operands, declarations, &mut read.found);
    } else if form.fault(TextFault::AboveLimit).is_some() {
        role::compare_numbers(form, &line.operands, &mut read.found);
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
    /// Reads the operands as they stand in a writing, and returns whether their punctuation fits it. Of optional
    /// operands those are there with which the line breaks the fewest rules, and of several such choices the first
    /// ones.
    fn read(&self, writing: &Writing, values: &mut [u8], read: &mut Read) -> bool {
        let optional = self.optional();
        if optional.is_empty() {
            return self.read_without(&[], writing, values, read);
        }
        // The last ones are left out first.
        let left_out = |mask: u32| {
            let absent = optional.iter().rev().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1);
            absent.map(|(_, &at)| at).collect::<SmallVec<[usize; 4]>>()
        };
        let masks = (0..1_u32 << optional.len().min(MOST_OPTIONAL)).map(left_out);
        let fitting: SmallVec<[SmallVec<[usize; 4]>; 2]> =
            masks.filter(|absent| self.counts(absent, writing)).collect();
        if let [absent] = fitting.as_slice() {
            return self.read_without(absent, writing, values, read);
        }
        let mut best: Option<(usize, Values, Read)> = None;
        for absent in fitting {
            let mut tried: Values = values.to_vec();
            let mut found =
                Read { found: Found { faults: read.found.faults.clone(), ..Found::default() }, ..Read::default() };
            if !self.read_without(&absent, writing, &mut tried, &mut found) {
                continue;
            }
            let mut rules = Vec::new();
            self.form.rules_of(&self.form.judged_operands(&self.form.judged(&tried), &tried), &mut rules);
            let rank = rules.len()
                + found.found.faults.len()
                + found.found.more.len()
                + found.found.lanes.len()
                + usize::from(found.mismatched);
            if best.as_ref().is_none_or(|(best, ..)| rank < *best) {
                best = Some((rank, tried, found));
            }
        }
        let Some((_, tried, found)) = best else { return false };
        values.copy_from_slice(&tried);
        *read = found;
        true
    }

    /// The operands that can be left out, but those that are the second half of a pair: there the text says it.
    fn optional(&self) -> SmallVec<[usize; 4]> {
        let of_part = |part: &Pattern| match part {
            Pattern::Pair(first, _) => smallvec![*first],
            other => other.operands(),
        };
        let all = self.form.pattern.iter().flat_map(of_part);
        all.filter(|&at| self.form.operands[at].optional).collect()
    }

    /// True if there are as many texts as parts when these operands are left out.
    fn counts(&self, absent: &[usize], writing: &Writing) -> bool {
        let left = |at: &usize| !absent.contains(at) && *writing != Writing::Without(*at);
        let parts = self.form.pattern.iter().map(|part| match part {
            Pattern::Bracket(inside) if writing.unbrackets(inside) => inside.iter().filter(|at| left(at)).count(),
            Pattern::Pair(first, _) => usize::from(left(first)),
            part => usize::from(part.operands().iter().any(left)),
        });
        parts.sum::<usize>() + usize::from(*writing == Writing::ExtraOperand) == self.texts.len()
    }

    /// Reads the operands of which these are left out.
    fn read_without(&self, absent: &[usize], writing: &Writing, values: &mut [u8], read: &mut Read) -> bool {
        let (mut texts, surplus) = (self.texts.iter(), usize::from(*writing == Writing::ExtraOperand));
        for &at in absent {
            self.leave_out(at, values);
        }
        for part in &self.form.pattern {
            let there: SmallVec<[usize; 2]> = part
                .operands()
                .into_iter()
                .filter(|at| !absent.contains(at) && *writing != Writing::Without(*at))
                .collect();
            let Some(&first) = there.first() else { continue };
            let fits = match part {
                Pattern::Bracket(inside) => self.bracket(&there, writing.unbrackets(inside), &mut texts, values, read),
                _ => match texts.next() {
                    Some(text) => self.part(part, first, &there, text, values, read),
                    None => false,
                },
            };
            if !fits {
                return false;
            }
        }
        texts.len() == surplus
    }

    /// Reads a part without brackets, of which these operands are there.
    fn part<'t>(
        &self,
        part: &Pattern,
        first: usize,
        there: &[usize],
        text: &'t OperandText<'t>,
        values: &mut [u8],
        read: &mut Read,
    ) -> bool {
        match (part, &text.argument) {
            (Pattern::Braces(_), Argument::Tuple(elements)) if elements.len() == there.len() => {
                for (&at, element) in there.iter().zip(elements) {
                    self.operand(at, (element, false), values, read);
                }
            }
            (Pattern::Braces(_), _) | (_, Argument::Bracket(_)) => return false,
            // A constant in parentheses is read as that constant.
            (Pattern::List(_), argument) if text.text.starts_with('(') => {
                self.operand(first, (argument, false), values, read);
            }
            (Pattern::List(_), _) => return false,
            (_, Argument::List(_)) => return false,
            (Pattern::Pair(..), Argument::Pair(halves)) if there.len() == 2 => {
                for (&at, half) in there.iter().zip(halves.iter()) {
                    self.suffixed(at, half, None, values, read);
                }
            }
            (Pattern::Pair(_, second), argument) if !matches!(argument, Argument::Pair(_)) => {
                if there.len() == 2 && !self.form.operands[*second].optional {
                    return false;
                }
                if there.len() == 2 {
                    self.leave_out(*second, values);
                }
                self.suffixed(first, argument, text.suffix, values, read);
            }
            (_, Argument::Pair(_)) => return false,
            (_, argument) => self.suffixed(first, argument, text.suffix, values, read),
        }
        true
    }

    /// Reads an operand that may have a suffix, which the text reader takes for a component of a register.
    fn suffixed(&self, at: usize, argument: &Argument<'_>, suffix: Option<&str>, values: &mut [u8], read: &mut Read) {
        let has = self.form.suffixes.iter().any(|(of, _)| *of == at);
        let (sign, name) = match argument {
            Argument::Name(name) => (None, *name),
            Argument::Signed(sign, name) => (Some(*sign), *name),
            _ => (None, ""),
        };
        let declared = |name: &str| self.declarations.symbol(name).is_some() || self.isa.special(name).is_some();
        if has
            && suffix.is_none()
            && !declared(name)
            && let Some((register, suffix)) = split_component(name)
        {
            let argument = match sign {
                None => Argument::Name(register),
                Some(sign) => Argument::Signed(sign, register),
            };
            self.operand(at, (&argument, false), values, read);
            read.suffix(self.form, Some(at), Some(&name[name.len() - suffix.len() - 1..]), values);
            return;
        }
        self.operand(at, (argument, false), values, read);
        if has || suffix.is_some() {
            read.suffix(self.form, Some(at), suffix, values);
        }
    }

    /// Sets the axes of an operand that is left out.
    fn leave_out(&self, at: usize, values: &mut [u8]) {
        let suffixes = self.form.suffixes.iter().filter(|(of, _)| *of == at).map(|(_, axis)| *axis);
        self.form.operands[at].axes().chain(suffixes).for_each(|axis| values[axis] = 0);
    }

    /// Reads operands that belong in square brackets; `bare` says that they have none.
    fn bracket<'t>(
        &self,
        there: &[usize],
        bare: bool,
        texts: &mut impl Iterator<Item = &'t OperandText<'t>>,
        values: &mut [u8],
        read: &mut Read,
    ) -> bool {
        let mut last = None;
        if bare {
            for &at in there {
                let Some(text) = texts.next().filter(|text| !matches!(text.argument, Argument::Bracket(_))) else {
                    return false;
                };
                self.operand(at, (&text.argument, true), values, read);
                last = text.suffix;
            }
        } else {
            let Some(OperandText { argument, suffix, .. }) = texts.next() else { return false };
            match argument {
                Argument::Bracket(elements) if there.len() == elements.len() => {
                    for (&at, element) in there.iter().zip(elements) {
                        self.operand(at, (element, true), values, read);
                    }
                }
                // `a[4]` is an address without brackets around it.
                Argument::Element(..) if matches!(there, &[at] if self.is_address(at)) => {
                    self.operand(there[0], (argument, false), values, read);
                }
                _ => return false,
            }
            last = *suffix;
        }
        read.suffix(self.form, there.last().copied(), last, values);
        true
    }

    fn operand(&self, at: usize, argument: (&Argument<'_>, bool), values: &mut [u8], read: &mut Read) {
        let operand = &self.form.operands[at];
        let (argument, bracketed) = argument;
        // A sign that the operand may have is a choice of its own: none, which is value 0, or this sign.
        let unsigned = match (argument, operand.sign) {
            (Argument::Signed(sign, name), Some(axis)) if self.form.axes[axis].values[1].starts_with(*sign) => {
                values[axis] = 1;
                Some(Argument::Name(name))
            }
            (_, sign) => {
                sign.into_iter().for_each(|axis| values[axis] = 0);
                None
            }
        };
        let argument = (unsigned.as_ref().unwrap_or(argument), bracketed);
        role::read((self.isa, self.form), self.declarations, operand, argument, values, &mut read.found);
    }

    fn is_address(&self, at: usize) -> bool {
        matches!(self.form.operands[at].role, Role::Address { .. })
    }

    /// Leaves all axes of operands unread.
    fn forget(&self, values: &mut [u8]) {
        let axes = self.form.operands.iter().flat_map(Operand::axes);
        let suffixes = self.form.suffixes.iter().map(|(_, axis)| *axis);
        axes.chain(suffixes).for_each(|axis| values[axis] = UNREAD);
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
                Writing::ExtraOperand | Writing::Unbracketed | Writing::UnbracketedOne(_) => false,
                _ => return None,
            };
            let mut written = values.to_vec();
            written[axis] = u8::try_from(at).must("an axis has at most 255 values");
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
                let value = suffix.and_then(|suffix| form.axes[*axis].position_of_word(suffix));
                known |= value.is_some();
                // Without a suffix, or with a foreign one, which is a fault by itself.
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
