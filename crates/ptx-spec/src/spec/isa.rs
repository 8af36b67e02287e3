//! The parts that the instructions share: versions, targets, types, special registers.

use std::borrow::Cow;
use std::cmp::Ordering;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::component::without_blanks;
use crate::environment::{Suffix, Target, Version};

/// The part of the specification that all instructions share.
#[derive(Clone, Debug)]
pub struct Isa {
    /// Every PTX version, oldest first.
    pub versions: Vec<Version>,
    /// Every target and the PTX version that introduced it, oldest first.
    pub targets: Vec<(Target, Version)>,
    /// The targets that every assembler takes before that version, and from which one on.
    pub early: Vec<(Target, Version)>,
    /// The named members of textures, samplers and surfaces.
    pub members: OpaqueMembers,
    /// The types of registers.
    pub types: Vec<RegisterType>,
    /// The instruction types that registers of other types hold.
    pub held: Vec<RegisterType>,
    /// The requirements of declaring a variable of a kind: its name on an axis of bases or types, and the
    /// PTX version and target that it needs.
    pub variables: Vec<(String, Option<Version>, Option<Target>)>,
    /// For each vector modifier, and for none, the operand shapes that fit.
    pub lanes: Vec<(String, Vec<String>)>,
    /// For each kind of instruction type, the kinds of registers of the same size that suit it.
    pub same_size: KindTable,
    /// For each kind of instruction type, the kinds of larger registers that suit it.
    pub wider: KindTable,
    /// For each kind of immediate, the types and the kinds of types that it suits.
    pub(crate) immediates: Vec<(String, Vec<String>)>,
    /// The options of `.target` that change how lines are read.
    pub modes: Vec<String>,
    /// For each opcode, the modifiers that are one word with it.
    pub(crate) joined: FxHashMap<String, Vec<String>>,
    /// The instructions whose name ends in a modifier of its own.
    pub(crate) apart: Vec<String>,
    /// Families of pages, and how the anchors of their pages begin.
    pub(crate) page_families: Vec<(String, Vec<String>)>,
    /// Special registers by name.
    pub(crate) specials: FxHashMap<String, Special>,
}

/// The named members of the descriptors of textures, samplers and surfaces. PTX ISA `texture-sampler-and-surface-types`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpaqueMembers {
    /// Of a texture.
    pub texture: Vec<String>,
    /// Of a sampler.
    pub sampler: Vec<String>,
    /// Of a surface.
    pub surface: Vec<String>,
}

impl Isa {
    /// True if no white space may stand before a modifier, which is the `at`-th of a line of an instruction.
    pub(crate) fn is_joined(&self, instruction: &str, modifier: &str, at: usize) -> bool {
        let parts = instruction.matches('.').count();
        let own = parts - usize::from(parts > 0 && self.apart.iter().any(|name| name == instruction));
        let joined = || self.joined.get(instruction).is_some_and(|with| with.iter().any(|known| known == modifier));
        at < own || at == parts && joined()
    }

    /// The architecture and family targets, such as `sm_90a`, that a version has, the newest first: those to look at for what
    /// plain ones lack.
    pub fn suffixed_targets(&self, ptx: Version) -> impl Iterator<Item = Target> {
        let is_there = move |(target, since): &&(Target, Version)| target.suffix != Suffix::Plain && *since <= ptx;
        self.targets.iter().rev().filter(is_there).map(|(target, _)| *target)
    }

    /// The special register with this name, such as `%tid.x`; `None` for any other name.
    pub fn special(&self, name: &str) -> Option<&Special> {
        // All names are looked up here, but few are special.
        if !name.starts_with('%') {
            return None;
        }
        self.specials.get(name).or_else(|| match without_blanks(name) {
            Cow::Owned(name) => self.specials.get(&name),
            Cow::Borrowed(_) => None,
        })
    }

    /// The family of a page by its anchor: `integer arithmetic` of `integer-arithmetic-instructions-add`.
    pub fn page_family(&self, anchor: &str) -> String {
        let beginning = |(_, all): &&(String, Vec<String>)| {
            all.iter().filter(|beginning| anchor.starts_with(beginning.as_str())).map(String::len).max()
        };
        match self.page_families.iter().max_by_key(beginning).filter(|family| beginning(family).is_some()) {
            Some((family, _)) => family.clone(),
            None => anchor.split("-instructions").next().unwrap_or(anchor).replace('-', " "),
        }
    }

    /// The instruction type with this name: a register type, or one that registers hold.
    pub fn instruction_type(&self, name: &str) -> Option<&RegisterType> {
        self.register_type(name).or_else(|| self.held.iter().find(|of| of.name == name))
    }

    /// The values of an ordered axis, of PTX versions or of targets, in a range such as `6.4..`, `..6.3` or
    /// `sm_70..sm_90`, both ends included; none if the text is not a range or the axis is another. A range of
    /// targets is one of their numbers.
    pub fn range(&self, axis: &str, text: &str) -> Option<Vec<String>> {
        let (from, to) = text.split_once("..")?;
        match axis {
            "ptx" => {
                let end = |end: &str| if end.is_empty() { Some(None) } else { end.parse::<Version>().ok().map(Some) };
                let (from, to) = (end(from)?, end(to)?);
                let inside = |version: &&Version| {
                    from.is_none_or(|from| **version >= from) && to.is_none_or(|to| **version <= to)
                };
                Some(self.versions.iter().filter(inside).map(ToString::to_string).collect())
            }
            "target" => {
                let end = |end: &str| if end.is_empty() { Some(None) } else { end.parse::<Target>().ok().map(Some) };
                let (from, to) = (end(from)?, end(to)?);
                let inside = |(target, _): &&(Target, Version)| {
                    from.is_none_or(|from| target.sm >= from.sm) && to.is_none_or(|to| target.sm <= to.sm)
                };
                Some(self.targets.iter().filter(inside).map(|(target, _)| target.to_string()).collect())
            }
            _ => None,
        }
    }

    /// True if an immediate of this kind suits an instruction type.
    pub(crate) fn immediate(&self, kind: &str, of: &RegisterType) -> bool {
        let row = self.immediates.iter().find(|(known, _)| known == kind);
        row.is_some_and(|(_, suiting)| suiting.iter().any(|word| *word == of.name || *word == of.kind.name()))
    }

    /// The operand shapes that fit a vector modifier, or none of them.
    pub(crate) fn shapes(&self, modifier: &str) -> &[String] {
        self.lanes.iter().find(|(known, _)| known == modifier).map_or(&[], |(_, shapes)| shapes)
    }

    /// True if a register suits an instruction type: it has the same size or, if `relaxed` a wider one. PTX
    /// ISA `operand-size-exceeding-instruction-type-size`.
    pub(crate) fn suits(&self, register: &RegisterType, instruction: &RegisterType, relaxed: bool) -> bool {
        if !instruction.held_in.is_empty() {
            return instruction.held_in.contains(&register.name);
        }
        let kinds = |table: &KindTable| {
            let row = table.iter().find(|(kind, _)| *kind == instruction.kind.name());
            row.is_some_and(|(_, kinds)| kinds.contains(&register.kind))
        };
        match register.bits.cmp(&instruction.bits) {
            Ordering::Less => false,
            Ordering::Equal => kinds(&self.same_size),
            Ordering::Greater => relaxed && kinds(&self.wider),
        }
    }

    /// The register type with this name.
    pub fn register_type(&self, name: &str) -> Option<&RegisterType> {
        self.types.iter().find(|of| of.name == name)
    }
}

/// A type that a register can have.
#[derive(Clone, Debug)]
pub struct RegisterType {
    /// Its name with the dot.
    pub name: String,
    /// Its size in bits.
    pub bits: u16,
    /// Its kind.
    pub kind: Kind,
    /// The PTX version that a register of it needs.
    pub ptx: Option<Version>,
    /// The target that a register of it needs.
    pub target: Option<Target>,
    /// The types of the registers that hold it, if it has none of its own.
    pub held_in: Vec<String>,
}

/// For each kind of instruction type, the kinds of registers that suit it.
pub type KindTable = Vec<(String, Vec<Kind>)>;

/// The kind of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Untyped bits (`.b32`).
    Bits,
    /// Unsigned integers.
    Unsigned,
    /// Signed integers.
    Signed,
    /// Floating point.
    Float,
    /// Several values in one register (`.f16x2`).
    Packed,
    /// `.pred`
    Predicate,
}

impl Kind {
    /// Its name in the YAML.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bits => "bits",
            Self::Unsigned => "unsigned",
            Self::Signed => "signed",
            Self::Float => "float",
            Self::Packed => "packed",
            Self::Predicate => "predicate",
        }
    }
}

/// A special register, or a component of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Special {
    /// Its type, such as `.u32`.
    pub of_type: String,
    /// Further types that it is read as.
    pub also: Vec<String>,
    /// 4 for a vector such as `%tid`, 1 otherwise.
    pub lanes: u8,
    /// The PTX version that introduced it.
    pub ptx: Option<Version>,
    /// The target that it needs.
    pub target: Option<Target>,
    /// True if only entries with some directive may read the register; no line that reads it is generated.
    pub of_directive: bool,
}

/// The requirements of a line's special registers: the highest version and target among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecialNeeds {
    /// The PTX version.
    pub ptx: Option<Version>,
    /// The target.
    pub target: Option<Target>,
}
