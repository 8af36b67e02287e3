//! The notation of templates and patterns.

use crate::spec::{PatternToken, TemplatePiece, TokenClass};
use crate::text::{Lexer, TokenKind};

/// A pattern, and the text that is written for it.
pub(super) struct ReadPattern {
    pub(super) tokens: Vec<PatternToken>,
    pub(super) sample: String,
}

/// Reads a pattern: `.attribute(.unified(<long:1>, <long:2>))`.
///
/// # Errors
/// If a class is not known, or a bracket is not closed; says which.
pub(super) fn pattern(text: &str) -> Result<ReadPattern, String> {
    let (mut tokens, mut sample) = (Vec::new(), String::new());
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let (before, class) = rest.split_at(start);
        let Some(end) = class.find('>') else { return Err(format!("`<` is not closed in `{text}`")) };
        add_tokens(before, &mut tokens);
        let (name, own) = class[1..end].split_once(':').map_or((&class[1..end], None), |(name, own)| (name, Some(own)));
        let Some(class) = TokenClass::named(name) else { return Err(format!("there is no class `<{name}>`")) };
        tokens.push(PatternToken::Class(class));
        sample.push_str(before);
        sample.push_str(own.unwrap_or_else(|| class.sample()));
        rest = &rest[start + end + 1..];
    }
    add_tokens(rest, &mut tokens);
    sample.push_str(rest);
    Ok(ReadPattern { tokens, sample })
}

/// Reads a quoted pattern: `"frequency <long>"`; none if the text is not quoted.
///
/// # Errors
/// As [`pattern`].
pub(super) fn quoted(text: &str) -> Option<Result<ReadPattern, String>> {
    let inside = text.strip_prefix('"')?.strip_suffix('"')?;
    Some(pattern(inside).map(|inner| ReadPattern {
        tokens: vec![PatternToken::Quoted(inner.tokens)],
        sample: format!("\"{}\"", inner.sample),
    }))
}

fn add_tokens(text: &str, tokens: &mut Vec<PatternToken>) {
    tokens.extend(Lexer::new(text).map(|token| PatternToken::Token(token.text.to_owned())));
}

/// Reads the syntax of a form; `part` finds the position of a part.
///
/// # Errors
/// If a part is not described, or a bracket is not closed; says which.
pub(super) fn pieces(
    text: &str,
    part: &mut impl FnMut(&str) -> Result<usize, String>,
) -> Result<Vec<TemplatePiece>, String> {
    let tokens: Vec<&str> =
        Lexer::new(text).filter(|token| token.kind != TokenKind::Text).map(|token| token.text).collect();
    let mut reader = PieceReader { tokens: &tokens, at: 0, part };
    let pieces = reader.pieces(None)?;
    if reader.at < tokens.len() { Err(format!("`{}` closes nothing", tokens[reader.at])) } else { Ok(pieces) }
}

struct PieceReader<'r, F> {
    tokens: &'r [&'r str],
    at: usize,
    part: &'r mut F,
}

impl<F: FnMut(&str) -> Result<usize, String>> PieceReader<'_, F> {
    fn take(&mut self) -> Option<&str> {
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        Some(token)
    }

    fn expect(&mut self, tokens: &[&str]) -> Result<(), String> {
        for expected in tokens {
            match self.take() {
                Some(token) if token == *expected => {}
                other => return Err(format!("expected `{expected}` and not `{}`", other.unwrap_or("the end"))),
            }
        }
        Ok(())
    }

    fn pieces(&mut self, close: Option<&str>) -> Result<Vec<TemplatePiece>, String> {
        let mut pieces = Vec::new();
        while let Some(&token) = self.tokens.get(self.at) {
            if Some(token) == close {
                break;
            }
            self.at += 1;
            pieces.push(match token {
                "{" => TemplatePiece::Part(self.part()?),
                "[" => {
                    let mut parts = Vec::new();
                    while self.tokens.get(self.at) == Some(&"{") {
                        self.at += 1;
                        parts.push(self.part()?);
                    }
                    self.expect(&["]", "*"])?;
                    TemplatePiece::AnyOrder(parts)
                }
                "(" => {
                    let inner = self.pieces(Some(")"))?;
                    self.expect(&[")", ",", "+"])?;
                    TemplatePiece::List(inner)
                }
                token => TemplatePiece::Token(token.to_owned()),
            });
        }
        Ok(pieces)
    }

    /// The part whose `{` was read.
    fn part(&mut self) -> Result<usize, String> {
        // A name may have dashes.
        let mut name = String::new();
        loop {
            match self.take() {
                None => return Err("`{` is not closed".to_owned()),
                Some("}") => return (self.part)(&name),
                Some(token) => name.push_str(token),
            }
        }
    }
}
