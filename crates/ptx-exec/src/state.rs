//! The states in which variants are executed: what surfaces and variables hold, and rows of inputs.
//!
//! Everything about a state is a choice, as everything about a variant is, so the two together are a
//! space: [`executed`] puts the axes of the state behind those of the variant. A state names what is
//! interesting (the last place of a row, the first one behind it), and [`execution`] makes numbers
//! of it.

mod contents;
mod forbid;

use std::collections::BTreeSet;

use crate::execution::{Execution, Format, Geometry, Holds, Input, Output, Rows, Space, Surface, Variable};
use ptx_spec::ptx::{Argument, Declarations, Item, Line, Printer, Symbol, scaffold};
use ptx_spec::space::{Values, environment};
use ptx_spec::spec::{Form, Instruction, Isa, Operand, Pattern, Role, Spec, StateAxis};

/// A text of ours that we cannot read, or choices that are no state: a bug of this tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoState(String);

impl NoState {
    /// An execution of ours that the model cannot read.
    pub fn of(execution: &Execution, why: &impl std::fmt::Display) -> Self {
        Self(format!("`{}`: {why}", execution.line))
    }
}

const GEOMETRY: &str = "surface.geometry";
const FORMAT: &str = "surface.format";
const WIDTH: &str = "surface.width";
const HEIGHT: &str = "surface.height";
const DEPTH: &str = "surface.depth";
const LAYERS: &str = "surface.layers";
const CONTENTS: &str = "contents";
const POINTS: &str = "points-to";
const X: &str = "x";
const Y: &str = "y";
const Z: &str = "z";
const LAYER: &str = "layer";
const ADDRESS: &str = "address";
const DATA: &str = "data";
const PREDICATE: &str = "predicate";
const SAMPLE: &str = "sample";

/// The axes that the rows of one execution may differ in; the others are of all of them.
const ROW: [&str; 8] = [X, Y, Z, LAYER, ADDRESS, DATA, PREDICATE, SAMPLE];
/// The axes that say what numbers are there, and not where. They stand last.
const NUMBERS: [&str; 3] = [CONTENTS, DATA, SAMPLE];

/// The bytes of a variable.
const LENGTH: u32 = 64;

/// An instruction with the states that its variants can be executed in.
pub fn executed(spec: &Spec, instruction: &Instruction) -> Instruction {
    instruction.with_states(&spec.isa, axes, |form| forbid::forbid(&spec.isa, form))
}

/// As [`executed`], without the axes that say what numbers there are, which stand last.
pub fn without_numbers(spec: &Spec, instruction: &Instruction) -> Instruction {
    let places = |form: &Form| axes(form).into_iter().filter(|(name, _)| !NUMBERS.contains(name)).collect();
    instruction.with_states(&spec.isa, places, |form| forbid::forbid(&spec.isa, form))
}

/// The number of axes of an executed form that say what numbers there are.
pub fn numbers(form: &Form) -> usize {
    form.axes.iter().filter(|axis| NUMBERS.contains(&axis.name.as_str())).count()
}

/// What all rows of an execution have in common: the choices of an executed form that are not of a row.
pub fn common(form: &Form, values: &[u8]) -> Values {
    let of_rows = |axis: usize| ROW.contains(&form.axes[axis].name.as_str());
    values.iter().enumerate().map(|(axis, &value)| if of_rows(axis) { 0 } else { value }).collect()
}

/// The first axis of an executed form that is of a row.
pub fn first_of_row(form: &Form) -> usize {
    form.axes.iter().position(|axis| ROW.contains(&axis.name.as_str())).unwrap_or(form.axes.len())
}

/// Gives a row the contents of another, so that the two can be of one execution.
pub fn share_contents(form: &Form, from: &[u8], to: &mut [u8]) {
    if let Some(axis) = form.axis(CONTENTS) {
        to[axis] = from[axis];
    }
}

fn axes(form: &Form) -> Vec<StateAxis> {
    let texts = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect::<Vec<String>>();
    let has = |role: Role| form.operands.iter().any(|operand| operand.role == role);
    let mut axes: Vec<StateAxis> = Vec::new();
    let coordinates = form.axis("geom").is_some();
    if has(Role::Surface) {
        if !coordinates {
            axes.push((GEOMETRY, Geometry::ALL.map(|geometry| geometry.name().to_owned()).to_vec()));
        }
        axes.push((FORMAT, Format::all().map(|format| format.to_string()).collect()));
        axes.push((WIDTH, texts(&["5", "1", "8"])));
        axes.push((HEIGHT, texts(&["3", "1", "4"])));
        axes.push((DEPTH, texts(&["2", "1", "3"])));
        axes.push((LAYERS, texts(&["3", "1", "2"])));
    }
    if has(Role::Address) {
        axes.push((POINTS, texts(&["global", "shared", "local", "const"])));
    }
    if has(Role::Surface) && coordinates {
        let inside = ["first", "inside", "last"];
        let outside = ["after", "before", "far-after", "far-before"];
        axes.push((X, texts(&[&inside[..], &outside, &["misaligned"]].concat())));
        axes.push((Y, texts(&[&inside[..], &outside].concat())));
        axes.push((Z, texts(&[&inside[..], &outside].concat())));
        axes.push((LAYER, texts(&[&inside[..], &["after", "far-after", "negative"]].concat())));
    }
    if has(Role::Address) {
        axes.push((ADDRESS, texts(&["first", "inside", "last", "misaligned", "after"])));
    }
    axes.push((PREDICATE, texts(&["true", "false"])));
    if has(Role::Address) || coordinates {
        axes.push((CONTENTS, texts(&contents::CONTENTS)));
    }
    if data(form).is_some() {
        axes.push((DATA, texts(&contents::DATA)));
    }
    axes.push((SAMPLE, (0..16).map(|sample| sample.to_string()).collect()));
    axes
}

/// The operand whose data is stored, where there is one.
fn data(form: &Form) -> Option<&Operand> {
    form.operands.iter().find(|operand| operand.role == Role::Source && operand.name == "c")
}

/// What an input of a row is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Feed {
    /// The coordinate at this position.
    Coordinate(usize),
    /// This lane of what is stored.
    Data(usize),
    Surface,
    Address,
    Predicate,
    /// A policy, which is no data.
    Other,
}

/// The execution of variants that have all but the axes of rows in common: a row for each.
///
/// # Errors
/// Where the choices are of another form.
pub fn execution(spec: &Spec, form: &Form, rows: &[&[u8]]) -> Result<Execution, NoState> {
    let confused = |words: String| NoState(format!("{}: {words}", form.id));
    let first = *rows.first().ok_or_else(|| confused("no rows".to_owned()))?;
    let state = State { isa: &spec.isa, form, values: first };
    let environment = environment(form, first).ok_or_else(|| confused(format!("no such choices: {first:?}")))?;
    let printer = Printer::new(form);
    let mut items: BTreeSet<Item<'_>> = BTreeSet::new();
    let mut text = String::with_capacity(80);
    printer.line(first, &mut text, |item| {
        items.insert(item);
    });
    let variable = state.variable();
    if let Some((base, _)) = variable {
        items.insert(Item::Variable(base));
    }
    let declarations = scaffold(items, printer.context(first)).declarations();
    let symbols = Declarations::parse(&declarations, &spec.isa).map_err(|why| confused(why.to_string()))?;
    let line = Line::parse(&text).map_err(|why| confused(format!("{text}: {why}")))?;
    let registers = Registers::of(&spec.isa, form, &line, &symbols);
    let variables: Vec<Variable> = variable
        .map(|(base, space)| {
            let name = format!("{}_0", base.replace('-', "_"));
            Variable { name, space, data: contents::bytes(state.value(CONTENTS), LENGTH as usize) }
        })
        .into_iter()
        .collect();
    let input = |(register, bits, feed): &(String, u16, Feed)| {
        let holds = match feed {
            Feed::Surface => Holds::Surface,
            Feed::Address => {
                let of = variables.first().map(|variable| variable.name.clone()).unwrap_or_default();
                Holds::Address { of, generic: state.value("ss") == "none" }
            }
            _ => Holds::Bits,
        };
        Input { register: register.clone(), bits: *bits, holds }
    };
    let mut execution = Execution {
        ptx: environment.ptx,
        target: environment.target,
        declarations,
        line: text,
        surface: state.surface()?,
        inputs: registers.inputs.iter().map(input).collect(),
        outputs: registers.outputs,
        rows: Rows::new(registers.inputs.len()),
        alone: Vec::new(),
        variables,
    };
    let mut row = Vec::with_capacity(registers.inputs.len());
    for values in rows {
        let state = State { values, ..state };
        row.clear();
        for (_, bits, feed) in &registers.inputs {
            row.push(state.input(*feed, *bits, execution.surface.as_ref()));
        }
        execution.rows.push(&row);
    }
    Ok(execution)
}

/// The registers of a line.
struct Registers {
    inputs: Vec<(String, u16, Feed)>,
    outputs: Vec<Output>,
}

impl Registers {
    fn of(isa: &Isa, form: &Form, line: &Line<'_>, symbols: &Declarations) -> Self {
        let mut registers = Self { inputs: Vec::new(), outputs: Vec::new() };
        if let Some((_, predicate)) = line.guard {
            registers.inputs.push((predicate.to_owned(), 1, Feed::Predicate));
        }
        for (part, text) in form.pattern.iter().zip(&line.operands) {
            let (operands, arguments) = match (part, &text.argument) {
                (Pattern::Bracket(operands), Argument::Bracket(arguments)) => (&operands[..], &arguments[..]),
                (Pattern::Operand(operand), argument) => {
                    (std::slice::from_ref(operand), std::slice::from_ref(argument))
                }
                _ => continue,
            };
            for (&operand, argument) in operands.iter().zip(arguments) {
                registers.operand(isa, &form.operands[operand], argument, symbols);
            }
        }
        registers
    }

    fn operand(&mut self, isa: &Isa, operand: &Operand, argument: &Argument<'_>, symbols: &Declarations) {
        let names: Vec<&str> = match argument {
            Argument::Tuple(elements) => elements.iter().map(name).collect(),
            lone => vec![name(lone)],
        };
        let mut lane = 0;
        for name in names {
            let components: &[&str] = match symbols.symbol(name) {
                Some(Symbol::Register(_, lanes)) if lanes > 1 => &[".x", ".y", ".z", ".w"][..usize::from(lanes.min(4))],
                _ => &[""],
            };
            for component in components {
                let register = format!("{name}{component}");
                let at = lane;
                lane += 1;
                let Some(Symbol::Register(Some(of), 1)) = symbols.symbol(&register) else { continue };
                let bits = isa.types[of].bits;
                let feed = match operand.role {
                    Role::Destination => {
                        self.outputs.push(Output { register, bits });
                        continue;
                    }
                    Role::Surface => Feed::Surface,
                    Role::Address => Feed::Address,
                    Role::Source if operand.name == "b" => Feed::Coordinate(at),
                    Role::Source if operand.name == "c" => Feed::Data(at),
                    Role::Source => Feed::Other,
                };
                self.inputs.push((register, bits, feed));
            }
        }
    }
}

fn name<'t>(argument: &Argument<'t>) -> &'t str {
    match argument {
        Argument::Name(name) | Argument::Sum(name, ..) => name,
        _ => "",
    }
}

/// The choices of a variant in a state.
#[derive(Clone, Copy)]
struct State<'a> {
    isa: &'a Isa,
    form: &'a Form,
    values: &'a [u8],
}

impl<'a> State<'a> {
    /// The value on an axis; empty where the form has none of that name.
    fn value(&self, axis: &str) -> &'a str {
        self.form.axis(axis).map_or("", |axis| self.form.value(self.values, axis))
    }

    /// The size in bytes of an access.
    fn size(&self) -> u32 {
        let of = ["dtype", "ctype", "type"].into_iter().find(|axis| self.form.axis(axis).is_some());
        access(self.isa, of.map_or(".b32", |axis| self.value(axis)), self.value("vec"))
    }

    fn geometry(&self) -> Option<Geometry> {
        let name = match self.value("geom") {
            "" => self.value(GEOMETRY),
            modifier => modifier.trim_start_matches('.'),
        };
        Geometry::ALL.into_iter().find(|geometry| geometry.name() == name)
    }

    fn surface(&self) -> Result<Option<Surface>, NoState> {
        let Some(geometry) = self.geometry() else { return Ok(None) };
        let format: Format = self.value(FORMAT).parse().map_err(NoState)?;
        let extent = |axis: &str, present: bool| {
            let extent = self.value(axis).parse().map_err(|_| NoState(format!("{axis} has no value")));
            if present { extent } else { Ok(0) }
        };
        let mut surface = Surface {
            geometry,
            format,
            width: extent(WIDTH, true)?,
            height: extent(HEIGHT, geometry.dimensions() >= 2)?,
            depth: extent(DEPTH, geometry.dimensions() >= 3)?,
            layers: extent(LAYERS, geometry.layered())?,
            data: Vec::new(),
        };
        surface.data = contents::bytes(self.value(CONTENTS), surface.size());
        Ok(Some(surface))
    }

    /// What an address starts from, in the words of [`Item::Variable`], and where that is.
    fn variable(&self) -> Option<(&'a str, Space)> {
        let operand = self.form.operands.iter().find(|operand| operand.role == Role::Address)?;
        let base = operand.base.map_or("", |axis| self.form.value(self.values, axis));
        let of = |name: &'a str, space: Space| Some((name, space));
        match base {
            "global" => of("global", Space::Global),
            "shared" => of("shared", Space::Shared),
            "const" => of("const", Space::Const),
            "local" => of("local", Space::Local),
            "entry-parameter" | "function-parameter" | "local-parameter" => of(base, Space::Param),
            "register" => match self.value("ss") {
                "none" => self.pointed(self.value(POINTS)),
                ".param" | ".param::entry" => of("entry-parameter", Space::Param),
                space => self.pointed(space.trim_start_matches('.').split("::").next().unwrap_or_default()),
            },
            _ => None,
        }
    }

    fn pointed(&self, space: &str) -> Option<(&'a str, Space)> {
        match space {
            "global" => Some(("global", Space::Global)),
            "shared" => Some(("shared", Space::Shared)),
            "const" => Some(("const", Space::Const)),
            "local" => Some(("local", Space::Local)),
            _ => None,
        }
    }

    /// What a register holds.
    fn input(&self, feed: Feed, bits: u16, surface: Option<&Surface>) -> u128 {
        let value = match feed {
            Feed::Surface => 0,
            Feed::Predicate => u128::from(self.value(PREDICATE) == "true"),
            Feed::Data(lane) => contents::data(self.value(DATA), self.sample(), lane, u32::from(bits)),
            Feed::Other => u128::from(contents::mix(self.sample())),
            Feed::Address => u128::from(self.address()),
            Feed::Coordinate(at) => surface.map_or(0, |surface| u128::from(self.coordinate(at, surface))),
        };
        value & u128::MAX.checked_shr(128 - u32::from(bits)).unwrap_or_default()
    }

    fn sample(&self) -> u64 {
        self.value(SAMPLE).parse().unwrap_or_default()
    }

    /// What the register of an address holds: the place that is meant, less what the line adds.
    fn address(&self) -> u64 {
        let operand = self.form.operands.iter().find(|operand| operand.role == Role::Address);
        let offset = operand.and_then(|operand| operand.offset);
        let added: i64 = match offset.map_or("", |axis| self.form.value(self.values, axis)) {
            "positive" => Printer::OFFSET.into(),
            "negative" => -i64::from(Printer::OFFSET),
            _ => 0,
        };
        let size = self.size();
        let places = Places { size, length: LENGTH, sample: self.sample() };
        let meant = match self.value(ADDRESS) {
            "after" => LENGTH,
            label => places.inside(label),
        };
        i64::from(meant).wrapping_sub(added).cast_unsigned()
    }

    /// The coordinate at a position of the vector; the fourth one is ignored, and anything.
    fn coordinate(&self, at: usize, surface: &Surface) -> u32 {
        let order: &[&str] = match surface.geometry {
            Geometry::D1 => &[X],
            Geometry::D2 => &[X, Y],
            Geometry::D3 => &[X, Y, Z],
            Geometry::A1d => &[LAYER, X],
            Geometry::A2d => &[LAYER, X, Y],
        };
        let sample = self.sample();
        let (axis, places) = match order.get(at) {
            Some(&X) if samples(self.form) => (X, Places { size: 1, length: surface.width, sample }),
            Some(&X) => (X, Places { size: self.size(), length: surface.row_bytes(), sample }),
            Some(&Y) => (Y, Places { size: 1, length: surface.height, sample: sample / 2 }),
            Some(&Z) => (Z, Places { size: 1, length: surface.depth, sample: sample / 4 }),
            Some(&LAYER) => (LAYER, Places { size: 1, length: surface.layers, sample: sample / 3 }),
            _ => return u32::try_from(contents::mix(sample) >> 32).unwrap_or_default(),
        };
        places.coordinate(self.value(axis))
    }
}

/// Whether the first coordinate counts samples, and not bytes.
fn samples(form: &Form) -> bool {
    form.id.ends_with(".p")
}

/// The size in bytes of an access of a type and a vector modifier.
fn access(isa: &Isa, of: &str, vec: &str) -> u32 {
    let bits = isa.register_type(of).map_or(32, |of| u32::from(of.bits));
    let lanes: u32 = vec.trim_start_matches(".v").parse().unwrap_or(1);
    bits / 8 * lanes
}

/// The places along a dimension: multiples of `size` below `length`.
#[derive(Clone, Copy)]
struct Places {
    size: u32,
    length: u32,
    sample: u64,
}

impl Places {
    fn last(self) -> u32 {
        (self.length / self.size).max(1) - 1
    }

    /// A place by its name: one that is within the length.
    fn inside(self, label: &str) -> u32 {
        let last = u64::from(self.last());
        let between = 1 + contents::mix(self.sample) % last.max(2).saturating_sub(1);
        let between = u32::try_from(between).unwrap_or_default();
        match label {
            "last" => self.last() * self.size,
            "inside" => between * self.size,
            // The odd bytes are aligned to nothing, the others to less than the size.
            "misaligned" => {
                let step = 1 + u32::try_from(self.sample).unwrap_or_default() % (self.size.max(2) - 1);
                between.min(self.last()) * self.size + step
            }
            _ => 0,
        }
    }

    fn coordinate(self, label: &str) -> u32 {
        let size = self.size;
        match label {
            "after" => self.length.next_multiple_of(size),
            "before" => size.wrapping_neg(),
            "far-after" => i32::MAX.cast_unsigned() & !(size - 1),
            "far-before" => i32::MIN.cast_unsigned(),
            "negative" => u32::MAX,
            label => self.inside(label),
        }
    }
}
