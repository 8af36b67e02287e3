//! The specification: instructions, their forms, the axes of choice in each, and the rules.
//!
//! A [`Spec`] is only made by [`Spec::load`] and its kin, which check it: one that exists is sound.

mod build;
mod builder;
pub mod condition;
mod cube;
mod draft;
mod error;
pub mod raw;
pub(crate) mod setup;
mod slots;
mod special;
mod syntax;
mod tables;
mod text_rules;
mod vocabulary;
pub mod words;
mod writing;

use std::fmt;
use std::path::Path;

use rustc_hash::FxHashMap;

pub use crate::role::Role;
pub use build::parse;
pub use cube::{Cube, ValueSet};
pub(crate) use draft::Draft;
pub use error::Error;
pub use error::nearest;
pub use raw::{Kind, Order, Source, Verdict};
pub use setup::SetupAxis;
pub use special::{Special, SpecialNeeds};
pub use syntax::Pattern;
pub(crate) use tables::{Candidate, Fault};
pub use vocabulary::is_modifier;

use crate::environment::{Target, Version};
use condition::Entry;

/// What an axis chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The address size of the module.
    AddressSize,
    /// The target of the module.
    Target,
    /// The PTX version of the module.
    Ptx,
    /// The guard before the opcode: none, `@p`, `@!p`.
    Guard,
    /// Whether the line stands in an entry or a function.
    Context,
    /// The modifier in a slot.
    Modifier,
    /// The shape of an operand (its position in [`Form::operands`]).
    Shape(usize),
    /// What stands in an operand, or in its lanes.
    Type(usize),
    /// Which lanes of a vector are sinks; the value is a bit mask.
    Sinks(usize),
    /// What an address starts from.
    Base(usize),
    /// What is added to an address.
    Offset(usize),
    /// A suffix behind an operand.
    Suffix(usize),
    /// Whether the line is written as in the manual, or with a syntax fault.
    Writing,
    /// Something of the setup that the line is executed in.
    Setup,
}

/// One choice to be made in a form: finite, ordered, the first value simplest.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Its name in conditions: a slot's (`dtype`), an operand's (`d.shape`), or one of the
    /// environment (`ptx`).
    pub name: String,
    /// What it chooses.
    pub choice: Choice,
    /// Its values.
    pub values: Vec<String>,
    /// Those that are claimed to be right at least somewhere. The others are probes: the
    /// specification says that they are wrong, and generation tests it.
    pub claimed: ValueSet,
    positions: FxHashMap<String, u8>,
    /// The position of the value that stands for nothing.
    none: u8,
}

impl Axis {
    fn new(name: &str, choice: Choice, values: Vec<String>) -> Self {
        let positions = values.iter().zip(0..=u8::MAX).map(|(value, at)| (value.clone(), at)).collect();
        let mut axis =
            Self { name: name.to_owned(), choice, values, claimed: ValueSet::default(), positions, none: UNREAD };
        axis.none = axis.position(words::NONE).unwrap_or(UNREAD);
        axis
    }

    /// The position of a value.
    pub fn position(&self, value: &str) -> Option<u8> {
        self.positions.get(value).copied()
    }

    /// The set of the values for which `keep` holds.
    pub fn select(&self, mut keep: impl FnMut(&str) -> bool) -> ValueSet {
        ValueSet::of(self.values.len(), |value| keep(&self.values[value]))
    }
}

/// What a rule is, beside the combinations it forbids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// It keeps the space free of duplicates and of what cannot be written or declared: generated
    /// variants always keep it, and no verdict names it.
    Canonical,
    /// Generated variants always keep it, as they have no way to break it; verdicts on other texts
    /// name it.
    Given,
    /// It restricts the choices.
    Constraint,
    /// The manual says that the behaviour is undefined: such a line is valid, an implementation may
    /// accept or refuse it, and generated variants never have it.
    Undefined,
    /// It needs a PTX version.
    NeedsPtx(Version),
    /// It needs one of these targets, or what meets them.
    NeedsTarget(Vec<Target>),
}

/// A named constraint over the axes of a form.
#[derive(Clone, Debug)]
pub struct Rule {
    /// `instruction/rule`, or `isa/rule` for what holds for every module.
    pub id: String,
    /// What it is.
    pub kind: RuleKind,
    /// Whether the manual states it.
    pub source: Source,
    /// The heading of the manual's page under which it stands.
    pub section: Option<String>,
    /// What it says.
    pub says: String,
    /// The combinations it forbids.
    pub forbids: Vec<Cube>,
}

/// A modifier slot of a form.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Its axis.
    pub axis: usize,
    /// Whether it may be left out.
    pub optional: bool,
    /// Whether it is a literal of the syntax line that no slot of another form takes: it tells
    /// which form was meant.
    pub telling: bool,
}

/// An operand of a form, with the axes of its choices.
#[derive(Clone, Debug)]
pub struct Operand {
    /// Its name in the syntax line.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// Whether it may be left out.
    pub optional: bool,
    /// The slot that names its type, or the type itself.
    pub instruction_type: Option<String>,
    /// The axis of its shape.
    pub shape: Option<usize>,
    /// The axis of what stands in it.
    pub of_type: Option<usize>,
    /// The axis of its sinks.
    pub sinks: Option<usize>,
    /// The axis of what an address starts from.
    pub base: Option<usize>,
    /// The axis of what is added to an address.
    pub offset: Option<usize>,
}

impl Operand {
    /// An operand without axes.
    pub(crate) fn new(name: String, role: Role, optional: bool) -> Self {
        Self {
            name,
            role,
            optional,
            instruction_type: None,
            shape: None,
            of_type: None,
            sinks: None,
            base: None,
            offset: None,
        }
    }
}

/// How a line of a form can be written: the meaning of each value of [`Choice::Writing`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Writing {
    /// As in the manual.
    Plain,
    /// With the modifier of this slot moved behind all others; the modifier that a form begins with
    /// may stand anywhere but in front.
    Moved(usize),
    /// In some other order.
    Reordered,
    /// With the modifier of this slot written twice.
    Duplicate(usize),
    /// With a modifier at the end that the form has no slot for.
    Extra(String),
    /// Without this operand.
    Without(usize),
    /// With one register more at the end.
    ExtraOperand,
    /// Without the brackets around the operands that have them.
    Unbracketed,
    /// With a suffix behind this operand that only other forms have there.
    Suffixed(usize, String),
}

/// One syntax line of the manual.
#[derive(Clone, Debug)]
pub struct Form {
    /// `instruction.id`, unique in the specification.
    pub id: String,
    /// The line, in the manual's notation.
    pub syntax: String,
    /// The anchor of its page in the manual.
    pub manual: String,
    /// Every choice: environment first, then guard, modifiers, operands, and the writing last. Where the
    /// form is executed, the axes of the state stand behind the writing.
    pub axes: Vec<Axis>,
    /// The modifier slots in the order of the line.
    pub slots: Vec<Slot>,
    /// The operands in the order of the line.
    pub operands: Vec<Operand>,
    /// How the operands are punctuated.
    pub pattern: Vec<Pattern>,
    /// The axis of a suffix behind an operand, by operand.
    pub suffixes: Vec<(usize, usize)>,
    /// What each value of the writing axis means.
    pub writings: Vec<Writing>,
    /// The rules that restrict it.
    pub rules: Vec<Rule>,
    /// The operands through which it may write, by their position: objects, and addresses.
    pub writes: Vec<usize>,
    /// Combinations that are never executed.
    pub setup: Vec<SetupRule>,
    /// How many axes of the setup stand after those of the variant.
    setup_axes: usize,
    tables: tables::Tables,
}

/// The value of an axis that could not be read from a text: no rule about it is judged.
pub const UNREAD: u8 = u8::MAX;

impl Form {
    /// The axis of this name.
    pub fn axis(&self, name: &str) -> Option<usize> {
        self.axes.iter().position(|axis| axis.name == name)
    }

    /// The axis that makes this choice.
    pub fn axis_of(&self, choice: Choice) -> Option<usize> {
        self.axes.iter().position(|axis| axis.choice == choice)
    }

    /// The axis of the suffix after an operand.
    pub fn axis_of_suffix(&self, operand: &Operand) -> Option<usize> {
        let at = self.operands.iter().position(|known| known.name == operand.name)?;
        self.suffixes.iter().find(|(of, _)| *of == at).map(|(_, axis)| *axis)
    }

    /// The value that these choices take on an axis, as text; empty where it was not read.
    pub fn value<'a>(&'a self, values: &[u8], axis: usize) -> &'a str {
        self.axes[axis].values.get(usize::from(values[axis])).map_or("", String::as_str)
    }

    /// Its page in the manual.
    pub fn page(&self) -> String {
        page(&self.manual)
    }

    /// Whether it begins with a literal that is always there: `suld.b`.
    pub(crate) fn has_leading_literal(&self) -> bool {
        self.slots.first().is_some_and(|slot| slot.telling && !slot.optional)
    }

    /// The position of the writing axis, which is the last one of the variant.
    pub fn writing(&self) -> usize {
        self.variant_axes() - 1
    }

    /// The position of a writing on its axis.
    pub(crate) fn writing_of(&self, writing: &Writing) -> Option<usize> {
        self.writings.iter().position(|known| known == writing)
    }

    /// How many combinations the rules forbid in all.
    pub(crate) fn cubes(&self) -> usize {
        self.tables.cube_rules.len()
    }

    /// The rule of a cube.
    pub(crate) fn rule_of_cube(&self, cube: usize) -> usize {
        self.tables.cube_rules[cube]
    }

    /// The cubes that do not contain this value of this axis.
    pub(crate) fn killed(&self, axis: usize, value: usize) -> &[u64] {
        self.tables.killed(axis, value)
    }
}

/// Combinations of choices, of the variant and of its setup, that are never executed.
#[derive(Clone, Debug)]
pub struct SetupRule {
    /// Conditions by axis, of which each excludes what fulfils it. An axis that the form lacks is `none`.
    pub never: Vec<Vec<Entry>>,
    /// Why.
    pub because: String,
}

/// A sentence of the manual that became no rule, or a contradiction in it.
#[derive(Clone, Debug)]
pub struct Note {
    /// The heading under which it stands.
    pub section: String,
    /// What the manual says there.
    pub says: String,
    /// Why it is no rule, or how the contradiction was settled.
    pub because: String,
}

/// A line of the manual's own examples.
#[derive(Clone, Debug)]
pub struct Example {
    /// The line as it stands there.
    pub line: String,
    /// What the manual leaves undeclared.
    pub declarations: String,
    /// What this specification says of it.
    pub spec: Verdict,
    /// The rules it breaks, where it is invalid.
    pub rules: Vec<String>,
    /// Why, where the specification contradicts the manual's example.
    pub why: Option<String>,
    /// The target it is judged for.
    pub target: Option<Target>,
}

/// One instruction: a file of the specification.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// The opcode.
    pub name: String,
    /// What it does.
    pub summary: String,
    /// The anchor of its page in the manual.
    pub manual: String,
    /// The edition of the manual that it was read against.
    pub read: Version,
    /// Its forms.
    pub forms: Vec<Form>,
    /// Modifiers with which a line is not one of its forms, but of a page that is not described.
    pub elsewhere: Vec<String>,
    /// What of the manual is no rule.
    pub notes: Vec<Note>,
    /// The manual's examples.
    pub examples: Vec<Example>,
    /// The named sets of values that conditions write as `$name`: its own, and those of `isa.yaml`.
    pub sets: std::collections::BTreeMap<String, Vec<String>>,
    /// The modifiers that the forms know, and the position of each among them.
    modifiers: FxHashMap<String, usize>,
}

impl Instruction {
    /// Its page in the manual; a form may have another.
    pub fn page(&self) -> String {
        page(&self.manual)
    }
}

/// The manual's page with this anchor.
fn page(anchor: &str) -> String {
    format!("https://docs.nvidia.com/cuda/parallel-thread-execution/#{anchor}")
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
    /// The types of the registers that hold it, where it has none of its own.
    pub held_in: Vec<String>,
}

/// What the instructions share.
#[derive(Clone, Debug)]
pub struct Isa {
    /// Every PTX version, oldest first.
    pub versions: Vec<Version>,
    /// Every target and the PTX version that brought it, oldest first.
    pub targets: Vec<(Target, Version)>,
    /// The types of registers.
    pub types: Vec<RegisterType>,
    /// The types of instructions that registers of other types hold.
    pub held: Vec<RegisterType>,
    /// What it takes to declare a variable of a kind: its name on an axis of bases or types, and the
    /// PTX version and target that it needs.
    pub variables: Vec<(String, Option<Version>, Option<Target>)>,
    /// Special registers by name.
    specials: FxHashMap<String, Special>,
}

impl Isa {
    /// The special register of this name, such as `%tid.x`; `None` for any other name.
    pub fn special(&self, name: &str) -> Option<&Special> {
        // Names of all kinds are looked up here; hardly any is special.
        if name.starts_with('%') { self.specials.get(name) } else { None }
    }

    /// The type of this name that an instruction can have: one of registers, or one that they hold.
    pub fn instruction_type(&self, name: &str) -> Option<&RegisterType> {
        self.register_type(name).or_else(|| self.held.iter().find(|of| of.name == name))
    }

    /// The register type of this name.
    pub fn register_type(&self, name: &str) -> Option<&RegisterType> {
        self.types.iter().find(|of| of.name == name)
    }
}

/// The whole specification.
#[derive(Clone, Debug)]
pub struct Spec {
    /// What the instructions share.
    pub isa: Isa,
    /// The instructions, by name.
    pub instructions: Vec<Instruction>,
    /// Every modifier of the manual, sorted: what slots are probed with. Empty where the specification
    /// comes without `vocabulary.yaml`.
    pub vocabulary: Vec<String>,
    /// A hash of the files it was read from.
    pub fingerprint: String,
    by_name: FxHashMap<String, usize>,
}

impl Spec {
    /// Reads and checks `isa.yaml` and every instruction in a directory.
    ///
    /// # Errors
    /// All that is wrong with the files, each with file, line and column.
    pub fn load(directory: &Path) -> Result<Self, Vec<Error>> {
        build::load(directory)
    }

    /// Reads and checks a specification from texts: `isa.yaml` and instructions, each with the
    /// file name that errors shall show.
    ///
    /// # Errors
    /// As [`Spec::load`].
    pub fn from_texts(isa: (&str, &str), instructions: &[(String, String)]) -> Result<Self, Vec<Error>> {
        build::from_texts(isa, instructions)
    }

    /// The instruction of this opcode.
    pub fn instruction(&self, opcode: &str) -> Option<&Instruction> {
        self.by_name.get(opcode).map(|&at| &self.instructions[at])
    }
}

/// The JSON Schema of an instruction's YAML, for editors.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(raw::RawInstruction).to_value()
}

/// The JSON Schema of `vocabulary.yaml`.
pub fn vocabulary_schema() -> serde_json::Value {
    schemars::schema_for!(vocabulary::RawVocabulary).to_value()
}

/// The JSON Schema of `isa.yaml`.
pub fn isa_schema() -> serde_json::Value {
    schemars::schema_for!(raw::RawIsa).to_value()
}

impl RuleKind {
    /// Whether a variant is ever made to break such a rule.
    pub fn breakable(&self) -> bool {
        !matches!(self, Self::Canonical | Self::Given | Self::Undefined)
    }
}

impl fmt::Display for RuleKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Canonical => f.write_str("canonical"),
            Self::Given => f.write_str("given"),
            Self::Constraint => f.write_str("constraint"),
            Self::Undefined => f.write_str("undefined"),
            Self::NeedsPtx(version) => write!(f, "needs PTX {version}"),
            Self::NeedsTarget(targets) => {
                let names: Vec<String> = targets.iter().map(Target::to_string).collect();
                write!(f, "needs {}", names.join(" or "))
            }
        }
    }
}
