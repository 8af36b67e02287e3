//! Operations that replace integers in memory and surfaces.

use super::Unmodelled;
use crate::value::{low, sign_extend};

/// An operation on the contents of an object. PTX ISA `surface-instructions-sured` and
/// `parallel-synchronization-and-communication-instructions-atom`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Increment,
    Decrement,
    Exchange,
    CompareAndSwap,
}

impl Operation {
    /// The operation of a modifier.
    pub(crate) fn named(modifier: &str) -> Result<Self, Unmodelled> {
        Ok(match modifier {
            ".add" => Self::Add,
            ".min" => Self::Min,
            ".max" => Self::Max,
            ".and" => Self::And,
            ".or" => Self::Or,
            ".xor" => Self::Xor,
            ".inc" => Self::Increment,
            ".dec" => Self::Decrement,
            ".exch" => Self::Exchange,
            ".cas" => Self::CompareAndSwap,
            other => return Err(Unmodelled(format!("`{other}` is not an operation"))),
        })
    }

    /// The new contents of an object that held `old`, as an N-bit integer, signed or unsigned.
    pub(crate) fn apply(self, old: u128, [new, other]: [u128; 2], (bits, signed): (u32, bool)) -> u128 {
        let less = if signed { sign_extend(new, bits) < sign_extend(old, bits) } else { new < old };
        let choose = |first: bool| if first { new } else { old };
        match self {
            Self::Add => low(old.wrapping_add(new), bits),
            Self::Min => choose(less),
            Self::Max => choose(!less),
            Self::And => old & new,
            Self::Or => old | new,
            Self::Xor => old ^ new,
            Self::Increment if old >= new => 0,
            Self::Increment => old + 1,
            Self::Decrement if old == 0 || old > new => new,
            Self::Decrement => old - 1,
            Self::Exchange => new,
            Self::CompareAndSwap if old == new => other,
            Self::CompareAndSwap => old,
        }
    }
}
