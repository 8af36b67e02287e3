//! The contents of variables before the first launch. PTX ISA `initializers`.

use ptx_spec::ptx::{Argument, InitialValue, initial_values};
use ptx_spec::spec::Kind;

use super::declared::PlacedVariable;
use super::names::{NameScope, NamedThing};
use super::windows;
use crate::semantics::immediate;

/// The bytes of a variable in global or constant memory: zeros where it has no initial value.
///
/// # Errors
/// If an initial value is not known.
pub(super) fn contents(placed: &PlacedVariable<'_>, names: &NameScope<'_>) -> Result<Vec<u8>, String> {
    let variable = &placed.variable;
    let wrong = |why: &str| variable.wrong(why);
    let size = usize::try_from(placed.size).map_err(|_| wrong("it is too large"))?;
    let mut bytes = vec![0; size];
    let (values, _) = initial_values(&variable.declarator, variable.lanes).map_err(|why| wrong(&why.to_string()))?;
    let element = variable.element.1 as usize / 8;
    for (at, value) in values {
        let bits = value_of(&value, variable.element, names).map_err(|why| wrong(&why))?;
        let start = usize::try_from(at).ok().and_then(|at| at.checked_mul(element));
        let to = start.and_then(|start| bytes.get_mut(start..start.checked_add(element)?));
        let to = to.ok_or_else(|| wrong("it has more initial values than elements"))?;
        to.copy_from_slice(&bits.to_le_bytes()[..element]);
    }
    Ok(bytes)
}

/// The bits of an initial value of a type.
fn value_of(value: &InitialValue<'_>, of: (Kind, u32), names: &NameScope<'_>) -> Result<u128, String> {
    match value {
        InitialValue::Constant(argument) => {
            // How a number becomes a float of another kind is not described.
            let strange = of.0 == Kind::Float && (of.1 < 32 || matches!(argument, Argument::Integer(_)));
            let zero = immediate(argument, Some(of)) == Some(0);
            let bits = if strange && !zero { None } else { immediate(argument, Some(of)) };
            bits.ok_or_else(|| format!("{argument:?} as an initial value is not known here"))
        }
        InitialValue::Address { name, generic, offset } => {
            let address = match names.get(name) {
                Some(NamedThing::Variable(space, address)) if *generic => windows::to_generic(space, address),
                Some(NamedThing::Variable(_, address)) => Some(address),
                Some(NamedThing::Function(at)) => Some(windows::of_function(at)),
                _ => None,
            };
            let address = address.ok_or_else(|| format!("`{name}` has no address"))?;
            Ok(address.wrapping_add_signed(*offset).into())
        }
        InitialValue::Byte(mask, value) => {
            let shift = mask.trailing_zeros();
            if mask.checked_shr(shift) != Some(0xff) || shift % 8 != 0 {
                return Err(format!("0x{mask:x} does not select a byte"));
            }
            Ok(value_of(value, (Kind::Unsigned, 64), names)? >> shift & 0xff)
        }
    }
}
