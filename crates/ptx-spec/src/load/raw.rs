//! The YAML of a specification, as serde reads it. Field by field in `docs/specification.md`.
//!
//! Nothing here is checked beyond shape: the loader turns these types into a
//! [`Spec`](crate::spec::Spec), and only what it accepts becomes one.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

use crate::environment::{Target, Version};
use crate::role::RawOperand;
use crate::spec::{Kind, Source, Verdict};
use crate::yaml::{At, OneOrMany, Ordered};

/// `specs/isa.yaml`: what the instructions share.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawIsa {
    /// Every PTX version, oldest first.
    pub versions: At<Vec<Version>>,
    /// Every target with the PTX version that brought it, oldest first.
    pub targets: Ordered<Version>,
    /// Every fundamental type that a register can have.
    pub types: Ordered<RawType>,
    /// What a variable needs where an address starts from it, or of a surface, to be declared.
    #[serde(default)]
    pub variables: Ordered<RawNeeds>,
    /// The special registers.
    #[serde(default)]
    pub specials: Vec<RawSpecial>,
    /// Which register kinds may stand where an instruction's type has which kind.
    pub registers: RawRegisters,
    /// How many lanes each vector modifier stands for, and the operand shapes that fit.
    pub lanes: Ordered<Vec<At<String>>>,
    /// Families of modifiers: the values that PTX has for one purpose. A slot that takes some of a
    /// family is probed with the others.
    pub families: Ordered<Vec<At<String>>>,
    /// Modifiers of other instructions that some engine takes everywhere: a form without one of them is
    /// probed with each, as a modifier too many.
    #[serde(default)]
    pub surplus: Vec<At<String>>,
    /// Named sets of values, used in conditions as `$name`.
    #[serde(default)]
    pub sets: Ordered<Vec<At<String>>>,
    /// Lists of rules that instructions share by name (`use`).
    #[serde(default)]
    pub rules: Ordered<Vec<RawRule>>,
}

/// Special registers of one type that need the same.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawSpecial {
    /// Their names.
    pub names: Vec<String>,
    /// Their type.
    #[serde(rename = "type")]
    pub of_type: String,
    /// Whether they are vectors of four, whose components have names of their own (`%tid.x`).
    #[serde(default)]
    pub vector: bool,
    /// What they need.
    pub needs: Option<RawNeeds>,
}

/// A fundamental type.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawType {
    /// Its size in bits (1 for `.pred`).
    pub bits: u16,
    /// Its kind.
    pub kind: Kind,
    /// What a register of this type needs.
    pub needs: Option<RawNeeds>,
    /// The types of the registers that hold it, where it is the type of instructions only.
    #[serde(default)]
    pub held_in: Vec<At<String>>,
}

/// The register tables: instruction kind to register kinds.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawRegisters {
    /// Registers of the size of the instruction's type.
    pub same_size: Ordered<Vec<Kind>>,
    /// Registers wider than the instruction's type.
    pub wider: Ordered<Vec<Kind>>,
}

/// `specs/<opcode>.yaml`: an instruction.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "ptx-conform instruction")]
pub struct RawInstruction {
    /// The opcode, which is also the file's name.
    pub instruction: At<String>,
    /// What it does, in one line.
    pub summary: String,
    /// The anchor of its page in the manual.
    pub manual: String,
    /// The edition of the manual that the file was read against.
    pub read: Version,
    /// The syntax lines of the manual.
    pub forms: Vec<RawForm>,
    /// The values of each modifier slot, simplest first; `none` where a slot may be left out.
    #[serde(default)]
    pub modifiers: Ordered<Vec<At<String>>>,
    /// The operands.
    pub operands: Ordered<RawOperand>,
    /// Named sets of values, used in conditions as `$name`.
    #[serde(default)]
    pub sets: Ordered<Vec<At<String>>>,
    /// Lists of rules taken from `isa.yaml`.
    #[serde(default, rename = "use")]
    pub uses: Vec<At<String>>,
    /// What restricts the choices.
    #[serde(default)]
    pub rules: Vec<RawRule>,
    /// Modifiers with which a line belongs to a page of the manual that this file does not describe: the
    /// opcode has several, and nothing is said of such lines.
    #[serde(default)]
    pub elsewhere: Vec<At<String>>,
    /// The operands through which it may write: objects, and addresses.
    #[serde(default)]
    pub writes: Vec<At<String>>,
    /// What is never executed.
    #[serde(default)]
    pub setup: Vec<RawSetup>,
    /// Sentences of the manual that are no rule here, and why; contradictions of the manual.
    #[serde(default)]
    pub notes: Vec<RawNote>,
    /// The manual's own examples.
    #[serde(default)]
    pub examples: RawExamples,
}

/// A syntax line of the manual.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawForm {
    /// A short name, unique in the file.
    pub id: At<String>,
    /// The line, in the manual's own notation.
    pub syntax: At<String>,
    /// The anchor of the form's own page, where that is not the page of the instruction.
    pub manual: Option<String>,
    /// Slots whose values differ in this form.
    #[serde(default)]
    pub modifiers: Ordered<Vec<At<String>>>,
    /// Operands that differ in this form.
    #[serde(default)]
    pub operands: Ordered<RawOperand>,
    /// Whether the order of the modifiers matters.
    #[serde(default)]
    pub order: Order,
}

/// Whether the order of the modifiers matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// As in the syntax line.
    #[default]
    Fixed,
    /// Any.
    Free,
}

/// Combinations that are never executed.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawSetup {
    /// The forms it is about; all of them by default.
    pub forms: Option<Vec<At<String>>>,
    /// A combination of choices, of the variant and of its setup, or several.
    pub never: Combinations,
    /// Why.
    pub because: String,
}

/// A rule. Exactly one of `never`, `require`, `undefined` and `needs`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawRule {
    /// Its name, unique in the file.
    pub id: At<String>,
    /// The forms it is about; all that have its axes by default.
    pub forms: Option<Vec<At<String>>>,
    /// The condition under which it applies: a set of values for each axis named.
    #[serde(default)]
    pub when: RawCube,
    /// A combination that must not be, or several.
    pub never: Option<Combinations>,
    /// What must then hold: one combination, or one of several.
    pub require: Option<Combinations>,
    /// A combination whose behaviour the manual leaves undefined then, or several: such a line is
    /// not invalid.
    pub undefined: Option<Combinations>,
    /// The PTX version and target that it then needs.
    pub needs: Option<RawNeeds>,
    /// Whether the manual states it or it was observed.
    pub source: Source,
    /// The heading of the manual's page under which it stands.
    pub section: Option<String>,
    /// What it says, in our own words.
    pub says: String,
}

/// A combination: for each axis named, a set of values.
pub type RawCube = Ordered<OneOrMany<String>>;

/// One combination or a list of them.
#[derive(Clone, Debug)]
pub struct Combinations(pub Vec<RawCube>);

impl<'de> Deserialize<'de> for Combinations {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct CombinationsVisitor;
        impl<'de> Visitor<'de> for CombinationsVisitor {
            type Value = Combinations;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a combination (axis: values) or a list of combinations")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                let map = serde::de::value::MapAccessDeserializer::new(map);
                Ok(Combinations(vec![RawCube::deserialize(map)?]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut cubes = Vec::new();
                while let Some(cube) = seq.next_element()? {
                    cubes.push(cube);
                }
                Ok(Combinations(cubes))
            }
        }
        from.deserialize_any(CombinationsVisitor)
    }
}

impl JsonSchema for Combinations {
    fn schema_name() -> Cow<'static, str> {
        "Combinations".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        OneOrMany::<RawCube>::json_schema(generator)
    }
}

/// A need: a PTX version, targets one of which must be met, or both.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawNeeds {
    /// The first PTX version.
    pub ptx: Option<Version>,
    /// A target, or several one of which must be met.
    #[serde(default)]
    pub target: Targets,
}

/// A target or a list of targets.
#[derive(Clone, Debug, Default)]
pub struct Targets(pub Vec<Target>);

impl<'de> Deserialize<'de> for Targets {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let texts = OneOrMany::<String>::deserialize(from)?.0;
        let targets = texts.iter().map(|text| text.parse().map_err(serde::de::Error::custom));
        targets.collect::<Result<_, _>>().map(Self)
    }
}

impl JsonSchema for Targets {
    fn schema_name() -> Cow<'static, str> {
        "Targets".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        OneOrMany::<Target>::json_schema(generator)
    }
}

/// A sentence of the manual that became no rule, or a contradiction in it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawNote {
    /// The heading under which it stands.
    pub section: String,
    /// What the manual says there, in our own words.
    pub says: String,
    /// Why it is no rule, or how the contradiction was settled.
    pub because: String,
}

/// The manual's examples.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RawExamples {
    /// What the manual leaves undeclared.
    pub declarations: String,
    /// The lines.
    pub lines: Vec<RawExample>,
}

/// One line of the manual's examples.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawExample {
    /// The line as it stands there.
    pub line: At<String>,
    /// What this line needs declared beside the rest, among the registers and local variables.
    #[serde(default)]
    pub declares: String,
    /// What this line needs declared beside the rest, at module scope.
    #[serde(default)]
    pub globals: String,
    /// What this specification says of it.
    pub spec: Verdict,
    /// The rules it breaks, where it is invalid.
    #[serde(default)]
    pub rules: Vec<At<String>>,
    /// Why, where the specification contradicts the manual's own example.
    pub why: Option<String>,
    /// The target it is judged for; the newest plain one by default.
    pub target: Option<Target>,
}
