//! Items that a line uses and that must be declared: registers, variables, surfaces.

use std::fmt::Write as _;

use crate::text::Symbol;

/// The kinds of objects.
pub const OBJECTS: [&str; 1] = ["surface"];
/// A `.surfref` at module scope.
pub const SURFREF: &str = "surfref";
/// A `.surfref` among the parameters of the entry.
pub const SURFREF_PARAMETER: &str = "surfref-parameter";
/// The kinds of object operands other than registers.
pub const OBJECT_KINDS: [&str; 2] = [SURFREF, SURFREF_PARAMETER];
/// A variable in global memory.
pub(super) const GLOBAL: &str = "global";

/// What a declared object is called on the axis of types.
pub(super) fn object_word(symbol: Symbol) -> Option<&'static str> {
    match symbol {
        Symbol::Surface(false) => Some(SURFREF),
        Symbol::Surface(true) => Some(SURFREF_PARAMETER),
        _ => None,
    }
}

/// Something a line uses that must be declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Item<'a> {
    /// A register: its type, the lanes of its vector type (1 for a scalar) and its number.
    Register(&'a str, u8, u8),
    /// A variable with data, by its kind as the base of an address.
    Variable(&'a str),
    /// An object: its kind, and whether it is a parameter.
    Object(&'static str, bool),
}

/// The registers of each operand have their own numbers, up to this many.
pub(super) const LANES: u8 = 8;
/// The number of the predicate of a guard, and of the register of a surplus operand.
const SPARE: u8 = 99;

impl Item<'static> {
    /// The predicate of a guard.
    pub const GUARD: Self = Self::Register(".pred", 1, SPARE);
    /// The register of a surplus operand.
    pub const SURPLUS: Self = Self::Register(".b32", 1, SPARE);

    /// The object for a value of the axis of types, if it is one.
    pub(super) fn object(of_type: &str) -> Option<Self> {
        match of_type {
            SURFREF => Some(Self::Object(OBJECTS[0], false)),
            SURFREF_PARAMETER => Some(Self::Object(OBJECTS[0], true)),
            _ => None,
        }
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
            Self::Object(_, false) => write!(to, "surface_0"),
            Self::Object(_, true) => write!(to, "surface_parameter_0"),
        };
    }

    /// Its name.
    pub fn name(self) -> String {
        let mut name = String::new();
        self.write(&mut name);
        name
    }

    /// The first register of an operand.
    pub(super) fn first(operand: usize) -> u8 {
        u8::try_from(operand).unwrap_or(0).wrapping_mul(LANES)
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
    /// In the body.
    Local(String),
}
