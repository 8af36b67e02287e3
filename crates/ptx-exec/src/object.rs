//! Objects: what is set up before a program, and observed after it.

mod memory;
mod surface;

pub use memory::{Space, Variable};
pub use surface::{Component, Format, Geometry, Surface};
