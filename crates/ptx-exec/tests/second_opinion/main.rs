//! A second opinion of the instructions that only compute, which shares nothing with the model: numbers are rows of bits, and
//! each instruction is computed as its page of the manual writes it. Drawn variants and numbers are compared with the model.

mod asked;
mod choice;
mod fields;
mod integer;
mod movement;
mod number;
mod video;

use std::collections::BTreeMap;
use std::path::Path;

use ptx_exec::semantics::{self, Computation};
use ptx_spec::space::{Diagram, Draw};
use ptx_spec::spec::{Form, Spec};
use ptx_spec::text::{Argument, Line, OperandText};

use asked::{Asked, Open};
use number::{Bits, bits, value};

/// What an instruction computes from rows of 128 bits, of which it takes those of its sources' types.
type Opinion = fn(&Asked<'_>, &[Bits]) -> Result<Vec<Bits>, Open>;

/// Variants of each form, and rows of each variant.
const TRIED: (usize, usize) = (60, 32);
/// Drawn variants of a form until none that the model knows is expected, and until there are enough draws.
const DRAWN: (usize, usize) = (100, 1500);

/// The opinion of an opcode.
fn opinion(opcode: &str) -> Option<Opinion> {
    [integer::TABLE, fields::TABLE, choice::TABLE, movement::TABLE, video::TABLE]
        .into_iter()
        .flatten()
        .find(|(name, _)| *name == opcode)
        .map(|(_, opinion)| *opinion)
}

fn spec() -> Spec {
    Spec::load(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs"))).expect("the specification is sound")
}

/// A number of edges and random ones; what is above a type's bits never matters, so it is there half the time.
fn drawn(draw: &mut Draw) -> u128 {
    let mut below = |count: u128| draw.below(count).expect("a number");
    let size = 8 << below(4);
    let within = (1 << size) - 1;
    let number = match below(8) {
        0 => below(3),
        1 => within - below(3),
        2 => (1 << (size - 1)) - below(2),
        3 => (1 << (size - 1)) + below(2),
        4 => [31, 32, 33, 63, 64, 65, 127, 128, 255, 256][below(10) as usize],
        5 => 1 << below(size),
        6 => [u128::MAX / 3, u128::MAX / 3 * 2, u128::MAX / 15, u128::MAX / 17 * 8][below(4) as usize] & within,
        _ => below(u128::MAX) & within,
    };
    match below(4) {
        0 => number | below(u128::MAX) & !within,
        1 => number | u128::MAX & !within,
        _ => number,
    }
}

/// A row of numbers, where equal ones are frequent.
fn drawn_row(draw: &mut Draw, sources: usize) -> Vec<u128> {
    let mut row: Vec<u128> = Vec::new();
    for _ in 0..sources {
        let number = match row.last() {
            Some(last) if draw.below(8) == Some(0) => *last,
            _ => drawn(draw),
        };
        row.push(number);
    }
    row
}

/// The suffix of each source where the choice stands for many: digits of the range that it names.
fn drawn_suffixes(form: &Form, values: &[u8], draw: &mut Draw) -> Vec<String> {
    let suffix = |operand: &ptx_spec::spec::Operand, draw: &mut Draw| {
        let chosen = form.axis_of_suffix(operand).map_or("", |axis| form.value(values, axis));
        let Some((start, _)) = chosen.split_once('{') else { return String::new() };
        let greatest = chosen.trim_end_matches('}').bytes().last().unwrap_or(b'0') - b'0';
        let digits = (0..chosen.matches('{').count())
            .map(|_| draw.below(u128::from(greatest) + 1).expect("a digit").to_string());
        format!("{start}{}", digits.collect::<String>())
    };
    form.operands.iter().map(|operand| suffix(operand, draw)).collect()
}

/// A drawn variant with what both say of it.
struct Variant<'a> {
    form: &'a Form,
    values: Vec<u8>,
    suffixes: Vec<String>,
    computation: Computation,
    opinion: Opinion,
}

impl<'a> Variant<'a> {
    /// A variant that the model knows.
    fn drawn(spec: &Spec, form: &'a Form, diagram: &Diagram, draw: &mut Draw) -> Option<Self> {
        let values = draw.variant(&diagram.all())?.to_vec();
        let suffixes = drawn_suffixes(form, &values, draw);
        let texts: Vec<String> =
            form.operands.iter().zip(&suffixes).map(|(operand, suffix)| format!("{}{suffix}", operand.name)).collect();
        let operands =
            texts.iter().map(|text| OperandText { argument: Argument::Name(text), suffix: None, text }).collect();
        let line = Line { guard: None, opcode: form.opcode(), modifiers: Vec::new(), operands };
        let written = suffixes.iter().any(|suffix| !suffix.is_empty()).then_some(&line);
        let computation = semantics::computation(&spec.isa, form, &values, written)?.ok()?;
        let opinion = opinion(form.opcode())?;
        Some(Self { form, values, suffixes, computation, opinion })
    }

    /// Some variants that the model knows, none if it knows none of the form.
    fn several(spec: &Spec, form: &'a Form, diagram: &Diagram, draw: &mut Draw) -> Vec<Self> {
        let mut variants = Vec::new();
        for drawn in 0..DRAWN.1 {
            if variants.len() == TRIED.0 || drawn >= DRAWN.0 && variants.is_empty() {
                break;
            }
            variants.extend(Self::drawn(spec, form, diagram, draw));
        }
        variants
    }

    fn sources(&self) -> usize {
        self.computation.sources().len() + usize::from(self.computation.reads_carry())
    }

    /// The choices, for a message.
    fn written(&self) -> String {
        let axes = self.form.axes.iter().enumerate().map(|(at, axis)| (&axis.name, self.form.value(&self.values, at)));
        let chosen = axes.filter(|(name, value)| *value != "none" && !name.ends_with(".shape"));
        let words: Vec<String> = chosen.map(|(name, value)| format!("{name}={value}")).collect();
        format!("{} {} {}", self.form.id, words.join(" "), self.suffixes.concat())
    }

    /// Compares the model and the second opinion of a row.
    fn compare(&self, row: &[u128]) -> Result<(), String> {
        let asked = Asked::new(self.form, &self.values, &self.suffixes);
        let given: Vec<Bits> = row.iter().map(|number| bits(*number, 128)).collect();
        let expected = (self.opinion)(&asked, &given)
            .map(|results| results.iter().map(|bits| value(bits)).collect::<Vec<_>>());
        let mut results = vec![0; self.computation.results().len() + usize::from(self.computation.writes_carry())];
        let computed = self.computation.compute(row, &mut results);
        let agree = match (&computed, &expected) {
            (Ok(()), Ok(expected)) => *expected == results,
            (Err(_), Err(Open)) => true,
            _ => false,
        };
        if agree {
            return Ok(());
        }
        Err(format!("{}: {row:x?} is {expected:x?}, the model says {results:x?} {computed:?}", self.written()))
    }
}

#[test]
fn the_model_and_the_second_opinion_agree() {
    let spec = spec();
    let (mut rows, mut differences) = (0, BTreeMap::<String, (usize, String)>::new());
    for opcode in semantics::opcodes() {
        assert!(opinion(opcode).is_some(), "there is no second opinion of {opcode}");
        let mut compared = 0;
        for form in &spec.instruction(opcode).expect("the table has opcodes of the specification").forms {
            let diagram = Diagram::valid(form);
            let mut draw = Draw::named(&form.id, 1);
            for variant in Variant::several(&spec, form, &diagram, &mut draw) {
                for _ in 0..TRIED.1 {
                    let row = drawn_row(&mut draw, variant.sources());
                    if let Err(why) = variant.compare(&row) {
                        differences.entry(form.id.clone()).or_insert((0, why)).0 += 1;
                    }
                    compared += 1;
                }
            }
        }
        assert!(compared > 1000, "only {compared} rows of {opcode} are compared");
        rows += compared;
    }
    println!("{rows} rows");
    let said: Vec<String> = differences.into_values().map(|(count, why)| format!("{count} times: {why}")).collect();
    assert!(said.is_empty(), "{}", said.join("\n"));
}
