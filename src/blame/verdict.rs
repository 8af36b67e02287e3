//! What the machine code of one assembler does with a kernel, held against the reference.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::sass::REJECTED;
use crate::kernel_case::{KernelAnswer, KernelCase, KernelResult};

/// The verdict on the machine code of one build, target and level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BlameVerdict {
    /// It computes what the text means.
    Right,
    /// It computes something else.
    Wrong,
    /// The assembler dies or does not end.
    Crashes,
    /// The assembler refuses the text.
    Refused,
    /// The text has no defined meaning for these inputs, so no machine code can be wrong.
    Undefined,
    /// It was not executed to its end.
    CannotTell,
}

impl BlameVerdict {
    /// The word in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "WRONG",
            Self::Crashes => "CRASHES",
            Self::Refused => "refused",
            Self::Undefined => "undefined",
            Self::CannotTell => "?",
        }
    }
}

/// A verdict with its reason.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExplainedVerdict {
    /// The verdict.
    pub verdict: BlameVerdict,
    /// The first wrong byte, the message of the assembler, or what is not known; empty if it is right.
    pub why: String,
}

impl ExplainedVerdict {
    /// The verdict on an answer, where the reference gives this result.
    pub fn new(case: &KernelCase, expected: &KernelResult, answer: &KernelAnswer) -> Self {
        let of = |verdict: BlameVerdict, why: &str| Self { verdict, why: why.to_owned() };
        match answer {
            KernelAnswer::Returned(actual) => match first_wrong(case, expected, actual) {
                None => of(BlameVerdict::Right, ""),
                Some(why) => of(BlameVerdict::Wrong, &why),
            },
            KernelAnswer::Trapped(why) => of(BlameVerdict::Wrong, &format!("it traps: {why}")),
            KernelAnswer::Undefined(why) if expected.undefined.is_empty() => of(BlameVerdict::Wrong, why),
            // It may be what the text leaves undefined.
            KernelAnswer::Undefined(why) => of(BlameVerdict::CannotTell, why),
            KernelAnswer::Failed(why) => match why.strip_prefix(REJECTED) {
                Some(message) => of(BlameVerdict::Refused, message),
                None => of(BlameVerdict::Crashes, why),
            },
            KernelAnswer::Skipped(why) => of(BlameVerdict::CannotTell, why),
        }
    }
}

/// The first bytes of a buffer that are wrong, in words: four, or fewer at its end.
fn first_wrong(case: &KernelCase, expected: &KernelResult, actual: &KernelResult) -> Option<String> {
    const SHOWN: usize = 4;
    for buffer in &case.buffers {
        let (name, before) = (&buffer.name, &buffer.data);
        let after = |result: &KernelResult| result.buffers.get(name).unwrap_or(before).clone();
        let open = |result: &KernelResult| result.undefined.get(name).cloned().unwrap_or_else(|| vec![0; before.len()]);
        let (right, found, free, unknown) = (after(expected), after(actual), open(expected), open(actual));
        let wrong = |at: &usize| (right[*at] ^ found[*at] | unknown[*at]) & !free[*at] != 0;
        let Some(at) = (0..before.len()).find(wrong) else { continue };
        let first = at / SHOWN * SHOWN;
        let bytes = first..before.len().min(first + SHOWN);
        let number = |of: &[u8]| of[bytes.clone()].iter().rev().map(|byte| format!("{byte:02x}")).collect::<String>();
        let count = (0..before.len()).filter(wrong).count();
        let rest = if unknown[at] & !free[at] != 0 { " (it depends on what nothing wrote)" } else { "" };
        let (expected, actual) = (number(&right), number(&found));
        return Some(format!(
            "`{name}`, byte {first}: 0x{actual} instead of 0x{expected}{rest}; {}",
            crate::plural::counted(count, "wrong byte")
        ));
    }
    None
}
