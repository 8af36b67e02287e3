//! What the server and its workers say to each other: JSON Lines, as in the engine protocol.

use serde::{Deserialize, Serialize};

use crate::protocol::{JudgeRequest, LineOutcome, SentCase};
use ptx_exec::program::Answer;

use super::about::DeviceFacts;

/// What a worker is told.
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
        /// A file with the same as a binary, which is tried first.
        binary: Option<std::path::PathBuf>,
    },
    /// To prepare a case whose entry is in the module.
    Prepare(Box<SentCase>),
    /// To launch rows of the case.
    Launch {
        /// The first of them.
        first: usize,
        /// How many there are.
        count: usize,
    },
}

/// What a worker says of the order.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum WorkerReport {
    /// It has a device.
    Started(DeviceFacts),
    /// What the driver says of a line.
    Said(LineOutcome),
    /// It is done: the module is loaded, the case prepared.
    Done,
    /// The rows were executed.
    Answers(Vec<Answer>),
    /// It could not be done, and why.
    Failed(String),
    /// The launch killed the context, and the worker with it.
    Died {
        /// The driver's words.
        words: String,
        /// Whether this is what a trap does.
        trap: bool,
        /// The marks of the rows.
        marks: Vec<u32>,
    },
}
