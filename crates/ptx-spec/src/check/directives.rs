//! Checks directives and declarations.

use super::diagnostic::{CheckedDirective, Diagnostic, DiagnosticSeverity};
use super::environments::JudgedEnvironment;
use crate::directive::DirectiveText;
use crate::text::Declarations;

/// The result of reading a directive.
pub(super) enum FoundDirective<'a> {
    /// Nothing is known of such directives.
    Unknown,
    /// A directive that is not written as its form wants it.
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
