//! Products of integers.

use super::shape::{DecodedStep, MachineShape, Unfit, effect, predicate, register};
use super::source::MachineSource;
use crate::instruction::{MachineOperand, Predicate, Register};
use crate::machine::{Halt, Thread};
use ptx_exec::value::Bits;

/// `IMAD R0, R0, UR4, R3`, `IMAD.X R4, RZ, RZ, R4, P2`, `IMAD.WIDE.U32 R6, P0, R11, 0x4, R6`, `IMAD.HI R7, R7, R0, R4`, and
/// what ptxas moves and adds with: `IMAD.MOV.U32`, `IMAD.IADD`, `IMAD.SHL.U32`.
pub(super) fn multiply_add(shape: &MachineShape) -> DecodedStep {
    let (result, rest) = match &shape.modifiers[..] {
        ["WIDE", rest @ ..] => (ProductPart::Both, rest),
        ["HI", rest @ ..] => (ProductPart::High, rest),
        ["MOV" | "IADD" | "SHL", rest @ ..] => (ProductPart::Low, rest),
        rest => (ProductPart::Low, rest),
    };
    let (signed, rest) = match rest {
        ["U32", rest @ ..] => (false, rest),
        rest => (true, rest),
    };
    let has_carry = match rest {
        [] => false,
        ["X"] => true,
        _ => return Err(Unfit::MODIFIERS),
    };
    let [to, ..] = shape.operands else { return Err(Unfit::OPERANDS) };
    let (to, (results, rest)) = (register(to)?, shape.split(1));
    let (factors, carry) = match rest {
        [a, b, c] if !has_carry => ([a, b, c], None),
        [a, b, c, carry] if has_carry => ([a, b, c], Some(predicate(carry)?)),
        _ => return Err(Unfit::OPERANDS),
    };
    match (result, &results[..]) {
        (ProductPart::Low, []) => low(to, factors, carry),
        (ProductPart::Low, _) => Err(Unfit::because("it has a carry of 32 bits")),
        (part, []) => high(to, part, signed, factors, carry, None),
        (part, [out]) => high(to, part, signed, factors, carry, Some(*out)),
        _ => Err(Unfit::because("it has several carries")),
    }
}

/// Which part of a product is the result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProductPart {
    Low,
    High,
    Both,
}

fn low(to: Register, [a, b, c]: [&MachineOperand; 3], carry: Option<Predicate>) -> DecodedStep {
    let (a, b, c) = (MachineSource::word(a)?, MachineSource::word(b)?, MachineSource::word(c)?);
    // Most of them only move.
    if carry.is_none() && (a.is_zero() || b.is_zero()) {
        return effect(move |thread| {
            let value = c.get(thread)?;
            thread.set(to, 0, value);
            Ok(())
        });
    }
    effect(move |thread| {
        let mut sum = a.get(thread)?.times(b.get(thread)?).plus(c.get(thread)?);
        if let Some(carry) = carry {
            sum = sum.plus(thread.predicate(carry));
        }
        thread.set(to, 0, sum);
        Ok(())
    })
}

/// A product of 64 bits, to which a number of 64 bits is added. The carry is that of the bits, whether they are signed or not: so
/// `ptxas` uses it.
fn high(
    to: Register,
    part: ProductPart,
    signed: bool,
    [a, b, c]: [&MachineOperand; 3],
    carry: Option<Predicate>,
    out: Option<Predicate>,
) -> DecodedStep {
    let c = match (carry, out) {
        (None, None) => MachineSource::wide(c)?,
        // What the carry of a difference is, no code was seen to rely on.
        _ => MachineSource::plain(c, 64)?,
    };
    let (a, b) = (MachineSource::plain(a, 32)?, MachineSource::plain(b, 32)?);
    let extended = move |of: Bits| if signed { of.sign_extended(32) } else { of };
    effect(move |thread| {
        let product = extended(a.get(thread)?).times(extended(b.get(thread)?));
        let addend = c.get(thread)?;
        let more = carry.map_or(Bits::ZERO, |carry| thread.predicate(carry));
        let sum = product.plus(addend).plus(more);
        match part {
            ProductPart::High => thread.set(to, 0, sum.shifted_right(32)),
            _ => thread.set_wide(to, sum),
        }
        if let Some(out) = out {
            thread.set_predicate(out, beyond(product, addend, more));
        }
        Ok(())
    })
}

/// The carry of a sum of numbers of 64 bits.
fn beyond(a: Bits, b: Bits, c: Bits) -> Bits {
    match (a.known(64), b.known(64), c.known(64)) {
        (Some(a), Some(b), Some(c)) => Bits::from(u128::from(a) + u128::from(b) + u128::from(c) > u64::MAX.into()),
        _ => Bits::UNDEFINED,
    }
}

/// `CLMAD.LO R8, R4, R8, R10`: the product of two polynomials over bits, of 64 bits each, of which the lower or the upper half
/// is added to a third, which is to say that sums have no carries.
pub(super) fn carry_less(shape: &MachineShape) -> DecodedStep {
    let part = match shape.modifiers[..] {
        ["LO"] => 0,
        ["HI"] => 64,
        _ => return Err(Unfit::MODIFIERS),
    };
    let [to, a, b, c] = shape.operands()?;
    let (to, a, b, c) =
        (register(to)?, MachineSource::plain(a, 64)?, MachineSource::plain(b, 64)?, MachineSource::plain(c, 64)?);
    effect(move |thread| {
        let product = a.get(thread)?.known(64).zip(b.get(thread)?.known(64)).map_or(Bits::UNDEFINED, |(a, b)| {
            let shifted = (0..64_u32).filter(|at| b >> at & 1 == 1).map(|at| u128::from(a) << at);
            Bits::from(half(shifted.fold(0, |sum, one| sum ^ one), part))
        });
        let sum = Bits::table(0x3c, product, c.get(thread)?, Bits::ZERO);
        thread.set_wide(to, sum);
        Ok(())
    })
}

/// 64 bits of 128.
#[expect(clippy::cast_possible_truncation, reason = "the others are not wanted")]
fn half(of: u128, at: u32) -> u64 {
    (of >> at) as u64
}

/// `IDP.4A.S8.U8 R5, R0, R5, R4`: the sum of the products of four bytes, plus a third source. `IDP.2A.HI.U16.S8`: of two
/// halves with the upper two bytes, or the lower two with `.LO`.
pub(super) fn dot(shape: &MachineShape) -> DecodedStep {
    let (parts, width, first, of_a, of_b) = match shape.modifiers[..] {
        ["4A", of_a, of_b] => (4, 8, 0, of_a, of_b),
        ["2A", "LO", of_a, of_b] => (2, 16, 0, of_a, of_b),
        ["2A", "HI", of_a, of_b] => (2, 16, 2, of_a, of_b),
        _ => return Err(Unfit::MODIFIERS),
    };
    let signed = |name: &str, width: u32| match (name, width) {
        ("S8", 8) | ("S16", 16) => Ok(true),
        ("U8", 8) | ("U16", 16) => Ok(false),
        _ => Err(Unfit::MODIFIERS),
    };
    let (signed_a, signed_b) = (signed(of_a, width)?, signed(of_b, 8)?);
    let [to, a, b, c] = shape.operands()?;
    let (to, a, b, c) =
        (register(to)?, MachineSource::plain(a, 32)?, MachineSource::plain(b, 32)?, MachineSource::plain(c, 32)?);
    let part = |of: Bits, at: u32, width: u32, signed: bool| {
        let of = of.shifted_right(at * width);
        if signed { of.sign_extended(width) } else { of.zero_extended(width) }
    };
    let sum = move |thread: &Thread| -> Result<Bits, Halt> {
        let (a, b, c) = (a.get(thread)?, b.get(thread)?, c.get(thread)?);
        let products = (0..parts).map(|at| part(a, at, width, signed_a).times(part(b, first + at, 8, signed_b)));
        Ok(products.fold(c, Bits::plus))
    };
    effect(move |thread| {
        let sum = sum(thread)?;
        thread.set(to, 0, sum);
        Ok(())
    })
}
