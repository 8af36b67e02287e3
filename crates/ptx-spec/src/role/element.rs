//! How one element of an operand is printed.

use super::item::{GLOBAL, Item, LOCAL_PARAMETER, PARAMETER, number};
use crate::spec::words::{DOUBLE, FLOAT, INTEGER, SINK, VARIABLE};

/// The integer for a lane of an operand: 1 for the first.
pub fn immediate_of_lane(lane: u16) -> u16 {
    lane + 1
}

/// Appends a register, an immediate, or whatever a value of the axis of types means, as a lane of an operand.
pub(super) fn element<'a>(
    of_type: &'a str,
    (operand, lane): (usize, u16),
    to: &mut String,
    uses: &mut impl FnMut(Item<'a>),
) {
    let item = match of_type {
        INTEGER => return to.push_str(&immediate_of_lane(lane).to_string()),
        FLOAT => return to.push_str("0f3F800000"),
        DOUBLE => return to.push_str("0d3FF0000000000000"),
        SINK => return to.push('_'),
        VARIABLE => Item::Variable(GLOBAL),
        PARAMETER => Item::Variable(LOCAL_PARAMETER),
        other => Item::object(other).unwrap_or(Item::Register(of_type, 1, number(operand, lane))),
    };
    item.write(to);
    uses(item);
}
