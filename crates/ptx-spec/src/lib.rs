//! What PTX is: instructions, their forms and rules, read from YAML, and the judge of lines.
pub mod environment;
pub mod judge;
pub mod print;
pub mod role;
pub mod space;
pub mod spec;
pub mod text;

/// PTX text, read and printed.
pub mod ptx {
    pub use crate::print::{Printer, print_variant, scaffold};
    pub use crate::role::Item;
    pub use crate::text::*;
}
