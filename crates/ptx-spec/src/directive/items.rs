//! The items of a line of a debugging section. PTX ISA `debugging-directives-section`.

use crate::text::{Lexer, SyntaxError, TokenKind, natural};

/// Reads the items after the size of a line.
pub(super) fn items(lexer: &mut Lexer<'_>) -> Result<&'static str, SyntaxError> {
    let before = lexer.before().trim_end();
    let bits: u32 = before.rsplit_once(".b").and_then(|(_, bits)| bits.parse().ok()).unwrap_or(64);
    let mut ahead = lexer.clone();
    let first = ahead.next();
    match first.map(|token| token.kind) {
        Some(TokenKind::Word) => label(lexer, ahead),
        Some(TokenKind::Directive) => {
            *lexer = ahead;
            offset(lexer)?;
            Ok("section")
        }
        _ => numbers(lexer, bits),
    }
}

/// Reads `label`, `label+4` or `label-label`, whose first name was read ahead.
fn label<'a>(lexer: &mut Lexer<'a>, ahead: Lexer<'a>) -> Result<&'static str, SyntaxError> {
    *lexer = ahead;
    lexer.blank();
    if lexer.eat(b'-') {
        let at = lexer.at();
        return match lexer.next() {
            Some(token) if token.kind == TokenKind::Word => Ok("difference"),
            _ => Err(SyntaxError { message: "expected a label after `-`", at }),
        };
    }
    Ok(if offset(lexer)? { "label-and-offset" } else { "label" })
}

/// Reads `+4`, if that comes next.
fn offset(lexer: &mut Lexer<'_>) -> Result<bool, SyntaxError> {
    lexer.blank();
    if !lexer.eat(b'+') {
        return Ok(false);
    }
    let at = lexer.at();
    match lexer.next() {
        Some(token) if natural(token.text).is_some() => Ok(true),
        _ => Err(SyntaxError { message: "expected a number after `+`", at }),
    }
}

fn numbers(lexer: &mut Lexer<'_>, bits: u32) -> Result<&'static str, SyntaxError> {
    let (mut negative, mut outside) = (false, false);
    let half = 1_u64 << (bits.clamp(1, 64) - 1);
    loop {
        lexer.blank();
        let minus = lexer.eat(b'-');
        let at = lexer.at();
        let token = lexer.next().filter(|token| token.kind == TokenKind::Number);
        let Some(number) = token.and_then(|token| natural(token.text)) else {
            return Err(SyntaxError { message: "expected a number, a label or a section", at });
        };
        negative |= minus;
        outside |= if minus { number > half } else { half.checked_mul(2).is_some_and(|limit| number >= limit) };
        lexer.blank();
        if !lexer.eat(b',') {
            break;
        }
    }
    Ok(if outside {
        "out-of-range"
    } else if negative {
        "negative"
    } else {
        "integers"
    })
}
