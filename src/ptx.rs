//! PTX text: lines, declarations and modules, printed and read.

mod declarations;
mod line;
mod module;
mod print;

pub use declarations::{DeclarationError, Declarations, Symbol};
pub use line::{Argument, Line, Operand, SyntaxError};
pub use module::{Context, Scaffold};
pub use print::{Item, Printer, scaffold};
