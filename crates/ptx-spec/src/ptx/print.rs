//! From a variant to PTX text: the line, and the declarations of exactly what it uses.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::module::{Context, Scaffold};
use crate::spec::{Choice, Form, Pattern, Role, Writing};

/// Something a line uses that must be declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Item<'a> {
    /// A register: its type, the lanes of its vector type (1 for a scalar) and its number.
    Register(&'a str, u8, u8),
    /// A variable with data, by what an address that starts from it starts from.
    Variable(&'a str),
    /// A `.surfref`: whether it is a parameter.
    Surface(bool),
}

/// Registers of one operand have numbers of their own, up to this many.
const LANES: u8 = 8;
/// The number of the predicate of a guard, and of the register of a surplus operand.
const SPARE: u8 = 99;

impl Item<'_> {
    fn write(self, to: &mut String) {
        // Writing to a String cannot fail.
        let _ = match self {
            Self::Register(of, 1, number) => write!(to, "%{}_{number}", &of[1..]),
            Self::Register(of, lanes, number) => write!(to, "%v{lanes}{}_{number}", &of[1..]),
            Self::Variable(base) => write!(to, "{}_0", base.replace('-', "_")),
            Self::Surface(false) => write!(to, "surface_0"),
            Self::Surface(true) => write!(to, "surface_parameter_0"),
        };
    }

    fn name(self) -> String {
        let mut name = String::new();
        self.write(&mut name);
        name
    }
}

/// Writes variants of one form.
pub struct Printer<'a> {
    form: &'a Form,
    guard: usize,
}

impl<'a> Printer<'a> {
    /// What is added to an address.
    pub const OFFSET: i32 = 32;

    /// A printer for a form.
    pub fn new(form: &'a Form) -> Self {
        Self { form, guard: form.axis_of(Choice::Guard).unwrap_or_default() }
    }

    /// Appends the line of a variant, without a line break, and names what it uses.
    pub fn line(&self, values: &[u8], to: &mut String, mut uses: impl FnMut(Item<'a>)) {
        let form = self.form;
        let guard = form.value(values, self.guard);
        if let Some(sign) = guard.strip_suffix('p') {
            let predicate = Item::Register(".pred", 1, SPARE);
            to.push_str(sign);
            predicate.write(to);
            to.push(' ');
            uses(predicate);
        }
        let opcode = form.id.split_once('.').map_or(form.id.as_str(), |(opcode, _)| opcode);
        to.push_str(opcode);
        let writing = form.writings.get(usize::from(values[form.writing()])).unwrap_or(&Writing::Plain);
        self.modifiers(values, writing, to);
        to.push(' ');
        let mut first = true;
        for part in &form.pattern {
            let operands = match part {
                Pattern::Operand(operand) => std::slice::from_ref(operand),
                Pattern::Bracket(operands) => operands,
            };
            let bracket = matches!(part, Pattern::Bracket(_)) && *writing != Writing::Unbracketed;
            let left: Vec<usize> = operands.iter().copied().filter(|&at| self.present(values, at, writing)).collect();
            if left.is_empty() {
                continue;
            }
            if !first {
                to.push_str(", ");
            }
            first = false;
            if bracket {
                to.push('[');
            }
            for (at, &operand) in left.iter().enumerate() {
                if at > 0 {
                    to.push_str(", ");
                }
                self.operand(values, operand, to, &mut uses);
            }
            if bracket {
                to.push(']');
            }
            let last = operands.last().copied().unwrap_or_default();
            for (_, suffix) in form.suffixes.iter().filter(|(operand, _)| *operand == last) {
                let suffix = form.value(values, *suffix);
                if suffix != "none" {
                    to.push_str(suffix);
                }
            }
            if let Writing::Suffixed(operand, suffix) = writing
                && *operand == last
            {
                to.push_str(suffix);
            }
        }
        if *writing == Writing::ExtraOperand {
            let surplus = Item::Register(".b32", 1, SPARE);
            if !first {
                to.push_str(", ");
            }
            surplus.write(to);
            uses(surplus);
        }
        to.push(';');
    }

    fn present(&self, values: &[u8], operand: usize, writing: &Writing) -> bool {
        let of = &self.form.operands[operand];
        let left_out = of.optional && of.of_type.is_some_and(|axis| self.form.value(values, axis) == "none");
        !left_out && *writing != Writing::Without(operand)
    }

    fn modifiers(&self, values: &[u8], writing: &Writing, to: &mut String) {
        let mut put = |slot: usize, times: usize| {
            let value = self.form.value(values, self.form.slots[slot].axis);
            if value != "none" {
                (0..times).for_each(|_| to.push_str(value));
            }
        };
        for slot in 0..self.form.slots.len() {
            match writing {
                Writing::Moved(moved) if *moved == slot => {}
                Writing::Duplicate(twice) if *twice == slot => put(slot, 2),
                _ => put(slot, 1),
            }
        }
        match writing {
            Writing::Moved(slot) => put(*slot, 1),
            Writing::Extra(value) => to.push_str(value),
            _ => {}
        }
    }

    fn operand(&self, values: &[u8], at: usize, to: &mut String, uses: &mut impl FnMut(Item<'a>)) {
        let operand = &self.form.operands[at];
        if operand.role == Role::Address {
            return self.address(values, at, to, uses);
        }
        let of_type = operand.of_type.map_or("", |axis| self.form.value(values, axis));
        let shape = operand.shape.map_or("scalar", |axis| self.form.value(values, axis));
        let sinks = operand.sinks.map_or(0, |axis| usize::from(values[axis]));
        let number = u8::try_from(at).unwrap_or(0).wrapping_mul(LANES);
        if let Some(lanes) = shape.strip_prefix("vector") {
            let register = Item::Register(of_type, lanes.parse().unwrap_or(1), number);
            register.write(to);
            return uses(register);
        }
        let Some(lanes) = shape.strip_prefix("tuple").and_then(|lanes| lanes.parse::<u8>().ok()) else {
            return element(of_type, number, to, uses);
        };
        to.push('{');
        for lane in 0..lanes {
            if lane > 0 {
                to.push_str(", ");
            }
            if sinks >> lane & 1 == 1 {
                to.push('_');
            } else {
                element(of_type, number + lane, to, uses);
            }
        }
        to.push('}');
    }

    fn address(&self, values: &[u8], at: usize, to: &mut String, uses: &mut impl FnMut(Item<'a>)) {
        let operand = &self.form.operands[at];
        let value = |axis: Option<usize>| axis.map_or("", |axis| self.form.value(values, axis));
        match value(operand.base) {
            "register" => {
                let number = u8::try_from(at).unwrap_or(0).wrapping_mul(LANES);
                element(value(operand.of_type), number, to, uses);
            }
            "integer" => to.push_str("64"),
            base => {
                let variable = Item::Variable(base);
                variable.write(to);
                uses(variable);
            }
        }
        let _ = match value(operand.offset) {
            "positive" => write!(to, "+{}", Self::OFFSET),
            "negative" => write!(to, "+-{}", Self::OFFSET),
            _ => Ok(()),
        };
    }

    /// Whether the line stands in an entry or a function.
    pub fn context(&self, values: &[u8]) -> Context {
        match self.form.axis_of(Choice::Context).map(|axis| self.form.value(values, axis)) {
            Some("function") => Context::Function,
            _ => Context::Entry,
        }
    }

    /// Statements that store every register that the line writes, so that it is not deleted as
    /// unused; empty where it writes none.
    pub fn stores(&self, values: &[u8], to: &mut String, mut uses: impl FnMut(Item<'a>)) {
        for (at, operand) in self.form.operands.iter().enumerate().filter(|(_, o)| o.role == Role::Destination) {
            let of_type = operand.of_type.map_or("", |axis| self.form.value(values, axis));
            let shape = operand.shape.map_or("scalar", |axis| self.form.value(values, axis));
            let sinks = operand.sinks.map_or(0, |axis| usize::from(values[axis]));
            let lanes: u8 = shape.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().unwrap_or(1);
            let number = u8::try_from(at).unwrap_or(0).wrapping_mul(LANES);
            let stored = match of_type {
                ".pred" => continue,
                ".f16" | ".bf16" => ".b16",
                ".f16x2" | ".bf16x2" => ".b32",
                other => other,
            };
            uses(Item::Variable("global"));
            for lane in (0..lanes).filter(|lane| sinks >> lane & 1 == 0) {
                let _ = write!(to, " st.global{stored} [global_0], ");
                if shape.starts_with("vector") {
                    Item::Register(of_type, lanes, number).write(to);
                    let _ = write!(to, ".{}", ["x", "y", "z", "w"][usize::from(lane) % 4]);
                } else {
                    Item::Register(of_type, 1, number + lane).write(to);
                }
                to.push(';');
            }
        }
    }
}

/// A register or an immediate.
fn element<'a>(of_type: &'a str, number: u8, to: &mut String, uses: &mut impl FnMut(Item<'a>)) {
    match of_type {
        "integer" => {
            let _ = write!(to, "{}", number % LANES + 1);
        }
        "float" => to.push_str("0f3F800000"),
        "double" => to.push_str("0d3FF0000000000000"),
        "sink" => to.push('_'),
        "surfref" | "surfref-parameter" => {
            let surface = Item::Surface(of_type == "surfref-parameter");
            surface.write(to);
            uses(surface);
        }
        "variable" => {
            let variable = Item::Variable("global");
            variable.write(to);
            uses(variable);
        }
        of => {
            let register = Item::Register(of, 1, number);
            register.write(to);
            uses(register);
        }
    }
}

/// The scaffold that declares these items and nothing else.
pub fn scaffold<'a>(items: impl IntoIterator<Item = Item<'a>>, context: Context) -> Scaffold {
    let items: BTreeSet<Item<'a>> = items.into_iter().collect();
    let mut scaffold = Scaffold { context, ..Scaffold::default() };
    let mut registers: Vec<((&str, u8), Vec<String>)> = Vec::new();
    let mut parameters = Vec::new();
    for &item in &items {
        let name = item.name();
        match item {
            Item::Register(of, lanes, _) => match registers.last_mut() {
                Some((key, names)) if *key == (of, lanes) => names.push(name),
                _ => registers.push(((of, lanes), vec![name])),
            },
            Item::Surface(false) => scaffold.globals.push_str(&format!(".global .surfref {name}; ")),
            Item::Surface(true) => parameters.push(format!(".param .surfref {name}")),
            Item::Variable("unified") => {
                scaffold.separate = true;
                let declaration = format!(".global .attribute(.unified(1, 2)) .align 32 .b8 {name}[64]; ");
                scaffold.globals.push_str(&declaration);
            }
            Item::Variable("entry-parameter" | "function-parameter") => {
                parameters.push(format!(".param .align 32 .b8 {name}[64]"));
            }
            Item::Variable("local-parameter") => {
                scaffold.locals.push_str(&format!(".param .align 32 .b8 {name}[64]; "))
            }
            Item::Variable("local") => scaffold.locals.push_str(&format!(".local .align 32 .b8 {name}[64]; ")),
            Item::Variable(space) => scaffold.globals.push_str(&format!(".{space} .align 32 .b8 {name}[64]; ")),
        }
    }
    for ((of, lanes), names) in registers {
        let vector = if lanes > 1 { format!(".v{lanes} ") } else { String::new() };
        scaffold.locals.push_str(&format!(".reg {vector}{of} {}; ", names.join(", ")));
    }
    scaffold.parameters = parameters.join(", ");
    scaffold.globals.truncate(scaffold.globals.trim_end().len());
    scaffold.locals.truncate(scaffold.locals.trim_end().len());
    scaffold
}

/// The text of a variant alone: its line, and all its declarations.
pub fn print_variant(form: &Form, values: &[u8]) -> (String, String) {
    let printer = Printer::new(form);
    let mut line = String::new();
    let mut items: Vec<Item<'_>> = Vec::new();
    printer.line(values, &mut line, |item| items.push(item));
    (line, scaffold(items, printer.context(values)).declarations())
}
