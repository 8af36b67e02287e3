//! The environments in which most of a run happens.

use crate::engine::Depth;
use crate::environment::{AddressSize, Environment, Suffix};
use crate::space::{Diagram, environment_values};
use crate::spec::{Form, Spec};

use super::options::Subject;

/// The environments of the newest PTX version that an engine accepts, with 64 bits, the newest target first.
fn newest_environments<'a>(spec: &'a Spec, subject: &'a Subject<'_>) -> impl Iterator<Item = Environment> + 'a {
    let ptx = spec.isa.versions.iter().rev().find(|version| **version <= subject.newest).copied();
    let of_version = ptx.into_iter().flat_map(|ptx| {
        let targets = spec.isa.targets.iter().rev().filter(move |(_, since)| *since <= ptx);
        targets.map(move |(target, _)| Environment { ptx, target: *target, address_size: AddressSize::Bits64 })
    });
    of_version.filter(|environment| subject.takes(environment, Depth::Check))
}

/// The newest environment that an engine accepts, with a plain target and 64 bits.
pub fn newest(spec: &Spec, subject: &Subject<'_>) -> Option<Environment> {
    newest_environments(spec, subject).find(|environment| environment.target.suffix == Suffix::Plain)
}

/// The main environment of a form: the newest one with a plain target, or with any, if the form has valid variants only
/// there.
pub(super) fn of_form(spec: &Spec, subject: &Subject<'_>, form: &Form) -> Option<Environment> {
    let has_valid = |environment: &Environment| {
        let values = environment_values(form, environment);
        values.is_some_and(|values| Diagram::within(form, None, &values).count() > 0)
    };
    let plain = newest(spec, subject);
    plain.filter(has_valid).or_else(|| newest_environments(spec, subject).find(has_valid)).or(plain)
}
