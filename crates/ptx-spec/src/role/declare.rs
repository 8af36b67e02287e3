//! How what a line names is declared.

use super::address;
use super::item::{Item, LABEL, SURFREF, ScaffoldPart};
use crate::text::Scaffold;

/// Declares items, which ascend, in a scaffold: registers of one type together.
pub(crate) fn declare<'a>(items: impl IntoIterator<Item = Item<'a>>, scaffold: &mut Scaffold) {
    let mut registers: Vec<((&str, u8), Vec<String>)> = Vec::new();
    let mut parameters = Vec::new();
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
        Item::Function(..) => ScaffoldPart::Global(format!("{}; ", function(item, &name))),
    }
}

/// The header of a function with at most one result and one parameter.
fn function(item: Item<'_>, name: &str) -> String {
    let Item::Function(result, parameter) = item else { return String::new() };
    let result = if result { "(.param .b32 result) " } else { "" };
    let parameter = if parameter { " (.param .b32 argument)" } else { "" };
    format!(".func {result}{name}{parameter}")
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
        "branch-targets" => ScaffoldPart::Local(format!("target_0: {name}: .branchtargets target_0; ")),
        "call-targets" => {
            let function = function(Item::Function(true, true), "target_1");
            ScaffoldPart::Both(format!("{function}; "), format!("{name}: .calltargets target_1; "))
        }
        "prototype" => ScaffoldPart::Local(format!("{name}: .callprototype (.param .b32 _) _ (.param .b32 _); ")),
        _ if parameter => ScaffoldPart::Parameter(format!(".param .{opaque} {name}")),
        _ => ScaffoldPart::Global(format!(".global .{opaque} {name}; ")),
    }
}
