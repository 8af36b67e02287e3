//! What PTX does: line cases (a line, the objects it accesses, rows of inputs), a reference model that
//! computes the expected result of each row, an interpreter of whole modules, and kernels that run cases on a GPU.
//!
//! A module imports only modules before it in this list; `tests/house.rs` checks that.
//!
//! ```text order
//! hex value object line_case kernel_case semantics setup model interpret kernel properties
//! ```

pub mod hex;
pub mod interpret;
pub mod kernel;
pub mod kernel_case;
pub mod line_case;
pub mod model;
pub mod object;
pub mod properties;
pub mod semantics;
pub mod setup;
pub mod value;
