//! The space of an instruction: its variants, counted exactly, ranked, enumerated and drawn.
//!
//! Every set of variants (valid ones, those that break exactly one rule) is a [`Diagram`]: a
//! decision diagram over the axes of a form. Counting, ranking and unranking are walks through it.

mod breaches;
mod classes;
mod construct;
mod covering;
mod diagram;
mod draw;
mod environments;
pub mod lint;
mod neighbours;
mod permutation;
mod region;
mod slice;

pub use breaches::{breakable, twin};
pub use classes::{ClassSet, EnvironmentClasses};
pub use covering::{covering, covering_more};
pub use diagram::Diagram;
pub use draw::{Draw, draw_variant};
pub use environments::{EnvironmentValues, environment, environment_values};
pub use neighbours::neighbours;
pub use permutation::Permutation;
pub use region::{Region, RegionVariants};
pub use slice::{Distance, Slice, distance};

/// A form with every axis chosen: one value for each axis, by position.
pub type Values = Vec<u8>;
