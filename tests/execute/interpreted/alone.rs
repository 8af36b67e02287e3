//! Chains of one line: they decide whether a mistake can be noticed at all.

use ptx_kernels::{Chain, ChainInstruction, ChainOperand, ChainStatement, Piece, SlotKind, Template};

/// A chain of a line whose operands are registers of their own, which are inputs, and whose constants are as it is printed.
/// None of a line that accesses memory. With a carry, the one that it reads is that of a sum of inputs, and the one that it writes is read.
pub(super) fn alone(template: &Template, carry: bool) -> Option<Chain> {
    let mut chain = Chain::default();
    let mut register = |bits: u16, input: bool| {
        chain.registers.push(bits);
        let at = chain.registers.len() - 1;
        if input {
            chain.inputs.push(at);
        }
        at
    };
    let mut operands = Vec::new();
    let mut written = Vec::new();
    for (kind, number) in template.slots().zip(&template.numbers) {
        operands.push(match kind {
            SlotKind::Guard => ChainOperand::Register(register(1, true)),
            SlotKind::Source(bits) => ChainOperand::Register(register(bits, true)),
            SlotKind::Destination(bits) => {
                written.push(register(bits, true));
                ChainOperand::Register(*written.last()?)
            }
            SlotKind::Constant(_) => ChainOperand::Constant(number.clone()?),
            SlotKind::Place(..) => return None,
        });
    }
    let line = |text: String| {
        ChainStatement::Instruction(ChainInstruction { pieces: vec![Piece::Text(text)], operands: Vec::new() })
    };
    let mut statements = Vec::new();
    if carry && (template.reads_carry || template.writes_carry) {
        let [a, b, sum] = [register(32, true), register(32, true), register(32, false)];
        statements.push(line(format!("add.cc.u32 %x{sum}, %x{a}, %x{b};")));
    }
    statements.push(ChainStatement::Instruction(template.filled(operands)));
    if carry && template.writes_carry {
        let carry = register(32, false);
        statements.push(line(format!("addc.u32 %x{carry}, 0, 0;")));
        written.push(carry);
    }
    chain.outputs = written;
    chain.statements = statements;
    Some(chain)
}
