//! `add` of integers. PTX ISA `integer-arithmetic-instructions-add`.

use super::integer::{low, saturating_sum};
use super::{Effect, Expectation, Operands, Semantics, Unmodelled, ValueSource};
use ptx_spec::spec::Kind;

struct Sum {
    a: ValueSource,
    b: ValueSource,
    /// The size of an element in bits, and how many there are.
    elements: (u32, u32),
    saturates: bool,
    output: usize,
    outputs: usize,
}

pub(super) fn prepare<'a>(operands: &Operands<'_, 'a>) -> Result<Box<dyn Semantics + 'a>, Unmodelled> {
    let (_, kind, bits) = operands.operand_type("d")?;
    let output = operands.destination("d")?.first().and_then(|lane| lane.output);
    Ok(Box::new(Sum {
        a: operands.source("a")?,
        b: operands.source("b")?,
        elements: if kind == Kind::Packed { (bits / 2, 2) } else { (bits, 1) },
        saturates: operands.modifier("sat").is_some(),
        output: output.ok_or_else(|| Unmodelled("the sum goes nowhere".to_owned()))?,
        outputs: operands.case.outputs.len(),
    }))
}

impl Semantics for Sum {
    fn expect(&self, row: &[u128]) -> Expectation {
        let (a, b, (bits, count)) = (self.a.of(row), self.b.of(row), self.elements);
        let sum = |a: u128, b: u128| {
            if self.saturates { saturating_sum(a, b, bits) } else { low(a.wrapping_add(b), bits) }
        };
        let elements = (0..count).map(|at| at * bits);
        let bits = elements.fold(0, |sums, shift| sums | sum(low(a >> shift, bits), low(b >> shift, bits)) << shift);
        let mut effect = Effect::of_registers(self.outputs);
        effect.set(self.output, bits);
        Expectation::returned(effect)
    }
}
