//! How a variant's operands become text: what roles share.

use super::{Item, Role, address, object, value};
use crate::ptx::Scaffold;
use crate::spec::Form;
use crate::spec::words::{DOUBLE, FLOAT, INTEGER, SINK, VARIABLE};

use super::item::{Declaration, LANES};

/// The integer that stands for a lane of an operand: 1 for the first.
pub fn immediate_of_lane(lane: u8) -> u8 {
    lane + 1
}

/// Appends an operand of a variant, and names what it uses.
pub(crate) fn print<'a>(form: &'a Form, values: &[u8], at: usize, to: &mut String, uses: &mut impl FnMut(Item<'a>)) {
    match form.operands[at].role {
        Role::Address { .. } => address::print(form, values, at, to, uses),
        _ => value::print(form, values, at, to, uses),
    }
}

/// Appends statements that store each register an operand writes, so that it is not deleted as unused.
pub(crate) fn store<'a>(form: &'a Form, values: &[u8], at: usize, to: &mut String, uses: &mut impl FnMut(Item<'a>)) {
    if form.operands[at].role == Role::Destination {
        value::store(form, values, at, to, uses);
    }
}

/// Declares items, which ascend, in a scaffold: registers of one type together.
pub(crate) fn declare<'a>(items: impl IntoIterator<Item = Item<'a>>, scaffold: &mut Scaffold) {
    let mut registers: Vec<((&str, u8), Vec<String>)> = Vec::new();
    let mut parameters = Vec::new();
    for item in items {
        if let Item::Register(of, lanes, _) = item {
            match registers.last_mut() {
                Some((key, names)) if *key == (of, lanes) => names.push(item.name()),
                _ => registers.push(((of, lanes), vec![item.name()])),
            }
            continue;
        }
        match item.declaration() {
            Declaration::Global(text) => scaffold.globals.push_str(&text),
            Declaration::Separate(text) => {
                scaffold.separate = true;
                scaffold.globals.push_str(&text);
            }
            Declaration::Parameter(text) => parameters.push(text),
            Declaration::Local(text) => scaffold.locals.push_str(&text),
        }
    }
    for ((of, lanes), names) in registers {
        let vector = if lanes > 1 { format!(".v{lanes} ") } else { String::new() };
        scaffold.locals.push_str(&format!(".reg {vector}{of} {}; ", names.join(", ")));
    }
    scaffold.parameters = parameters.join(", ");
    scaffold.globals.truncate(scaffold.globals.trim_end().len());
    scaffold.locals.truncate(scaffold.locals.trim_end().len());
}

/// A register, an immediate, or whatever else stands for a value of the axis of types.
pub(super) fn element<'a>(of_type: &'a str, number: u8, to: &mut String, uses: &mut impl FnMut(Item<'a>)) {
    let item = match of_type {
        INTEGER => return to.push_str(&immediate_of_lane(number % LANES).to_string()),
        FLOAT => return to.push_str("0f3F800000"),
        DOUBLE => return to.push_str("0d3FF0000000000000"),
        SINK => return to.push('_'),
        VARIABLE => Item::Variable(address::GLOBAL),
        other => object::item(other).unwrap_or(Item::Register(of_type, 1, number)),
    };
    item.write(to);
    uses(item);
}
