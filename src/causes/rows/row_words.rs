//! Rows in words: the expected result, what an engine did, and the difference.

use super::compared;
use super::shown_row::ShownRow;
use crate::campaign::describe;
use crate::case::{CaseResult, execution_id};
use crate::causes::finding::{MinimalCase, MinimalRow};
use crate::engine::Listing;
use crate::line_case::Answer;
use crate::model::{Allowed, Difference, Ending, Expectation, ExpectedValue, ResultPart, Write};
use crate::spec::Form;

/// How a row differs, in words that rows with the same cause share.
pub(crate) fn kind(result: &CaseResult) -> &'static str {
    match result.difference() {
        Some(Difference::Returned) => "it returned, but must trap",
        Some(Difference::Trapped) => "it trapped, but must not",
        Some(Difference::Wrong(part) | Difference::Undefined(part)) => match part {
            ResultPart::Register(_) => "a register",
            ResultPart::Surface(_) => "the surface",
            ResultPart::Variable(..) => "a variable",
        },
        Some(Difference::Failed(_)) => "it fails",
        None => "",
    }
}

/// The simplest case of a cause of rows.
pub(crate) fn minimal(form: &Form, shown: &ShownRow, engine: &str, listing: Option<Listing>) -> MinimalCase {
    // The name of an engine with machine code is its option; others may be commands.
    let engine = if listing.is_some() { engine } else { "ENGINE" };
    let (program, result) = (&shown.program, &shown.result);
    let environment = program.environment();
    let inputs = program.inputs.iter().zip(program.rows.row(0));
    let inputs: Vec<String> = inputs.map(|(input, bits)| format!("{} = {bits:x}", input.register)).collect();
    let row = MinimalRow {
        setup: setup(form, &shown.values),
        inputs: inputs.join(", "),
        difference: result.difference().map(|difference| describe(difference, program)).unwrap_or_default(),
        expected: result.expectation().map(expected).unwrap_or_default(),
        actual: result.answer().map(actual).unwrap_or_default(),
        compared: compared::objects(program, result),
        listing,
        execution: program.clone(),
    };
    let id = execution_id(program);
    MinimalCase {
        line: program.line.clone(),
        marks: Vec::new(),
        ptx: environment.ptx.to_string(),
        target: environment.target.to_string(),
        address_size: environment.address_size.bits(),
        message: String::new(),
        module: String::new(),
        directive: None,
        command: format!("ptx-conform execute cases/{id}.json --engine {engine}"),
        id,
        neighbours_without: 0,
        row: Some(row),
        values: shown.values.clone(),
    }
}

/// A setup and a row as names of choices, without those at their first value.
fn setup(form: &Form, values: &[u8]) -> String {
    let of_setup = form.axes.iter().enumerate().skip(form.variant_axes());
    let chosen = of_setup.filter(|(axis, _)| values.get(*axis).is_some_and(|value| *value != 0));
    let words: Vec<String> = chosen.map(|(axis, of)| format!("{}: {}", of.name, form.value(values, axis))).collect();
    words.join(", ")
}

/// The expected result of a row, in words.
pub fn expected(expectation: &Expectation) -> String {
    match &expectation.allowed {
        Allowed::Only(one) => ending(one),
        Allowed::OneOf(endings) => endings.iter().map(ending).collect::<Vec<_>>().join(", or "),
        Allowed::Any(why) => format!("anything: {}", why.says()),
    }
}

fn ending(ending: &Ending) -> String {
    let effect = match ending {
        Ending::Traps => return "traps".to_owned(),
        Ending::Returns(effect) => effect,
    };
    let registers = effect.registers().iter().map(register);
    let words: Vec<String> = registers.chain(effect.written().iter().map(written)).collect();
    if words.is_empty() { "writes nothing".to_owned() } else { words.join(" ") }
}

/// The expected value of a register.
fn register(value: &ExpectedValue) -> String {
    match value.only() {
        Some(bits) => format!("{bits:x}"),
        None if value.nans().next().is_some() => format!("{:x}{}", value.example(), nans(value, "bit", 1)),
        None => "anything".to_owned(),
    }
}

/// The expected bytes of an object.
fn written(write: &Write) -> String {
    let (bytes, fixed) = (write.value.example().to_le_bytes(), write.value.fixed().to_le_bytes());
    let hex = |at: usize| match fixed[at] {
        0xff => format!("{:02x}", bytes[at]),
        0 => "..".to_owned(),
        _ => "??".to_owned(),
    };
    let bytes: String = (0..write.count).map(hex).collect();
    format!("writes {bytes} at byte {}{}", write.at, nans(&write.value, "byte", 8))
}

/// Where the floats are that must be NaNs, counted in units of this many bits.
fn nans(value: &ExpectedValue, unit: &str, bits: u32) -> String {
    let places: Vec<String> = value.nans().map(|at| format!("{unit} {}", at / bits)).collect();
    if places.is_empty() { String::new() } else { format!(" (a NaN at {})", places.join(", ")) }
}

/// The answer of an engine to a row, in words.
pub fn actual(answer: &Answer) -> String {
    match answer {
        Answer::Trapped(how) => format!("traps: {how}"),
        Answer::Skipped(why) => format!("skipped: {why}"),
        Answer::Failed(how) => format!("failed: {how}"),
        Answer::Returned(returned) => {
            let registers = returned.registers.iter().map(|bits| format!("{bits:x}"));
            let surface = returned.surface.iter().map(|bytes| {
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                format!("surface {hex}")
            });
            let variables = returned.variables.iter().map(|(name, bytes)| {
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                format!("{name} {hex}")
            });
            let words: Vec<String> = registers.chain(surface).chain(variables).collect();
            if words.is_empty() { "writes nothing".to_owned() } else { words.join(" ") }
        }
    }
}
