//! The reasons why a thread cannot go on.

use crate::kernel_case::KernelAnswer;

/// The reason why a thread stopped before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ThreadStop {
    /// The outcome depends on something undefined.
    Undefined(String),
    /// The thread trapped.
    Trapped(String),
    /// The line has no semantics here.
    Skipped(String),
    /// A limit was reached.
    Failed(String),
}

impl ThreadStop {
    /// The answer, with the place where it happened.
    pub(super) fn at(self, place: &str) -> KernelAnswer {
        let say = |why: String| format!("{place}: {why}");
        match self {
            Self::Undefined(why) => KernelAnswer::Undefined(say(why)),
            Self::Trapped(why) => KernelAnswer::Trapped(say(why)),
            Self::Skipped(why) => KernelAnswer::Skipped(say(why)),
            Self::Failed(why) => KernelAnswer::Failed(say(why)),
        }
    }
}
