//! Arithmetic of floats in integers, with one rounding at the end: the machine code's own, so that it shares no mistake with
//! the model's.

mod dyadic;
mod layout;

pub(crate) use dyadic::MachineReal;
pub(crate) use layout::FloatLayout;

/// How a result that is between two numbers is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MachineRounding {
    /// To the nearest one, to the even one of two.
    Even,
    Zero,
    Down,
    Up,
}

impl MachineRounding {
    /// True if the integer below a magnitude becomes one more: `odd` says whether it is odd, `rest` how what is cut off
    /// compares with half of one, and `exact` whether that is nothing.
    fn increments(self, negative: bool, odd: bool, rest: std::cmp::Ordering, exact: bool) -> bool {
        match self {
            Self::Even => rest.is_gt() || rest.is_eq() && odd,
            Self::Zero => false,
            Self::Down => negative && !exact,
            Self::Up => !negative && !exact,
        }
    }

    /// True if a magnitude that is too large is infinite, not the greatest number.
    fn overflows(self, negative: bool) -> bool {
        match self {
            Self::Even => true,
            Self::Zero => false,
            Self::Down => negative,
            Self::Up => !negative,
        }
    }
}
