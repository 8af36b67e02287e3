//! The YAML of a specification, as serde reads it. `docs/specification.md` describes each field.
//!
//! Nothing here is checked beyond shape: the loader turns these types into a
//! [`Spec`](crate::spec::Spec), and only what it accepts becomes one.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

use super::raw_accuracy::RawAccuracy;
use crate::environment::{Target, Version};
use crate::role::RawOperand;
use crate::spec::{Kind, OpaqueMembers, Source, Verdict};
use crate::yaml::{At, OneOrMany, Ordered};

/// `specs/isa.yaml`: what all instructions share.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawIsa {
    /// True if the folder has a specification of every instruction of PTX. A line of another instruction is then invalid;
    /// otherwise it is unknown.
    #[serde(default)]
    pub complete: bool,
    /// Every PTX version, oldest first.
    pub versions: At<Vec<Version>>,
    /// Every target with the PTX version that introduced it, oldest first.
    pub targets: Ordered<Version>,
    /// Targets that every assembler takes before that version, from this one on.
    #[serde(default)]
    pub early: Ordered<Version>,
    /// The named members of textures, samplers and surfaces.
    #[serde(default)]
    pub members: OpaqueMembers,
    /// Every fundamental type that a register can have.
    pub types: Ordered<RawType>,
    /// The needs of declaring a variable of each kind: variables that are bases of addresses, and
    /// surfaces.
    #[serde(default)]
    pub variables: Ordered<RawNeeds>,
    /// The special registers.
    #[serde(default)]
    pub specials: Vec<RawSpecial>,
    /// For each kind of instruction type, the kinds of registers that suit it.
    pub registers: RawRegisters,
    /// For each kind of immediate, the types, or kinds of types, that it suits.
    #[serde(default)]
    pub immediates: Ordered<Vec<At<String>>>,
    /// The options of `.target` that change how lines are read.
    #[serde(default)]
    pub modes: Vec<At<String>>,
    /// For each vector modifier, the operand shapes that fit it.
    pub lanes: Ordered<Vec<At<String>>>,
    /// Families of modifiers: the values that PTX has for one purpose. A slot with some values of a family
    /// is probed with the others.
    pub families: Ordered<Vec<At<String>>>,
    /// Modifiers of other instructions that some engine accepts everywhere: a form without one of them is
    /// probed with it as a surplus modifier.
    #[serde(default)]
    pub surplus: Vec<At<String>>,
    /// For each opcode, the modifiers that ptxas has as one word with it.
    #[serde(default)]
    pub joined: Ordered<Vec<At<String>>>,
    /// The instructions whose name ends in a modifier before which white space may stand.
    #[serde(default)]
    pub apart: Vec<At<String>>,
    /// Families of pages: for each, how the anchors of its pages begin. The longest beginning counts. Other pages belong to
    /// the family that stands before `-instructions` in their anchor.
    #[serde(default)]
    pub page_families: Ordered<Vec<At<String>>>,
    /// Named sets of values, used in conditions as `$name`.
    #[serde(default)]
    pub sets: Ordered<Vec<At<String>>>,
    /// Lists of rules that instructions share by name (`use`).
    #[serde(default)]
    pub rules: Ordered<Vec<RawRule>>,
}

/// Special registers of one type with the same needs.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawSpecial {
    /// Their names.
    pub names: Vec<String>,
    /// Their type.
    #[serde(rename = "type")]
    pub of_type: String,
    /// Further types that they are read as.
    #[serde(default)]
    pub also: Vec<String>,
    /// True if the registers are vectors of four, with components such as `%tid.x`.
    #[serde(default)]
    pub vector: bool,
    /// The needs of a line that reads them.
    pub needs: Option<RawNeeds>,
    /// The directive of entries that may read them. No line that reads them is generated.
    pub directive: Option<String>,
}

/// A fundamental type.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawType {
    /// Its size in bits (1 for `.pred`).
    pub bits: u16,
    /// Its kind.
    pub kind: Kind,
    /// The needs of a register of this type.
    pub needs: Option<RawNeeds>,
    /// The types of the registers that hold it, if only instructions have this type.
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
    /// The other opcodes that the page describes with it: what holds for the one holds for each.
    #[serde(default)]
    pub also: Vec<At<String>>,
    /// The purpose of the instruction, in one line.
    pub summary: String,
    /// The anchor of its page in the manual.
    pub manual: String,
    /// The edition of the manual that the file was checked against.
    pub read: At<Version>,
    /// The syntax lines of the manual.
    pub forms: Vec<RawForm>,
    /// The values of each modifier slot, simplest first; with `none` if a slot is optional.
    #[serde(default)]
    pub modifiers: Ordered<Vec<At<String>>>,
    /// The operands.
    #[serde(default)]
    pub operands: Ordered<RawOperand>,
    /// Named sets of values, used in conditions as `$name`.
    #[serde(default)]
    pub sets: Ordered<Vec<At<String>>>,
    /// Lists of rules taken from `isa.yaml`; a list for one operand is `list(operand)`.
    #[serde(default, rename = "use")]
    pub uses: Vec<At<String>>,
    /// The constraints on the choices.
    #[serde(default)]
    pub rules: Vec<RawRule>,
    /// Modifiers that belong to another page of the manual, for an opcode with several pages; the verdict
    /// on a line with one of them is `unknown`.
    #[serde(default)]
    pub elsewhere: Vec<At<String>>,
    /// Modifiers that no page has here, but that some engine takes or mistakes: each form is probed with them as surplus
    /// modifiers, and a divergence can name them.
    #[serde(default)]
    pub surplus: Vec<At<String>>,
    /// The options of `.target` that change how the lines of all forms are read.
    #[serde(default)]
    pub modes: Vec<At<String>>,
    /// The operands through which it may write: objects and addresses.
    #[serde(default)]
    pub writes: Vec<At<String>>,
    /// The combinations that are never executed.
    #[serde(default)]
    pub setup: Vec<RawSetup>,
    /// Sentences of the manual that are not rules here, with the reason; contradictions in the manual.
    #[serde(default)]
    pub notes: Vec<RawNote>,
    /// The manual's own examples.
    #[serde(default)]
    pub examples: RawExamples,
    /// The sets that tables of operands name, which are expanded before anything is checked.
    #[serde(skip)]
    pub sets_of_tables: Vec<String>,
}

/// A syntax line of the manual.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawForm {
    /// A short name, unique in the file.
    pub id: At<String>,
    /// The line, in the manual's notation.
    pub syntax: At<String>,
    /// The anchor of the form's own page, if it is not the instruction's.
    pub manual: Option<String>,
    /// Slots whose values differ in this form.
    #[serde(default)]
    pub modifiers: Ordered<Vec<At<String>>>,
    /// Operands that differ in this form.
    #[serde(default)]
    pub operands: Ordered<RawOperand>,
    /// The importance of the order of the modifiers.
    #[serde(default)]
    pub order: Order,
    /// The options of `.target` that change how its lines are read.
    #[serde(default)]
    pub modes: Vec<At<String>>,
    /// True if control does not go on after a line: `ret`.
    #[serde(default)]
    pub ends: bool,
    /// The promises of the manual on the results of approximate lines: each is about other lines.
    #[serde(default)]
    pub accuracy: Vec<RawAccuracy>,
}

/// The importance of the order of the modifiers.
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
    /// The forms it applies to; all by default.
    pub forms: Option<Vec<At<String>>>,
    /// A combination of choices, of the variant and of its setup, or several.
    pub never: Combinations,
    /// The reason.
    pub because: String,
}

/// A rule. Exactly one of `never`, `require`, `same`, `table`, `undefined` and `needs`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawRule {
    /// Its name, unique in the file.
    pub id: At<String>,
    /// The forms it applies to; by default all that have its axes.
    pub forms: Option<Vec<At<String>>>,
    /// The condition under which it applies.
    #[serde(default)]
    pub when: RawCube,
    /// A combination that must not occur, or a list of them.
    pub never: Option<Combinations>,
    /// The combination that must hold, or a list of which one must.
    pub require: Option<Combinations>,
    /// Axes that must have the same value where several of them have one.
    #[serde(default)]
    pub same: Vec<At<String>>,
    /// Axes of which only the combinations in `rows` are allowed.
    #[serde(default)]
    pub table: Vec<At<String>>,
    /// The combinations of a table: for each of its axes, a value or several.
    #[serde(default)]
    pub rows: Vec<Vec<OneOrMany<String>>>,
    /// A combination that the manual leaves undefined, or a list of them: such a line is not invalid.
    pub undefined: Option<Combinations>,
    /// The PTX version and target that are needed.
    pub needs: Option<RawNeeds>,
    /// The source of the rule: the manual states it, or it was observed.
    pub source: Source,
    /// The heading on the manual's page.
    pub section: Option<String>,
    /// The rule in our own words.
    pub says: String,
    /// True if the rule is a row of a table of needs, which names it.
    #[serde(skip)]
    pub of_table: bool,
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

/// A PTX version, targets one of which must be met, or both; or a table of these.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawNeeds {
    /// The first PTX version.
    pub ptx: Option<Version>,
    /// A target, or several one of which must be met.
    #[serde(default)]
    pub target: Targets,
    /// For a table of needs, its axes.
    #[serde(default)]
    pub by: Vec<At<String>>,
    /// The rows of the table: for each axis a value or several, then the PTX version and the target or targets, or
    /// `none`.
    #[serde(default)]
    pub rows: Vec<Vec<OneOrMany<String>>>,
}

/// A target or a list of targets, or of sets of targets.
#[derive(Clone, Debug, Default)]
pub struct Targets(pub Vec<String>);

impl Targets {
    /// The targets, with the sets replaced by their members.
    ///
    /// # Errors
    /// If a text is neither a target nor a set of targets.
    pub fn resolve(&self, sets: &[&Ordered<Vec<At<String>>>]) -> Result<Vec<Target>, String> {
        let mut targets = Vec::new();
        for text in &self.0 {
            let members = match text.strip_prefix('$') {
                Some(set) => match sets.iter().flat_map(|sets| &sets.0).find(|(name, _)| name.value == set) {
                    Some((_, members)) => members.iter().map(|member| member.value.as_str()).collect(),
                    None => return Err(format!("there is no set `${set}` of targets")),
                },
                None => vec![text.as_str()],
            };
            for member in members {
                targets.push(member.parse().map_err(|why| format!("{why}"))?);
            }
        }
        Ok(targets)
    }

    /// The first target.
    pub fn first(&self) -> Option<Target> {
        self.0.first().and_then(|target| target.parse().ok())
    }
}

impl<'de> Deserialize<'de> for Targets {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let texts = OneOrMany::<String>::deserialize(from)?.0;
        for text in texts.iter().filter(|text| !text.starts_with('$')) {
            text.parse::<Target>().map_err(serde::de::Error::custom)?;
        }
        Ok(Self(texts))
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

/// A sentence of the manual that is not a rule, or a contradiction in the manual.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawNote {
    /// The heading on the manual's page.
    pub section: String,
    /// The manual's statement, in our own words.
    pub says: String,
    /// The reason why it is not a rule, or how the contradiction was resolved.
    pub because: String,
}

/// The manual's examples.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RawExamples {
    /// Declarations that the manual omits.
    pub declarations: String,
    /// The lines.
    pub lines: Vec<RawExample>,
}

/// One line of the manual's examples.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawExample {
    /// The line as the manual has it.
    pub line: At<String>,
    /// Further registers and local variables that this line needs.
    #[serde(default)]
    pub declares: String,
    /// Further declarations at module scope that this line needs.
    #[serde(default)]
    pub globals: String,
    /// This specification's verdict on it.
    pub spec: Verdict,
    /// The rules it breaks, if it is invalid.
    #[serde(default)]
    pub rules: Vec<At<String>>,
    /// The reason, if the specification contradicts the manual's own example.
    pub why: Option<String>,
    /// True if the specification cannot say yet that the line is valid. What engines do with it is not compared.
    #[serde(default)]
    pub gap: bool,
    /// The target it is judged for; the newest plain one by default.
    pub target: Option<Target>,
    /// The option of `.target` that it is judged with.
    pub mode: Option<String>,
}
