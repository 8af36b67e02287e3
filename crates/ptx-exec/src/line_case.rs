//! Line cases: a line, the objects that it accesses, rows of inputs, and the answer to each row.
//!
//! These types are the typed case of the engine protocol: what is serialized here is what engines
//! read and write, described in `docs/protocol.md`. Every row is an execution of its own: it starts
//! from the objects as they are given, whatever other rows did.

mod answer;
mod rows;

use serde::{Deserialize, Serialize};

use crate::object::{Surface, Variable};
use ptx_spec::environment::{AddressSize, Environment, Target, Version};

pub use answer::{Answer, Returned, UndefinedBits};
pub use rows::Rows;

/// A line to execute, with everything that it can access.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineCase {
    /// `.version`
    pub ptx: Version,
    /// `.target`; the address size is 64.
    pub target: Target,
    /// The text between the module's directives and the line, as in `ptx-conform judge`.
    pub declarations: String,
    /// One statement.
    pub line: String,
    /// The surface, named by the line's `.surfref` variable or by an input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<Surface>,
    /// The variables with contents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<Variable>,
    /// The registers that the line reads.
    pub inputs: Vec<Input>,
    /// The registers that the line writes. They hold 0 before it, unless they are inputs as well, and keep
    /// that value if the guard is false.
    pub outputs: Vec<Output>,
    /// For each row, the values of its inputs.
    pub rows: Rows,
    /// The objects that the line may write: the names of variables, and `surface`. Without it, the line may
    /// write everything that it can access.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writes: Option<Vec<String>>,
    /// Rows that need a launch of their own, because they may trap; ascending. In JSON `alone`.
    #[serde(default, rename = "alone", skip_serializing_if = "Vec::is_empty")]
    pub own_launches: Vec<usize>,
}

/// A register that the line reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Input {
    /// Its name; for a vector register, a component such as `%v.x`.
    pub register: String,
    /// Its size in bits; 1 for a predicate.
    pub bits: u16,
    /// The meaning of the values in the rows.
    #[serde(flatten)]
    pub holds: Holds,
}

/// The meaning of an input's values.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "holds", rename_all = "snake_case")]
pub enum Holds {
    /// The bits themselves.
    Bits,
    /// A cache policy that an instruction made: other policies have no defined effect. The value in the
    /// rows only distinguishes policies.
    Policy,
    /// The handle of the surface; the value in the rows is 0.
    Surface,
    /// The address of a variable; the value in the rows is an offset, modulo 2^64.
    Address {
        /// The variable.
        of: String,
        /// True if it is a generic address; otherwise it is in the variable's state space.
        generic: bool,
    },
}

/// A register that the line writes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Its name; for a vector register, a component.
    pub register: String,
    /// Its size in bits.
    pub bits: u16,
}

/// The name of the surface in the list of objects that a line may write.
pub const SURFACE: &str = "surface";

impl LineCase {
    /// PTX version, target and address size.
    pub fn environment(&self) -> Environment {
        Environment { ptx: self.ptx, target: self.target, address_size: AddressSize::Bits64 }
    }

    /// The same line case with other rows.
    pub fn with_rows(&self, rows: Rows, own_launches: Vec<usize>) -> Self {
        Self {
            ptx: self.ptx,
            target: self.target,
            declarations: self.declarations.clone(),
            line: self.line.clone(),
            surface: self.surface.clone(),
            variables: self.variables.clone(),
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
            writes: self.writes.clone(),
            rows,
            own_launches,
        }
    }

    /// Checks that a result is possible: one value for each register, with no more bits than it has, and
    /// contents of the right size.
    ///
    /// # Errors
    /// The mistake, in words.
    pub fn check(&self, returned: &Returned) -> Result<(), String> {
        let (written, given) = (self.outputs.len(), returned.registers.len());
        if written != given {
            return Err(format!("it returned {given} registers, but the line writes {written}"));
        }
        for (output, value) in self.outputs.iter().zip(&returned.registers) {
            if value.checked_shr(output.bits.into()).is_some_and(|over| over != 0) {
                return Err(format!("it returned {value:x} for {}, which has {} bits", output.register, output.bits));
            }
        }
        for (name, after) in &returned.variables {
            let before = self.variable(name).ok_or_else(|| format!("it returned `{name}`, which is not a variable"))?;
            if after.len() != before.data.len() {
                return Err(format!("it returned {} bytes of `{name}` instead of {}", after.len(), before.data.len()));
            }
        }
        if let Some(undefined) = &returned.undefined {
            self.check_undefined(undefined)?;
        }
        match (&returned.surface, &self.surface) {
            (None, _) => Ok(()),
            (Some(_), None) => Err("it returned a surface, but the case has none".to_owned()),
            (Some(after), Some(before)) if after.len() != before.size() => {
                Err(format!("it returned a surface of {} bytes instead of {}", after.len(), before.size()))
            }
            _ => Ok(()),
        }
    }

    /// Checks that masks of undefined bits have the sizes of what they are for.
    fn check_undefined(&self, undefined: &UndefinedBits) -> Result<(), String> {
        let UndefinedBits { registers, surface, variables } = undefined;
        let (written, given) = (self.outputs.len(), registers.len());
        if given != 0 && given != written {
            return Err(format!("it returned undefined bits of {given} registers, but the line writes {written}"));
        }
        let sizes =
            variables.iter().map(|(name, bits)| (name.as_str(), self.variable(name).map(|v| v.data.len()), bits));
        let of_surface = surface.iter().map(|bits| ("the surface", self.surface.as_ref().map(Surface::size), bits));
        for (name, size, bits) in sizes.chain(of_surface) {
            if size != Some(bits.len()) {
                return Err(format!(
                    "it returned undefined bits of {} bytes of {name}, which has another size",
                    bits.len()
                ));
            }
        }
        Ok(())
    }

    /// True if the line may write this object: a variable by its name, or [`SURFACE`].
    pub fn may_write(&self, object: &str) -> bool {
        self.writes.as_ref().is_none_or(|written| written.iter().any(|name| name == object))
    }

    /// The variable of this name.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }

    /// The position of the input that is this register.
    pub fn input(&self, register: &str) -> Option<usize> {
        self.inputs.iter().position(|input| input.register == register)
    }
}
