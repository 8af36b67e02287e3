//! Environments as choices: the first three axes of every form.

use crate::environment::{AddressSize, Environment};
use crate::spec::{Choice, Form};

/// The environment that these choices name.
///
/// The first three axes of every form are the environment. Their values were made from these types, so
/// `None` only results from values that are not a variant.
pub fn environment(form: &Form, values: &[u8]) -> Option<Environment> {
    let value = |choice| form.axis_of(choice).map(|axis| form.value(values, axis));
    Some(Environment {
        ptx: value(Choice::Ptx)?.parse().ok()?,
        target: value(Choice::Target)?.parse().ok()?,
        address_size: value(Choice::AddressSize)?.parse::<AddressSize>().ok()?,
    })
}

/// The values of the environment axes, the first three of every form; `None` for an environment
/// that the specification does not know.
pub fn environment_values(form: &Form, environment: &Environment) -> Option<[u8; 3]> {
    Some([
        form.axes[0].position(&environment.address_size.to_string())?,
        form.axes[1].position(&environment.target.to_string())?,
        form.axes[2].position(&environment.ptx.to_string())?,
    ])
}
