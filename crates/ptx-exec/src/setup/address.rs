//! Setups of addresses: the variable that an address points to, and the value of its register.

use ptx_spec::role::setup::{self, ADDRESS, CONTENTS, POINTS};
use ptx_spec::role::{self, REGISTER};
use ptx_spec::spec::words::{INTEGER, NONE};
use ptx_spec::spec::{Choice, Form, Operand, Role, SetupAxis, Size};

use super::contents::LENGTH;
use super::forbidden::Forbidden;
use super::point::{Places, Point};

/// The address operand of a form, the axis of its space, and the size of an access.
pub(super) fn of(form: &Form) -> Option<(&Operand, Option<usize>, Option<Size>)> {
    form.operands.iter().find_map(|operand| match operand.role {
        Role::Address { space, size } => Some((operand, space, size)),
        _ => None,
    })
}

/// The axis of what it points to, which is the same in all rows.
pub(super) fn axes(form: &Form) -> Vec<SetupAxis> {
    of(form).map(|_| setup::axis(POINTS)).into_iter().collect()
}

/// The axis of the position in the variable.
pub(super) fn row_axes(form: &Form) -> Vec<SetupAxis> {
    of(form).map(|_| setup::axis(ADDRESS)).into_iter().collect()
}

/// The combinations that are never executed.
pub(super) fn never(forbidden: &mut Forbidden<'_>) {
    let Some((operand, space, size)) = of(forbidden.form) else { return };
    let isa = forbidden.isa;
    let variable = forbidden.of(operand.base, |base| base != REGISTER);
    let register = forbidden.of(operand.base, |base| base == REGISTER);
    // An assembler for 64-bit addresses rejects narrower ones, and the memory before a variable is
    // undefined.
    let not_wide = forbidden.of(operand.of_type, |of| isa.register_type(of).is_none_or(|of| of.bits != 64));
    forbidden.never([register, not_wide]);
    let before = forbidden.of(operand.offset, role::is_negative);
    forbidden.never([variable, before]);
    // A single module cannot have unified variables.
    let unified = forbidden.of(operand.base, |base| base == role::UNIFIED);
    forbidden.never([unified]);
    // The function that is executed returns nothing: its results are in memory.
    let returned = forbidden.of(operand.base, |base| base == role::RETURN_PARAMETER);
    forbidden.never([returned]);
    let suffix = forbidden.of(forbidden.form.axis_of_suffix(operand), |suffix| suffix != NONE);
    forbidden.never([suffix]);
    // A function cannot get the address of a kernel's parameter, and the address of its own parameter in a
    // register is in local memory.
    let function = forbidden.of(forbidden.form.axis_of(Choice::Context), |context| context == role::FUNCTION);
    let parameter = forbidden.of(space, role::is_parameter_space);
    forbidden.never([function, parameter, register]);
    forbidden.idle(variable, ADDRESS.0);
    let immediate = forbidden.of(operand.base, |base| base == INTEGER);
    forbidden.idle(immediate, CONTENTS.0);
    forbidden.idle(variable, POINTS.0);
    let named = forbidden.of(space, |space| space != NONE);
    forbidden.idle(named, POINTS.0);
    let Some(size) = size else { return };
    forbidden.with_access(size, |forbidden, bytes| {
        let mut sets = Vec::new();
        if bytes >= LENGTH / 2 {
            sets.push(vec![forbidden.set(ADDRESS.0, |at| at == "inside")]);
        }
        if bytes == 1 {
            sets.push(vec![forbidden.set(ADDRESS.0, |at| at == "misaligned")]);
        }
        sets
    });
}

/// The variable that is the base of an address, in the words of the axis of bases; none for an immediate.
pub(super) fn variable<'a>(point: &Point<'a>) -> Option<&'a str> {
    let (operand, space, _) = of(point.form)?;
    let base = operand.base.map_or("", |axis| point.at(axis));
    if base != REGISTER {
        return role::BASES.contains(&base).then_some(base);
    }
    match space.map_or(NONE, |axis| point.at(axis)) {
        NONE => Some(point.value(POINTS.0)),
        modifier => role::base_of_space(modifier),
    }
}

/// True if a register holds a generic address.
pub(super) fn generic(point: &Point<'_>) -> bool {
    of(point.form).is_some_and(|(_, space, _)| space.map_or(NONE, |axis| point.at(axis)) == NONE)
}

/// The value of an address's register: the intended position minus the offset of the line.
pub(super) fn input(point: &Point<'_>) -> u64 {
    let Some((operand, _, size)) = of(point.form) else { return 0 };
    let places = Places { size: point.size(size), length: LENGTH, sample: point.sample() };
    let meant = match point.value(ADDRESS.0) {
        "after" => LENGTH,
        label => places.inside(label),
    };
    i64::from(meant).wrapping_sub(role::added(point.form, point.values, operand).into()).cast_unsigned()
}
