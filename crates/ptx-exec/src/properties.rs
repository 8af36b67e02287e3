//! Properties that hold for every input. `cargo test`, `cargo fuzz` and `--seed` drive the same
//! functions: each takes bytes, and panics where the property does not hold.

mod execution;

use std::path::Path;
use std::sync::OnceLock;

use arbitrary::Unstructured;

use ptx_spec::environment::{AddressSize, Environment};
use ptx_spec::judge::{Judge, Reading};
use ptx_spec::ptx::{Declarations, Line, OperandText, print_variant};
use ptx_spec::space::{Diagram, Values, breakable, draw_variant, environment};
use ptx_spec::spec::{Form, Instruction, Rule, Spec, UNREAD, Writing};

pub use execution::execution_is_sound;

/// The specification that this build carries with its spaces, each made when it is first drawn from.
pub struct Shipped {
    /// The specification.
    pub spec: Spec,
    /// The valid space of every form.
    valid: Vec<Space>,
    /// The variants that break one rule and no other, for every rule that can be broken.
    breaches: Vec<Space>,
    /// The states of each instruction.
    executed: Vec<execution::Executed>,
}

/// The specification of this repository: the properties are for its own tests and fuzzing.
const SPECS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs");

/// `isa.yaml`, and every instruction with its name.
fn shipped_texts() -> (String, Vec<(String, String)>) {
    let read = |name: &str| std::fs::read_to_string(Path::new(SPECS).join(name)).expect("the specification is there");
    let folder = std::fs::read_dir(SPECS).expect("the specification is there");
    let names = folder.map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned());
    let mut files: Vec<(String, String)> = names
        .filter(|name| name.ends_with(".yaml") && name != "isa.yaml")
        .map(|name| {
            let text = read(&name);
            (name, text)
        })
        .collect();
    files.sort();
    (read("isa.yaml"), files)
}

/// A space of variants of one form.
struct Space {
    instruction: usize,
    form: usize,
    /// The rule broken, if any.
    rule: Option<usize>,
    diagram: OnceLock<Diagram>,
}

impl Space {
    fn new(instruction: usize, form: usize, rule: Option<usize>) -> Self {
        Self { instruction, form, rule, diagram: OnceLock::new() }
    }

    /// A variant; none where the space is empty, as it is for a rule that cannot be broken alone.
    fn draw(&self, form: &Form, u: &mut Unstructured<'_>) -> arbitrary::Result<Option<Values>> {
        let diagram = self.diagram.get_or_init(|| match self.rule {
            None => Diagram::valid(form),
            Some(rule) => Diagram::breaking(form, rule),
        });
        if diagram.count() == 0 {
            return Ok(None);
        }
        draw_variant(u, &diagram.all()).map(Some)
    }
}

impl Shipped {
    /// The one of this process.
    pub fn get() -> &'static Self {
        static SHIPPED: OnceLock<Shipped> = OnceLock::new();
        SHIPPED.get_or_init(Self::new)
    }

    fn new() -> Self {
        let spec =
            Spec::load(Path::new(SPECS)).unwrap_or_else(|errors| panic!("the specification is sound: {errors:?}"));
        let mut valid = Vec::new();
        let mut breaches = Vec::new();
        for (at, instruction) in spec.instructions.iter().enumerate() {
            for (number, form) in instruction.forms.iter().enumerate() {
                valid.push(Space::new(at, number, None));
                breaches.extend(breakable(form).map(|rule| Space::new(at, number, Some(rule))));
            }
        }
        let executed = spec.instructions.iter().map(execution::Executed::of).collect();
        Self { spec, valid, breaches, executed }
    }

    /// A variant drawn from one of the spaces, with its instruction.
    fn draw<'s>(
        &'s self,
        spaces: &'s [Space],
        u: &mut Unstructured<'_>,
    ) -> arbitrary::Result<Option<(&'s Instruction, &'s Space, Values)>> {
        // The instruction first: most rules are those of the largest, whose spaces take longest.
        let at = u.choose_index(self.spec.instructions.len())?;
        let instruction = &self.spec.instructions[at];
        let of_it: Vec<&Space> = spaces.iter().filter(|space| space.instruction == at).collect();
        let space = *u.choose(&of_it)?;
        let values = space.draw(&instruction.forms[space.form], u)?;
        Ok(values.map(|values| (instruction, space, values)))
    }
}

/// A variant drawn as valid is judged valid, and its text is read back as the same choices.
pub fn valid_is_judged_valid(u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let shipped = Shipped::get();
    if let Some((instruction, space, values)) = shipped.draw(&shipped.valid, u)? {
        check_variant(&shipped.spec, instruction, space.form, &values, None);
    }
    Ok(())
}

/// A variant drawn to break a rule is judged to break that rule and no other.
pub fn breach_is_judged_invalid(u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let shipped = Shipped::get();
    if let Some((instruction, space, values)) = shipped.draw(&shipped.breaches, u)? {
        let rule = space.rule.map(|rule| &instruction.forms[space.form].rules[rule]);
        check_variant(&shipped.spec, instruction, space.form, &values, rule);
    }
    Ok(())
}

/// A variant whose text is then changed in a few places is judged without fault of ours, and alike
/// however it is spaced; where it is valid, the variant it was read as is valid again.
pub fn mutant_is_judged_stably(u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let shipped = Shipped::get();
    let Some((instruction, space, values)) = shipped.draw(&shipped.valid, u)? else { return Ok(()) };
    let form = &instruction.forms[space.form];
    let (line, declarations) = print_variant(form, &values);
    let mut bytes = line.into_bytes();
    for _ in 0..u.int_in_range(1..=3)? {
        mutate(&mut bytes, u)?;
    }
    let line = String::from_utf8_lossy(&bytes);
    let environment = environment(form, &values).expect("a variant names its environment");
    check_line(&shipped.spec, &environment, &line, &declarations);
    Ok(())
}

/// Any text is refused as a line, or read and judged as its spellings are. Up to the first NUL the
/// text is the line, then come the declarations.
pub fn any_line_is_judged_stably(u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let spec = &Shipped::get().spec;
    let ptx = *u.choose(&spec.isa.versions)?;
    let (target, _) = *u.choose(&spec.isa.targets)?;
    let address_size = if u.arbitrary()? { AddressSize::Bits32 } else { AddressSize::Bits64 };
    let text = String::from_utf8_lossy(u.bytes(u.len())?).into_owned();
    let (line, declarations) = text.split_once('\0').unwrap_or((&text, DECLARED));
    check_line(spec, &Environment { ptx, target, address_size }, line, declarations);
    Ok(())
}

/// What lines drawn from bytes may use.
const DECLARED: &str = ".global .b8 g[64]; .global .surfref s; .shared .b8 h[64]; .entry k(.param .b8 p[64]) { \
    .reg .b32 r, a<9>; .reg .b64 q, b<9>; .reg .v4 .b32 v; .reg .pred c;";

/// The loader takes any text for an instruction's file: it accepts it or says what is wrong, and
/// what it accepts can be judged with. The text is made of the bytes alone, or of a shipped file with
/// a few of its words changed, moved and repeated.
pub fn loader_survives(u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let (isa, files) = shipped_texts();
    let isa = isa.as_str();
    let text = if u.ratio(1, 4)? {
        String::from_utf8_lossy(u.bytes(u.len())?).into_owned()
    } else {
        // Bytes that ran out are zeros: they choose the shortest file.
        let mut by_length: Vec<&str> = files.iter().map(|(_, text)| text.as_str()).collect();
        by_length.sort_by_key(|text| text.len());
        let text = *u.choose(&by_length)?;
        let mut words: Vec<&str> = text.split_inclusive([' ', '\n', ',', '.', '{', '}', '[', ']']).collect();
        for _ in 0..u.int_in_range(1..=6)? {
            let (to, from) = (u.choose_index(words.len())?, u.choose_index(words.len())?);
            match u.int_in_range(0..=3)? {
                0 => words[to] = words[from],
                1 => words.insert(to, words[from]),
                2 => words.swap(to, from),
                _ => drop(words.remove(to)),
            }
        }
        words.concat()
    };
    // The file must be called after the opcode.
    let named = text.lines().find_map(|line| line.strip_prefix("instruction:"));
    let opcode = named.and_then(|name| name.split_whitespace().next()).unwrap_or("any");
    match Spec::from_texts(("isa.yaml", isa), &[(format!("{opcode}.yaml"), text.clone())]) {
        Err(errors) => {
            assert!(!errors.is_empty(), "a refusal says why");
            for error in errors {
                assert!(!error.render(false).is_empty() && !error.to_string().is_empty());
            }
        }
        Ok(spec) => {
            let newest = Environment {
                ptx: *spec.isa.versions.last().expect("isa.yaml has versions"),
                target: spec.isa.targets.last().expect("isa.yaml has targets").0,
                address_size: AddressSize::Bits64,
            };
            for form in spec.instructions.iter().flat_map(|instruction| &instruction.forms) {
                let simplest: Values = form.axes.iter().map(|_| 0).collect();
                let (line, declarations) = print_variant(form, &simplest);
                check_line(&spec, &newest, &line, &declarations);
            }
        }
    }
    Ok(())
}

/// Judges the text of a variant, and checks that exactly the rules expected are broken and, unless
/// the fault hides them, that the choices read are those printed.
pub fn check_variant(spec: &Spec, instruction: &Instruction, at: usize, values: &[u8], expected: Option<&Rule>) {
    let form = &instruction.forms[at];
    let (line, declarations) = print_variant(form, values);
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
        assert_eq!(names(form, &reading.values), names(form, values), "the choices read from `{line}`");
    }
}

/// Judges any text, and checks that nothing panics, that other spacings are the same line and that
/// a valid line is read as a variant whose own text is valid and read alike.
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
    assert_eq!(judge.read_as(instruction, &respaced, &symbols), reading, "`{line}` and `{spaced}`");
    assert_eq!(judge.read_as(instruction, &again, &symbols), reading, "`{line}` and `{printed}`");
    let form = &instruction.forms[reading.form];
    if reading.valid() && !reading.values.contains(&UNREAD) {
        let (own, declarations) = print_variant(form, &reading.values);
        let symbols = Declarations::parse(&declarations, &spec.isa).expect("printed declarations can be read");
        let parsed = Line::parse(&own).expect("a printed line can be read");
        let mut own_reading = judge.read_as(instruction, &parsed, &symbols);
        // Any order is printed in the order of the syntax line.
        own_reading.values[form.writing()] = reading.values[form.writing()];
        let of = |reading: &Reading| (reading.form, names(form, &reading.values), reading.broken.clone());
        assert_eq!(of(&own_reading), of(&reading), "`{own}`, printed for `{line}` with {declarations}");
    }
}

/// Every choice by its name.
fn names(form: &Form, values: &[u8]) -> Vec<String> {
    form.axes.iter().enumerate().map(|(axis, of)| format!("{}={}", of.name, form.value(values, axis))).collect()
}

/// A line but for how its operands are spelt.
fn said<'l>(line: &'l Line<'_>) -> impl PartialEq + std::fmt::Debug + use<'l> {
    let operands =
        line.operands.iter().map(|OperandText { argument, suffix, .. }| (argument, suffix)).collect::<Vec<_>>();
    (line.guard, line.opcode, &line.modifiers, operands)
}

/// The line with blanks wherever punctuation allows them.
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

/// Changes a text in one place: a byte, or a piece of it that is removed or repeated elsewhere.
fn mutate(bytes: &mut Vec<u8>, u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    const TELLING: &[u8] = b"@!%._+-0x1fdv,;:{}[]()| \t/*\x80";
    let at = u.int_in_range(0..=bytes.len().saturating_sub(1))?;
    match u.int_in_range(0..=3)? {
        0 if at < bytes.len() => bytes[at] = *u.choose(TELLING)?,
        1 => bytes.insert(at, *u.choose(TELLING)?),
        2 => {
            let end = bytes.len().min(at + u.int_in_range(1..=8)?);
            drop(bytes.drain(at..end));
        }
        _ => {
            let end = bytes.len().min(at + u.int_in_range(1..=8)?);
            let piece = bytes[at..end].to_vec();
            let to = u.int_in_range(0..=bytes.len())?;
            drop(bytes.splice(to..to, piece));
        }
    }
    Ok(())
}

/// Every variant of a form in one environment is judged valid where no rule is broken, and to break
/// exactly the rule that is broken alone; how many there were of both.
pub fn check_every_variant(spec: &Spec, instruction: &Instruction, at: usize, environment: &Environment) -> (u64, u64) {
    let form = &instruction.forms[at];
    let prefix =
        ptx_spec::space::environment_values(form, environment).expect("the environment is in the specification");
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
