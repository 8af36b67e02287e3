//! What a row is expected to show: a fault in one kind of effect is not seen in another.

use crate::model::{Allowed, Ending, Expectation};

/// The effect that a line should have in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ExpectedEffect {
    /// It reads, computes or writes something.
    Something,
    /// It leaves everything at zero, for example because the guard is false or the access is dropped.
    Nothing,
    /// It traps.
    Trap,
}

impl ExpectedEffect {
    /// The effect that is expected first.
    pub(crate) fn of(expectation: &Expectation) -> Self {
        let ending = match &expectation.allowed {
            Allowed::Only(ending) => Some(ending),
            Allowed::OneOf(endings) => endings.first(),
            Allowed::Any(_) => None,
        };
        let Some(ending) = ending else { return Self::Something };
        match ending {
            Ending::Traps => Self::Trap,
            Ending::Returns(effect) => {
                let zero = effect.registers().iter().all(|register| register.wrong(0) == 0);
                if zero && effect.written().is_empty() { Self::Nothing } else { Self::Something }
            }
        }
    }
}
