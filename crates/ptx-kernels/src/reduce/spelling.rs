//! Simpler spellings of an instruction: without its guard, with other choices of its form, with other operands.

use crate::chain::{Chain, ChainInstruction, ChainOperand, Piece, SlotKind};
use crate::library::{Library, is_of_text};
use crate::template::Template;
use ptx_spec::ptx::Declarations;

/// Numbers, the simplest first.
const SIMPLE: [&str; 3] = ["0", "1", "-1"];

/// The instruction without its guard.
pub(super) fn without_guard(instruction: &ChainInstruction) -> Option<ChainInstruction> {
    let [Piece::Text(_), Piece::Slot(SlotKind::Guard), Piece::Text(opcode), rest @ ..] = &instruction.pieces[..] else {
        return None;
    };
    let mut pieces = vec![Piece::Text(opcode.trim_start().to_owned())];
    pieces.extend_from_slice(rest);
    Some(ChainInstruction { pieces, operands: instruction.operands[1..].to_vec() })
}

/// An instruction with one choice changed.
pub(crate) struct OtherChoice {
    /// The name of the axis.
    pub(crate) axis: String,
    /// The value that it has now.
    pub(crate) value: String,
    pub(crate) instruction: ChainInstruction,
}

/// The instruction with one choice of its form changed to each value for which `take` holds, given the value that it has, if it
/// keeps its operands.
pub(crate) fn with_other_choices(
    library: &Library<'_>,
    chain: &Chain,
    instruction: &ChainInstruction,
    take: impl Fn(u8, u8) -> bool,
) -> Vec<OtherChoice> {
    let isa = &library.spec().isa;
    let Ok(declarations) = Declarations::parse(&chain.declarations(), isa) else { return Vec::new() };
    let Some((of, reading)) = library.valid(&instruction.text(), &declarations) else { return Vec::new() };
    let form = &of.forms[reading.form];
    let kinds: Vec<SlotKind> = instruction.slots().map(|(kind, _)| kind).collect();
    let mut found = Vec::new();
    for (axis, choices) in form.axes.iter().enumerate() {
        if !is_of_text(choices.choice) {
            continue;
        }
        let Some(now) = reading.values.get(axis).copied() else { continue };
        for value in 0..u8::try_from(choices.values.len()).unwrap_or(u8::MAX) {
            if value == now || !choices.claimed.contains(value) || !take(now, value) {
                continue;
            }
            let mut values = reading.values.clone();
            values[axis] = value;
            let Some(template) = Template::new(isa, form, &values) else { continue };
            if !template.slots().eq(kinds.iter().copied()) {
                continue;
            }
            let other = template.filled(instruction.operands.clone());
            if library.valid(&other.text(), &declarations).is_some() {
                let (axis, value) = (choices.name.clone(), choices.values[usize::from(value)].clone());
                found.push(OtherChoice { axis, value, instruction: other });
            }
        }
    }
    found
}

/// The instruction with simpler numbers.
pub(super) fn with_simpler_numbers(instruction: &ChainInstruction) -> Vec<ChainInstruction> {
    let mut found = Vec::new();
    for (at, operand) in instruction.operands.iter().enumerate() {
        let ChainOperand::Constant(number) = operand else { continue };
        let simplest = SIMPLE.iter().position(|simple| simple == number).unwrap_or(SIMPLE.len());
        for simple in &SIMPLE[..simplest] {
            let mut other = instruction.clone();
            other.operands[at] = ChainOperand::Constant((*simple).to_owned());
            found.push(other);
        }
    }
    found
}
