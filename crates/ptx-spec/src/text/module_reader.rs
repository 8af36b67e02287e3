//! Reads modules: what is outside of the bodies, and where the bodies are.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::SyntaxError;
use super::declaration::Declaration;
use super::declarations::{Declarations, LABEL, NESTING, Origin, labelled};
use super::file_statements::{FileStatements, ReadStatement};
use super::header::Header;
use super::module::{BlockLabel, FunctionBody, Module, ModuleDirective};
use super::problem::TextProblem;
use super::statement::Statement;
use crate::spec::Isa;

/// How many statements that cannot be read end the reading of a module: it is something else than PTX.
const ERRORS: usize = 1_000;
/// The mark that some editors write at the beginning of a file.
const BYTE_ORDER_MARK: char = '\u{feff}';
/// A declaration of what another module defines, which may be repeated.
const EXTERNAL: &str = ".extern";
/// The space of variables that may be declared twice.
const BOUND: &str = ".tex";

impl<'a> Module<'a> {
    /// Reads a module.
    pub fn read(text: &'a str, isa: &Isa) -> Self {
        ModuleReader::new(text, isa, Declarations::default()).read()
    }

    /// Reads a part of a module, with declarations around it.
    pub fn read_inside(text: &'a str, isa: &Isa, outer: &Declarations) -> Self {
        ModuleReader::new(text, isa, Declarations::inside(Arc::new(outer.clone()))).read()
    }
}

/// A body whose end was not read yet.
struct OpenBody<'a> {
    body: FunctionBody<'a>,
    /// True if the body begins with a brace.
    braced: bool,
    /// For each open brace, its position and the number of the block.
    braces: Vec<(usize, usize)>,
    /// How many blocks were opened.
    blocks: usize,
}

struct ModuleReader<'a, 'i> {
    module: Module<'a>,
    isa: &'i Isa,
    scope: Declarations,
    /// The names of variables, entries and functions that the module defines.
    defined: FxHashSet<&'a str>,
    /// The header whose body comes next, and its position.
    header: Option<(usize, Header<'a>)>,
    body: Option<OpenBody<'a>>,
    /// How many statements could not be read.
    errors: usize,
    /// True if the last statement outside of the bodies could not be read.
    after_error: bool,
    /// True if the last statement is a label.
    labelled: bool,
}

impl<'a, 'i> ModuleReader<'a, 'i> {
    fn new(text: &'a str, isa: &'i Isa, scope: Declarations) -> Self {
        let module = Module { text, whole: true, ..Module::default() };
        let defined = FxHashSet::default();
        Self { module, isa, scope, defined, header: None, body: None, errors: 0, after_error: false, labelled: false }
    }

    fn read(mut self) -> Module<'a> {
        let begin = if self.module.text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
        let mut statements = FileStatements::new(self.module.text, begin);
        if begin > 0 {
            self.problem(0, begin, &SyntaxError { message: "a byte order mark (U+FEFF): PTX is ASCII text", at: 0 });
            self.module.whole = true;
        }
        while let Some(read) = statements.next() {
            self.statement(read);
            if self.errors == ERRORS {
                self.cut(statements.at(), "too many statements cannot be read: is this PTX? The rest is not read");
                break;
            }
        }
        if let Some(unclosed) = statements.unclosed().cloned() {
            self.cut(unclosed.at, unclosed.message);
        }
        let end = statements.at();
        if let Some((at, header)) = self.header.take() {
            self.problem(at, at + header.text.len(), &SyntaxError { message: "expected `{`", at: end });
        }
        if let Some(open) = &self.body
            && let Some((at, _)) = open.braces.last().copied()
        {
            self.problem(at, at + 1, &SyntaxError { message: "this brace is not closed", at });
        }
        self.end_body(end);
        // The end of the text may be noticed only after all others.
        self.module.problems.sort_by_key(|problem| problem.at.start);
        self.module.scope = Arc::new(self.scope);
        self.module
    }

    /// Notes where reading ends although the text goes on.
    fn cut(&mut self, at: usize, message: &'static str) {
        self.problem(at, at, &SyntaxError { message, at });
        self.module.cut = Some(self.module.cut.map_or(at, |cut| cut.min(at)));
    }

    /// Notes that the statement from `start` to `end` cannot be read.
    fn problem(&mut self, start: usize, end: usize, error: &SyntaxError) {
        self.module.whole = false;
        self.after_error = true;
        self.module.problems.push(TextProblem::unread(self.module.text, start..end, error));
    }

    fn statement(&mut self, read: ReadStatement<'a>) {
        let (start, end) = (read.start, read.end);
        let directive = matches!(
            read.statement,
            Ok(Statement::Directive(".version" | ".target" | ".address_size" | "#", _)) | Err(_)
        );
        if !directive {
            self.module.contents.get_or_insert(start);
        }
        let failed = read.statement.is_err();
        let of_module =
            matches!(read.statement, Ok(Statement::Declaration(_) | Statement::Header(_) | Statement::Directive(..)));
        if let (true, None, Ok(statement)) = (of_module, &self.body, &read.statement) {
            self.module.statements.push((start..end, statement.clone()));
        }
        let after_label = std::mem::take(&mut self.labelled);
        match read.statement {
            Err(error) => {
                self.errors += 1;
                match &mut self.body {
                    Some(open) => open.body.whole = false,
                    None => self.problem(start, end, &error),
                }
            }
            Ok(Statement::Header(header)) if !header.prototype => self.header(start, header),
            Ok(Statement::Open) => self.open(start),
            Ok(Statement::Close) => self.close(start, end),
            Ok(Statement::Label(name)) => {
                self.within(start).label(name, start);
                self.labelled = true;
            }
            Ok(Statement::Instruction(_)) => drop(self.within(start)),
            Ok(Statement::Directive(name, all)) => {
                // The directive says what the label is.
                if let (true, Some(object), Some(open)) = (after_label, labelled(name), &mut self.body) {
                    open.body.labels.iter_mut().rev().take(1).for_each(|label| label.object = object);
                }
                self.directive(start, name, all);
            }
            // What is in a body is declared when the body is read.
            Ok(Statement::Header(_) | Statement::Declaration(_)) if self.body.is_some() => {}
            Ok(Statement::Header(header)) => {
                self.module.directives += 1;
                self.scope.function(self.isa, &header, start);
            }
            Ok(Statement::Declaration(declaration)) => {
                self.declare(start, end, &declaration);
                self.module.variables.push(declaration);
            }
        }
        self.after_error &= failed || self.body.is_some();
    }

    /// The body that a statement is in; without one, a body of statements outside of any begins here.
    fn within(&mut self, start: usize) -> &mut OpenBody<'a> {
        let header = self.header.take().map(|(_, header)| header);
        let after_error = std::mem::take(&mut self.after_error);
        self.body.get_or_insert_with(|| OpenBody {
            body: FunctionBody { header, range: start..start, whole: true, after_error, labels: Vec::new() },
            braced: false,
            braces: Vec::new(),
            blocks: 0,
        })
    }

    fn header(&mut self, start: usize, header: Header<'a>) {
        self.module.directives += 1;
        if self.body.is_some() {
            let message = "this begins inside of another entry or function: a `}` before it is missing";
            self.problem(start, start, &SyntaxError { message, at: start });
            self.end_body(start);
            self.after_error = false;
        }
        self.scope.function(self.isa, &header, start);
        self.define(header.name);
        self.header = Some((start, header));
    }

    fn open(&mut self, at: usize) {
        let begins = self.body.is_none();
        let open = self.within(at);
        open.braced |= begins;
        // The brace that a body begins with is that of the body's own block, which has the number 0.
        if !begins && open.braces.len() < NESTING {
            open.blocks += 1;
            open.braces.push((at, open.blocks));
        } else {
            open.braces.push((at, open.block()));
        }
    }

    fn close(&mut self, start: usize, end: usize) {
        let closed = self.body.as_mut().is_some_and(|open| open.braces.pop().is_some());
        if !closed {
            let message = "a closing brace has no opening one";
            self.problem(start, end, &SyntaxError { message, at: start });
        }
        if self.body.as_ref().is_some_and(|open| open.braces.is_empty() && (open.braced || !closed)) {
            self.end_body(end);
        }
    }

    fn end_body(&mut self, end: usize) {
        if let Some(mut open) = self.body.take() {
            open.body.range.end = end;
            open.body.labels.sort_by_key(|label| label.block);
            self.module.bodies.push(open.body);
        }
    }

    fn directive(&mut self, at: usize, name: &str, all: &'a str) {
        let directives = match name {
            ".version" => &mut self.module.versions,
            ".target" => &mut self.module.targets,
            ".address_size" => &mut self.module.address_sizes,
            // Those in bodies are counted when the body is read.
            _ => {
                self.module.directives += usize::from(self.body.is_none());
                return;
            }
        };
        directives.push(ModuleDirective { at, text: all, argument: all[name.len()..].trim() });
    }

    fn declare(&mut self, start: usize, end: usize, declaration: &Declaration<'a>) {
        self.module.declarations += 1;
        match self.scope.declare(self.isa, declaration, Origin::Statement, self.module.text) {
            Err(error) => self.problem(start, end, &error),
            Ok(_) if declaration.directives.starts_with(EXTERNAL) || declaration.space == BOUND => {}
            Ok(_) => {
                declaration
                    .declarators()
                    .flatten()
                    .filter(|of| of.family.is_none())
                    .for_each(|of| self.define(of.name));
            }
        }
    }

    fn define(&mut self, name: &'a str) {
        if !self.defined.insert(name) {
            self.module.problems.push(TextProblem::twice(self.module.text, name));
        }
    }
}

impl<'a> OpenBody<'a> {
    /// The number of the innermost block.
    fn block(&self) -> usize {
        self.braces.last().map_or(0, |(_, block)| *block)
    }

    fn label(&mut self, name: &'a str, at: usize) {
        let block = self.block();
        self.body.labels.push(BlockLabel { block, name, at, object: LABEL });
    }
}
