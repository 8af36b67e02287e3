//! Where things are: the windows of generic addresses that the state spaces have. PTX ISA `generic-addressing`.
//!
//! A global address is a generic address. What is in the window of another space has an address in that space, and a
//! generic one. The windows are in the order in which regions are added to memory.

use crate::object::Space;

/// The first address that is not one of global memory.
const FIRST_WINDOW: u64 = 0x7e00_0000_0000;
/// The size of a window.
const WINDOW: u64 = 1 << 32;
/// Where the variables of the module in global memory begin; the buffers are below.
pub(super) const GLOBALS: u64 = 0x7d00_0000_0000;
/// The first address of variables in the other spaces: nothing is at 0.
pub(super) const FIRST: u64 = 0x1000;
/// The first address of the parameters of an entry. Those of functions are in local memory, below.
pub(super) const PARAMETERS: u64 = 0x8000_0000;
/// The address of the first function.
const FUNCTIONS: u64 = 0x7f00_0000_0000;
/// The distance from one function to the next.
const FUNCTION: u64 = 16;
/// The least distance from the end of a variable to the next: an access beyond its end hits nothing.
const GAP: u64 = 64;

/// The window of a state space; none of global memory.
fn window(space: Space) -> Option<u64> {
    match space {
        Space::Global => None,
        Space::Const => Some(FIRST_WINDOW),
        Space::Shared => Some(FIRST_WINDOW + WINDOW),
        Space::Param => Some(FIRST_WINDOW + 2 * WINDOW),
        Space::Local => Some(FIRST_WINDOW + 3 * WINDOW),
    }
}

/// The window of parameters is in that of global memory. PTX ISA `data-movement-and-conversion-instructions-isspacep`.
pub(super) fn is_in(space: Space, address: u64) -> bool {
    let within = |space: Space| from_generic(space, address).is_some();
    within(space) || (space == Space::Global && within(Space::Param))
}

/// The generic address of an address in a state space; none of an address that the space does not have.
#[inline]
pub(super) fn to_generic(space: Space, address: u64) -> Option<u64> {
    let space = if space == Space::Param && address < PARAMETERS { Space::Local } else { space };
    match window(space) {
        None => is_in(Space::Global, address).then_some(address),
        Some(window) => (address < WINDOW).then_some(window + address),
    }
}

/// The address in a state space of a generic address; none of an address that is not in the space.
pub(super) fn from_generic(space: Space, address: u64) -> Option<u64> {
    match window(space) {
        None => (address < FIRST_WINDOW).then_some(address),
        Some(window) => address.checked_sub(window).filter(|address| *address < WINDOW),
    }
}

/// The address of a function by its position.
pub(super) fn of_function(position: usize) -> u64 {
    FUNCTIONS + FUNCTION * position as u64
}

/// The position of the function at an address.
pub(super) fn function_at(address: u64) -> Option<usize> {
    let offset = address.checked_sub(FUNCTIONS)?;
    (offset % FUNCTION == 0).then(|| usize::try_from(offset / FUNCTION).ok())?
}

/// Places a variable at or after `next`, which becomes the first address after it. Its address is a multiple of its alignment
/// and of no higher power of two, so that an access that needs more is noticed.
pub(super) fn place(next: &mut u64, size: u64, alignment: u64) -> u64 {
    let alignment = alignment.max(1);
    let at = next.next_multiple_of(2 * alignment) + alignment;
    *next = at.saturating_add(size).saturating_add(GAP);
    at
}
