//! Faults from which others follow: a name whose declaration is wrong is reported there, and not again where it is used.

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashSet;

use crate::text::{Line, TextProblem, is_identifier};

/// The declarations that are wrong, by the words in them.
#[derive(Debug, Default)]
pub(super) struct DeclarationFaults<'a> {
    /// The words of wrong statements: any of them may be a name that was to be declared.
    words: FxHashSet<&'a str>,
    /// The names that one scope has twice, so that it is open which of their types is meant.
    twice: FxHashSet<&'a str>,
    /// The directives that are wrong: where each begins, and where it or one before it ends last.
    directives: BTreeMap<usize, usize>,
}

impl<'a> DeclarationFaults<'a> {
    /// Adds the words of a statement that is wrong.
    pub(super) fn add_words(&mut self, statement: &'a str) {
        for word in statement.split(is_between).filter(|word| !word.is_empty() && !word.starts_with('.')) {
            self.words.insert(word);
            self.words.extend(word.split('.'));
        }
    }

    /// Adds the words in the operands of a line that is two: a label of the second may be among them.
    pub(super) fn add_words_of_line(&mut self, line: &Line<'a>) {
        line.operands.iter().for_each(|operand| self.add_words(operand.text));
    }

    /// Adds a directive that is wrong.
    pub(super) fn add_directive(&mut self, file: &'a str, at: Range<usize>) {
        let before = self.directives.range(..=at.start).next_back().map_or(0, |(_, end)| *end);
        self.directives.insert(at.start, at.end.max(before));
        self.add_words(&file[at]);
    }

    /// Adds a name that is declared twice.
    pub(super) fn add_twice(&mut self, name: &'a str) {
        self.twice.insert(name);
    }

    /// True if a word stands in a declaration that is wrong.
    pub(super) fn has_word(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// True if one of these names, or the family of one, is declared twice.
    pub(super) fn has_twice(&self, mut names: impl Iterator<Item = &'a str>) -> bool {
        let family = |name: &'a str| name.trim_end_matches(|c: char| c.is_ascii_digit());
        !self.twice.is_empty() && names.any(|name| self.twice.contains(name) || self.twice.contains(family(name)))
    }

    /// True if a byte is in a directive that is wrong, or behind it, where something of it is missing.
    pub(super) fn has_byte(&self, at: usize) -> bool {
        self.directives.range(..=at).next_back().is_some_and(|(_, end)| at <= *end)
    }
}

/// True if a statement that cannot be read would declare something: a directive, or a label.
pub(super) fn declares(problem: &TextProblem<'_>, file: &str) -> bool {
    file[problem.statement.clone()].starts_with('.') || file[problem.at.clone()].starts_with(':')
}

/// The malformed name at which the reader of a statement stops, such as `x#y` or `1x`; none if it stops at something else.
pub(super) fn no_name<'a>(problem: &TextProblem<'_>, file: &'a str) -> Option<&'a str> {
    let (before, after) = (&file[..problem.at.start], &file[problem.at.start..]);
    let start = before.rfind(is_between).map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let end = after.find(is_between).map_or(file.len(), |length| problem.at.start + length);
    let word = &file[start.min(end)..end];
    let is_like_name = word.chars().any(|c| c.is_alphanumeric()) && !word.starts_with('.');
    (is_like_name && !is_identifier(word)).then_some(word)
}

/// True for what stands between words.
fn is_between(c: char) -> bool {
    c.is_whitespace() || ",;:[]{}()<>=|+-*/\"".contains(c)
}
