//! The roles of operands. Each role has one file with everything about it: its choices (axes, probes and
//! the rules they imply), how it is printed, and how it is read.
//!
//! The inputs of each role when a line is executed are in `ptx-exec`, in `setup/`.

mod address;
mod arguments;
mod declare;
mod described;
mod element;
mod extra;
mod fields;
mod item;
mod limit;
mod object;
mod reader;
pub mod setup;
mod shape;
mod special;
mod value;

use crate::must::Must;
use crate::spec::{Draft, Form, Isa, Operand, Role, Size, SizeOf, Unit};
use crate::text::{Argument, Declarations};
use crate::yaml::At;

pub use address::{
    BASES, ENTRY, FUNCTION, FUNCTION_PARAMETER, OFFSET, REGISTER, RETURN_PARAMETER, UNIFIED, added, base_of_space,
    is_negative, is_parameter, is_parameter_space,
};
pub(crate) use arguments::{compare, is_called};
pub(crate) use declare::declare;
pub(crate) use described::check;
pub use described::{RawOperand, RoleName, Width};
pub use element::immediate_of_lane;
pub use fields::{RawLanes, RawNumbers, RawTypeOf, SlotTable};
pub use item::{Item, OBJECT_KINDS, OBJECTS, SURFREF, SURFREF_PARAMETER};
pub(crate) use item::{PARAMETER, SURFACE};
pub(crate) use limit::compare_numbers;
pub(crate) use reader::Found;
use reader::{OperandReader, Position};
pub use shape::lanes_of;
pub(crate) use shape::{is_lanes, is_shape, shape_words};

/// The role of an operand in a form with these operands, once its slots have axes.
pub(crate) fn resolve(draft: &Draft<'_>, raw: &RawOperand, operands: &[&str]) -> Role {
    let axis = |of: &Option<At<String>>| of.as_ref().and_then(|of| draft.slot_axis(&of.value));
    let size = || {
        let of = raw.size.first()?;
        let of = match draft.slot_axis(&of.value) {
            Some(axis) => SizeOf::Axis(axis),
            None => SizeOf::Bits(draft.isa.instruction_type(&of.value)?.bits),
        };
        Some(Size { of, lanes: raw.size.get(1).and_then(|lanes| draft.slot_axis(&lanes.value)) })
    };
    let operand = |of: &Option<At<String>>| {
        let of = of.as_ref().and_then(|of| operands.iter().position(|known| *known == of.value));
        of.must("that each coordinate has its object in the line is checked before")
    };
    match raw.role {
        RoleName::Destination => Role::Destination,
        RoleName::Source => Role::Source,
        RoleName::Coordinate => Role::Coordinate { of: operand(&raw.of), unit: raw.unit.unwrap_or(Unit::Bytes) },
        RoleName::Policy => Role::Policy,
        RoleName::Object => match item::kind(raw.of.as_ref().map_or("", |of| of.value.as_str())) {
            item::SURFACE => Role::Surface { geometry: axis(&raw.geometry), size: size() },
            other => Role::Object(other),
        },
        RoleName::Arguments => Role::Arguments,
        RoleName::Address => Role::Address { space: axis(&raw.space), size: size() },
    }
}

/// Adds the axes of an operand, and the rules that they imply.
pub(crate) fn axes(draft: &mut Draft<'_>, raw: &RawOperand, mut operand: Operand, at: usize) -> Operand {
    operand.instruction_type = raw.matches.as_ref().and_then(|of| match &of.value {
        RawTypeOf::Of(scaled) => Some(scaled.clone()),
        RawTypeOf::Table(_) => None,
    });
    match raw.role {
        RoleName::Destination | RoleName::Source | RoleName::Coordinate | RoleName::Policy => {
            value::axes(draft, &mut operand, at, raw);
        }
        RoleName::Object => object::axes(draft, &mut operand, at, raw),
        RoleName::Arguments => arguments::axes(draft, &mut operand, at, raw),
        RoleName::Address => address::axes(draft, &mut operand, at, raw),
    }
    operand
}

/// Appends an operand of a variant, and reports what it uses.
pub(crate) fn print<'a>(form: &'a Form, values: &[u8], at: usize, to: &mut String, uses: &mut impl FnMut(Item<'a>)) {
    match form.operands[at].role {
        Role::Address { .. } => address::print(form, values, at, to, uses),
        Role::Object(_) => object::print(form, values, at, to, uses),
        _ => value::print(form, values, at, to, uses),
    }
}

/// Appends statements that store each register that an operand writes, so that it is not removed as unused.
pub(crate) fn store<'a>(form: &'a Form, values: &[u8], at: usize, to: &mut String, uses: &mut impl FnMut(Item<'a>)) {
    if form.operands[at].role == Role::Destination {
        value::store(form, values, at, to, uses);
    }
}

/// Reads an operand into its axes; `bracketed` says whether it is in square brackets.
pub(crate) fn read(
    (isa, form): (&Isa, &Form),
    declarations: &Declarations,
    operand: &Operand,
    (argument, bracketed): (&Argument<'_>, bool),
    values: &mut [u8],
    found: &mut Found,
) {
    let reader = OperandReader { isa, form, declarations, operand };
    let position = if bracketed { Position::Bracket } else { Position::Operand };
    match operand.role {
        Role::Address { .. } => reader.address(argument, position, values, found),
        Role::Surface { .. } | Role::Object(_) => reader.object(argument, position, values, found),
        Role::Arguments => reader.arguments(argument, values, found),
        _ => reader.value(argument, position, values, found),
    }
}
