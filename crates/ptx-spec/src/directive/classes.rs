//! The tokens that patterns stand for.

use crate::spec::{DirectivePart, Form, Isa, PatternToken, TokenClass};
use crate::text::{Declarations, Lexer, Symbol, Token, TokenKind, is_identifier, natural};

/// The things that names of a text are looked up in, and the part of a form that is read.
#[derive(Clone, Copy)]
pub(super) struct ClassContext<'c> {
    pub(super) isa: &'c Isa,
    pub(super) scope: &'c Declarations,
    pub(super) form: &'c Form,
    pub(super) part: &'c DirectivePart,
}

impl ClassContext<'_> {
    /// True if a component follows a name without a blank. A directive that may come next is no component: `.entry k.maxntid 32`.
    fn dotted(&self, lexer: &Lexer<'_>) -> bool {
        let dot = lexer.peek() == Some(b'.')
            && lexer.peek_second().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let known =
            |word: &str| self.form.template.as_ref().is_some_and(|template| template.may_follow(self.part, word));
        dot && !lexer.clone().next().is_some_and(|token| known(token.text))
    }
}

/// Reads the next token; true if it is as the pattern wants it.
pub(super) fn next_is(pattern: &PatternToken, lexer: &mut Lexer<'_>, context: ClassContext<'_>) -> bool {
    lexer.next().is_some_and(|token| matches_token(pattern, token, lexer, context))
}

/// True if a token, which the lexer has read, is as the pattern wants it. Reads the rest of what has several tokens.
pub(super) fn matches_token(
    pattern: &PatternToken,
    token: Token<'_>,
    lexer: &mut Lexer<'_>,
    context: ClassContext<'_>,
) -> bool {
    match pattern {
        PatternToken::Token(text) => token.text == text,
        PatternToken::Quoted(inner) => {
            let Some(inside) = token.text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
                return false;
            };
            let mut lexer = Lexer::new(inside);
            inner.iter().all(|token| next_is(token, &mut lexer, context)) && lexer.next().is_none()
        }
        PatternToken::Class(class) => is_of(*class, token, lexer, context),
    }
}

/// True if a token, which the lexer has read, is of a class. Reads the rest of a name with dots.
fn is_of(class: TokenClass, token: Token<'_>, lexer: &mut Lexer<'_>, context: ClassContext<'_>) -> bool {
    // A point directly after a number makes it a fraction.
    let whole = token.kind == TokenKind::Number && lexer.peek() != Some(b'.');
    let number = || natural(token.text).filter(|_| whole);
    let below = |limit: u64| number().filter(|number| *number <= limit);
    let word = u64::from(u32::MAX);
    let symbol = || context.scope.symbol(token.text);
    let predefined = || context.isa.special(token.text).is_some() || token.text == "WARP_SZ";
    match class {
        TokenClass::Positive => below(word).is_some_and(|number| number > 0),
        TokenClass::Zero => number() == Some(0),
        TokenClass::SmallPower => below(128).is_some_and(u64::is_power_of_two),
        TokenClass::Power => below(word).is_some_and(u64::is_power_of_two),
        TokenClass::Uneven => below(word).is_some_and(|number| !number.is_power_of_two()),
        TokenClass::Integer => below(word).is_some(),
        TokenClass::Byte => below(u64::from(u8::MAX)).is_some(),
        TokenClass::Wide => number().is_some_and(|number| number > word),
        TokenClass::Long => number().is_some(),
        TokenClass::ByteMask => number().is_some_and(is_byte_mask),
        TokenClass::Name => is_identifier(token.text) && !context.dotted(lexer),
        TokenClass::Misnomer => {
            matches!(token.kind, TokenKind::Word | TokenKind::Number | TokenKind::Sign)
                && !is_identifier(token.text)
                && (token.kind != TokenKind::Sign || matches!(token.text, "%" | "$"))
                && !context.dotted(lexer)
        }
        TokenClass::Dotted => {
            let first = is_identifier(token.text) && context.dotted(lexer);
            while context.dotted(lexer) {
                lexer.next();
            }
            first
        }
        TokenClass::Predefined => predefined() && !context.dotted(lexer),
        TokenClass::Label => symbol() == Some(Symbol::Object("label")),
        TokenClass::Labels => {
            let mut next = || lexer.next().map_or("", |token| token.text);
            let count = if next() == "<" { natural(next()) } else { None };
            let is_label =
                |number: u64| context.scope.symbol(&format!("{}{number}", token.text)) == Some(Symbol::Object("label"));
            next() == ">" && count.is_some_and(|count| (0..count).all(is_label))
        }
        TokenClass::Function => context.scope.is_function(token.text),
        TokenClass::Entry => context.scope.is_entry(token.text),
        TokenClass::Declared => is_identifier(token.text) && symbol().is_some(),
        TokenClass::Range => {
            let mut next = || lexer.next().map_or("", |token| token.text);
            token.text == "<" && natural(next()).is_some() && next() == ">"
        }
        TokenClass::Directive => token.kind == TokenKind::Directive,
        TokenClass::Text => token.kind == TokenKind::Text,
        TokenClass::AddressSize => matches!(token.text, "32" | "64"),
        TokenClass::Target | TokenClass::Any => true,
    }
}

/// True if a number has ones in one byte only, and all of them.
pub(super) fn is_byte_mask(number: u64) -> bool {
    (0..8).any(|byte| number == 0xff << (8 * byte))
}
