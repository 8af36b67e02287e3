//! Readers of PTX text: one lexer, one reader of statements, one of modules with their scopes.

mod collector;
mod constant;
mod declaration;
mod declarations;
mod file_statements;
mod header;
mod initial;
mod lexer;
mod line;
mod line_reader;
mod module;
mod module_names;
mod module_reader;
mod module_text;
mod name_table;
mod part;
mod problem;
mod scaffold;
mod signature;
mod statement;
mod uncommented;
mod walk;

pub(crate) use constant::{
    Constant, DIVISION_BY_ZERO, REMAINDER_BY_ZERO, expression as constant_expression, natural, overflows,
    starts as constant_starts,
};
pub(crate) use declaration::parameter_texts;
pub use declaration::{Declaration, Declarator, parameters};
pub(crate) use declarations::labelled;
pub use declarations::{DeclarationError, Declarations, Symbol};
pub use header::Header;
pub use initial::{InitialValue, initial_values};
pub(crate) use lexer::is_identifier;
pub use lexer::{Lexer, Token, TokenKind};
pub use line::{Argument, Integer, Line, OperandText};
pub use module::{FunctionBody, Module, ModuleDirective};
pub use module_names::ModuleNames;
pub use module_text::{Placed, SourceText};
pub(crate) use part::{offset, range};
pub use problem::{ProblemKind, TextProblem};
pub use scaffold::{Context, Scaffold};
pub use signature::{CallSignature, Formal};
pub use statement::{Statement, Statements};
pub use uncommented::uncommented;
pub use walk::{Walk, WalkStep};

/// The reason why a text cannot be read, and the byte at which that is noticed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SyntaxError {
    /// The mistake, in words.
    pub message: &'static str,
    /// The byte of the text.
    pub at: usize,
}

impl SyntaxError {
    /// True if the only problem is that the text is more than one instruction: there are others, or
    /// declarations.
    pub fn surplus(&self) -> bool {
        self.message == statement::SURPLUS
    }
}
