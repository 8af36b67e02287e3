//! Reads a directive along the template of its form.

use std::cell::Cell;

use super::DirectiveProblem;
use super::classes::{ClassContext, matches_token, next_is};
use super::measured::MeasureContext;
use super::measures::measure;
use super::texts::DirectiveText;
use crate::must::Must;
use crate::space::{EnvironmentValues, Values};
use crate::spec::{DirectivePart, DirectiveTemplate, Form, PartRead, PatternToken, Spec, TemplatePiece};
use crate::text::{Declaration, Declarations, Lexer, Token};

/// A directive that is being read.
pub(super) struct Matcher<'m, 'a> {
    spec: &'m Spec,
    form: &'m Form,
    scope: &'m Declarations,
    declaration: Option<&'m Declaration<'a>>,
    lexer: Lexer<'a>,
    values: Values,
    /// The values of each item of a list.
    listed: Vec<Values>,
    /// The dimensions of the name that was read last.
    dimensions: Vec<Option<u64>>,
    /// The token that was looked at last: nearly every part begins by looking at the next one.
    ahead: Cell<Option<TokenAhead<'a>>>,
    /// The furthest byte at which a value of a part was not what it began as, and what was expected there.
    furthest: Cell<Option<(usize, &'m PatternToken)>>,
}

/// The next token from a byte on, which may be one of the blanks before it.
#[derive(Clone, Copy)]
struct TokenAhead<'a> {
    from: usize,
    start: usize,
    end: usize,
    /// The token; none at the end of the directive.
    token: Option<Token<'a>>,
}

impl<'a> TokenAhead<'a> {
    /// Its text; empty at the end of the directive.
    fn text(&self) -> &'a str {
        self.token.map_or("", |token| token.text)
    }
}

impl<'m, 'a> Matcher<'m, 'a> {
    pub(super) fn new(
        spec: &'m Spec,
        form: &'m Form,
        environment: EnvironmentValues,
        text: &DirectiveText<'a>,
        declaration: Option<&'m Declaration<'a>>,
        scope: &'m Declarations,
    ) -> Self {
        let mut values = form.blank().to_vec();
        environment.give_to(&mut values);
        if let Some(mode) = form.mode() {
            let options = scope.options.split(',').map(str::trim);
            values[mode] = options.filter_map(|option| form.axes[mode].position(option)).next().unwrap_or(0);
        }
        let mut lexer = Lexer::new(&text.file[..text.at.end]);
        lexer.reset(text.at.start);
        Self {
            spec,
            form,
            scope,
            declaration,
            lexer,
            values,
            listed: Vec::new(),
            dimensions: Vec::new(),
            ahead: Cell::new(None),
            furthest: Cell::new(None),
        }
    }

    /// Reads all of the directive: the values of each of its items.
    pub(super) fn read(mut self) -> Result<Vec<Values>, DirectiveProblem> {
        let template = self.form.template.as_ref().must("only forms with a template are of a place");
        self.pieces(template, &template.pieces)?;
        self.lexer.blank();
        if self.lexer.peek().is_some() {
            return Err(self.unexpected("the end of the directive"));
        }
        if self.listed.is_empty() {
            self.listed.push(self.values);
        }
        Ok(self.listed)
    }

    /// The problem that something else was expected at the next token; or behind it, where a value of a part began and was
    /// not what it should be.
    fn unexpected(&self, expected: &str) -> DirectiveProblem {
        let mut lexer = self.lexer.clone();
        lexer.blank();
        let furthest = self.furthest.get().filter(|(at, _)| *at > lexer.at());
        let expected = furthest.map_or(expected.to_owned(), |(_, token)| token.to_string());
        if let Some((at, _)) = furthest {
            lexer.reset(at);
        }
        let at = lexer.at();
        let message = match lexer.next() {
            Some(token) => format!("expected {expected}, and not `{}`", token.text),
            None => format!("expected {expected}"),
        };
        DirectiveProblem { at, message }
    }

    fn pieces(&mut self, template: &'m DirectiveTemplate, pieces: &'m [TemplatePiece]) -> Result<(), DirectiveProblem> {
        for piece in pieces {
            match piece {
                TemplatePiece::Token(token) => {
                    let ahead = self.ahead();
                    if ahead.text() != token {
                        return Err(self.unexpected(&format!("`{token}`")));
                    }
                    self.lexer.reset(ahead.end);
                }
                TemplatePiece::Part(part) => self.part(&template.parts[*part])?,
                TemplatePiece::AnyOrder(parts) => self.any_order(template, parts)?,
                TemplatePiece::List(inner) => self.list(template, inner)?,
            }
        }
        Ok(())
    }

    fn list(&mut self, template: &'m DirectiveTemplate, inner: &'m [TemplatePiece]) -> Result<(), DirectiveProblem> {
        let before = self.values.clone();
        loop {
            self.values.clone_from(&before);
            self.pieces(template, inner)?;
            self.listed.push(self.values.clone());
            self.lexer.blank();
            if !self.lexer.eat(b',') {
                return Ok(());
            }
        }
    }

    fn any_order(&mut self, template: &'m DirectiveTemplate, parts: &'m [usize]) -> Result<(), DirectiveProblem> {
        for part in parts.iter().map(|&part| &template.parts[part]) {
            self.values[part.axis] = 0;
        }
        loop {
            self.lexer.blank();
            let start = self.lexer.at();
            let mut found: Option<(usize, usize, u8)> = None;
            for &part in parts {
                if let Some((end, value)) = self.longest(&template.parts[part])
                    && end > found.map_or(start, |(end, ..)| end)
                {
                    found = Some((end, part, value));
                }
            }
            let Some((end, part, value)) = found else { return Ok(()) };
            self.lexer.reset(end);
            let part = &template.parts[part];
            let (axis, before) = (&self.form.axes[part.axis], self.values[part.axis]);
            let twice = axis.position("twice").filter(|_| before != 0);
            // Of two, the one that is never valid counts, or else the later of the values: the larger alignment.
            let kept = match [before, value].into_iter().find(|of| *of != 0 && !axis.claimed.contains(*of)) {
                Some(never) => never,
                None => before.max(value),
            };
            self.values[part.axis] = twice.unwrap_or(kept);
        }
    }

    fn part(&mut self, part: &'m DirectivePart) -> Result<(), DirectiveProblem> {
        if let PartRead::Measured(how) = part.read {
            let context = MeasureContext {
                isa: &self.spec.isa,
                scope: self.scope,
                declaration: self.declaration,
                dimensions: &mut self.dimensions,
            };
            let word = measure(how, &mut self.lexer, context)
                .map_err(|error| DirectiveProblem { at: error.at, message: error.message.to_owned() })?;
            self.values[part.axis] = self.form.axes[part.axis]
                .position(word)
                .must("the loader checks that the values are the measure's words");
            return Ok(());
        }
        let Some((end, value)) = self.longest(part) else {
            return Err(self.unexpected(&part.is));
        };
        self.lexer.reset(end);
        self.values[part.axis] = value;
        Ok(())
    }

    fn ahead(&self) -> TokenAhead<'a> {
        let from = self.lexer.at();
        if let Some(known) = self.ahead.get().filter(|known| known.from == from || known.start == from) {
            return known;
        }
        let mut lexer = self.lexer.clone();
        let token = lexer.next();
        let end = lexer.at();
        let ahead = TokenAhead { from, start: end - token.map_or(0, |token| token.text.len()), end, token };
        self.ahead.set(Some(ahead));
        ahead
    }

    /// The end of the longest text that is a value of the part, and that value.
    fn longest(&self, part: &'m DirectivePart) -> Option<(usize, u8)> {
        let PartRead::Patterns(patterns) = &part.read else { return None };
        let ahead = self.ahead();
        // Of two that match as much, the pattern without a class that has anything.
        let mut best: Option<(usize, bool, u8)> = None;
        for (value, pattern) in patterns.candidates(ahead.text()) {
            let mut lexer = self.lexer.clone();
            let context = ClassContext { isa: &self.spec.isa, scope: self.scope, form: self.form, part };
            let mut at = lexer.at();
            let mut next = ahead.token.map(|token| (ahead, token));
            let differs = |token: &&PatternToken| {
                // The first token is known already.
                if let Some((ahead, first)) = next.take() {
                    at = ahead.start;
                    lexer.reset(ahead.end);
                    return !matches_token(token, first, &mut lexer, context);
                }
                lexer.blank();
                at = lexer.at();
                !next_is(token, &mut lexer, context)
            };
            if let Some(token) = pattern.iter().find(differs) {
                if self.furthest.get().is_none_or(|(furthest, _)| at > furthest) {
                    self.furthest.set(Some((at, token)));
                }
                continue;
            }
            let special =
                !pattern.iter().any(|token| matches!(token, PatternToken::Class(class) if class.is_general()));
            if best.is_none_or(|(end, is_special, _)| (lexer.at(), special) > (end, is_special)) {
                best = Some((lexer.at(), special, value));
            }
        }
        best.map(|(end, _, value)| (end, value))
    }
}
