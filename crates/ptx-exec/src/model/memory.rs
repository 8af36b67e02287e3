//! Accesses to variables: where they go, and whether the manual defines the result. PTX ISA
//! `addresses-as-operands`.

use super::operands::Address;
use super::{Object, Operands, Undefined, Unmodelled};
use crate::object::{Space, Variable};

/// An access of N bytes to the variable that is the base of an address.
pub(super) struct Access<'a> {
    address: Address<'a>,
    size: usize,
}

/// Where an access goes.
#[derive(Clone, Copy)]
pub(super) struct Accessed<'a> {
    /// The position of the variable in the case.
    position: usize,
    variable: &'a Variable,
    /// The position of the first byte in the variable.
    pub(super) at: usize,
}

impl<'a> Access<'a> {
    pub(super) fn new(operands: &Operands<'_, 'a>, operand: &str, size: usize) -> Result<Self, Unmodelled> {
        Ok(Self { address: operands.address(operand)?, size })
    }

    /// Where the access of a row goes.
    ///
    /// # Errors
    /// The reason why the manual does not define it.
    pub(super) fn of(&self, row: &[u128]) -> Result<Accessed<'a>, Undefined> {
        let (position, variable) = self.address.variable.ok_or(Undefined::ImmediateAddress)?;
        let size = self.size as u64;
        let at = self.address.source.double_word(row).wrapping_add(self.address.offset.cast_unsigned());
        // Only the alignment of a variable's address is known.
        if !at.is_multiple_of(size) || self.address.alignment < size {
            return Err(Undefined::MisalignedAddress);
        }
        // A position that no host could index is outside of every variable.
        let at = usize::try_from(at).map_err(|_| Undefined::OutsideVariable)?;
        if at.checked_add(self.size).is_none_or(|end| end > variable.data.len()) {
            return Err(Undefined::OutsideVariable);
        }
        Ok(Accessed { position, variable, at })
    }
}

impl<'a> Accessed<'a> {
    /// The contents of the variable.
    pub(super) fn data(self) -> &'a [u8] {
        &self.variable.data
    }

    /// The variable as an object to write.
    pub(super) fn object(self) -> Object {
        Object::Variable(self.position)
    }

    /// The state space of the variable.
    pub(super) fn space(self) -> Space {
        self.variable.space
    }
}
