//! PTX as a specification: instructions, their forms and rules, read from YAML, and a judge that decides whether a
//! line is valid, and if not, why.
//!
//! ```
//! use ptx_spec::environment::{AddressSize, Environment};
//! use ptx_spec::judge::Judge;
//! use ptx_spec::ptx::{Declarations, Line};
//! use ptx_spec::spec::Spec;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let spec = Spec::load("../../specs".as_ref()).map_err(|errors| errors[0].render(false))?;
//! let (ptx, target) = ("8.0".parse()?, "sm_90".parse()?);
//! let judge = Judge::new(&spec, &Environment { ptx, target, address_size: AddressSize::Bits64 })?;
//! let declarations = Declarations::parse(".reg .b32 %r<9>; .reg .b64 %rd<9>;", &spec.isa)?;
//! let (instruction, reading) = judge.read(&Line::parse("ld.relaxed.global.u32 %r1, [%rd1];")?, &declarations).ok_or("unknown opcode")?;
//!
//! let broken: Vec<&str> = reading.rules(instruction).map(|rule| rule.id.as_str()).collect();
//! assert_eq!(broken, ["ld/scope-required"]);
//! # Ok(())
//! # }
//! ```
//!
//! `specs/` of the repository holds the specification; `docs/specification.md` describes its format.
//!
//! A module imports only modules before it in this list; `tests/house.rs` checks that.
//!
//! ```text order
//! must plural environment component spec text yaml role load print export space judge directive review explain check inline
//! ```

pub mod check;
pub mod component;
pub mod directive;
pub mod environment;
pub mod explain;
pub mod export;
pub mod inline;
pub mod judge;
pub mod load;
pub mod must;
pub mod plural;
pub mod print;
pub mod review;
pub mod role;
pub mod space;
pub mod spec;
pub mod text;
pub mod yaml;

/// PTX text, read and printed.
pub mod ptx {
    pub use crate::component::{split_component, without_blanks};
    pub use crate::print::{Printer, Setting, print_variant, scaffold, scaffold_of};
    pub use crate::role::{Item, OBJECT_KINDS};
    pub use crate::text::*;
}
