//! The chains with as many lines as a chain, one of which is simpler, those that gain most first.

use super::Reduced;
use super::spelling::{with_other_choices, with_simpler_numbers, without_guard};
use super::valid::valid;
use crate::chain::{Chain, ChainInstruction, ChainOperand, ChainStatement, Piece, SlotKind};
use crate::inputs::ChainRows;
use crate::library::Library;

/// The chains that are one step simpler, each valid.
pub(super) fn simpler(library: &Library<'_>, reduced: &Reduced) -> Vec<(Chain, ChainRows)> {
    let Reduced { chain, rows, .. } = reduced;
    let mut found: Vec<(Chain, ChainRows)> = merged_inputs(chain, rows);
    for at in 0..chain.statements.len() {
        let ChainStatement::Instruction(instruction) = &chain.statements[at] else { continue };
        let mut simpler: Vec<ChainInstruction> = without_guard(instruction).into_iter().collect();
        let others = with_other_choices(library, chain, instruction, |now, other| other < now);
        simpler.extend(others.into_iter().map(|of| of.instruction));
        let with = |instruction: ChainInstruction| {
            let mut with = chain.clone();
            with.statements[at] = ChainStatement::Instruction(instruction);
            with
        };
        found.extend(simpler.into_iter().map(|simpler| (with(simpler), rows.clone())));
        found.extend(numbers_as_inputs(chain, rows, at));
        found.extend(with_simpler_numbers(instruction).into_iter().map(|simpler| (with(simpler), rows.clone())));
    }
    found.extend(simpler_rows(chain, rows).into_iter().map(|rows| (chain.clone(), rows)));
    found.into_iter().filter_map(|(chain, rows)| valid(library, reduced, &chain, &rows)).collect()
}

/// The chain with two inputs of the same size taken for one.
fn merged_inputs(chain: &Chain, rows: &ChainRows) -> Vec<(Chain, ChainRows)> {
    let mut found = Vec::new();
    for (position, second) in chain.inputs.iter().enumerate() {
        for first in chain.inputs[..position].iter().filter(|of| chain.registers[**of] == chain.registers[*second]) {
            let mut merged = chain.clone();
            for statement in &mut merged.statements {
                match statement {
                    ChainStatement::Instruction(instruction) => {
                        let same = |operand: &&mut ChainOperand| **operand == ChainOperand::Register(*second);
                        instruction
                            .operands
                            .iter_mut()
                            .filter(same)
                            .for_each(|of| *of = ChainOperand::Register(*first));
                    }
                    ChainStatement::If { predicate, .. } if predicate == second => *predicate = *first,
                    _ => {}
                }
            }
            merged.outputs.iter_mut().filter(|of| *of == second).for_each(|of| *of = *first);
            found.push((merged, rows.clone()));
        }
    }
    found
}

/// The chain with a number of an instruction as an input: then the number does not matter.
fn numbers_as_inputs(chain: &Chain, rows: &ChainRows, at: usize) -> Vec<(Chain, ChainRows)> {
    let ChainStatement::Instruction(instruction) = &chain.statements[at] else { return Vec::new() };
    let mut found = Vec::new();
    let kinds: Vec<SlotKind> = instruction.slots().map(|(kind, _)| kind).collect();
    for (number, kind) in kinds.into_iter().enumerate() {
        let (SlotKind::Constant(bits), ChainOperand::Constant(text)) = (kind, &instruction.operands[number]) else {
            continue;
        };
        let (Ok(value), true) = (text.parse::<i64>(), matches!(bits, 1 | 16 | 32 | 64)) else { continue };
        let (mut chain, mut rows) = (chain.clone(), rows.clone());
        let register = chain.registers.len();
        chain.registers.push(bits);
        chain.inputs.push(register);
        let mask = if bits < 64 { (1 << bits) - 1 } else { u64::MAX };
        rows.rows.iter_mut().for_each(|row| row.push(value.cast_unsigned() & mask));
        let ChainStatement::Instruction(with) = &mut chain.statements[at] else { continue };
        with.operands[number] = ChainOperand::Register(register);
        let mut slots = with.pieces.iter_mut().filter(|piece| matches!(piece, Piece::Slot(_)));
        if let Some(slot) = slots.nth(number) {
            *slot = Piece::Slot(SlotKind::Source(bits));
        }
        found.push((chain, rows));
    }
    found
}

/// The rows with a simpler value in the first: fewer rows if possible.
fn simpler_rows(chain: &Chain, rows: &ChainRows) -> Vec<ChainRows> {
    let Some(first) = rows.rows.first() else { return Vec::new() };
    let mut found = Vec::new();
    if rows.rows.len() > 1 {
        found.push(ChainRows { rows: vec![first.clone()] });
        return found;
    }
    for (at, value) in first.iter().enumerate() {
        let bits = chain.registers[chain.inputs[at]];
        let mask = if bits < 64 { (1 << bits) - 1 } else { u64::MAX };
        for simple in [0, 1, mask, mask >> 1, (mask >> 1) + 1].into_iter().take_while(|simple| simple != value) {
            let mut row = first.clone();
            row[at] = simple;
            found.push(ChainRows { rows: vec![row] });
        }
    }
    found
}
