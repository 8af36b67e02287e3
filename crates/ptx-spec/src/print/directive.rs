//! Prints directives along their templates.

use crate::spec::words::NONE;
use crate::spec::{
    ADDRESS_SIZE, Choice, DirectivePlace, DirectiveTemplate, Form, HERE, PartRead, TARGET, TemplatePiece, TextMeasure,
};
use crate::text::{Context, Lexer, Scaffold};

/// A directive, with the text around it.
pub(super) fn print(form: &Form, template: &DirectiveTemplate, values: &[u8]) -> String {
    template.around.replace(HERE, &alone(form, template, values))
}

/// A directive alone.
fn alone(form: &Form, template: &DirectiveTemplate, values: &[u8]) -> String {
    let mut text = String::new();
    pieces(template, &template.pieces, values, &mut text);
    let value = |choice: Choice| form.axis_of(choice).map_or("", |axis| form.value(values, axis));
    text.replace(TARGET, value(Choice::Target)).replace(ADDRESS_SIZE, value(Choice::AddressSize))
}

fn pieces(template: &DirectiveTemplate, pieces_of: &[TemplatePiece], values: &[u8], to: &mut String) {
    let part = |part: usize, to: &mut String| {
        let part = &template.parts[part];
        let text = part.texts.get(usize::from(values[part.axis])).map_or("", String::as_str);
        match part.read {
            PartRead::Measured(TextMeasure::Initial) => push(&nested(text, to), to),
            _ => push(text, to),
        }
    };
    for piece in pieces_of {
        match piece {
            TemplatePiece::Token(token) => push(token, to),
            TemplatePiece::Part(at) => part(*at, to),
            TemplatePiece::AnyOrder(parts) => parts.iter().for_each(|&at| part(at, to)),
            TemplatePiece::List(inner) => pieces(template, inner, values, to),
        }
    }
}

/// An initial value in the braces that the dimensions before it want, each with as many values as a vector has.
fn nested(text: &str, before: &str) -> String {
    let Some(value) = text.strip_prefix("= ").filter(|value| !value.starts_with('{')) else { return text.to_owned() };
    let vectors = [(".v2", 2), (".v4", 4), (".v8", 8)];
    let lanes = vectors.into_iter().find(|(word, _)| before.contains(word)).map_or(1, |(_, lanes)| lanes);
    let own = if lanes > 1 { format!("{{{}}}", vec![value; lanes].join(", ")) } else { value.to_owned() };
    let dimensions = before.rsplit(' ').next().map_or(0, |last| last.matches('[').count());
    format!("= {}{own}{}", "{".repeat(dimensions), "}".repeat(dimensions))
}

/// Appends a text after a blank, where there is one before it.
fn push(text: &str, to: &mut String) {
    if text.is_empty() {
        return;
    }
    if !to.is_empty() && !text.starts_with(['[', '<', ',', ';', ':'])
        || text.starts_with(TARGET)
        || text.starts_with(ADDRESS_SIZE)
    {
        to.push(' ');
    }
    to.push_str(text);
}

/// The scaffold of a directive: where it stands, and the objects that it names.
pub(super) fn scaffold(form: &Form, template: &DirectiveTemplate, values: &[u8]) -> Scaffold {
    let text = print(form, template, values);
    let named = |name: &str| Lexer::new(&text).any(|token| token.text == name);
    let objects = template.objects.iter().filter(|(name, _)| named(name)).map(|(_, object)| object.as_str());
    let context = match template.place {
        DirectivePlace::Header => Context::Header,
        DirectivePlace::Body | DirectivePlace::PrototypeParameter | DirectivePlace::PrototypeResult => Context::Entry,
        DirectivePlace::Module
        | DirectivePlace::Entry
        | DirectivePlace::EntryParameter
        | DirectivePlace::FunctionParameter
        | DirectivePlace::FunctionResult
        | DirectivePlace::Section => Context::Module,
    };
    let mode = form.axis_of(Choice::Mode).map(|axis| form.value(values, axis)).filter(|mode| *mode != NONE);
    let options = mode.unwrap_or_default().to_owned();
    let globals = objects.collect::<Vec<_>>().join(" ");
    let alone = context.outside() || !globals.is_empty();
    Scaffold { globals, context, options, alone, separate: text.contains(".unified"), ..Scaffold::default() }
}
