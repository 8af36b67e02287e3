//! From a variant to PTX text: the line, and the declarations of exactly what it uses.

use std::collections::BTreeSet;

use crate::role::{self, Item};
use crate::spec::words::NONE;
use crate::spec::{Choice, Form, Pattern, Writing};
use crate::text::{Context, Scaffold};

/// Writes variants of one form.
pub struct Printer<'a> {
    form: &'a Form,
    guard: usize,
}

impl<'a> Printer<'a> {
    /// A printer for a form.
    pub fn new(form: &'a Form) -> Self {
        Self { form, guard: form.axis_of(Choice::Guard).unwrap_or_default() }
    }

    /// Appends the line of a variant, without a line break, and names what it uses.
    pub fn line(&self, values: &[u8], to: &mut String, mut uses: impl FnMut(Item<'a>)) {
        let form = self.form;
        let guard = form.value(values, self.guard);
        if let Some(sign) = guard.strip_suffix('p') {
            to.push_str(sign);
            Item::GUARD.write(to);
            to.push(' ');
            uses(Item::GUARD);
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
                role::print(form, values, operand, to, &mut uses);
            }
            if bracket {
                to.push(']');
            }
            let last = operands.last().copied().unwrap_or_default();
            for (_, suffix) in form.suffixes.iter().filter(|(operand, _)| *operand == last) {
                let suffix = form.value(values, *suffix);
                if suffix != NONE {
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
            if !first {
                to.push_str(", ");
            }
            Item::SURPLUS.write(to);
            uses(Item::SURPLUS);
        }
        to.push(';');
    }

    fn present(&self, values: &[u8], operand: usize, writing: &Writing) -> bool {
        let of = &self.form.operands[operand];
        let left_out = of.optional && of.of_type.is_some_and(|axis| self.form.value(values, axis) == NONE);
        !left_out && *writing != Writing::Without(operand)
    }

    fn modifiers(&self, values: &[u8], writing: &Writing, to: &mut String) {
        let mut put = |slot: usize, times: usize| {
            let value = self.form.value(values, self.form.slots[slot].axis);
            if value != NONE {
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
        for at in 0..self.form.operands.len() {
            role::store(self.form, values, at, to, &mut uses);
        }
    }
}

/// The scaffold that declares these items and nothing else.
pub fn scaffold<'a>(items: impl IntoIterator<Item = Item<'a>>, context: Context) -> Scaffold {
    let items: BTreeSet<Item<'a>> = items.into_iter().collect();
    let mut scaffold = Scaffold { context, ..Scaffold::default() };
    role::declare(items, &mut scaffold);
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
