//! Strings that a file gives names: macros, and variables outside of brackets.

use std::collections::BTreeMap;

use super::language::SourceLanguage;
use super::mapped_text::MappedText;
use super::quoted::HOLE;
use super::source_token::{SourceToken, SourceTokenKind};

/// The strings with names.
#[derive(Debug, Default)]
pub(super) struct NamedStrings {
    /// The values of a name, with the bytes at which they are given: none is something else than a string.
    values: BTreeMap<String, Vec<(usize, Option<MappedText>)>>,
    /// True if a name has the value that it was given last.
    last: bool,
}

impl NamedStrings {
    pub(super) fn of(text: &str, tokens: &[SourceToken], language: SourceLanguage) -> Self {
        let mut named = Self { last: language != SourceLanguage::C, ..Self::default() };
        let mut depth = 0_usize;
        for (at, token) in tokens.iter().enumerate() {
            match token.kind {
                SourceTokenKind::Define => named.define(text, &tokens[at + 1..]),
                SourceTokenKind::Sign(b'(' | b'[' | b'{') => depth += 1,
                SourceTokenKind::Sign(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                SourceTokenKind::Word if named.last && depth == 0 => named.assign(text, &tokens[at..]),
                _ => {}
            }
        }
        named
    }

    /// Takes the definition of a macro without parameters.
    fn define(&mut self, text: &str, tokens: &[SourceToken]) {
        let Some((name, rest)) = tokens.split_first() else { return };
        let parameters = rest
            .first()
            .is_some_and(|next| next.at.start == name.at.end && matches!(next.kind, SourceTokenKind::Sign(b'(')));
        let end = rest.iter().position(|token| matches!(token.kind, SourceTokenKind::EndDefine)).unwrap_or(rest.len());
        let value = if parameters { None } else { all_text(&rest[..end]) };
        self.add(&text[name.at.clone()], name.at.start, value);
    }

    /// Takes an assignment: `name = "..."`, `name += ...`.
    fn assign(&mut self, text: &str, tokens: &[SourceToken]) {
        let [name, first, rest @ ..] = tokens else { return };
        let sign = |token: Option<&SourceToken>, sign| matches!(token, Some(SourceToken { kind: SourceTokenKind::Sign(byte), .. }) if *byte == sign);
        let word = &text[name.at.clone()];
        if sign(Some(first), b'+') && sign(rest.first(), b'=') {
            return self.add(word, name.at.start, None);
        }
        if !sign(Some(first), b'=') || sign(rest.first(), b'=') {
            return;
        }
        let bracket = usize::from(sign(rest.first(), b'('));
        let rest = &rest[bracket..];
        let strings = rest.iter().take_while(|token| matches!(token.kind, SourceTokenKind::Text(_))).count();
        let after = rest.get(strings + bracket);
        let closed = bracket == 0 || sign(rest.get(strings), b')');
        // What goes on with a sign is more than these strings.
        let goes_on = after.is_some_and(|next| matches!(next.kind, SourceTokenKind::Sign(b'.' | b'%' | b'+' | b'*')));
        let value = if closed && !goes_on { all_text(&rest[..strings]) } else { None };
        self.add(word, name.at.start, value);
    }

    fn add(&mut self, name: &str, at: usize, value: Option<MappedText>) {
        let value = value.filter(|value| !value.text().contains(HOLE));
        self.values.entry(name.to_owned()).or_default().push((at, value));
    }

    /// All strings that a name may stand for.
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let values = self.values.get(name).into_iter().flatten();
        values.filter_map(|(_, value)| value.as_ref().map(MappedText::text))
    }

    /// The string that a name stands for at this byte.
    pub(super) fn value(&self, name: &str, at: usize) -> Option<&MappedText> {
        let values = self.values.get(name)?;
        if self.last {
            return values.iter().rfind(|(given, _)| *given < at)?.1.as_ref();
        }
        let (_, first) = values.first()?;
        let first = first.as_ref()?;
        let same = |value: &Option<MappedText>| value.as_ref().is_some_and(|value| value.text() == first.text());
        values.iter().all(|(_, value)| same(value)).then_some(first)
    }
}

/// The text of tokens that are strings; none if others are among them.
fn all_text(tokens: &[SourceToken]) -> Option<MappedText> {
    let mut all = MappedText::default();
    for token in tokens {
        let SourceTokenKind::Text(part) = &token.kind else { return None };
        all.append(part);
    }
    (!tokens.is_empty()).then_some(all)
}
