//! Cuts an instruction out of a chain: what it computed becomes an input with the values that the reference computed.

use ptx_exec::kernel_case::KernelAnswer;

use crate::chain::{Chain, ChainInstruction, ChainOperand, ChainStatement, SlotKind};
use crate::chain_text::ChainText;
use crate::compare::ChainComparison;
use crate::inputs::ChainRows;
use crate::kernel::ChainKernels;
use crate::memory::ChainMemory;

/// The chain without the statement at a position, an instruction outside of all blocks. If only memory was filled before it, what
/// the memory holds after it is an input as well.
pub(super) fn cut(of: &ChainComparison<'_>, chain: &Chain, rows: &ChainRows, at: usize) -> Option<(Chain, ChainRows)> {
    let ChainStatement::Instruction(instruction) = chain.statements.get(at)? else { return None };
    if depth(chain, at) > 0 || instruction.fills_memory() {
        return None;
    }
    let mut written: Vec<usize> = instruction.writes().collect();
    let mut prefix = Chain { statements: chain.statements[..=at].to_vec(), ..chain.clone() };
    let contents = instruction.memory().filter(|_| first_line(chain) == Some(at));
    if let Some(memory) = contents {
        written.extend(observe(&mut prefix, memory));
    }
    prefix.outputs.clone_from(&written);
    let kernels = ChainKernels::new(&of.environment, &[&[(&ChainText::from(&prefix), rows)]]);
    let KernelAnswer::Returned(result) = of.interpreter.execute(&kernels.cases[0]) else { return None };
    let mut cut = Chain { registers: prefix.registers, ..chain.clone() };
    let mut values = rows.clone();
    cut.statements.remove(at);
    for (output, register) in written.iter().enumerate() {
        let bits = cut.registers[*register];
        let fresh = cut.registers.len();
        cut.registers.push(bits);
        cut.inputs.push(fresh);
        for (row, values) in values.rows.iter_mut().enumerate() {
            values.push(kernels.value([0, 0], row, output, &result).0);
        }
        rename(&mut cut, at, *register, fresh);
    }
    if let (Some(memory), [.., first, second]) = (contents, &cut.inputs[..]) {
        let fill = ChainInstruction::storing(memory, [*first, *second]);
        cut.statements.insert(at, ChainStatement::Instruction(fill));
        let before = |statement: &ChainStatement| matches!(statement, ChainStatement::Instruction(of) if of.memory() == Some(memory));
        cut.statements.remove(cut.statements.iter().position(before)?);
    }
    Some((cut, values))
}

/// The position of the first statement that does not only fill memory.
pub(super) fn first_line(chain: &Chain) -> Option<usize> {
    let fills = |statement: &ChainStatement| matches!(statement, ChainStatement::Instruction(instruction) if instruction.fills_memory());
    chain.statements.iter().position(|statement| !fills(statement))
}

/// Adds a line that reads all of a memory; returns the registers that it writes.
pub(super) fn observe(chain: &mut Chain, memory: ChainMemory) -> [usize; 2] {
    let registers = [chain.registers.len(), chain.registers.len() + 1];
    chain.registers.extend([64, 64]);
    chain.statements.push(ChainStatement::Instruction(ChainInstruction::loading(memory, registers)));
    registers
}

/// The chain without the instructions at these positions among its instructions, as far as they are outside of all blocks:
/// what they computed are inputs.
pub fn without_instructions(
    of: &ChainComparison<'_>,
    chain: &Chain,
    rows: &ChainRows,
    instructions: &[usize],
) -> Option<(Chain, ChainRows)> {
    let is_instruction =
        |(at, statement): (usize, &ChainStatement)| matches!(statement, ChainStatement::Instruction(_)).then_some(at);
    let places: Vec<usize> = chain.statements.iter().enumerate().filter_map(is_instruction).collect();
    let mut without: Option<(Chain, ChainRows)> = None;
    // From the last on, so that the others stay where they are.
    for at in instructions.iter().rev().filter_map(|at| places.get(*at)) {
        let (chain, rows) = without.as_ref().map_or((chain, rows), |(chain, rows)| (chain, rows));
        without = cut(of, chain, rows, *at).or(without);
    }
    without
}

/// Gives a register another name from a statement on.
fn rename(chain: &mut Chain, from: usize, register: usize, to: usize) {
    for statement in &mut chain.statements[from..] {
        match statement {
            ChainStatement::Instruction(instruction) => {
                for operand in &mut instruction.operands {
                    if *operand == ChainOperand::Register(register) {
                        *operand = ChainOperand::Register(to);
                    }
                }
            }
            ChainStatement::If { predicate, .. } if *predicate == register => *predicate = to,
            _ => {}
        }
    }
    chain.outputs.iter_mut().filter(|output| **output == register).for_each(|output| *output = to);
}

/// How many blocks are open before a statement.
pub(super) fn depth(chain: &Chain, at: usize) -> usize {
    chain.statements[..at].iter().fold(0, |depth, statement| match statement {
        ChainStatement::If { .. } | ChainStatement::Loop { .. } => depth + 1,
        ChainStatement::End => depth.saturating_sub(1),
        _ => depth,
    })
}

/// The chain without the instructions whose results nobody reads.
pub(super) fn without_unused(chain: &Chain) -> Chain {
    let mut needed = chain.outputs.clone();
    let mut chain = chain.clone();
    // Around a loop, what is read above is needed below.
    loop {
        let before = needed.len();
        for instruction in chain.instructions() {
            if instruction.writes().any(|register| needed.contains(&register)) {
                needed.extend(instruction.reads());
            }
        }
        for statement in &chain.statements {
            if let ChainStatement::If { predicate, .. } = statement {
                needed.push(*predicate);
            }
        }
        needed.sort_unstable();
        needed.dedup();
        if needed.len() == before {
            break;
        }
    }
    chain.statements.retain(|statement| match statement {
        ChainStatement::Instruction(of) => {
            let carries = !of.slots().any(|(kind, _)| matches!(kind, SlotKind::Destination(_)));
            carries || of.writes().any(|register| needed.contains(&register))
        }
        _ => true,
    });
    chain
}
