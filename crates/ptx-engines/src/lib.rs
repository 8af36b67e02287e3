//! Who is asked: `ptxas`, GPUs, recordings, and any program that judges or executes PTX.

mod child;
mod engine;
pub mod external;
pub mod gpu;
mod guard;
pub mod protocol;
pub mod ptxas;
pub mod recording;
pub mod reference;
mod serve;
pub mod toolchain;
mod words;

pub use child::interrupt;
pub use engine::{Batch, CaseExecutor, Depth, Engine, EngineId, LineJudge, Outcome};
