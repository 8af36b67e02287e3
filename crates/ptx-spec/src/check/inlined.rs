//! Positions of inlined calls: each is one of a `.loc` before. PTX ISA `debugging-directives-loc`.

use rustc_hash::FxHashSet;

use super::diagnostic::{Diagnostic, DiagnosticSeverity, OBSERVED};
use crate::text::{Lexer, natural, range};

/// The word before the position of an inlined call.
const INLINED_AT: &str = "inlined_at";

/// A file, a line and a column.
type SourcePosition = [u64; 3];

/// Finds the inlined calls of a file whose position no `.loc` before has.
pub(super) fn check<'a>(text: &'a str) -> Vec<Diagnostic<'a>> {
    let mut found = Vec::new();
    if !text.contains(INLINED_AT) {
        return found;
    }
    let mut before: FxHashSet<SourcePosition> = FxHashSet::default();
    // The position of the last `.loc` counts only from the next one on: no call is inlined at its own position.
    let mut own = None;
    let mut lexer = Lexer::new(text);
    while let Some(token) = lexer.next() {
        if token.text == ".loc" {
            before.extend(own.take());
            own = position(&mut lexer);
        } else if token.text == INLINED_AT
            && let Some(call) = position(&mut lexer)
            && !before.contains(&call)
        {
            let [file, line, column] = call;
            let message = format!("no `.loc` before this has the position {file} {line} {column}");
            let at = range(text, token.text);
            found.push(Diagnostic::new(DiagnosticSeverity::Error, "isa/inlined-at", at, message).with_note(OBSERVED));
        }
    }
    found
}

/// Reads three numbers, if they come next.
fn position(lexer: &mut Lexer<'_>) -> Option<SourcePosition> {
    let mut ahead = lexer.clone();
    let mut number = || natural(ahead.next()?.text);
    let read = [number()?, number()?, number()?];
    *lexer = ahead;
    Some(read)
}
