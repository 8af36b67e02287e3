//! Templates: the text of a variant with holes for its operands.

use crate::chain::{ChainInstruction, ChainOperand, Piece, SlotKind, memory_of, slots};
use crate::memory::ChainMemory;
use ptx_exec::semantics;
use ptx_spec::judge::arguments;
use ptx_spec::ptx::{Argument, Declarations, Line, Symbol, print_variant};
use ptx_spec::spec::{Form, Isa, Role};

/// The kind of a template: its form, and its holes in order, with the sizes of registers and the places of constants.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TemplateKind {
    /// The form's name in the specification.
    pub form: String,
    /// Its holes.
    pub slots: Vec<SlotKind>,
}

/// An instruction with holes, each filled as the variant is printed, and what it does with the carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The form's name in the specification.
    pub form: String,
    /// The parts of its text.
    pub pieces: Vec<Piece>,
    /// The printed number of each hole that is one.
    pub numbers: Vec<Option<String>>,
    /// True if it reads the carry that another line wrote.
    pub reads_carry: bool,
    /// True if it writes the carry.
    pub writes_carry: bool,
    /// Its use of memory.
    pub memory: MemoryUse,
}

/// The use of memory by an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// The memory whose contents it reads.
    pub reads: Option<ChainMemory>,
    /// The memory whose contents it changes.
    pub writes: Option<ChainMemory>,
}

/// A text that is replaced by a hole: where it begins, its length, the kind of the hole.
type ReplacedText = (usize, usize, SlotKind);

impl MemoryUse {
    /// The use by an instruction of these parts: with a destination, it reads; with a source, it writes.
    fn of(pieces: &[Piece]) -> Self {
        let memory = memory_of(pieces);
        let any = |is: fn(&SlotKind) -> bool| slots(pieces).any(|kind| is(&kind));
        Self {
            reads: memory.filter(|_| any(|kind| matches!(kind, SlotKind::Destination(_)))),
            writes: memory.filter(|_| any(|kind| matches!(kind, SlotKind::Source(_) | SlotKind::Constant(_)))),
        }
    }
}

impl Template {
    /// The template of a variant: see [`Self::of_line`].
    pub fn new(isa: &Isa, form: &Form, values: &[u8]) -> Option<Self> {
        let (text, declarations) = print_variant(form, values);
        Self::of_line(isa, (form, values), &text, &Declarations::parse(&declarations, isa).ok()?)
    }

    /// The template of a line of a form that makes these choices. None if a chain cannot have it: it does more than to compute and
    /// to access the memory of chains, or has no semantics, or names something else than scalar registers of up to 64 bits and
    /// numbers.
    pub fn of_line(isa: &Isa, of: (&Form, &[u8]), text: &str, symbols: &Declarations) -> Option<Self> {
        Self::with_holes(isa, of, text, symbols).map(|(template, _)| template)
    }

    /// The same with the text that was in each hole.
    pub(crate) fn with_holes(
        isa: &Isa,
        (form, values): (&Form, &[u8]),
        text: &str,
        symbols: &Declarations,
    ) -> Option<(Self, Vec<String>)> {
        let line = Line::parse(text).ok()?;
        let computation = match semantics::computation(isa, form, values, Some(&line)) {
            Some(computation) => Some(computation.ok()?),
            None => None,
        };
        let accessed = ChainMemory::accessed(isa, form, values);
        if computation.is_some() == accessed.is_some() {
            return None;
        }
        let mut replaced = replaced(isa, (form, values), (&line, text), symbols, accessed)?;
        replaced.sort_unstable();
        let (pieces, holes) = split(text, &replaced)?;
        let number = |((_, _, kind), hole): (&ReplacedText, &String)| {
            matches!(kind, SlotKind::Constant(_)).then(|| hole.clone())
        };
        let numbers = replaced.iter().zip(&holes).map(number).collect();
        let (reads_carry, writes_carry) =
            computation.map_or((false, false), |of| (of.reads_carry(), of.writes_carry()));
        let memory = MemoryUse::of(&pieces);
        Some((Self { form: form.id.clone(), pieces, numbers, reads_carry, writes_carry, memory }, holes))
    }

    /// Its kind.
    pub fn kind(&self) -> TemplateKind {
        TemplateKind { form: self.form.clone(), slots: self.slots().collect() }
    }

    /// True if a line of this template can read what one of the other wrote.
    pub fn is_fed_by(&self, other: &Self) -> bool {
        let carried = other.writes_carry && self.reads_carry;
        let stored = self.memory.reads.is_some() && self.memory.reads == other.memory.writes;
        carried || stored || other.slots().any(|kind| matches!(kind, SlotKind::Destination(bits) if self.is_fed(bits)))
    }

    /// The memory that it accesses.
    pub fn accessed(&self) -> Option<ChainMemory> {
        memory_of(&self.pieces)
    }

    /// True if it can read a register of this size.
    pub fn is_fed(&self, bits: u16) -> bool {
        self.slots().any(|kind| kind == SlotKind::Source(bits) || bits == 1 && kind == SlotKind::Guard)
    }

    /// The kinds of its holes, in order.
    pub fn slots(&self) -> impl Iterator<Item = SlotKind> {
        slots(&self.pieces)
    }

    /// The instruction with these operands.
    pub fn filled(&self, operands: Vec<ChainOperand>) -> ChainInstruction {
        ChainInstruction { pieces: self.pieces.clone(), operands }
    }
}

/// The texts of a line that are replaced by holes; none if it names something else than scalar registers and numbers.
fn replaced(
    isa: &Isa,
    (form, values): (&Form, &[u8]),
    (line, text): (&Line<'_>, &str),
    symbols: &Declarations,
    accessed: Option<(ChainMemory, u16)>,
) -> Option<Vec<ReplacedText>> {
    let mut replaced: Vec<ReplacedText> = Vec::new();
    let position = |name: &str| name.as_ptr().addr().checked_sub(text.as_ptr().addr());
    if let Some((_, guard)) = line.guard {
        replaced.push((position(guard)?, guard.len(), SlotKind::Guard));
    }
    for bound in arguments(form, values, line) {
        let operand = &form.operands[bound.operand];
        if let (Role::Address { .. }, Some((memory, bytes))) = (&operand.role, accessed) {
            let (at, address) = place(line, text, bound.argument)?;
            let (begin, end) = (address.find('[')? + 1, address.rfind(']')?);
            replaced.push((at + begin, end.checked_sub(begin)?, SlotKind::Place(memory, bytes)));
            continue;
        }
        if !matches!(operand.role, Role::Source | Role::Destination) {
            return None;
        }
        if matches!(bound.argument, Argument::Integer(_) | Argument::Float(_) | Argument::Double(_)) {
            let (at, number) = place(line, text, bound.argument)?;
            let bits = operand.type_by(isa, form, values).map_or(32, |of| of.bits);
            if accessed.is_some() && bits > 64 {
                return None;
            }
            replaced.push((at, number.len(), SlotKind::Constant(bits)));
            continue;
        }
        for element in bound.elements(symbols) {
            let Some(register) = element.register() else { continue };
            let Some(Symbol::Register(Some(of), 1)) = symbols.symbol(register) else { return None };
            let bits = isa.types[of].bits;
            if !matches!(bits, 1 | 16 | 32 | 64) {
                return None;
            }
            let kind = if operand.role == Role::Source { SlotKind::Source } else { SlotKind::Destination };
            replaced.push((position(register)?, register.len(), kind(bits)));
        }
    }
    Some(replaced)
}

/// Where the operand with this argument begins in the text of its line, and its own text.
fn place<'a>(line: &Line<'a>, text: &str, argument: &Argument<'a>) -> Option<(usize, &'a str)> {
    let is_it = |of: &Argument<'a>| std::ptr::eq(of, argument);
    let within = |of: &Argument<'a>| matches!(of, Argument::Bracket(inside) if inside.iter().any(is_it));
    let operand = line.operands.iter().find(|of| is_it(&of.argument) || within(&of.argument))?;
    let at = operand.text.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    Some((at, operand.text.trim_end()))
}

/// Splits a text at its holes, and has the text in each. None if they are not in it one after the other.
fn split(text: &str, replaced: &[ReplacedText]) -> Option<(Vec<Piece>, Vec<String>)> {
    let (mut pieces, mut holes, mut at) = (Vec::new(), Vec::new(), 0);
    for &(place, length, kind) in replaced {
        let mut plain = text.get(at..place)?.to_owned();
        let hole = text.get(place..place + length)?;
        if let SlotKind::Place(memory, _) = kind {
            plain.push_str(&format!("{}+", memory.variable()));
        }
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        holes.push(hole.to_owned());
        pieces.push(Piece::Slot(kind));
        at = place + length;
    }
    pieces.push(Piece::Text(text.get(at..)?.to_owned()));
    Some((pieces, holes))
}
