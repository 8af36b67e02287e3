//! What PTX does: executed cases, the reference model, and kernels that run them.
pub mod execution;
pub mod kernel;
pub mod model;
pub mod properties;
pub mod setup;
