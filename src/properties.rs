//! Properties that hold for every input. `cargo test`, `cargo fuzz` and `--seed` drive the same
//! functions: each takes bytes, and panics where the property does not hold.

use arbitrary::Unstructured;
use rayon::prelude::*;

use crate::judge::Judge;
use crate::ptx::{Declarations, Item, Line, Printer, scaffold};
use crate::space::{Diagram, breakable, draw_variant, environment};
use crate::spec::{Form, Instruction, Rule, Spec, Writing};

/// The text of a variant alone: its line, and all its declarations.
pub fn text(form: &Form, values: &[u8]) -> (String, String) {
    let printer = Printer::new(form);
    let mut line = String::new();
    let mut items: Vec<Item<'_>> = Vec::new();
    printer.line(values, &mut line, |item| items.push(item));
    (line, scaffold(items, printer.context(values)).declarations())
}

/// Judges the text of a variant, and checks that exactly the rules expected are broken and, unless
/// the fault hides them, that the choices read are those printed.
pub fn check_variant(spec: &Spec, instruction: &Instruction, at: usize, values: &[u8], expected: Option<&Rule>) {
    let form = &instruction.forms[at];
    let (line, declarations) = text(form, values);
    let environment = environment(form, values).expect("a variant names its environment");
    let judge = Judge::new(spec, &environment).expect("a variant's environment is in the specification");
    let symbols = Declarations::parse(&declarations, &spec.isa).expect("printed declarations can be read");
    let parsed = Line::parse(&line).expect("a printed line can be read");
    let reading = judge.read_as(instruction, &parsed, &symbols);
    let found: Vec<&str> = reading.rules(instruction).map(|rule| rule.id.as_str()).collect();
    let expected: Vec<&str> = expected.iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(found, expected, "the rules that `{line}` breaks in {environment}, with {declarations}");
    let writing = &form.writings[usize::from(values[form.writing()])];
    if matches!(writing, Writing::Plain | Writing::Moved(_)) && reading.form == at && expected.is_empty() {
        let names = |values: &[u8]| -> Vec<String> {
            form.axes.iter().enumerate().map(|(axis, of)| format!("{}={}", of.name, form.value(values, axis))).collect()
        };
        assert_eq!(names(&reading.values), names(values), "the choices read from `{line}`");
    }
}

/// A variant drawn as valid is judged valid, and its text is read back as the same choices.
pub fn valid_is_judged_valid(spec: &Spec, spaces: &[Vec<Diagram>], u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let at = u.choose_index(spec.instructions.len())?;
    let instruction = &spec.instructions[at];
    let form = u.choose_index(instruction.forms.len())?;
    let values = draw_variant(u, &spaces[at][form].all())?;
    check_variant(spec, instruction, form, &values, None);
    Ok(())
}

/// A variant drawn to break a rule is judged to break that rule and no other.
pub fn breach_is_judged_invalid(spec: &Spec, breaches: &[(usize, usize, usize, Diagram)], u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let (at, form, rule, diagram) = u.choose(breaches)?;
    let instruction = &spec.instructions[*at];
    let values = draw_variant(u, &diagram.all())?;
    check_variant(spec, instruction, *form, &values, Some(&instruction.forms[*form].rules[*rule]));
    Ok(())
}

/// The valid space of every form of every instruction.
pub fn valid_spaces(spec: &Spec) -> Vec<Vec<Diagram>> {
    spec.instructions.iter().map(|instruction| instruction.forms.iter().map(Diagram::valid).collect()).collect()
}

/// The spaces of single breaches that are not empty: instruction, form, rule, space.
pub fn breach_spaces(spec: &Spec) -> Vec<(usize, usize, usize, Diagram)> {
    let mut rules = Vec::new();
    for (at, instruction) in spec.instructions.iter().enumerate() {
        for (number, form) in instruction.forms.iter().enumerate() {
            rules.extend(breakable(form).map(|rule| (at, number, rule)));
        }
    }
    let breaking = |&(at, form, rule): &(usize, usize, usize)| {
        (at, form, rule, Diagram::breaking(&spec.instructions[at].forms[form], rule))
    };
    rules.par_iter().map(breaking).filter(|(.., diagram)| diagram.count() > 0).collect()
}
