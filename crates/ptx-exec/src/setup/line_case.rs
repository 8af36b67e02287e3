//! From the choices of variants in setups to what is executed.

use std::collections::BTreeSet;

use ptx_spec::ptx::{Declarations, Item, Line, Printer, scaffold};
use ptx_spec::role::setup::CONTENTS;
use ptx_spec::space::environment;
use ptx_spec::spec::{Form, Role, Spec};

use super::contents::{self, LENGTH};
use super::point::Point;
use super::registers::{InputOrigin, LineRegisters};
use super::{NoSetup, address, surface};
use crate::line_case::{Holds, Input, LineCase, Rows, SURFACE};
use crate::object::{Space, Variable};

/// The case of variants that differ only in the axes of rows: a row for each.
///
/// # Errors
/// If the choices belong to another form.
pub fn line_case(spec: &Spec, form: &Form, rows: &[&[u8]]) -> Result<LineCase, NoSetup> {
    let error = |words: String| NoSetup(format!("{}: {words}", form.id));
    let first = *rows.first().ok_or_else(|| error("no rows".to_owned()))?;
    let point = Point { isa: &spec.isa, form, values: first };
    let environment = environment(form, first);
    let variable = address::variable(&point).map(|base| variable(&point, base));
    let (line, declarations) = texts(&point, address::variable(&point));
    let symbols = Declarations::parse(&declarations, &spec.isa).map_err(|why| error(why.to_string()))?;
    let read = Line::parse(&line).map_err(|why| error(format!("{line}: {why}")))?;
    let LineRegisters { inputs, outputs } = LineRegisters::of(&spec.isa, form, first, &read, &symbols);
    let written = |&at: &usize| match form.operands[at].role {
        Role::Surface { .. } => Some(SURFACE.to_owned()),
        _ => variable.as_ref().map(|variable| variable.name.clone()),
    };
    let writes = form.writes.iter().filter_map(written).collect();
    let mut case = LineCase {
        ptx: environment.ptx,
        target: environment.target,
        declarations,
        line,
        surface: surface::surface(&point)?,
        inputs: inputs
            .iter()
            .map(|(register, bits, origin)| input(&point, variable.as_ref(), register, *bits, *origin))
            .collect::<Result<_, _>>()?,
        outputs,
        writes: Some(writes),
        rows: Rows::new(inputs.len()),
        own_launches: Vec::new(),
        variables: variable.into_iter().collect(),
    };
    let mut row = Vec::with_capacity(inputs.len());
    for values in rows {
        let point = Point { values, ..point };
        row.clear();
        row.extend(inputs.iter().map(|(_, bits, origin)| origin.value(&point, *bits, case.surface.as_ref())));
        case.rows.push(&row);
    }
    Ok(case)
}

/// The line of a variant, and the declarations of what it uses and of the variable that its address starts
/// from.
fn texts(point: &Point<'_>, base: Option<&str>) -> (String, String) {
    let printer = Printer::new(point.form);
    let mut items: BTreeSet<Item<'_>> = BTreeSet::new();
    let mut line = String::with_capacity(80);
    printer.line(point.values, &mut line, |item| {
        items.insert(item);
    });
    items.extend(base.map(Item::Variable));
    let declarations = scaffold(items, printer.setting(point.values)).declarations();
    (line, declarations)
}

/// The variable that an address starts from, with its contents.
fn variable(point: &Point<'_>, base: &str) -> Variable {
    Variable {
        name: Item::Variable(base).name(),
        space: Space::of_base(base),
        data: contents::bytes(point.value(CONTENTS.0), LENGTH as usize),
    }
}

/// A register that the line reads, and what its values mean.
fn input(
    point: &Point<'_>,
    variable: Option<&Variable>,
    register: &str,
    bits: u16,
    origin: InputOrigin,
) -> Result<Input, NoSetup> {
    let holds = match origin {
        InputOrigin::Object => Holds::Surface,
        InputOrigin::Policy => Holds::Policy,
        InputOrigin::Address => {
            let missing = || NoSetup(format!("{}: {register} is an address of nothing", point.form.id));
            let of = variable.ok_or_else(missing)?.name.clone();
            Holds::Address { of, generic: address::generic(point) }
        }
        _ => Holds::Bits,
    };
    Ok(Input { register: register.to_owned(), bits, holds })
}
