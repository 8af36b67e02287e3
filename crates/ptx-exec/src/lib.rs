//! What PTX does: executed cases, the reference model, and kernels that run them.
pub mod execution;
pub mod kernel;
pub mod model;
pub mod properties;
pub mod setup;
/// The setup of executed variants, by its former name.
pub use setup as state;
