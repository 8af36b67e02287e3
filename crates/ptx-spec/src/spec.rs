//! The specification as types: instructions, their forms, the axes of choice in each, and the rules.
//!
//! A [`Spec`] is only made by the loader ([`crate::load`]), which checks it: one that exists is sound.

mod accuracy;
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
mod numbers;
mod operand;
mod pattern;
mod rule;
mod scaled_type;
pub(crate) mod setup;
mod tables;
mod template;
pub mod words;

use rustc_hash::FxHashMap;

pub use accuracy::{Accuracy, AccuracyCase, ErrorBound, FloatClass, InputRange, NumberSet, Promise, SpecialResult};
pub use axis::{Axis, Choice, UNREAD};
pub use condition::Entry;
pub use cube::{Cube, ValueSet};
pub(crate) use draft::{Draft, SlotClaims};
pub(crate) use fault::TextFault;
pub use form::{Form, Pattern, Slot, Writing};
pub(crate) use form::{leads, page as manual_page};
pub(crate) use instruction::stands_for;
pub use instruction::{Example, Instruction, Note, Verdict};
pub use isa::{Isa, Kind, KindTable, OpaqueMembers, RegisterType, Special, SpecialNeeds};
pub use numbers::AllowedNumbers;
pub use operand::{Operand, Role, Size, SizeOf, Unit};
pub(crate) use pattern::ModifierPattern;
pub use pattern::pattern_matches;
pub use rule::{Rule, RuleKind, SetupRule, Source};
pub use scaled_type::{Scale, ScaledType};
pub use setup::SetupAxis;
pub(crate) use tables::{Candidate, Cubes, Tables};
pub(crate) use template::{ADDRESS_SIZE, HERE, TARGET};
pub use template::{
    DirectivePart, DirectivePlace, DirectiveTemplate, PartPatterns, PartRead, PatternToken, TemplatePiece, TextMeasure,
    TokenClass,
};
pub use words::is_modifier;

/// The whole specification.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The parts that all instructions share.
    pub isa: Isa,
    /// The instructions, by name.
    pub instructions: Vec<Instruction>,
    /// The directives and declarations, by name. Their forms have a template in place of slots and operands.
    pub directives: Vec<Instruction>,
    /// The names of instructions that are missing because their files have errors.
    pub left_out: Vec<String>,
    /// True if the specification has every instruction of PTX, so that a line of another is invalid and not just unknown.
    pub complete: bool,
    /// Every modifier of the manual, sorted, for trying words in slots. Empty if the specification has no
    /// `vocabulary.yaml`.
    pub vocabulary: Vec<String>,
    /// A hash of the files it was read from.
    pub fingerprint: String,
    pub(crate) by_name: FxHashMap<String, usize>,
    /// For each opcode, its instructions, those with the longest names first.
    pub(crate) by_opcode: FxHashMap<String, Vec<usize>>,
}

impl Spec {
    /// The instruction with this name: an opcode, or an opcode with its first modifiers.
    pub fn instruction(&self, name: &str) -> Option<&Instruction> {
        self.by_name.get(name).map(|&at| &self.instructions[at])
    }

    /// True if the name of an instruction is this opcode, or begins with it.
    pub fn has_opcode(&self, opcode: &str) -> bool {
        self.by_opcode.contains_key(opcode)
    }

    /// All instructions, and after them all directives.
    pub fn all(&self) -> impl Iterator<Item = &Instruction> {
        self.instructions.iter().chain(&self.directives)
    }

    /// The instruction or directive with this name.
    pub fn named(&self, name: &str) -> Option<&Instruction> {
        self.instruction(name).or_else(|| self.directive(name))
    }

    /// The directive with this name.
    pub fn directive(&self, name: &str) -> Option<&Instruction> {
        self.directives.iter().find(|directive| directive.name == name)
    }

    /// The instruction of a line with this opcode and these modifiers: of those whose names the line begins
    /// with, the one with the longest name.
    pub fn instruction_of(&self, opcode: &str, modifiers: &[&str]) -> Option<&Instruction> {
        let candidates = self.by_opcode.get(opcode)?;
        candidates.iter().map(|&at| &self.instructions[at]).find(|instruction| instruction.begins(modifiers))
    }

    /// The instruction with a longer name all of whose words are among the modifiers of a line, with the modifiers in the
    /// order that makes it a line of that instruction.
    pub(crate) fn with_late_words<'l>(
        &self,
        than: &Instruction,
        opcode: &str,
        modifiers: &[&'l str],
    ) -> Option<(&Instruction, Vec<&'l str>)> {
        let candidates = self.by_opcode.get(opcode)?.iter().map(|&at| &self.instructions[at]);
        let mut longer = candidates.filter(|other| other.prefix.len() > than.prefix.len());
        longer.find_map(|other| {
            let place = |word: &String| modifiers.iter().position(|modifier| modifier == word);
            let places: Vec<usize> = other.prefix.iter().map(place).collect::<Option<_>>()?;
            // The first word is where it belongs.
            places.first().filter(|first| **first == 0)?;
            let rest = modifiers.iter().enumerate().filter(|(at, _)| !places.contains(at));
            Some((other, places.iter().map(|&at| modifiers[at]).chain(rest.map(|(_, word)| *word)).collect()))
        })
    }
}
