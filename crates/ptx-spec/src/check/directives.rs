//! Checks directives and declarations.

use std::ops::Range;

use super::diagnostic::{Diagnostic, DiagnosticSeverity};
use super::environments::JudgedEnvironment;
use crate::directive::{DirectiveReading, DirectiveText};
use crate::environment::Environment;
use crate::judge::{Needs, needs};
use crate::spec::Isa;
use crate::text::Declarations;

/// A directive of a file with its reading.
#[derive(Clone, Debug)]
pub struct CheckedDirective<'a> {
    /// The text of the file.
    pub file: &'a str,
    /// The directive, its form, its choices, and the rules that they break.
    pub read: DirectiveReading<'a>,
    /// Where it is judged.
    pub environment: Environment,
    /// True if the directive is only warned about although it breaks rules.
    pub tolerated: bool,
}

impl CheckedDirective<'_> {
    /// Its bytes in the file.
    pub fn at(&self) -> Range<usize> {
        self.read.at.clone()
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.file[self.read.at.clone()]
    }

    /// The version and target that it needs.
    pub fn needs(&self, isa: &Isa) -> Option<Needs> {
        needs(isa, self.read.form(), &self.read.reading)
    }
}

/// The result of reading a directive.
pub(super) enum FoundDirective<'a> {
    /// Nothing is known of such directives.
    Unknown,
    /// It is not written as its form wants it.
    Malformed(Diagnostic<'a>),
    /// Its readings: one for each name that it declares.
    Read(Vec<CheckedDirective<'a>>),
}

/// Reads a directive.
pub(super) fn read<'a, 's: 'a>(
    judged: &JudgedEnvironment<'s>,
    text: &DirectiveText<'a>,
    scope: &Declarations,
) -> FoundDirective<'a> {
    match judged.directives.as_ref().and_then(|judge| judge.read(text, scope)) {
        None => FoundDirective::Unknown,
        Some(Err(problem)) => {
            let length = text.file[problem.at..].chars().next().map_or(0, char::len_utf8);
            let at = problem.at..problem.at + length;
            let diagnostic = Diagnostic::new(DiagnosticSeverity::Error, "isa/syntax", at, problem.message);
            FoundDirective::Malformed(diagnostic.with_page("directive-statements"))
        }
        Some(Ok(readings)) => {
            let environment = judged.environment;
            let checked = |read| CheckedDirective { file: text.file, read, environment, tolerated: false };
            FoundDirective::Read(readings.into_iter().map(checked).collect())
        }
    }
}
