//! The chains that are one step simpler than a chain, those that gain most first.

use super::Reduced;
use super::cut::{cut, depth, without_unused};
use super::simpler::{with_other_choices, with_simpler_numbers, without_guard};
use crate::chain::{Chain, ChainInstruction, ChainOperand, ChainStatement, Piece, SlotKind};
use crate::compare::{ChainAnswer, ChainComparison};
use crate::inputs::ChainRows;
use crate::library::Library;
use ptx_spec::ptx::Declarations;

/// The chains that are one step simpler, each valid.
pub(super) fn candidates(
    of: &ChainComparison<'_>,
    library: &Library<'_>,
    reduced: &Reduced,
) -> Vec<(Chain, ChainRows)> {
    let Reduced { chain, rows, answer } = reduced;
    let mut found: Vec<(Chain, ChainRows)> = Vec::new();
    let mut same_rows = |simpler: Chain| found.push((simpler, rows.clone()));
    if let ChainAnswer::Differs(difference) = answer
        && chain.outputs.len() > 1
    {
        same_rows(Chain { outputs: vec![chain.outputs[difference.output]], ..chain.clone() });
    }
    prefixes(chain).into_iter().for_each(&mut same_rows);
    same_rows(without_unused(chain));
    without_blocks(chain).into_iter().for_each(&mut same_rows);
    for at in 0..chain.statements.len() {
        if matches!(chain.statements[at], ChainStatement::Instruction(_)) {
            let mut without = chain.clone();
            without.statements.remove(at);
            // What it wrote has another value then, or none.
            found.extend(cut(of, chain, rows, at).or(Some((without, rows.clone()))));
        }
    }
    found.extend(merged_inputs(chain, rows));
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

/// The chain in its usual form, with only the inputs that it names, if it is another one and valid.
fn valid(library: &Library<'_>, before: &Reduced, chain: &Chain, rows: &ChainRows) -> Option<(Chain, ChainRows)> {
    let named: Vec<(usize, usize)> = chain.inputs.iter().copied().enumerate().collect();
    let renumbered = chain.renumbered();
    if renumbered.outputs.is_empty() || renumbered.instructions().next().is_none() {
        return None;
    }
    // Which inputs are left, and in which order.
    let mut marked = chain.clone();
    marked.inputs.clear();
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (position, register) in named {
        marked.inputs = vec![register];
        if let [now] = marked.renumbered().inputs[..] {
            order.push((now, position));
        }
    }
    order.sort_unstable();
    let rows = rows.rows.iter().map(|row| order.iter().map(|(_, position)| row[*position]).collect()).collect();
    let rows = ChainRows { rows };
    if renumbered == before.chain && rows == before.rows {
        return None;
    }
    let declarations = Declarations::parse(&renumbered.declarations(), &library.spec().isa).ok()?;
    let is_valid = renumbered.instructions().all(|of| library.valid(&of.text(), &declarations).is_some());
    (is_valid && library.has_its_carry(&renumbered)).then_some((renumbered, rows))
}

/// The chain up to each of its instructions outside of blocks, whose results are observed instead.
fn prefixes(chain: &Chain) -> Vec<Chain> {
    let prefix = |at: usize| {
        let ChainStatement::Instruction(instruction) = &chain.statements[at] else { return None };
        let outputs = instruction.writes().collect();
        (depth(chain, at) == 0).then(|| Chain {
            statements: chain.statements[..=at].to_vec(),
            outputs,
            ..chain.clone()
        })
    };
    (0..chain.statements.len().saturating_sub(1)).filter_map(prefix).collect()
}

/// The chain without one of its blocks: without its borders, or with fewer rounds of a loop.
fn without_blocks(chain: &Chain) -> Vec<Chain> {
    let mut found = Vec::new();
    for (at, statement) in chain.statements.iter().enumerate() {
        let inside = depth(chain, at);
        let end = (at + 1..chain.statements.len())
            .find(|&end| matches!(chain.statements[end], ChainStatement::End) && depth(chain, end) == inside + 1);
        if let (ChainStatement::If { .. } | ChainStatement::Loop { .. }, Some(end)) = (statement, end) {
            let border = |of: usize| {
                of == at
                    || of == end
                    || matches!(chain.statements[of], ChainStatement::Else)
                        && (at..end).contains(&of)
                        && depth(chain, of) == inside + 1
            };
            let mut without = chain.clone();
            without.statements.drain(at..=end);
            found.push(without);
            let mut without = chain.clone();
            let mut position = 0..;
            without.statements.retain(|_| !position.next().is_some_and(border));
            found.push(without);
        }
        if let ChainStatement::Loop { times: 2.. } = statement {
            let mut once = chain.clone();
            once.statements[at] = ChainStatement::Loop { times: 1 };
            found.push(once);
        }
    }
    found
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
