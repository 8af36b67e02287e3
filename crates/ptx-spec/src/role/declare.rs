//! How what a line names is declared.

use super::address;
use super::item::{Item, SURFREF, ScaffoldPart};
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
        Item::Object(_, false) => ScaffoldPart::Global(format!(".global .{SURFREF} {name}; ")),
        Item::Object(_, true) => ScaffoldPart::Parameter(format!(".param .{SURFREF} {name}")),
    }
}
