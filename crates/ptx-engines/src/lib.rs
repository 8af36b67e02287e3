//! Who is asked: `ptxas`, GPUs, recordings, and any program that judges or executes PTX.

mod engine;
pub mod external;
pub mod gpu;
pub mod protocol;
pub mod ptxas;
pub mod recording;
pub mod reference;
mod serve;
pub mod toolchain;

pub use engine::{Batch, CaseExecutor, Depth, Engine, EngineId, LineJudge, Outcome};
