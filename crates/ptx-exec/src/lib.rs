//! What PTX does: executed cases (a line, the objects it sees, rows of inputs), a reference model that says what each row must leave
//! behind, and kernels that run cases on a GPU.
//!
//! A module imports only modules before it in this list; `tests/house.rs` checks that.
//!
//! ```text order
//! execution setup model kernel properties
//! ```

pub mod execution;
pub mod kernel;
pub mod model;
pub mod properties;
pub mod setup;
