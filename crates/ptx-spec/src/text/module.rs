//! Modules: their directives, the names at module scope, and where the bodies of entries and functions are.

use std::ops::Range;
use std::sync::Arc;

use super::declaration::Declaration;
use super::declarations::Declarations;
use super::header::Header;
use super::problem::TextProblem;
use super::statement::Statement;

/// A module or a part of one, read on after errors; all texts borrow from the text that was read.
#[derive(Clone, Debug, Default)]
pub struct Module<'a> {
    /// All of it.
    pub text: &'a str,
    /// Its directives `.version`.
    pub versions: Vec<ModuleDirective<'a>>,
    /// Its directives `.target`.
    pub targets: Vec<ModuleDirective<'a>>,
    /// Its directives `.address_size`.
    pub address_sizes: Vec<ModuleDirective<'a>>,
    /// The position of the first statement that is none of these, in bytes.
    pub contents: Option<usize>,
    /// The names at module scope.
    pub scope: Arc<Declarations>,
    /// The bodies of entries and functions, and instructions outside of them, in order.
    pub bodies: Vec<FunctionBody<'a>>,
    /// The problems outside of the bodies, in order.
    pub problems: Vec<TextProblem<'a>>,
    /// The declarations of variables outside of the bodies, in order.
    pub variables: Vec<Declaration<'a>>,
    /// The declarations, headers and other directives outside of the bodies, in order, with their bytes.
    pub statements: Vec<(Range<usize>, Statement<'a>)>,
    /// How many declarations of variables there are outside of the bodies.
    pub declarations: usize,
    /// How many other directives, headers among them, there are outside of the bodies.
    pub directives: usize,
    /// True if all statements outside of the bodies could be read, so that every name at module scope is known.
    pub whole: bool,
    /// Where reading ended although the text goes on, in bytes.
    pub cut: Option<usize>,
}

impl<'a> Module<'a> {
    /// The names that are declared before a byte outside of the bodies, with the options of the `.target` before it.
    pub(crate) fn scope_at(&self, at: usize) -> Declarations {
        let mut scope = Declarations::before(&self.scope, at);
        if let Some(target) = self.target_at(at) {
            target.argument.clone_into(&mut scope.options);
        }
        scope
    }

    /// The directive `.target` that applies at a position: the last before it, or else the first of all.
    pub fn target_at(&self, at: usize) -> Option<&ModuleDirective<'a>> {
        self.targets.iter().rfind(|target| target.at < at).or(self.targets.first())
    }
}

/// A directive that says what the module is made for: `.version 8.0`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleDirective<'a> {
    /// Its first byte in the module.
    pub at: usize,
    /// All of it.
    pub text: &'a str,
    /// The part after its name: `sm_90, debug`.
    pub argument: &'a str,
}

/// The body of an entry or function, or instructions outside of both.
#[derive(Clone, Debug)]
pub struct FunctionBody<'a> {
    /// The header; none for instructions outside.
    pub header: Option<Header<'a>>,
    /// The bytes of the module from its first statement up to its closing brace.
    pub range: Range<usize>,
    /// True if all statements could be read, so that all labels are known.
    pub whole: bool,
    /// True if the body follows a statement that could not be read.
    pub after_error: bool,
    /// The labels, by block.
    pub(super) labels: Vec<BlockLabel<'a>>,
}

/// A label of a block.
#[derive(Clone, Debug)]
pub(super) struct BlockLabel<'a> {
    /// The number of the block: blocks are numbered as they open, and that of the body is 0.
    pub(super) block: usize,
    pub(super) name: &'a str,
    /// Its first byte in the module.
    pub(super) at: usize,
    /// The kind of the object: see [`Symbol::Object`](super::Symbol::Object).
    pub(super) object: &'static str,
}
