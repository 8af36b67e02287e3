//! The specification as types: instructions, their forms, the axes of choice in each, and the rules.
//!
//! A [`Spec`] is only made by the loader ([`crate::load`]), which checks it: one that exists is sound.

mod axis;
mod condition;
mod cube;
mod draft;
mod fault;
mod form;
mod index;
mod instruction;
mod isa;
mod lookup;
mod operand;
mod rule;
pub(crate) mod setup;
mod tables;
pub mod words;

use rustc_hash::FxHashMap;

pub use axis::{Axis, Choice, UNREAD};
pub use condition::Entry;
pub use cube::{Cube, ValueSet};
pub(crate) use draft::{Draft, SlotClaims};
pub(crate) use fault::TextFault;
pub(crate) use form::page as manual_page;
pub use form::{Form, Pattern, Slot, Writing};
pub use instruction::{Example, Instruction, Note, Verdict};
pub use isa::{Isa, Kind, KindTable, RegisterType, Special, SpecialNeeds};
pub use operand::{Operand, Role, Size, SizeOf, Unit};
pub use rule::{Rule, RuleKind, SetupRule, Source};
pub use setup::SetupAxis;
pub(crate) use tables::{Candidate, Cubes, Tables};
pub use words::is_modifier;

/// The whole specification.
#[derive(Clone, Debug)]
pub struct Spec {
    /// What all instructions share.
    pub isa: Isa,
    /// The instructions, by name.
    pub instructions: Vec<Instruction>,
    /// Every modifier of the manual, sorted, for trying words in slots. Empty if the specification has no
    /// `vocabulary.yaml`.
    pub vocabulary: Vec<String>,
    /// A hash of the files it was read from.
    pub fingerprint: String,
    pub(crate) by_name: FxHashMap<String, usize>,
}

impl Spec {
    /// The instruction with this opcode.
    pub fn instruction(&self, opcode: &str) -> Option<&Instruction> {
        self.by_name.get(opcode).map(|&at| &self.instructions[at])
    }
}
