//! PTX text: lines, declarations and modules, printed and read.

mod declarations;
mod line;
mod module;

pub use crate::print::{Printer, print_variant, scaffold};
pub use crate::role::Item;
pub use declarations::{DeclarationError, Declarations, Symbol};
pub use line::{Argument, Line, Operand, SyntaxError};
pub use module::{Context, Scaffold};

/// A set of bytes that is fast to look into.
struct Bytes([bool; 256]);

impl Bytes {
    const fn letters_digits_and(more: &[u8]) -> Self {
        let mut bytes = [false; 256];
        let mut byte = u8::MAX;
        while byte > 0 {
            bytes[byte as usize] = byte.is_ascii_alphanumeric();
            byte -= 1;
        }
        let mut at = 0;
        while at < more.len() {
            bytes[more[at] as usize] = true;
            at += 1;
        }
        Self(bytes)
    }

    fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }
}
