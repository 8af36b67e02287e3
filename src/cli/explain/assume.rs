//! Declarations for a line without any, guessed from its names.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use ptx_conform::environment::{AddressSize, Environment};
use ptx_conform::judge::assumed_arguments;
use ptx_conform::ptx::{Argument, Line};
use ptx_conform::spec::{Form, Instruction, Isa, Operand, Role};

/// Declarations of every name of lines that is not declared. Names such as `%rd1` are registers of the type that compilers
/// give them; the type of others depends on their first use.
pub(super) fn declarations(
    isa: &Isa,
    lines: &[(&Line<'_>, &Instruction)],
    declared: &BTreeSet<&str>,
    environment: &Environment,
) -> String {
    let Some(&(first, instruction)) = lines.first() else { return String::new() };
    let mut assumed = Assumed {
        isa,
        form: nearest(instruction, first),
        line: first,
        environment,
        names: declared.iter().copied().collect(),
        globals: String::new(),
        parameters: Vec::new(),
        registers: Vec::new(),
        locals: String::new(),
    };
    for &(line, instruction) in lines {
        let form = nearest(instruction, line);
        (assumed.form, assumed.line) = (form, line);
        if let Some((_, predicate)) = line.guard {
            assumed.register(predicate, ".pred");
        }
        for bound in assumed_arguments(form, line) {
            assumed.argument(bound.argument, Some(&form.operands[bound.operand]), bound.bracketed);
        }
        // What the form has no operand for needs declarations all the same.
        for written in &line.operands {
            assumed.argument(&written.argument, None, false);
        }
    }
    assumed.text()
}

/// The form whose modifiers and number of operands fit the line best.
fn nearest<'i>(instruction: &'i Instruction, line: &Line<'_>) -> &'i Form {
    let known = |form: &Form, modifier: &&&str| {
        form.slots.iter().any(|slot| {
            let axis = &form.axes[slot.axis];
            axis.position(modifier).is_some_and(|value| axis.claimed.contains(value))
        })
    };
    let fit = |form: &&Form| {
        let missing = form.slots.iter().filter(|slot| !slot.optional).count();
        let matched = line.modifiers.iter().filter(|modifier| known(form, modifier)).count();
        (
            line.modifiers.len().abs_diff(matched) + missing.saturating_sub(matched),
            form.pattern.len().abs_diff(line.operands.len()),
        )
    };
    instruction.forms.iter().min_by_key(fit).unwrap_or(&instruction.forms[0])
}

struct Assumed<'a> {
    isa: &'a Isa,
    form: &'a Form,
    line: &'a Line<'a>,
    environment: &'a Environment,
    names: Vec<&'a str>,
    globals: String,
    parameters: Vec<String>,
    /// By type, in the order of the line.
    registers: Vec<(String, Vec<String>)>,
    /// Labels, and variables of the body.
    locals: String,
}

impl<'a> Assumed<'a> {
    fn argument(&mut self, argument: &Argument<'a>, operand: Option<&Operand>, bracketed: bool) {
        match argument {
            Argument::Name(name) | Argument::Sum(name, ..) | Argument::Signed(_, name) => {
                self.name(name, operand, bracketed);
            }
            Argument::Element(name, register, _) => {
                self.name(name, operand, bracketed);
                register.iter().for_each(|register| self.name(register, None, false));
            }
            Argument::Tuple(elements) | Argument::List(elements) => {
                elements.iter().for_each(|element| self.argument(element, operand, bracketed));
            }
            Argument::Bracket(elements) => elements.iter().for_each(|element| self.argument(element, operand, true)),
            Argument::Pair(halves) => halves.iter().for_each(|half| self.argument(half, operand, bracketed)),
            _ => {}
        }
    }

    fn name(&mut self, name: &'a str, operand: Option<&Operand>, bracketed: bool) {
        if self.isa.special(name).is_some() {
            return;
        }
        // `%v.x` is a component of a vector.
        let (name, vector) = match name.split_once('.') {
            Some((name, component)) if "xyzwrgba".contains(component) => (name, ".v4 "),
            // `%r1.b0` is a part of a register.
            Some((name, _)) => (name, ""),
            None => (name, ""),
        };
        if name.is_empty() || self.names.contains(&name) {
            return;
        }
        let usual = usual(name);
        let role = operand.map_or(Role::Source, |operand| operand.role.clone());
        let pointer = if self.environment.address_size == AddressSize::Bits32 { ".b32" } else { ".b64" };
        match (role, usual) {
            (_, Some(of)) => self.register(name, &format!("{vector}{of}")),
            (Role::Surface { .. }, None) if !name.starts_with('%') => {
                self.names.push(name);
                let _ = write!(self.globals, ".global .surfref {name}; ");
            }
            (Role::Surface { .. }, None) => self.register(name, ".b64"),
            (Role::Object(kind), None) if !name.starts_with('%') => self.object(kind, name),
            (Role::Arguments, None) if !name.starts_with('%') => {
                self.names.push(name);
                self.locals.push_str(&format!(".param .b32 {name}; "));
            }
            (Role::Address { .. }, None) if name.starts_with('%') || !self.variable(name) => {
                self.register(name, pointer)
            }
            (Role::Address { .. }, None) => {}
            (_, None) => {
                let of = self.fitting(operand, bracketed);
                self.register(name, &format!("{vector}{of}"));
            }
        }
    }

    /// Declares a texture, a label, a function or the like.
    fn object(&mut self, kind: &str, name: &'a str) {
        let (globals, locals) = match kind {
            "texture" => (format!(".global .texref {name}; "), String::new()),
            "tex-variable" => (format!(".tex .u64 {name}; "), String::new()),
            "sampler" => (format!(".global .samplerref {name}; "), String::new()),
            "function" => (format!(".func {name}; "), String::new()),
            "entry" => (format!(".entry {name}; "), String::new()),
            "label" => (String::new(), format!("{name}: ")),
            "branch-targets" => (String::new(), format!("target: {name}: .branchtargets target; ")),
            "call-targets" => (".func target; ".to_owned(), format!("{name}: .calltargets target; ")),
            _ => (String::new(), format!("{name}: .callprototype _; ")),
        };
        self.names.push(name);
        self.globals.push_str(&globals);
        self.locals.push_str(&locals);
    }

    /// Declares a variable in the space that the line names; `false` if it names none.
    fn variable(&mut self, name: &'a str) -> bool {
        let spaces = [".global", ".const", ".shared", ".local", ".param"];
        let named = |space: &&str| {
            self.line.modifiers.iter().any(|m| m.split("::").next() == Some(*space) && !m.starts_with(".param::func"))
        };
        let unified = self.line.operands.iter().any(|operand| operand.suffix == Some(".unified"));
        let Some(space) = spaces.into_iter().find(named) else { return false };
        self.names.push(name);
        let attribute = if unified && space == ".global" { ".attribute(.unified(1, 2)) " } else { "" };
        let variable = format!("{space} {attribute}.align 32 .b8 {name}[64]");
        match space {
            ".param" => self.parameters.push(variable),
            // At module scope every entry may use it.
            _ => {
                let _ = write!(self.globals, "{variable}; ");
            }
        }
        true
    }

    /// A register type that the operand accepts, as wide as the line's type if possible.
    fn fitting(&self, operand: Option<&Operand>, bracketed: bool) -> String {
        let of_line = self.line.modifiers.iter().rev().find_map(|modifier| self.isa.register_type(modifier));
        let bits = of_line.filter(|_| !bracketed).map_or(32, |of| of.bits.max(32));
        let types = [format!(".b{bits}"), ".b32".to_owned(), ".b64".to_owned()];
        let axis = operand.and_then(|operand| operand.of_type).map(|axis| &self.form.axes[axis]);
        let takes =
            |of: &&String| axis.is_none_or(|axis| axis.position(of).is_some_and(|value| axis.claimed.contains(value)));
        let is_type = |value: &&String| self.isa.register_type(value).is_some();
        let claimed = axis.into_iter().flat_map(|axis| axis.values.iter().filter(is_type));
        types.iter().chain(claimed).find(takes).unwrap_or(&types[0]).clone()
    }

    fn register(&mut self, name: &'a str, of: &str) {
        if self.names.contains(&name) || self.isa.special(name).is_some() {
            return;
        }
        self.names.push(name);
        match self.registers.iter_mut().find(|(known, _)| known == of) {
            Some((_, names)) => names.push(name.to_owned()),
            None => self.registers.push((of.to_owned(), vec![name.to_owned()])),
        }
    }

    fn text(&self) -> String {
        let mut text = self.globals.clone();
        if !self.parameters.is_empty() {
            let _ = write!(text, ".entry k({}) {{ ", self.parameters.join(", "));
        } else if !self.globals.is_empty() {
            text.push_str(".entry k { ");
        }
        for (of, names) in &self.registers {
            let _ = write!(text, ".reg {of} {}; ", names.join(", "));
        }
        text.push_str(&self.locals);
        text.trim_end().to_owned()
    }
}

/// The type of a register with a name as compilers choose them: a letter or two and a number.
fn usual(name: &str) -> Option<&'static str> {
    let letters = name.strip_prefix('%')?.trim_end_matches(|c: char| c.is_ascii_digit());
    Some(match letters {
        "r" | "hh" => ".b32",
        "rd" => ".b64",
        "rs" | "h" => ".b16",
        "rq" => ".b128",
        "f" => ".f32",
        "fd" => ".f64",
        "p" => ".pred",
        _ => return None,
    })
}
