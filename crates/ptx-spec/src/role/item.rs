//! Items that a line uses and that must be declared: registers, variables, surfaces.

use std::fmt::Write as _;

use crate::must::Must;
use crate::text::Symbol;

/// A surface, of which more is known than of other objects.
pub(crate) const SURFACE: &str = "surface";
/// A function.
pub(super) const FUNCTION_OBJECT: &str = "function";
/// An entry.
pub(super) const ENTRY_OBJECT: &str = "entry";
/// A label.
pub(super) const LABEL: &str = "label";
/// The objects with a signature that a call names.
pub(super) const CALLEES: [&str; 3] = [FUNCTION_OBJECT, CALL_TARGETS, PROTOTYPE];
/// A list of functions that a call may reach.
pub(super) const CALL_TARGETS: &str = "call-targets";
/// A prototype: it says what a function that a call reaches takes and returns.
pub(super) const PROTOTYPE: &str = "prototype";
/// A variable in the old state space of textures.
pub(super) const TEX_VARIABLE: &str = "tex-variable";
/// The kinds of objects.
pub const OBJECTS: [&str; 10] = [
    SURFACE,
    "texture",
    TEX_VARIABLE,
    "sampler",
    LABEL,
    FUNCTION_OBJECT,
    ENTRY_OBJECT,
    "branch-targets",
    CALL_TARGETS,
    PROTOTYPE,
];
/// A `.surfref` at module scope.
pub const SURFREF: &str = "surfref";
/// A `.surfref` among the parameters of the entry.
pub const SURFREF_PARAMETER: &str = "surfref-parameter";
/// The objects that an operand can be beside a register, each with its kind and whether it is a parameter.
const OBJECT_WORDS: [(&str, &str, bool); 13] = [
    (SURFREF, SURFACE, false),
    (SURFREF_PARAMETER, SURFACE, true),
    ("texref", "texture", false),
    ("texref-parameter", "texture", true),
    (TEX_VARIABLE, TEX_VARIABLE, false),
    ("samplerref", "sampler", false),
    ("samplerref-parameter", "sampler", true),
    (LABEL, LABEL, false),
    (FUNCTION_OBJECT, FUNCTION_OBJECT, false),
    (ENTRY_OBJECT, ENTRY_OBJECT, false),
    ("branch-targets", "branch-targets", false),
    (CALL_TARGETS, CALL_TARGETS, false),
    (PROTOTYPE, PROTOTYPE, false),
];
/// The words for objects, of all kinds.
pub const OBJECT_KINDS: [&str; 13] = {
    let mut words = [""; OBJECT_WORDS.len()];
    let mut at = 0;
    while at < words.len() {
        words[at] = OBJECT_WORDS[at].0;
        at += 1;
    }
    words
};
/// A variable in the space of parameters, as an argument.
pub(crate) const PARAMETER: &str = "parameter";
/// A parameter of a call, declared in the body.
pub(super) const LOCAL_PARAMETER: &str = "local-parameter";
/// A variable in global memory.
pub(super) const GLOBAL: &str = "global";

/// The name of a declared object on the axis of types.
pub(super) fn object_word(symbol: Symbol) -> Option<&'static str> {
    match symbol {
        Symbol::Surface(false) => Some(SURFREF),
        Symbol::Surface(true) => Some(SURFREF_PARAMETER),
        Symbol::Object(word) => Some(word),
        _ => None,
    }
}

/// The words for a kind of object.
pub(super) fn words_of(kind: &str) -> impl Iterator<Item = &'static str> {
    OBJECT_WORDS.iter().filter(move |(_, of, _)| *of == kind).map(|(word, ..)| *word)
}

/// The kind of objects with this name in the YAML.
pub(super) fn kind(name: &str) -> &'static str {
    OBJECTS.into_iter().find(|kind| *kind == name).unwrap_or(SURFACE)
}

/// Something a line uses that must be declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Item<'a> {
    /// A register: its type, the lanes of its vector type (1 for a scalar) and its number.
    Register(&'a str, u8, u16),
    /// A variable with data, by its kind as the base of an address.
    Variable(&'a str),
    /// An object: its kind, and whether it is a parameter.
    Object(&'static str, bool),
    /// A function, a list of one as the targets of a call, or a prototype: its kind, and its signature.
    Callee(&'static str, Signature<'a>),
}

/// The results and parameters of a function, each a type of registers, [`PARAMETER`] for bytes in memory, or nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signature<'a> {
    pub(super) result: Option<&'a str>,
    pub(super) parameter: Option<&'a str>,
}

/// The registers of each operand have their own numbers, up to this many; those of further lanes, and of further
/// operands, come after all of these.
const LANES: u16 = 8;
/// How many registers an operand can have.
const MOST_LANES: u16 = 128;
/// The number of the predicate of a guard, and of the register of a surplus operand.
const SPARE: u16 = 99;

/// The number of the register of a lane of an operand.
pub(super) fn number(operand: usize, lane: u16) -> u16 {
    let operand = u16::try_from(operand).must("a line has few operands");
    if lane < LANES && operand < SPARE / LANES { operand * LANES + lane } else { (operand + 1) * MOST_LANES + lane }
}

impl Item<'static> {
    /// The predicate of a guard.
    pub const GUARD: Self = Self::Register(".pred", 1, SPARE);
    /// The register of a surplus operand.
    pub const SURPLUS: Self = Self::Register(".b32", 1, SPARE);

    /// The object for a value of the axis of types, if it is one; what can be called takes and returns nothing.
    pub(super) fn object(of_type: &str) -> Option<Self> {
        let (_, kind, parameter) = OBJECT_WORDS.iter().find(|(word, ..)| *word == of_type)?;
        Some(match CALLEES.contains(kind) {
            true => Self::Callee(kind, Signature::default()),
            false => Self::Object(kind, *parameter),
        })
    }
}

impl Item<'_> {
    /// Appends its name.
    pub fn write(self, to: &mut String) {
        // Writing to a String cannot fail.
        let _ = match self {
            Self::Register(of, 1, number) => write!(to, "%{}_{number}", &of[1..]),
            Self::Register(of, lanes, number) => write!(to, "%v{lanes}{}_{number}", &of[1..]),
            Self::Variable(base) => write!(to, "{}_0", base.replace('-', "_")),
            Self::Object(kind, false) => write!(to, "{}_0", kind.replace('-', "_")),
            Self::Object(kind, true) => write!(to, "{kind}_parameter_0"),
            Self::Callee(kind, Signature { result, parameter }) => {
                let word = |of: Option<&str>| of.map_or("0", |of| of.trim_start_matches('.')).to_owned();
                write!(to, "{}_{}_{}", kind.replace('-', "_"), word(result), word(parameter))
            }
        };
    }

    /// Its name.
    pub fn name(self) -> String {
        let mut name = String::new();
        self.write(&mut name);
        name
    }
}

/// Text that declares something, by where it belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ScaffoldPart {
    /// At module scope.
    Global(String),
    /// At module scope, in a module compiled by itself.
    Separate(String),
    /// Among the parameters.
    Parameter(String),
    /// Among what a function returns.
    Result(String),
    /// In the body.
    Local(String),
    /// At module scope, and in the body.
    Both(String, String),
}
