//! The space of an instruction: its variants, counted exactly, ranked, enumerated and drawn.
//!
//! Every set of variants (valid ones, those that break exactly one rule) is a [`Diagram`]: a
//! decision diagram over the axes of a form. Counting, ranking and unranking are walks through it.

mod construct;
mod covering;
mod diagram;
mod draw;
pub mod lint;
mod neighbours;
mod region;
mod slice;

pub use covering::covering;
pub use diagram::Diagram;
pub use draw::{Draw, draw_variant};
pub use neighbours::neighbours;
pub use region::{Region, RegionVariants};
pub use slice::{Distance, Slice, distance};

use crate::environment::{AddressSize, Environment};
use crate::spec::{Choice, Form};

/// A form with every axis chosen: one value for each axis, by position.
pub type Values = Vec<u8>;

/// The environment that these choices name.
///
/// A form has the three axes first, and their values come from the types they are read into here,
/// so `None` only comes of values that are no variant.
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

/// The rules of a form that a variant can be made to break: its constraints and needs.
pub fn breakable(form: &Form) -> impl Iterator<Item = usize> + '_ {
    form.rules.iter().enumerate().filter(|(_, rule)| rule.kind.breakable()).map(|(at, _)| at)
}

/// A valid variant at distance one from a variant that breaks one rule: all choices but one are
/// the same. `None` where no single change makes it valid.
///
/// Of several the one that changes the last axis, and takes its first value that fits, is chosen:
/// the environment is changed only where nothing else helps. Only those that `fits` are chosen from.
pub fn twin(form: &Form, values: &[u8], broken: usize, fits: impl Fn(&[u8]) -> bool) -> Option<Values> {
    let mut twin = values.to_vec();
    let named = |axis: &usize| {
        let cubes = form.rules[broken].forbids.iter().filter(|cube| cube.contains(values));
        cubes.flat_map(crate::spec::Cube::sets).any(|(named, _)| named == axis)
    };
    for axis in (0..form.axes.len()).rev().filter(named) {
        for value in 0..form.axes[axis].values.len() {
            twin[axis] = u8::try_from(value).ok()?;
            if twin[axis] != values[axis] && form.broken(&twin).is_empty() && fits(&twin) {
                return Some(twin);
            }
        }
        twin[axis] = values[axis];
    }
    None
}
