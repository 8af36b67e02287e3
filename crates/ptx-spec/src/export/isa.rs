//! What all instructions share: versions, targets, types, special registers, and the rules of every module.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SharedParts;
use super::form::ExportedAxis;
use super::rule::ExportedRule;
use crate::environment::{Target, Version};
use crate::spec::{Isa, Kind, KindTable, RegisterType, Spec, Special};

/// The part that all instructions and directives share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedIsa {
    /// Every PTX version, oldest first.
    pub versions: Vec<Version>,
    /// Every target, oldest first; of one number first the exact one, then that of the family.
    pub targets: Vec<ExportedTarget>,
    /// Every type of registers and instructions.
    pub types: Vec<ExportedType>,
    /// The needs of declaring a variable, by kind; kinds without needs are left out.
    pub variables: BTreeMap<String, ExportedNeeds>,
    /// The special registers, and the components of those that are vectors, by name.
    pub special_registers: BTreeMap<String, ExportedSpecial>,
    /// For each kind of immediate, the types and kinds of types that it suits.
    pub immediates: BTreeMap<String, Vec<String>>,
    /// For each vector modifier, and for `none`, the shapes of operands that fit it.
    pub lanes: BTreeMap<String, Vec<String>>,
    /// The registers that suit a type of an instruction.
    pub registers: ExportedKinds,
    /// The options of `.target` that change how lines are read.
    pub modes: Vec<String>,
    /// For each opcode, the modifiers that are one word with it: no white space may stand between.
    pub joined: BTreeMap<String, Vec<String>>,
    /// Every modifier of the manual, sorted.
    pub modifiers: Vec<String>,
    /// The axes that every form has before its own: the environment.
    pub axes: Vec<ExportedAxis>,
    /// The rules that every form of instructions has beside its own.
    pub rules: Vec<ExportedRule>,
}

/// A target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedTarget {
    /// Its name.
    pub name: Target,
    /// The PTX version that introduced it.
    pub since: Version,
    /// The targets whose features it has: one of these must be among those that a rule needs.
    pub meets: Vec<Target>,
}

/// A PTX version and a target, each if it is needed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedNeeds {
    /// The PTX version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ptx: Option<Version>,
    /// The target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
}

impl ExportedNeeds {
    fn is_empty(&self) -> bool {
        self.ptx.is_none() && self.target.is_none()
    }
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedType {
    /// Its name with the dot.
    pub name: String,
    /// Its size in bits.
    pub bits: u16,
    /// Its kind.
    pub kind: Kind,
    /// The types of the registers that hold it; none if registers have it themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_in: Vec<String>,
    /// The needs of declaring a register of it.
    #[serde(default, skip_serializing_if = "ExportedNeeds::is_empty")]
    pub needs: ExportedNeeds,
}

/// A special register.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedSpecial {
    /// Its type, or that of its components.
    #[serde(rename = "type")]
    pub of_type: String,
    /// Further types that it is read as.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// How many components it has; 1 if it is no vector.
    pub lanes: u8,
    /// The needs of reading it.
    #[serde(default, skip_serializing_if = "ExportedNeeds::is_empty")]
    pub needs: ExportedNeeds,
    /// True if only an entry with some directive may read it.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub of_directive: bool,
}

/// For each kind of type of an instruction, the kinds of registers that suit it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedKinds {
    /// Registers of the same size.
    pub same_size: BTreeMap<String, Vec<Kind>>,
    /// Larger registers, where an instruction takes these.
    pub wider: BTreeMap<String, Vec<Kind>>,
}

impl ExportedIsa {
    pub(super) fn of(spec: &Spec, shared: &SharedParts<'_>) -> Self {
        let isa = &spec.isa;
        let target = |(name, since): &(Target, Version)| ExportedTarget {
            name: *name,
            since: *since,
            meets: isa.targets.iter().map(|(needed, _)| *needed).filter(|needed| needed.met_by(*name)).collect(),
        };
        let variables = isa.variables.iter().map(|(name, ptx, target)| (name.clone(), needs(*ptx, *target)));
        let kinds = |table: &KindTable| table.iter().cloned().collect();
        Self {
            versions: isa.versions.clone(),
            targets: isa.targets.iter().map(target).collect(),
            types: isa.types.iter().chain(&isa.held).map(ExportedType::of).collect(),
            variables: variables.collect(),
            special_registers: specials(isa),
            immediates: isa.immediates.iter().cloned().collect(),
            lanes: isa.lanes.iter().cloned().collect(),
            registers: ExportedKinds { same_size: kinds(&isa.same_size), wider: kinds(&isa.wider) },
            modes: isa.modes.clone(),
            joined: isa.joined.iter().map(|(opcode, with)| (opcode.clone(), with.clone())).collect(),
            modifiers: spec.vocabulary.clone(),
            axes: shared.axes.clone(),
            rules: shared.rules.iter().map(|(_, rule)| rule.clone()).collect(),
        }
    }
}

impl ExportedType {
    fn of(of: &RegisterType) -> Self {
        Self {
            name: of.name.clone(),
            bits: of.bits,
            kind: of.kind,
            held_in: of.held_in.clone(),
            needs: needs(of.ptx, of.target),
        }
    }
}

fn needs(ptx: Option<Version>, target: Option<Target>) -> ExportedNeeds {
    ExportedNeeds { ptx, target }
}

fn specials(isa: &Isa) -> BTreeMap<String, ExportedSpecial> {
    let special = |special: &Special| ExportedSpecial {
        of_type: special.of_type.clone(),
        also: special.also.clone(),
        lanes: special.lanes,
        needs: needs(special.ptx, special.target),
        of_directive: special.of_directive,
    };
    isa.specials.iter().map(|(name, of)| (name.clone(), special(of))).collect()
}
