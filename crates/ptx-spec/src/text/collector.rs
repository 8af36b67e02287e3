//! Reads the text between a module's directives and a line.

use super::SyntaxError;
use super::declarations::{DeclarationError, Declarations, LABEL, NESTING, Origin, labelled};
use super::header::Header;
use super::part::offset;
use super::statement::{Statement, Statements};
use crate::spec::Isa;

impl Declarations {
    /// Reads declarations: the text between a module's directives and a line. Declarations in closed braces
    /// are dropped.
    ///
    /// # Errors
    /// If something is not a declaration; says what and where.
    pub fn parse(text: &str, isa: &Isa) -> Result<Self, DeclarationError> {
        let mut collector = Collector::new(isa);
        collector.scope.reserve(text);
        collector.text(text).map_err(|error| DeclarationError::new(text, &error))?;
        Ok(collector.scope)
    }
}

/// Reads declarations into scopes.
struct Collector<'a, 'i> {
    isa: &'i Isa,
    /// The innermost scope.
    scope: Declarations,
    /// The label before the statement.
    label: Option<&'a str>,
    /// The number of open braces.
    open: usize,
    /// True if the next brace opens the body of an entry or function, whose scope is open already.
    body: bool,
}

impl<'a, 'i> Collector<'a, 'i> {
    fn new(isa: &'i Isa) -> Self {
        Self { isa, scope: Declarations::default(), label: None, open: 0, body: false }
    }

    fn text(&mut self, text: &'a str) -> Result<(), SyntaxError> {
        let mut statements = Statements::of_part(text);
        loop {
            let start = statements.at();
            let error = |message| Err(SyntaxError { message, at: start });
            let Some(statement) = statements.next_statement()? else { return Ok(()) };
            let label = self.label.take();
            match statement {
                Statement::Declaration(declaration) => {
                    self.scope.declare(self.isa, &declaration, Origin::Before, text)?;
                }
                Statement::Header(header) => self.header(&header, text)?,
                Statement::Open if self.open == NESTING => return error("blocks are nested too deep"),
                Statement::Open => {
                    self.open += 1;
                    if !std::mem::take(&mut self.body) {
                        self.scope.open();
                    }
                }
                Statement::Close if self.open > 0 => {
                    self.open -= 1;
                    self.scope.close();
                }
                Statement::Label(name) => {
                    self.label = Some(name);
                    self.scope.label(name, LABEL, 0);
                }
                Statement::Directive(".target", all) => {
                    self.scope.options = all[".target".len()..].trim().to_owned();
                }
                Statement::Directive(name, all) => {
                    if let Some((label, object)) = label.zip(labelled(name)) {
                        self.scope.label(label, object, 0);
                        self.scope.callee(self.isa, label, name, all);
                    }
                }
                Statement::Close => {}
                Statement::Instruction(_) => return error("expected a declaration"),
            }
        }
    }

    fn header(&mut self, header: &Header<'_>, text: &str) -> Result<(), SyntaxError> {
        self.scope.function(self.isa, header, 0);
        // A prototype declares a function without a body.
        if header.prototype {
            return Ok(());
        }
        if self.open > 0 || self.body {
            let at = offset(text, header.text);
            return Err(SyntaxError { message: "an entry or function is inside another", at });
        }
        self.body = true;
        self.scope.open();
        self.scope.parameters(self.isa, header, text).map(|_| ())
    }
}
