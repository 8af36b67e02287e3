//! Environments as choices: the first axes of every form.

use std::ops::Deref;

use crate::environment::Environment;
use crate::must::Must;
use crate::spec::Form;

/// The choices that are the environment: the values of the first axes of every form.
///
/// It derefs to its values, so that it is also the beginning of a variant, as [`Region::below`](super::Region::below)
/// and [`Diagram::within`](super::Diagram::within) take it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnvironmentValues([u8; EnvironmentValues::AXES]);

impl EnvironmentValues {
    /// The axis of the address size.
    pub const ADDRESS_SIZE: usize = 0;
    /// The axis of the target.
    pub const TARGET: usize = 1;
    /// The axis of the PTX version.
    pub const PTX: usize = 2;
    /// How many axes the environment has; the axes of the line follow them.
    pub const AXES: usize = 3;
    /// Its axes.
    pub const EACH: [usize; Self::AXES] = [Self::ADDRESS_SIZE, Self::TARGET, Self::PTX];

    /// The environment of these choices.
    pub fn new(address_size: u8, target: u8, ptx: u8) -> Self {
        Self([address_size, target, ptx])
    }

    /// The environment of a variant.
    #[track_caller]
    pub fn of(values: &[u8]) -> Self {
        Self::split(values).0
    }

    /// Splits the values of a variant into those of its environment and those of its line.
    #[track_caller]
    pub fn split(values: &[u8]) -> (Self, &[u8]) {
        let (environment, line) = values.split_first_chunk().must("a variant has a value for every axis of its form");
        (Self(*environment), line)
    }

    /// Gives a variant this environment.
    #[track_caller]
    pub fn give_to(self, values: &mut [u8]) {
        let own = values.first_chunk_mut().must("a variant has a value for every axis of its form");
        *own = self.0;
    }
}

impl Deref for EnvironmentValues {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// The environment of a variant, or of choices that begin like one.
///
/// # Panics
/// If they are choices of another form.
#[track_caller]
pub fn environment(form: &Form, values: &[u8]) -> Environment {
    const MADE_FROM: &str = "the values of the environment's axes were made from versions, targets and address sizes";
    let value = |axis| form.value(values, axis);
    Environment {
        ptx: value(EnvironmentValues::PTX).parse().must(MADE_FROM),
        target: value(EnvironmentValues::TARGET).parse().must(MADE_FROM),
        address_size: value(EnvironmentValues::ADDRESS_SIZE).parse().must(MADE_FROM),
    }
}

/// An environment as choices; `None` for one that the specification does not know.
pub fn environment_values(form: &Form, environment: &Environment) -> Option<EnvironmentValues> {
    let position = |axis: usize, value: String| form.axes[axis].position(&value);
    Some(EnvironmentValues::new(
        position(EnvironmentValues::ADDRESS_SIZE, environment.address_size.to_string())?,
        position(EnvironmentValues::TARGET, environment.target.to_string())?,
        position(EnvironmentValues::PTX, environment.ptx.to_string())?,
    ))
}
