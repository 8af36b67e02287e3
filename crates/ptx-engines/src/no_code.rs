//! Why there is no machine code, in the words of answers.

use crate::Outcome;
use crate::words::visible;
use ptx_exec::kernel_case::KernelAnswer;
use ptx_exec::line_case::Answer;

/// The reason why a module has no machine code.
pub(crate) enum NoCode {
    /// The assembler failed on it; says how.
    Failed(String),
    /// The assembler was not asked; says why.
    Skipped(String),
}

impl From<Outcome> for NoCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Rejected(why) => Self::Failed(format!("{REJECTED}{}", visible(&why))),
            Outcome::Crashed(how) => Self::Failed(format!("ptxas crashed: {}", visible(&how))),
            Outcome::TimedOut => Self::Failed(TIMED_OUT.to_owned()),
            Outcome::Skipped(why) => Self::Skipped(why),
            Outcome::Accepted => Self::Failed("ptxas wrote no machine code".to_owned()),
        }
    }
}

impl From<NoCode> for Answer {
    fn from(why: NoCode) -> Self {
        match why {
            NoCode::Failed(how) => Self::Failed(how),
            NoCode::Skipped(why) => Self::Skipped(why),
        }
    }
}

impl From<NoCode> for KernelAnswer {
    fn from(why: NoCode) -> Self {
        match why {
            NoCode::Failed(how) => Self::Failed(how),
            NoCode::Skipped(why) => Self::Skipped(why),
        }
    }
}

/// The beginning of the answer where the assembler refuses the text, and does not fail on it.
pub const REJECTED: &str = "ptxas rejects it: ";

/// The answer where the assembler did not end.
const TIMED_OUT: &str = "ptxas did not end within its time";

/// How an engine failed that did not answer.
pub(crate) const UNANSWERED: &str = "it did not answer in time";

/// The answer where the same text has other machine code the second time.
pub(crate) const UNREPEATED: &str = "ptxas writes other machine code when it compiles the same text again";

/// False if a failure, in the words of its answer, says more about the moment than about the engine.
pub fn is_lasting_failure(why: &str) -> bool {
    ![TIMED_OUT, UNANSWERED, UNREPEATED].iter().any(|of| why.contains(of))
}
