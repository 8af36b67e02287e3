//! Setups of sources: each source has its own numbers.

use ptx_spec::role::setup::{DATA, PAIRED};
use ptx_spec::spec::words::{DOUBLE, FLOAT, INTEGER, NONE};
use ptx_spec::spec::{Form, Kind, Role, SetupAxis};

use super::contents;
use super::floats;
use super::forbidden::Forbidden;
use super::point::Point;
use super::ties::RoundedTo;
use crate::value::FloatFormat;

/// The sources of a form, by their position.
pub(super) fn of(form: &Form) -> impl Iterator<Item = usize> {
    (0..form.operands.len()).filter(|&at| form.operands[at].role == Role::Source)
}

/// The name of the axis of a source.
fn name(form: &Form, operand: usize) -> String {
    format!("{}.{}", form.operands[operand].name, DATA.0)
}

/// True if an axis chooses the numbers of a source.
pub(super) fn is_data(axis: &str) -> bool {
    axis.strip_suffix(DATA.0).is_some_and(|operand| operand.ends_with('.'))
}

/// True if the numbers of this kind are one number. (The zeros of floats are two.)
pub(super) fn is_one_number(kind: &str) -> bool {
    ["ones", "smallest", "largest", "one"].contains(&kind)
}

/// The axes of what sources hold.
pub(super) fn row_axes(form: &Form) -> Vec<SetupAxis> {
    let (_, words) = if of(form).count() > 1 { PAIRED } else { DATA };
    of(form).map(|at| (name(form, at), words.iter().map(|&word| word.to_owned()).collect())).collect()
}

/// An operand that is not a register does not vary, and a row has no value for what only a kernel knows.
pub(super) fn never(forbidden: &mut Forbidden<'_>) {
    let (isa, form) = (forbidden.isa, forbidden.form);
    for at in of(form) {
        let is_number = |of: &str| isa.register_type(of).is_some() || [INTEGER, FLOAT, DOUBLE, NONE].contains(&of);
        let of_kernels = forbidden.of(form.operands[at].of_type, |of| !is_number(of));
        forbidden.never([of_kernels]);
        let elsewhere = forbidden.of(form.operands[at].of_type, |of| !of.starts_with('.'));
        forbidden.idle(elsewhere, &name(form, at));
    }
}

/// The value of a lane of a source.
pub(super) fn input(point: &Point<'_>, operand: usize, lane: usize, bits: u16) -> u128 {
    let before = of(point.form).take_while(|&at| at < operand).count();
    let (kind, sample) = (point.value(&name(point.form, operand)), point.sample());
    let numbers = contents::data(kind, sample, (before, lane), u32::from(bits));
    let Some(of_type) = point.form.operands[operand].type_by(point.isa, point.form, point.values) else {
        return numbers;
    };
    // Most numbers of the kind are those at which the result is rounded.
    let decided = kind == "float" && sample % 4 != 0;
    let rounded = if decided { RoundedTo::of(point.isa, point.form, point.values) } else { None };
    let drawn = |lane: u64| contents::mix(sample + ((before as u64) << 8) + (lane << 16));
    let (name, size) = (of_type.name.as_str(), u32::from(of_type.bits));
    let Some(format) = FloatFormat::of(name) else {
        let integer = rounded
            .and_then(|to| to.integer((size.min(bits.into()), of_type.kind == Kind::Signed), drawn(lane as u64)));
        return integer.unwrap_or(numbers);
    };
    // The elements of a packed type, each in its place.
    let count = name.rsplit_once('x').and_then(|(_, count)| count.parse().ok()).unwrap_or(1);
    let place = size / count;
    let element = |at: u32| {
        let lane = lane as u64 + 8 * u64::from(at);
        let tie = rounded.and_then(|to| to.float(format, drawn(lane)));
        let bits = tie.or_else(|| floats::element(format, kind, sample, before as u64, lane));
        bits.map(|bits| bits << (at * place))
    };
    let elements: Option<u128> = (0..count).map(element).try_fold(0, |all, bits| Some(all | bits?));
    // What is above the type in a wider register is random.
    elements.map_or(numbers, |elements| elements | u128::MAX.checked_shl(size).unwrap_or(0) & numbers)
}
