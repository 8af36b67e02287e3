//! Objects: what is set up before a line is executed, and observed after it.

mod memory;
mod surface;

pub use memory::{Space, Variable};
pub use surface::{Component, Format, Geometry, Surface};
