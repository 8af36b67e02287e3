//! Brackets and lists of tokens.

use super::source_token::{SourceToken, SourceTokenKind};

/// True if a token is this sign.
pub(super) fn is_sign(token: Option<&SourceToken>, sign: u8) -> bool {
    matches!(token, Some(SourceToken { kind: SourceTokenKind::Sign(byte), .. }) if *byte == sign)
}

/// The position of the bracket that closes the one with which the tokens begin.
pub(super) fn closing(tokens: &[SourceToken]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            SourceTokenKind::Sign(b'(' | b'[' | b'{') => depth += 1,
            SourceTokenKind::Sign(b')' | b']' | b'}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at);
                }
            }
            // A macro ends with its line.
            SourceTokenKind::EndDefine => return None,
            _ => {}
        }
    }
    None
}

/// The tokens between separators outside of brackets.
pub(super) fn split(tokens: &[SourceToken], separator: u8) -> Vec<&[SourceToken]> {
    let (mut depth, mut start, mut parts) = (0_usize, 0, Vec::new());
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            SourceTokenKind::Sign(b'(' | b'[' | b'{') => depth += 1,
            SourceTokenKind::Sign(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            SourceTokenKind::Sign(sign) if sign == separator && depth == 0 => {
                parts.push(&tokens[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tokens[start..]);
    parts
}
