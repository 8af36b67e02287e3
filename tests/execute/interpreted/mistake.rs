//! Mistakes of an interpreter in a line: other lines, which compute what the line must not.

use std::fmt;

use ptx_conform::spec::{Choice, Form, Isa};
use ptx_kernels::{Chain, ChainInstruction, ChainOperand, Piece, SlotKind, Template};

/// A mistake that is made in lines of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mistake {
    /// Another choice on an axis is executed: another modifier, none, another guard.
    Choice(usize, u8),
    /// A source register, by its position, and the next one are taken for each other.
    Exchanged(usize),
    /// A bit of the first result is flipped, where a source is in a class.
    Flipped(Bit, Class),
}

/// A bit of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bit {
    Lowest,
    Middle,
    Highest,
}

/// A class of inputs: all, or those whose source register with this position is a number of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Any,
    Zero(usize),
    Negative(usize),
    /// At least 32, as an unsigned number.
    Large(usize),
}

const BITS: [Bit; 3] = [Bit::Lowest, Bit::Middle, Bit::Highest];

/// The mistakes that any line can have which reads so many registers.
pub(super) fn general(sources: usize) -> Vec<Mistake> {
    let classes = (0..sources).flat_map(|at| [Class::Zero(at), Class::Negative(at), Class::Large(at)]);
    let flipped = std::iter::once(Class::Any).chain(classes).enumerate();
    let flipped = flipped.map(|(at, class)| Mistake::Flipped(BITS[at % BITS.len()], class));
    (1..sources).map(|at| Mistake::Exchanged(at - 1)).chain(flipped).collect()
}

impl Mistake {
    /// In words; the axes are those of a form.
    pub(super) fn words(self, form: &Form) -> String {
        match self {
            Self::Choice(axis, to) => {
                let axis = &form.axes[axis];
                format!("as if {}: {}", axis.name, axis.values[usize::from(to)])
            }
            other => format!("{other:?}"),
        }
    }

    /// What is executed instead of an instruction of a chain whose choices are these; none if the mistake cannot be made there.
    pub(super) fn made(
        self,
        isa: &Isa,
        (form, values): (&Form, &[u8]),
        chain: &Chain,
        of: &ChainInstruction,
    ) -> Option<ChainInstruction> {
        match self {
            Self::Choice(axis, to) => {
                let mut values = values.to_vec();
                values[axis] = to;
                let template = Template::new(isa, form, &values)?;
                let mut given = of.slots().peekable();
                if form.axes[axis].choice == Choice::Guard {
                    given.next_if(|(kind, _)| *kind == SlotKind::Guard && template.slots().all(|of| of != *kind));
                }
                let given: Vec<(SlotKind, &ChainOperand)> = given.collect();
                let same = given.iter().map(|(kind, _)| *kind).eq(template.slots());
                same.then(|| template.filled(given.into_iter().map(|(_, operand)| operand.clone()).collect()))
            }
            Self::Exchanged(at) => exchanged(of, at),
            Self::Flipped(bit, class) => flipped(chain, of, bit, class),
        }
    }
}

/// The positions of the operands that are source registers.
fn sources(of: &ChainInstruction) -> Vec<usize> {
    let is_source = |(kind, operand): (SlotKind, &ChainOperand)| {
        matches!(kind, SlotKind::Source(_)) && matches!(operand, ChainOperand::Register(_))
    };
    (0..).zip(of.slots()).filter(|(_, slot)| is_source(*slot)).map(|(at, _)| at).collect()
}

fn exchanged(of: &ChainInstruction, at: usize) -> Option<ChainInstruction> {
    let sources = sources(of);
    let (a, b) = (*sources.get(at)?, *sources.get(at + 1)?);
    let kinds: Vec<SlotKind> = of.slots().map(|(kind, _)| kind).collect();
    let mut changed = of.clone();
    changed.operands.swap(a, b);
    (kinds[a] == kinds[b]).then_some(changed)
}

/// Text of an instruction that is several lines.
#[derive(Default)]
struct Lines(Vec<Piece>);

impl Lines {
    fn text(&mut self, text: impl fmt::Display) {
        self.0.push(Piece::Text(text.to_string()));
    }
}

/// The lines that compute the result and then flip a bit of it, if the class holds for the sources, which are asked first.
fn flipped(chain: &Chain, of: &ChainInstruction, bit: Bit, class: Class) -> Option<ChainInstruction> {
    let written = of.writes().next()?;
    let bits = chain.registers[written];
    let guard = of.registers(|kind| kind == SlotKind::Guard).next();
    let mut lines = Lines::default();
    lines.text("{\n.reg .pred %wrong, %at;\n");
    let asked = match class {
        Class::Any => None,
        Class::Zero(at) => Some((at, "eq.u", 0)),
        Class::Negative(at) => Some((at, "lt.s", 0)),
        Class::Large(at) => Some((at, "ge.u", 32)),
    };
    match asked {
        None => lines.text("setp.eq.u32 %wrong, 0, 0;\n"),
        Some((at, comparison, limit)) => {
            let ChainOperand::Register(source) = of.operands.get(*sources(of).get(at)?)? else { return None };
            let size = chain.registers[*source];
            if size == 1 {
                return None;
            }
            lines.text(format_args!("setp.{comparison}{size} %wrong, %x{source}, {limit};\n"));
        }
    }
    if let Some(guard) = guard {
        let inverted = of.text().starts_with("@!");
        lines.text(format_args!("mov.pred %at, %x{guard};\n"));
        lines.text(if inverted { "not.pred %at, %at;\n" } else { "" });
        lines.text("and.pred %wrong, %wrong, %at;\n");
    }
    lines.0.extend(of.pieces.iter().cloned());
    let mask: i64 = match bit {
        Bit::Lowest => 1,
        Bit::Middle => 1 << (bits / 2),
        Bit::Highest => i64::MIN >> (64 - bits),
    };
    lines.text(match bits {
        1 => format!("\n@%wrong not.pred %x{written}, %x{written};\n}}"),
        bits => format!("\n@%wrong xor.b{bits} %x{written}, %x{written}, {mask};\n}}"),
    });
    Some(ChainInstruction { pieces: lines.0, operands: of.operands.clone() })
}
