//! The directives of a file: which text is of which place.

use std::ops::Range;

use rayon::prelude::*;

use crate::spec::DirectivePlace;
use crate::text::{
    Declaration, Header, Lexer, Module, Statement, TokenKind, WalkStep, labelled, offset, parameter_texts,
};

/// The text of a directive, and where it stands.
#[derive(Clone, Debug)]
pub struct DirectiveText<'a> {
    /// The text of the file.
    pub file: &'a str,
    /// The bytes of the directive.
    pub at: Range<usize>,
    /// The place where it stands.
    pub place: DirectivePlace,
    /// The word that it begins with, after its linkage or its label.
    pub keyword: &'a str,
    /// The declaration, if it is one that can be read.
    pub declaration: Option<Declaration<'a>>,
}

/// How many statements of a module are looked at together.
const STATEMENTS: usize = 1024;

/// The directives of a module outside of its bodies, in the order of the file; parameters follow their header.
pub fn texts_of_module<'a>(module: &Module<'a>) -> Vec<DirectiveText<'a>> {
    let of_some = |statements: &[(Range<usize>, Statement<'a>)]| {
        let mut found = Vec::new();
        statements.iter().for_each(|(at, statement)| of_statement(module.text, at, statement, &mut found));
        found
    };
    module.statements.par_chunks(STATEMENTS).flat_map_iter(of_some).collect()
}

fn of_statement<'a>(file: &'a str, at: &Range<usize>, statement: &Statement<'a>, found: &mut Vec<DirectiveText<'a>>) {
    let plain = |place, keyword| DirectiveText { file, at: at.clone(), place, keyword, declaration: None };
    match statement {
        Statement::Declaration(declaration) => {
            let text = plain(DirectivePlace::Module, declaration.space);
            found.push(DirectiveText { declaration: Some(declaration.clone()), ..text });
        }
        Statement::Header(header) => of_header(file, header, found),
        Statement::Directive(keyword @ (".version" | ".target" | ".address_size"), _) => {
            found.push(plain(DirectivePlace::Header, keyword));
        }
        Statement::Directive(keyword @ ".section", all) => {
            let open = all.find('{').unwrap_or(all.len());
            let head = plain(DirectivePlace::Module, keyword);
            found.push(DirectiveText { at: at.start..at.start + all[..open].trim_end().len(), ..head });
            lines_of_section(file, at.start + open + 1..at.end.saturating_sub(1), found);
        }
        Statement::Directive(keyword, _) => found.push(plain(DirectivePlace::Module, keyword)),
        _ => {}
    }
}

/// The directives of a step through a body: the statement itself, with the label before it, and the parameters of a prototype.
pub fn texts_of_step<'a>(file: &'a str, step: &WalkStep<'a>) -> Vec<DirectiveText<'a>> {
    match step {
        WalkStep::Declaration(declaration, at) => of_body(file, at.clone(), declaration.space, Some(declaration)),
        WalkStep::Directive(label, name, all) => {
            // Any directive may stand after a label, but only some have one of their own.
            let own = label.filter(|_| labelled(name).is_some());
            let at = offset(file, own.unwrap_or(all))..offset(file, all) + all.len();
            of_body(file, at, name, None)
        }
        _ => Vec::new(),
    }
}

fn of_body<'a>(
    file: &'a str,
    at: Range<usize>,
    keyword: &'a str,
    declaration: Option<&Declaration<'a>>,
) -> Vec<DirectiveText<'a>> {
    let text = &file[at.clone()];
    let own =
        DirectiveText { file, at: at.clone(), place: DirectivePlace::Body, keyword, declaration: declaration.cloned() };
    let mut found = vec![own];
    if keyword == ".callprototype" {
        let mut lexer = Lexer::new(text);
        let mut place = DirectivePlace::PrototypeResult;
        while let Some(token) = lexer.next() {
            if token.text == "(" {
                let start = lexer.at();
                let inside = lexer.skip_until(|byte| byte == b';');
                parameters(file, at.start + start, inside, place, &mut found);
            } else if token.kind == TokenKind::Word && token.text == "_" {
                place = DirectivePlace::PrototypeParameter;
            }
        }
    }
    found
}

fn of_header<'a>(file: &'a str, header: &Header<'a>, found: &mut Vec<DirectiveText<'a>>) {
    let start = offset(file, header.text);
    let keyword = if header.function { ".func" } else { ".entry" };
    let at = start..start + header.text.len();
    found.push(DirectiveText { file, at, place: DirectivePlace::Module, keyword, declaration: None });
    let (result, parameter) = match header.function {
        true => (DirectivePlace::FunctionResult, DirectivePlace::FunctionParameter),
        false => (DirectivePlace::EntryParameter, DirectivePlace::EntryParameter),
    };
    parameters(file, offset(file, header.results), header.results, result, found);
    parameters(file, offset(file, header.parameters), header.parameters, parameter, found);
    let after = if header.parameters.is_empty() { header.name } else { header.parameters };
    let after = offset(file, after) + after.len();
    let mut lexer = Lexer::new(&file[..start + header.text.len()]);
    lexer.reset(after);
    while let Some(token) = lexer.next() {
        if token.text == ".pragma" {
            let start = lexer.at() - token.text.len();
            lexer.skip_until(|byte| byte == b';');
            lexer.eat(b';');
            let at = start..lexer.at();
            found.push(DirectiveText { file, at, place: DirectivePlace::Entry, keyword: ".pragma", declaration: None });
        }
    }
}

/// The parameters in parentheses, whose text begins at `start`.
fn parameters<'a>(
    file: &'a str,
    start: usize,
    inside: &'a str,
    place: DirectivePlace,
    found: &mut Vec<DirectiveText<'a>>,
) {
    for at in parameter_texts(inside) {
        let declaration = Declaration::parameter(inside, at.clone()).ok();
        let at = start + at.start..start + at.end;
        found.push(DirectiveText { file, at, place, keyword: "", declaration });
    }
}

/// The lines of a debugging section: each begins with a size or is a label.
fn lines_of_section<'a>(file: &'a str, inside: Range<usize>, found: &mut Vec<DirectiveText<'a>>) {
    let mut lexer = Lexer::new(&file[..inside.end.max(inside.start).min(file.len())]);
    lexer.reset(inside.start.min(file.len()));
    let mut open: Option<usize> = None;
    let mut push = |open: &mut Option<usize>, end: usize, keyword: &'static str| {
        if let Some(start) = open.take() {
            let at = start..start + file[start..end].trim_end().len();
            found.push(DirectiveText { file, at, place: DirectivePlace::Section, keyword, declaration: None });
        }
    };
    let mut before = None;
    loop {
        lexer.blank();
        let start = lexer.at();
        let Some(token) = lexer.next() else { break };
        let mut ahead = lexer.clone();
        let label = token.kind == TokenKind::Word && ahead.next().is_some_and(|next| next.text == ":");
        let sized = token.kind == TokenKind::Directive
            && token.text.get(1..3).is_some_and(|text| text.as_bytes()[1].is_ascii_digit())
            && before != Some(",");
        if label || sized || open.is_none() {
            push(&mut open, start, "");
            open = Some(start);
        }
        if label {
            lexer = ahead;
            push(&mut open, lexer.at(), ":");
        }
        before = Some(token.text);
    }
    push(&mut open, lexer.at(), "");
}
