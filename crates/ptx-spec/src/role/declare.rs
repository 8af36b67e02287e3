//! How what a line names is declared.

use super::address;
use super::item::{
    CALL_TARGETS, ENTRY_OBJECT, Item, LABEL, PARAMETER, PROTOTYPE, SURFREF, ScaffoldPart, Signature, TEX_VARIABLE,
};
use crate::text::Scaffold;

/// Declares items, which ascend, in a scaffold: registers of one type together.
pub(crate) fn declare<'a>(items: impl IntoIterator<Item = Item<'a>>, scaffold: &mut Scaffold) {
    let mut registers: Vec<((&str, u8), Vec<String>)> = Vec::new();
    let (mut parameters, mut results) = (Vec::new(), Vec::new());
    for item in items {
        if let Item::Register(of, lanes, _) = item {
            match registers.last_mut() {
                Some((key, names)) if *key == (of, lanes) => names.push(item.name()),
                _ => registers.push(((of, lanes), vec![item.name()])),
            }
            continue;
        }
        match declaration(item) {
            ScaffoldPart::Global(text) => scaffold.globals.push_str(&text),
            ScaffoldPart::Separate(text) => {
                scaffold.separate = true;
                scaffold.globals.push_str(&text);
            }
            ScaffoldPart::Parameter(text) => parameters.push(text),
            ScaffoldPart::Result(text) => results.push(text),
            ScaffoldPart::Local(text) => scaffold.locals.push_str(&text),
            ScaffoldPart::Both(global, local) => {
                scaffold.globals.push_str(&global);
                scaffold.locals.push_str(&local);
            }
        }
    }
    for ((of, lanes), names) in registers {
        let vector = if lanes > 1 { format!(".v{lanes} ") } else { String::new() };
        scaffold.locals.push_str(&format!(".reg {vector}{of} {}; ", names.join(", ")));
    }
    scaffold.parameters = parameters.join(", ");
    scaffold.results = results.join(", ");
    scaffold.globals.truncate(scaffold.globals.trim_end().len());
    scaffold.locals.truncate(scaffold.locals.trim_end().len());
}

/// How an item is declared, and where.
fn declaration(item: Item<'_>) -> ScaffoldPart {
    let name = item.name();
    match item {
        Item::Register(of, 1, _) => ScaffoldPart::Local(format!(".reg {of} {name}; ")),
        Item::Register(of, lanes, _) => ScaffoldPart::Local(format!(".reg .v{lanes} {of} {name}; ")),
        Item::Variable(base) => address::declaration(base, &name),
        Item::Object(kind, parameter) => object(kind, parameter, &name),
        Item::Callee(kind, signature) => callee(kind, signature, &name),
    }
}

/// How something that can be called is declared.
fn callee(kind: &str, signature: Signature<'_>, name: &str) -> ScaffoldPart {
    match kind {
        PROTOTYPE => {
            // The registers of a prototype are parameters, too.
            let formal = |of: Option<&str>| of.map_or(String::new(), |of| format!("({}) ", formal(of, ".param", "_")));
            ScaffoldPart::Local(format!(
                "{name}: .callprototype {}_ {}; ",
                formal(signature.result),
                formal(signature.parameter).trim_end()
            ))
        }
        CALL_TARGETS => {
            let target = format!("of_{name}");
            let function = function(signature, &target);
            ScaffoldPart::Both(format!("{function}; "), format!("{name}: .calltargets {target}; "))
        }
        _ => ScaffoldPart::Global(format!("{}; ", function(signature, name))),
    }
}

/// The header of a function with at most one result and one parameter.
fn function(signature: Signature<'_>, name: &str) -> String {
    let result = signature.result.map_or(String::new(), |of| format!("({}) ", formal(of, ".reg", "result")));
    let parameter = signature.parameter.map_or(String::new(), |of| format!(" ({})", formal(of, ".reg", "argument")));
    format!(".func {result}{name}{parameter}")
}

/// A formal parameter or result: bytes in memory, or a scalar in this space.
fn formal(of: &str, space: &str, name: &str) -> String {
    if of == PARAMETER { format!(".param {}", address::bytes(name)) } else { format!("{space} {of} {name}") }
}

/// How an object is declared.
fn object(kind: &str, parameter: bool, name: &str) -> ScaffoldPart {
    let opaque = match kind {
        "texture" => "texref",
        "sampler" => "samplerref",
        _ => SURFREF,
    };
    match kind {
        LABEL => ScaffoldPart::Local(format!("{name}: ")),
        TEX_VARIABLE => ScaffoldPart::Global(format!(".tex .u64 {name}; ")),
        // Without a body it is of another module.
        ENTRY_OBJECT => ScaffoldPart::Separate(format!(".extern .entry {name}; ")),
        "branch-targets" => ScaffoldPart::Local(format!("target_0: {name}: .branchtargets target_0; ")),
        _ if parameter => ScaffoldPart::Parameter(format!(".param .{opaque} {name}")),
        _ => ScaffoldPart::Global(format!(".global .{opaque} {name}; ")),
    }
}
