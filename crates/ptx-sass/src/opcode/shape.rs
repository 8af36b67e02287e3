//! Instructions as rows of the table decode them: once, before anything runs, so that an instruction that decodes is known
//! whatever its registers hold.

use std::borrow::Cow;
use std::sync::Arc;

use crate::instruction::{MachineOperand, Predicate, Register, RegisterPart, Sign};
use crate::machine::{Halt, Thread};

/// The effect of an instruction on a thread, once its guard is true.
pub(super) type StepEffect = Arc<dyn Fn(&mut Thread) -> Result<(), Halt> + Send + Sync>;

/// The effect of an instruction, or the reason why it is unknown.
pub(super) type DecodedStep = Result<StepEffect, Unfit>;

/// The reason why an instruction does not decode, as a clause about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unfit(pub(super) Cow<'static, str>);

impl Unfit {
    /// No other instruction with these modifiers in this order was ever seen.
    pub(super) const MODIFIERS: Self = Self::because("its modifiers are unknown together");
    /// The instruction has operands of other kinds, or more or fewer.
    pub(super) const OPERANDS: Self = Self::because("it has other operands");

    /// A reason that is the same for all instructions that have it.
    pub(super) const fn because(why: &'static str) -> Self {
        Self(Cow::Borrowed(why))
    }
}

/// The parts of an instruction that say what it does.
pub(super) struct MachineShape<'a> {
    /// The modifiers in order, without those that its row ignores.
    pub(super) modifiers: Vec<&'a str>,
    /// The operands, destinations first.
    pub(super) operands: &'a [MachineOperand],
}

impl<'a> MachineShape<'a> {
    /// The operands, if there are so many.
    pub(super) fn operands<const N: usize>(&self) -> Result<&'a [MachineOperand; N], Unfit> {
        self.operands.try_into().map_err(|_| Unfit::OPERANDS)
    }

    /// The predicates from a position on, and the operands after them.
    pub(super) fn split(&self, from: usize) -> (Vec<Predicate>, &'a [MachineOperand]) {
        split(self.operands.get(from..).unwrap_or_default())
    }
}

/// The predicates that operands begin with, and the others.
pub(super) fn split(operands: &[MachineOperand]) -> (Vec<Predicate>, &[MachineOperand]) {
    let predicates: Vec<Predicate> = operands.iter().map_while(|operand| predicate(operand).ok()).collect();
    let rest = &operands[predicates.len()..];
    (predicates, rest)
}

/// The meaning of the first of some modifiers, which is taken away from them; none if it means nothing here.
pub(super) fn take<T>(modifiers: &mut &[&str], meaning: impl Fn(&str) -> Option<T>) -> Option<T> {
    let [first, rest @ ..] = *modifiers else { return None };
    let found = meaning(first)?;
    *modifiers = rest;
    Some(found)
}

/// An effect that is ready to run.
pub(super) fn effect(act: impl Fn(&mut Thread) -> Result<(), Halt> + Send + Sync + 'static) -> DecodedStep {
    Ok(Arc::new(act))
}

/// A destination register, or a register that nothing changes before it is used.
pub(super) fn register(operand: &MachineOperand) -> Result<Register, Unfit> {
    match operand {
        MachineOperand::Register(register, Sign::NONE, RegisterPart::Whole) => Ok(*register),
        _ => Err(Unfit::because("an operand is not a register")),
    }
}

/// A predicate.
pub(super) fn predicate(operand: &MachineOperand) -> Result<Predicate, Unfit> {
    match operand {
        MachineOperand::Predicate(predicate) => Ok(*predicate),
        _ => Err(Unfit::because("an operand is not a predicate")),
    }
}

/// A number.
pub(super) fn number(operand: &MachineOperand) -> Result<u64, Unfit> {
    match operand {
        MachineOperand::Integer(number) => Ok(*number),
        _ => Err(Unfit::because("an operand is not a number")),
    }
}

/// A count of bits that an instruction shifts by, below 32.
pub(super) fn count(operand: &MachineOperand) -> Result<u32, Unfit> {
    u32::try_from(number(operand)?).ok().filter(|count| *count < 32).ok_or(Unfit::because("a count is not below 32"))
}

/// The predicates are `PT`, which takes no result.
pub(super) fn unused(results: &[Predicate]) -> Result<(), Unfit> {
    if results.iter().all(|result| result.index == 7 && !result.negated) {
        Ok(())
    } else {
        Err(Unfit::because("it has a result in a predicate"))
    }
}

/// The predicate is `!PT` or `!UPT`: nothing is added.
pub(super) fn never(predicate: Predicate) -> Result<(), Unfit> {
    if predicate.index == 7 && predicate.negated {
        Ok(())
    } else {
        Err(Unfit::because("a predicate is not always false"))
    }
}
