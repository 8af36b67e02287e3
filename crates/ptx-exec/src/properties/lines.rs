//! Properties of every line: how variants and other texts are judged, and how they are printed again.

use std::borrow::Cow;

use ptx_spec::environment::Environment;
use ptx_spec::judge::{Judge, Reading};
use ptx_spec::ptx::{Argument, Declarations, Line, OperandText, print_variant, without_blanks};
use ptx_spec::review::is_as_meant;
use ptx_spec::space::{Diagram, breakable, environment, environment_values};
use ptx_spec::spec::{Form, Instruction, Rule, Spec, UNREAD, Writing};

/// Judges the text of a variant, and checks that exactly the expected rules are broken and, unless the
/// fault hides them, that the choices read are those printed.
pub fn check_variant(spec: &Spec, instruction: &Instruction, at: usize, values: &[u8], expected: Option<&Rule>) {
    let form = &instruction.forms[at];
    let (line, declarations) = print_variant(form, values);
    let environment = environment(form, values);
    let judge = Judge::new(spec, &environment).expect("a variant's environment is in the specification");
    let symbols = Declarations::parse(&declarations, &spec.isa).expect("printed declarations can be read");
    let parsed = Line::parse(&line).expect("a printed line can be read");
    let reading = judge.read_as(instruction, &parsed, &symbols);
    let found: Vec<&str> = reading.rules(instruction).map(|rule| rule.id.as_str()).collect();
    let expected: Vec<&str> = expected.iter().map(|rule| rule.id.as_str()).collect();
    if is_as_meant(form, reading.form == at, expected.first().copied(), &found) && found != expected {
        return;
    }
    assert_eq!(found, expected, "the rules that `{line}` breaks in {environment}, with {declarations}");
    let writing = &form.writings[usize::from(values[form.writing()])];
    let whole = match writing {
        Writing::Plain | Writing::Moved(_) => expected.is_empty(),
        Writing::Unbracketed | Writing::ExtraOperand => true,
        _ => false,
    };
    if whole && reading.form == at {
        assert_eq!(names(form, &reading.values), names(form, values), "the choices read from `{line}`");
    }
}

/// Judges any text, and checks that nothing panics, that other spacings give the same line, and that a
/// valid line is read as a variant whose own text is valid and read alike.
pub fn check_line(spec: &Spec, environment: &Environment, line: &str, declarations: &str) {
    let judge = Judge::new(spec, environment).expect("the environment is in the specification");
    let symbols = Declarations::parse(declarations, &spec.isa);
    let parsed = Line::parse(line);
    let spaced = spaced(line);
    let respaced = Line::parse(&spaced);
    assert_eq!(parsed.is_ok(), respaced.is_ok(), "`{line}` and `{spaced}`");
    let (Ok(parsed), Ok(respaced)) = (parsed, respaced) else { return };
    assert_eq!(said(&parsed), said(&respaced), "`{line}` and `{spaced}`");
    let printed = parsed.to_string();
    let again = Line::parse(&printed).unwrap_or_else(|why| panic!("`{printed}`, printed from `{line}`: {why}"));
    assert_eq!(said(&again), said(&parsed), "`{printed}`, printed from `{line}`");
    assert_eq!(again.to_string(), printed, "printed twice");

    let Ok(symbols) = symbols else { return };
    let Some((instruction, reading)) = judge.read(&parsed, &symbols) else { return };
    // A word of the instruction's name may come late, so the instruction is found anew.
    let read = |line: &Line<'_>| judge.read(line, &symbols).map(|(_, reading)| reading);
    assert_eq!(read(&respaced).as_ref(), Some(&reading), "`{line}` and `{spaced}`");
    let form = &instruction.forms[reading.form];
    // Printing leaves out white space, with it that which a rule forbids.
    let mut without_blank = reading.clone();
    without_blank.broken.retain(|&rule| form.rules[rule].id != "isa/blank-in-an-opcode");
    assert_eq!(read(&again), Some(without_blank), "`{line}` and `{printed}`");
    if reading.valid() && !reading.values.contains(&UNREAD) {
        let (own, declarations) = print_variant(form, &reading.values);
        let symbols = Declarations::parse(&declarations, &spec.isa).expect("printed declarations can be read");
        let parsed = Line::parse(&own).expect("a printed line can be read");
        let mut own_reading = judge.read_as(instruction, &parsed, &symbols);
        // Modifiers in any order are printed in the order of the syntax line.
        own_reading.values[form.writing()] = reading.values[form.writing()];
        let of = |reading: &Reading| (reading.form, names(form, &reading.values), reading.broken.clone());
        assert_eq!(of(&own_reading), of(&reading), "`{own}`, printed for `{line}` with {declarations}");
    }
}

/// The choices by name.
pub(super) fn names(form: &Form, values: &[u8]) -> Vec<String> {
    form.axes.iter().enumerate().map(|(axis, of)| format!("{}={}", of.name, form.value(values, axis))).collect()
}

/// A line without the spelling of its operands, and the names in it without blanks.
fn said<'l>(line: &'l Line<'_>) -> impl PartialEq + std::fmt::Debug + use<'l> {
    let mut names = Vec::new();
    let guard = line.guard.map(|(negated, name)| (negated, without_blanks(name)));
    let mut operands = Vec::new();
    for OperandText { argument, suffix, .. } in &line.operands {
        operands.push((nameless(argument, &mut names), suffix));
    }
    (guard, line.opcode, &line.modifiers, operands, names)
}

/// An argument with its names taken out, in order and without the blanks that may stand in them.
fn nameless<'a>(argument: &'a Argument<'_>, names: &mut Vec<Cow<'a, str>>) -> Argument<'a> {
    let mut out = |name: &'a str| names.push(without_blanks(name));
    match argument {
        Argument::Name(name) => out(name),
        Argument::Sum(name, _) | Argument::Signed(_, name) | Argument::Element(name, None, _) => out(name),
        Argument::Element(name, Some(register), _) => {
            out(name);
            out(register);
        }
        _ => {}
    }
    let mut all = |elements: &'a [Argument<'_>]| elements.iter().map(|element| nameless(element, names)).collect();
    match argument {
        Argument::Name(_) => Argument::Name(""),
        Argument::Sum(_, value) => Argument::Sum("", *value),
        Argument::Signed(sign, _) => Argument::Signed(*sign, ""),
        Argument::Element(_, register, value) => Argument::Element("", register.map(|_| ""), *value),
        Argument::Tuple(elements) => Argument::Tuple(all(elements)),
        Argument::Bracket(elements) => Argument::Bracket(all(elements)),
        Argument::List(elements) => Argument::List(all(elements)),
        Argument::Pair(halves) => {
            let [first, second] = &**halves;
            Argument::Pair(Box::new([nameless(first, names), nameless(second, names)]))
        }
        Argument::Integer(value) => Argument::Integer(*value),
        Argument::Float(bits) => Argument::Float(*bits),
        Argument::Double(bits) => Argument::Double(*bits),
        Argument::Sink => Argument::Sink,
        Argument::Other => Argument::Other,
    }
}

/// The line with blanks wherever they are allowed.
fn spaced(line: &str) -> String {
    let mut spaced = String::new();
    for c in line.chars() {
        match c {
            ',' | '[' | ']' | '{' | '}' | ';' => spaced.extend([' ', c, ' ']),
            _ => spaced.push(c),
        }
    }
    spaced
}

/// Checks every variant of a form in one environment: it is judged valid if it breaks no rule, and
/// otherwise to break exactly the rule that it breaks alone. Returns how many there were of both.
pub fn check_every_variant(spec: &Spec, instruction: &Instruction, at: usize, environment: &Environment) -> (u64, u64) {
    let form = &instruction.forms[at];
    let prefix = environment_values(form, environment).expect("the environment is in the specification");
    let mut counts = (0, 0);
    for values in Diagram::valid(form).all().below(&prefix).iter_from(0) {
        check_variant(spec, instruction, at, &values, None);
        counts.0 += 1;
    }
    for rule in breakable(form) {
        for values in Diagram::breaking(form, rule).all().below(&prefix).iter_from(0) {
            check_variant(spec, instruction, at, &values, Some(&form.rules[rule]));
            counts.1 += 1;
        }
    }
    counts
}
