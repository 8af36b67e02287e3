//! Prints variants as PTX text: the line, and the declarations of exactly what it uses.

mod directive;

use std::collections::BTreeSet;

use crate::must::Must;
use crate::role::{self, Item};
use crate::spec::words::NONE;
use crate::spec::{Choice, Form, ModifierPattern, Pattern, Writing};
use crate::text::{Context, Scaffold};

/// The surroundings of a line, beside its declarations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Setting<'a> {
    /// The kind of body: an entry or a function.
    pub context: Context,
    /// The options of the module's `.target`.
    pub options: &'a str,
}

/// Writes variants of one form.
pub struct Printer<'a> {
    form: &'a Form,
    /// The axis of the guard, which every form of an instruction has.
    guard: Option<usize>,
}

impl<'a> Printer<'a> {
    /// A printer for a form.
    pub fn new(form: &'a Form) -> Self {
        Self { form, guard: form.axis_of(Choice::Guard) }
    }

    /// Appends the line of a variant, without a line break, and reports what it uses.
    pub fn line(&self, values: &[u8], to: &mut String, mut uses: impl FnMut(Item<'a>)) {
        let form = self.form;
        if let Some(template) = &form.template {
            to.push_str(&directive::print(form, template, values));
            return;
        }
        let guard = self.guard.map_or("", |guard| form.value(values, guard));
        if let Some(sign) = guard.strip_suffix('p') {
            to.push_str(sign);
            Item::GUARD.write(to);
            to.push(' ');
            uses(Item::GUARD);
        }
        to.push_str(form.opcode());
        let writing = form.writings.get(usize::from(values[form.writing()])).unwrap_or(&Writing::Plain);
        self.modifiers(values, writing, to);
        if !form.pattern.is_empty() || *writing == Writing::ExtraOperand {
            to.push(' ');
        }
        let mut first = true;
        for part in &form.pattern {
            self.part(values, writing, part, &mut first, to, &mut uses);
        }
        if *writing == Writing::ExtraOperand {
            separate(&mut first, to);
            Item::SURPLUS.write(to);
            uses(Item::SURPLUS);
        }
        to.push(';');
    }

    /// Appends the present operands of a part of the pattern, with their brackets and suffixes.
    fn part(
        &self,
        values: &[u8],
        writing: &Writing,
        part: &Pattern,
        first: &mut bool,
        to: &mut String,
        uses: &mut impl FnMut(Item<'a>),
    ) {
        let operands = part.operands();
        let left: Vec<usize> = operands.iter().copied().filter(|&at| self.present(values, at, writing)).collect();
        if left.is_empty() {
            return;
        }
        separate(first, to);
        let (open, between, close) = match part {
            Pattern::Bracket(_) if !writing.unbrackets(&operands) => ("[", ", ", "]"),
            Pattern::Operand(_) | Pattern::Bracket(_) => ("", ", ", ""),
            Pattern::Pair(..) => ("", "|", ""),
            Pattern::List(_) => ("(", ", ", ")"),
            Pattern::Braces(_) => ("{", ", ", "}"),
        };
        to.push_str(open);
        for (at, &operand) in left.iter().enumerate() {
            if at > 0 {
                to.push_str(between);
            }
            self.sign(values, operand, to);
            role::print(self.form, values, operand, to, uses);
            if between == "|" {
                self.suffixes(values, writing, operand, to);
            }
        }
        to.push_str(close);
        if between != "|" {
            let last = *operands.last().must("a part of which something is left has operands");
            self.suffixes(values, writing, last, to);
        }
    }

    /// Appends the sign before an operand.
    fn sign(&self, values: &[u8], operand: usize, to: &mut String) {
        let sign = self.form.operands[operand].sign.map(|axis| self.form.value(values, axis));
        to.push_str(sign.filter(|sign| *sign != NONE).unwrap_or_default());
    }

    /// Appends the suffixes after an operand.
    fn suffixes(&self, values: &[u8], writing: &Writing, operand: usize, to: &mut String) {
        for (_, suffix) in self.form.suffixes.iter().filter(|(of, _)| *of == operand) {
            let suffix = self.form.value(values, *suffix);
            if suffix != NONE {
                self.word(suffix, to);
            }
        }
        match writing {
            Writing::Suffixed(of, suffix) if *of == operand => to.push_str(suffix),
            _ => {}
        }
    }

    fn present(&self, values: &[u8], operand: usize, writing: &Writing) -> bool {
        !self.form.operands[operand].left_out(self.form, values) && *writing != Writing::Without(operand)
    }

    fn modifiers(&self, values: &[u8], writing: &Writing, to: &mut String) {
        let mut put = |slot: usize, times: usize| {
            let value = self.form.value(values, self.form.slots[slot].axis);
            if value != NONE {
                (0..times).for_each(|_| self.word(value, to));
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

    /// Appends a modifier; of a pattern, the first word that it stands for.
    fn word(&self, value: &str, to: &mut String) {
        if value.contains('{') { to.push_str(&ModifierPattern::first(value)) } else { to.push_str(value) }
    }

    /// The surroundings of the line.
    pub fn setting(&self, values: &[u8]) -> Setting<'a> {
        let value = |choice| self.form.axis_of(choice).map(|axis| self.form.value(values, axis));
        let context = match value(Choice::Context) {
            Some("function") => Context::Function,
            _ => Context::Entry,
        };
        Setting { context, options: value(Choice::Mode).filter(|mode| *mode != NONE).unwrap_or_default() }
    }

    /// Statements that store every register that the line writes, so that it is not removed as unused;
    /// empty if it writes none.
    pub fn stores(&self, values: &[u8], to: &mut String, mut uses: impl FnMut(Item<'a>)) {
        for at in 0..self.form.operands.len() {
            role::store(self.form, values, at, to, &mut uses);
        }
    }
}

/// The scaffold of a line of this form, which uses these items.
pub fn scaffold_of<'a>(form: &'a Form, values: &[u8], items: impl IntoIterator<Item = Item<'a>>) -> Scaffold {
    match &form.template {
        Some(template) => directive::scaffold(form, template, values),
        None => scaffold(items, Printer::new(form).setting(values)),
    }
}

/// Appends a comma, except for the first of a list.
fn separate(first: &mut bool, to: &mut String) {
    if !std::mem::take(first) {
        to.push_str(", ");
    }
}

/// The scaffold that declares these items and nothing else.
pub fn scaffold<'a>(items: impl IntoIterator<Item = Item<'a>>, setting: Setting<'_>) -> Scaffold {
    let items: BTreeSet<Item<'a>> = items.into_iter().collect();
    let Setting { context, options } = setting;
    let mut scaffold = Scaffold { context, options: options.to_owned(), ..Scaffold::default() };
    role::declare(items, &mut scaffold);
    scaffold
}

/// The text of a variant alone: its line, and all its declarations.
pub fn print_variant(form: &Form, values: &[u8]) -> (String, String) {
    let printer = Printer::new(form);
    let mut line = String::new();
    let mut items: Vec<Item<'_>> = Vec::new();
    printer.line(values, &mut line, |item| items.push(item));
    (line, scaffold_of(form, values, items).declarations())
}
