//! From `isa.yaml` to what the instructions share.

use rustc_hash::FxHashMap;

use super::check::wrong_id;
use super::file::File;
use super::raw::{RawIsa, RawNeeds, RawSpecial, RawType};
use crate::environment::{Target, Version};
use crate::role::{BASES, OBJECT_KINDS, is_shape};
use crate::spec::words::{DOUBLE, FLOAT, INTEGER};
use crate::spec::{Isa, Kind, KindTable, RegisterType, Special, ValueSet};
use crate::yaml::{At, Error, Ordered};

/// The contents of the file, and the mistakes in it.
pub(super) fn checked(file: &File<'_>, raw: &RawIsa) -> (Isa, Vec<Error>) {
    let mut errors = Vec::new();
    errors.extend(raw.rules.0.iter().flat_map(|(_, rules)| rules).filter_map(|rule| wrong_id(file, &rule.id)));
    let targets = environments(file, raw, &mut errors);
    let early = targets_since(file, &raw.early, &raw.versions, &mut errors);
    let types = raw.types.0.iter().map(register_type);
    let (held, types): (Vec<RegisterType>, Vec<RegisterType>) = types.partition(|of| !of.held_in.is_empty());
    for holder in raw.types.0.iter().flat_map(|(_, of)| &of.held_in) {
        if !types.iter().any(|of| of.name == holder.value) {
            errors.push(file.at(holder, format!("`{}` is not a type of registers", holder.value)));
        }
    }
    for (name, _) in &raw.variables.0 {
        if !BASES.contains(&name.value.as_str()) && !OBJECT_KINDS.contains(&name.value.as_str()) {
            let message = format!("`{}` is not a kind of variable", name.value);
            errors.push(file.at(name, message).help(format!("the kinds are {}", BASES.join(", "))));
        }
    }
    for (name, of) in &raw.types.0 {
        check_type(file, name, of, &mut errors);
    }
    for (_, shapes) in &raw.lanes.0 {
        for shape in shapes.iter().filter(|shape| !is_shape(&shape.value)) {
            let help = "the shapes are scalar, tuple1 to tuple128, vector2, vector4";
            errors.push(file.at(shape, format!("`{}` is not a shape", shape.value)).help(help));
        }
    }
    check_immediates(file, raw, &mut errors);
    let of_specials = raw.specials.iter().flat_map(|special| [&special.of_type].into_iter().chain(&special.also));
    for name in of_specials.filter(|name| !types.iter().any(|of| of.name == **name)) {
        let message = format!("`{name}`, the type of a special register, is not one of `types`");
        errors.push(file.at(&raw.versions, message));
    }
    let variable = |(name, needs): &(At<String>, RawNeeds)| (name.value.clone(), needs.ptx, needs.target.first());
    let fitting = |(name, shapes): &(At<String>, Vec<At<String>>)| {
        (name.value.clone(), shapes.iter().map(|shape| shape.value.clone()).collect())
    };
    let kinds = |table: &Ordered<Vec<Kind>>| -> KindTable {
        table.0.iter().map(|(name, kinds)| (name.value.clone(), kinds.clone())).collect()
    };
    let isa = Isa {
        versions: raw.versions.value.clone(),
        targets,
        early,
        members: raw.members.clone(),
        types,
        held,
        variables: raw.variables.0.iter().map(variable).collect(),
        lanes: raw.lanes.0.iter().map(fitting).collect(),
        immediates: raw.immediates.0.iter().map(fitting).collect(),
        joined: raw.joined.0.iter().map(fitting).collect(),
        apart: raw.apart.iter().map(|name| name.value.clone()).collect(),
        page_families: raw.page_families.0.iter().map(fitting).collect(),
        modes: raw.modes.iter().map(|mode| mode.value.clone()).collect(),
        same_size: kinds(&raw.registers.same_size),
        wider: kinds(&raw.registers.wider),
        specials: specials(&raw.specials),
    };
    (isa, errors)
}

/// Adds what is wrong with the table of immediates.
fn check_immediates(file: &File<'_>, raw: &RawIsa, errors: &mut Vec<Error>) {
    for (kind, suiting) in &raw.immediates.0 {
        let kinds = [INTEGER, FLOAT, DOUBLE];
        if !kinds.contains(&kind.value.as_str()) {
            let error = file.at(kind, format!("`{}` is not a kind of immediate", kind.value));
            errors.push(error.help(format!("the kinds are {}", kinds.join(", "))));
        }
        let known = |word: &str| raw.types.0.iter().any(|(name, of)| name.value == word || of.kind.name() == word);
        for word in suiting.iter().filter(|word| !known(&word.value)) {
            errors.push(file.at(word, format!("`{}` is neither a type nor a kind of types", word.value)));
        }
    }
}

/// The targets with their PTX versions; adds what is wrong with versions and targets.
fn environments(file: &File<'_>, raw: &RawIsa, errors: &mut Vec<Error>) -> Vec<(Target, Version)> {
    let versions = &raw.versions;
    if !versions.value.is_sorted_by(|a, b| a < b) {
        errors.push(file.at(versions, "versions must be in ascending order, without duplicates"));
    }
    if versions.value.is_empty() || versions.value.len() > ValueSet::CAPACITY - 1 {
        errors.push(file.at(versions, "there must be between 1 and 255 versions"));
    }
    let targets = targets_since(file, &raw.targets, versions, errors);
    if targets.is_empty() || targets.len() > ValueSet::CAPACITY - 1 {
        errors.push(file.at(versions, "there must be between 1 and 255 targets"));
    }
    targets
}

/// Targets with PTX versions; adds what is wrong with them.
fn targets_since(
    file: &File<'_>,
    raw: &Ordered<Version>,
    versions: &At<Vec<Version>>,
    errors: &mut Vec<Error>,
) -> Vec<(Target, Version)> {
    let mut targets = Vec::new();
    for (name, since) in &raw.0 {
        match name.value.parse() {
            Ok(target) => targets.push((target, *since)),
            Err(error) => errors.push(file.at(name, format!("{error}"))),
        }
        if !versions.value.contains(since) {
            errors.push(file.at(name, format!("`{since}` is not one of `versions`")));
        }
    }
    targets
}

fn register_type((name, of): &(At<String>, RawType)) -> RegisterType {
    RegisterType {
        held_in: of.held_in.iter().map(|holder| holder.value.clone()).collect(),
        name: name.value.clone(),
        bits: of.bits,
        kind: of.kind,
        ptx: of.needs.as_ref().and_then(|needs| needs.ptx),
        target: of.needs.as_ref().and_then(|needs| needs.target.first()),
    }
}

fn check_type(file: &File<'_>, name: &At<String>, of: &RawType, errors: &mut Vec<Error>) {
    if !name.value.starts_with('.') {
        errors.push(file.at(name, format!("the type `{}` must begin with a dot", name.value)));
    }
    if of.bits == 0 || of.bits > 1024 {
        let error = file.at(name, format!("the type `{}` has {} bits", name.value, of.bits));
        errors.push(error.help("a type must have between 1 and 1024 bits"));
    }
}

/// The names of a vector's components.
const COMPONENTS: [&str; 8] = ["x", "y", "z", "w", "r", "g", "b", "a"];

/// All special registers by name; a vector's components are listed too, such as `%tid.x`.
fn specials(raw: &[RawSpecial]) -> FxHashMap<String, Special> {
    let mut table = FxHashMap::default();
    for of in raw {
        let needs = of.needs.as_ref();
        let special = Special {
            of_type: of.of_type.clone(),
            also: of.also.clone(),
            lanes: if of.vector { 4 } else { 1 },
            ptx: needs.and_then(|needs| needs.ptx),
            target: needs.and_then(|needs| needs.target.first()),
            of_directive: of.directive.is_some(),
        };
        for name in &of.names {
            if of.vector {
                for component in COMPONENTS {
                    table.insert(format!("{name}.{component}"), Special { lanes: 1, ..special.clone() });
                }
            }
            table.insert(name.clone(), special.clone());
        }
    }
    table
}
