//! The messages between the server and its workers: JSON Lines, as in the engine protocol.

use serde::{Deserialize, Serialize};

use crate::protocol::{JudgeRequest, LineOutcome, SentCase, SentLaunches};
use ptx_exec::kernel_case::KernelAnswer;
use ptx_exec::line_case::Answer;

use super::about::DeviceFacts;

/// An order to a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum WorkerOrder {
    /// To find the device.
    Start,
    /// To judge lines; [`WorkerReport::Said`] for each.
    Judge(JudgeRequest),
    /// To load a module.
    Load {
        /// Its text.
        ptx: String,
        /// A file with the same module as a binary, which is loaded instead.
        binary: Option<std::path::PathBuf>,
    },
    /// To prepare a case whose entry is in the module.
    Prepare(Box<SentCase>),
    /// To launch rows of the case.
    Launch {
        /// The first of them.
        first: usize,
        /// The number of them.
        count: usize,
    },
    /// To execute launches of the module.
    Execute(SentLaunches),
}

/// A worker's report on an order.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum WorkerReport {
    /// It has a device.
    Started(DeviceFacts),
    /// The driver's outcome for a line.
    Said(LineOutcome),
    /// The order was carried out: the module is loaded, or the case prepared.
    Done,
    /// The rows were executed.
    Answers(Vec<Answer>),
    /// The launches were executed.
    Executed(KernelAnswer),
    /// The order could not be carried out; says why.
    Failed(String),
    /// The driver no longer has what the module needs; says what it answers.
    Unsupported(String),
    /// The launch killed the context, and the worker with it.
    Died {
        /// The driver's words.
        words: String,
        /// True if the status is one that a trap causes.
        trap: bool,
        /// The marks of the rows.
        marks: Vec<u32>,
    },
}
