//! Memory: variables in a state space. PTX ISA `state-spaces`.

use serde::{Deserialize, Serialize};

use crate::hex;

/// A declared variable, and its contents.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// Its name in the declarations.
    pub name: String,
    /// `global`, `const`, `shared`, `local` or `param`.
    pub space: Space,
    /// Its bytes, which also give its length.
    #[serde(with = "hex")]
    pub data: Vec<u8>,
}

/// A state space of variables. PTX ISA `state-spaces`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Space {
    /// `.global`
    Global,
    /// `.const`
    Const,
    /// `.shared`
    Shared,
    /// `.local`
    Local,
    /// `.param` of the entry, of a function, or of a call's result; the declarations say which.
    Param,
}

impl Space {
    /// The space of an address's base, in the words of the axis of bases.
    pub fn of_base(base: &str) -> Self {
        match base {
            "const" => Self::Const,
            "shared" => Self::Shared,
            "local" => Self::Local,
            base if ptx_spec::role::is_parameter(base) => Self::Param,
            _ => Self::Global,
        }
    }
}
