//! Directives and declarations: what is generated is read as it was meant, and every rule can be broken.

use ptx_conform::directive::read_case;
use ptx_conform::ptx::{Printer, scaffold_of};
use ptx_conform::space::{Diagram, breakable, covering, environment};
use ptx_conform::spec::{Form, Instruction};

use crate::shipped::SPEC;

/// The mistakes in reading some variants of a form, which break this rule or none.
fn misread(directive: &Instruction, at: usize, form: &Form, rule: Option<usize>) -> Vec<String> {
    let diagram = match rule {
        None => Diagram::valid(form),
        Some(rule) => Diagram::breaking(form, rule),
    };
    if diagram.count() == 0 {
        return vec![format!("{}: nothing breaks {}", form.id, rule.map_or("nothing", |rule| &form.rules[rule].id))];
    }
    let meant: Vec<usize> = rule.into_iter().collect();
    let mistake = |values: &Vec<u8>| {
        let environment = environment(form, values);
        let mut line = String::new();
        Printer::new(form).line(values, &mut line, |_| {});
        let (module, _) = scaffold_of(form, values, []).module(&environment, "k", &[&line]);
        match read_case(&SPEC, &environment, &module, directive, at) {
            Err(why) => Some(format!("{line}: {why}")),
            Ok(reading) if reading.values == *values && reading.broken == meant => None,
            Ok(reading) => {
                let rules: Vec<&str> = reading.rules(directive).map(|rule| rule.id.as_str()).collect();
                Some(format!("{}: `{line}` is read as {:?}, and breaks {rules:?}", form.id, reading.values))
            }
        }
    };
    covering(&diagram.all(), 1).iter().filter_map(mistake).collect()
}

#[test]
fn directives_are_read_as_they_were_made() {
    let mut mistakes = Vec::new();
    for directive in &SPEC.directives {
        for (at, form) in directive.forms.iter().enumerate() {
            for rule in breakable(form).map(Some).chain([None]) {
                mistakes.extend(misread(directive, at, form, rule));
            }
        }
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}
