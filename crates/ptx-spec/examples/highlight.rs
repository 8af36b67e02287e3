//! Prints the words of PTX by kind, as the grammar of a syntax highlighter needs them, from the exported specification:
//! `ptx-conform spec export | cargo run --release -p ptx-spec --example highlight`

use std::collections::{BTreeMap, BTreeSet};

use ptx_spec::export::ExportedSpec;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let spec: ExportedSpec = serde_json::from_reader(std::io::stdin().lock())?;
    let opcodes = spec.instructions.iter().filter_map(|instruction| instruction.name.split('.').next());
    let mut directives: BTreeSet<&str> = BTreeSet::new();
    for form in spec.directives.iter().flat_map(|directive| &directive.forms) {
        directives.extend(form.template.iter().flat_map(|template| &template.begins).map(String::as_str));
        let in_slots = form.axes.iter().filter(|axis| form.slots.iter().any(|slot| slot.axis == axis.name));
        directives
            .extend(in_slots.flat_map(|axis| &axis.values).map(String::as_str).filter(|word| word.starts_with('.')));
    }
    let words: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::from([
        ("opcodes", opcodes.collect()),
        ("types", spec.isa.types.iter().map(|of| of.name.as_str()).collect()),
        ("modifiers", spec.isa.modifiers.iter().map(String::as_str).collect()),
        ("directives", directives),
        ("special registers", spec.isa.special_registers.keys().map(String::as_str).collect()),
    ]);
    println!("{}", serde_json::to_string_pretty(&words)?);
    Ok(())
}
