//! The engines: `ptxas`, GPUs, recordings, and any program that judges or executes PTX. Each is an
//! [`Engine`], with an identity and abilities.
//!
//! A module imports only modules before it in this list; `tests/house.rs` checks that.
//!
//! ```text order
//! words health kin guard memory addresses child scratch identity engine no_code protocol serve external ptxas toolchain sass recording gpu reading reference
//! ```

mod addresses;
mod child;
mod engine;
pub mod external;
pub mod gpu;
mod guard;
mod health;
mod identity;
mod kin;
mod memory;
mod no_code;
pub mod protocol;
pub mod ptxas;
mod reading;
pub mod recording;
pub mod reference;
pub mod sass;
mod scratch;
mod serve;
pub mod toolchain;
pub mod words;

pub use child::interrupt;
pub use engine::{
    Batch, CaseExecutor, CodeLister, DeadlyModule, Depth, Engine, EngineId, EngineIdError, JointDeath, KernelExecutor,
    LineFunction, LineJudge, ListedInstruction, ListedLine, Listing, Outcome, Unable,
};
pub use health::Health;
pub use identity::OpenedFile;
pub use no_code::is_lasting_failure;
pub use reading::{BatchReader, Unread};
pub use serve::ServeError;
