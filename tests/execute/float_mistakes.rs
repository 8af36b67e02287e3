//! Mistakes that implementations of arithmetic have made, each planted in one kind of line of an executor that is the model
//! otherwise: a run of depth `pairs` must notice each, without being told what to look for, and the default run most of them.
//!
//! The mutants of `mutants.rs` are derived from the choices of lines. These are not: they are about numbers.

use ptx_conform::campaign::{self, Options, Progress, RunDepth, Subject};
use ptx_conform::divergences::Divergences;
use ptx_conform::line_case::{Answer, LineCase, Rows};
use ptx_conform::model;
use rayon::prelude::*;

use crate::engine::StandIn;
use crate::shipped::SPEC;

/// A mistake in the lines of an opcode.
struct Planted {
    /// The mistake in words.
    says: &'static str,
    /// The opcode.
    opcode: &'static str,
    /// The modifiers of the lines that have it, and the sizes in bits of their inputs; any if there are none.
    lines: (&'static str, &'static [u16]),
    mistake: Mistake,
}

/// The change of a line, of its inputs or of its result.
enum Mistake {
    /// Another text is executed.
    Text(fn(&str) -> String),
    /// Other inputs are.
    Inputs(fn(&mut [u128])),
    /// The result is changed, given the inputs and the right one.
    Result(fn(&[u128], u128) -> u128),
}

use Mistake::{Inputs, Result, Text};

/// How many of them the default run may miss: those of one comparison, or one rounding between two types.
const MISSED: usize = 4;

const TWO: &[u16] = &[32, 32];
const THREE: &[u16] = &[32, 32, 32];
const HALVES: &[u16] = &[16, 16, 16];
const DOUBLES: &[u16] = &[64, 64, 64];

const PLANTED: &[Planted] = &[
    // Bugs that a public issue found in another simulator.
    planted("a negated predicate is not negated", "setp", ("", &[]), Text(|line| line.replace(", !", ", "))),
    planted("the position of a field wraps at 32", "bfe", ("u32", THREE), Inputs(|row| row[1] &= 31)),
    planted("a sum is rounded up to nearest", "add", ("rp f32", TWO), Text(|line| line.replace(".rp", ".rn"))),
    planted("a product is rounded down to nearest", "mul", ("rm f32", TWO), Text(|line| line.replace(".rm", ".rn"))),
    planted("an integer is rounded to nearest", "cvt", ("rz f32 s32", &[32]), Text(|line| line.replace(".rz", ".rn"))),
    planted("the carry into the upper half is lost", "add", ("u64", &[64, 64]), Result(without_carry)),
    // Two roundings in the place of one.
    planted("a product is rounded before the sum", "fma", ("rn f32", THREE), Result(product_then_sum)),
    planted("a float is rounded by way of a double", "fma", ("rn f32", THREE), Result(by_way_of_double)),
    planted("a double is a product and a sum", "fma", ("rn f64", DOUBLES), Result(doubles_in_two)),
    planted("a half is rounded by way of a float", "fma", ("rn bf16", HALVES), Result(bfloat_by_way_of_float)),
    // Numbers at the borders of a format.
    planted("zero loses its sign", "mul", ("f32", TWO), Result(zero_without_sign)),
    planted("cancellation yields a negative zero", "add", ("f32", TWO), Result(zero_with_sign)),
    planted("subnormal results are flushed", "mul", ("f32", TWO), Result(flushed)),
    planted(
        "subnormal inputs are flushed",
        "add",
        ("f32", TWO),
        Inputs(|row| row.iter_mut().for_each(|bits| *bits = flush(*bits))),
    ),
    planted("subnormal quotients are flushed", "div", ("rn f32", TWO), Result(flushed)),
    planted("what rounds beyond the largest number is the largest", "add", ("f32", TWO), Result(largest)),
    planted("a NaN is an infinity", "fma", ("rn f32", THREE), Result(infinite)),
    planted("the smaller one of a number and a NaN is the NaN", "min", ("f32", TWO), Result(nan_of_either)),
    planted("of two zeros, the greater one is the second", "max", ("f32", TWO), Result(second_zero)),
    planted("one last place too many, of a few", "sqrt", ("rn f32", &[32]), Result(one_too_many)),
    planted("one last place too many, of a few", "div", ("rn f32", TWO), Result(one_too_many)),
    planted("one last place too many, of a few", "rcp", ("rn f32", &[32]), Result(one_too_many)),
    planted("one last place too many, of a few", "fma", ("rn f64", DOUBLES), Result(one_too_many)),
    planted("a conversion to an integer wraps", "cvt", ("rzi s32 f32", &[32]), Result(wraps)),
    planted("a double is rounded by way of a float", "cvt", ("rn bf16 f64", &[64]), Result(by_way_of_single)),
    planted("an integer is rounded by way of a double", "cvt", ("rn f32 u64", &[64]), Result(integer_by_way_of_double)),
    planted("a tie goes away from zero", "cvt", ("rni s32 f32", &[32]), Result(away_from_zero)),
    planted("an unordered comparison is ordered", "setp", ("neu f32", TWO), Text(|line| line.replace(".neu", ".ne"))),
];

const fn planted(
    says: &'static str,
    opcode: &'static str,
    lines: (&'static str, &'static [u16]),
    mistake: Mistake,
) -> Planted {
    Planted { says, opcode, lines, mistake }
}

/// The float of 32 bits that an input or result is.
fn single(bits: u128) -> f32 {
    f32::from_bits(bits as u32)
}

fn double(bits: u128) -> f64 {
    f64::from_bits(bits as u64)
}

/// The float whose upper half these 16 bits are.
fn bfloat(bits: u128) -> f32 {
    f32::from_bits((bits as u32) << 16)
}

/// A float rounded to 16 bits: to nearest, ties to even.
fn to_bfloat(value: f32) -> u128 {
    let bits = value.to_bits();
    (bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16).into()
}

fn without_carry(row: &[u128], _: u128) -> u128 {
    let sum = |shift: u32| (row[0] >> shift).wrapping_add(row[1] >> shift) & 0xffff_ffff;
    sum(32) << 32 | sum(0)
}

/// A number that is computed in another way; a NaN stays what it was.
fn number(right: u128, is_nan: bool, other: u128) -> u128 {
    if is_nan { right } else { other }
}

fn product_then_sum(row: &[u128], right: u128) -> u128 {
    let sum = single(row[0]) * single(row[1]) + single(row[2]);
    number(right, sum.is_nan() || single(right).is_nan(), sum.to_bits().into())
}

fn by_way_of_double(row: &[u128], right: u128) -> u128 {
    let sum = f64::from(single(row[0])) * f64::from(single(row[1])) + f64::from(single(row[2]));
    number(right, sum.is_nan(), (sum as f32).to_bits().into())
}

fn doubles_in_two(row: &[u128], right: u128) -> u128 {
    let sum = double(row[0]) * double(row[1]) + double(row[2]);
    number(right, sum.is_nan() || double(right).is_nan(), sum.to_bits().into())
}

fn bfloat_by_way_of_float(row: &[u128], right: u128) -> u128 {
    let sum = bfloat(row[0]) * bfloat(row[1]) + bfloat(row[2]);
    number(right, sum.is_nan(), to_bfloat(sum))
}

fn zero_without_sign(_: &[u128], right: u128) -> u128 {
    if right == 1 << 31 { 0 } else { right }
}

fn zero_with_sign(row: &[u128], right: u128) -> u128 {
    if right == 0 && row[0] != 0 { 1 << 31 } else { right }
}

fn flush(bits: u128) -> u128 {
    if bits & 0x7f80_0000 == 0 { bits & 1 << 31 } else { bits }
}

fn flushed(_: &[u128], right: u128) -> u128 {
    flush(right)
}

fn largest(row: &[u128], right: u128) -> u128 {
    let overflows = single(right).is_infinite() && row.iter().all(|bits| single(*bits).is_finite());
    if overflows { right - 1 } else { right }
}

fn infinite(_: &[u128], right: u128) -> u128 {
    if single(right).is_nan() { 0x7f80_0000 } else { right }
}

fn nan_of_either(row: &[u128], right: u128) -> u128 {
    if row.iter().any(|bits| single(*bits).is_nan()) { 0x7fff_ffff } else { right }
}

fn second_zero(row: &[u128], right: u128) -> u128 {
    if row[0] == 0 && row[1] == 1 << 31 { row[1] } else { right }
}

/// One of 8 numbers is the next one.
fn one_too_many(_: &[u128], right: u128) -> u128 {
    let is_number = right != 0 && !single(right).is_nan() && !single(right).is_infinite();
    if is_number && right & 7 == 5 { right + 1 } else { right }
}

fn wraps(row: &[u128], _: u128) -> u128 {
    u128::from(single(row[0]) as i64 as u32)
}

fn by_way_of_single(row: &[u128], right: u128) -> u128 {
    let single = double(row[0]) as f32;
    number(right, single.is_nan(), to_bfloat(single))
}

fn integer_by_way_of_double(row: &[u128], _: u128) -> u128 {
    u128::from(((row[0] as u64) as f64 as f32).to_bits())
}

fn away_from_zero(row: &[u128], right: u128) -> u128 {
    let value = single(row[0]);
    if value.abs() < 1e6 { u128::from(value.round() as i32 as u32) } else { right }
}

/// What a source of a line is.
enum Source {
    /// The input at this position.
    Input(usize),
    /// These bits.
    Number(u128),
}

/// The sources of a line of this size; none if one is something else.
fn sources(case: &LineCase, bits: &[u16]) -> Option<Vec<Source>> {
    let (_, operands) = case.line.trim_end_matches(';').split_once(' ')?;
    let mut read = Vec::new();
    for (operand, bits) in operands.split(", ").skip(1).zip(bits) {
        let hexadecimal = |text| u128::from_str_radix(text, 16).ok();
        read.push(match (operand.get(..2)?, bits) {
            ("0f", 32) | ("0d", 64) => Source::Number(hexadecimal(&operand[2..])?),
            ("0d", 32) => Source::Number((double(hexadecimal(&operand[2..])?) as f32).to_bits().into()),
            _ => Source::Input(case.inputs.iter().position(|input| input.register == operand && input.bits >= *bits)?),
        });
    }
    (read.len() == bits.len()).then_some(read)
}

impl Planted {
    /// The answers to a case: those of the model if it does not have the mistake.
    fn answers(&self, case: &LineCase) -> Vec<Answer> {
        let (modifiers, bits) = self.lines;
        let words: Vec<&str> = case.line.split([' ', ';']).next().unwrap_or_default().split('.').collect();
        // A result that is limited, or kept because a guard is false, is not the one that was spoilt.
        let limits = ["sat", "relu", "xorsign"].iter().any(|limit| words.contains(limit));
        let is_one =
            !limits && !case.line.starts_with('@') && modifiers.split_whitespace().all(|of| words.contains(&of));
        let sources = if is_one { sources(case, bits) } else { None };
        let value = |source: &Source, row: &[u128], bits: &u16| match source {
            Source::Input(at) => row[*at] & u128::MAX >> (128 - bits),
            Source::Number(number) => *number,
        };
        let values = |sources: &[Source], row: &[u128]| -> Vec<u128> {
            sources.iter().zip(bits).map(|(source, bits)| value(source, row, bits)).collect()
        };
        let mut other = case.clone();
        match (&self.mistake, &sources) {
            (Text(change), Some(_)) => other.line = change(&case.line),
            (Inputs(change), Some(sources)) => {
                other.rows = Rows::new(case.rows.width());
                for row in case.rows.iter() {
                    let (mut row, mut changed) = (row.to_vec(), values(sources, row));
                    change(&mut changed);
                    for (source, changed) in sources.iter().zip(changed) {
                        if let Source::Input(at) = source {
                            row[*at] = changed;
                        }
                    }
                    other.rows.push(&row);
                }
            }
            _ => {}
        }
        let Ok(prepared) = model::prepare(&SPEC, &other) else {
            return vec![Answer::Skipped("the model does not know the line".to_owned()); case.rows.len()];
        };
        let mut answers: Vec<Answer> = prepared.all(&other.rows).map(|expected| expected.example(&other)).collect();
        if let (Result(change), Some(sources)) = (&self.mistake, &sources) {
            for (row, answer) in case.rows.iter().zip(&mut answers) {
                if let Answer::Returned(returned) = answer {
                    let size = case.outputs[0].bits;
                    let changed = change(&values(sources, row), returned.registers[0]);
                    returned.registers[0] = changed & u128::MAX >> (128 - size);
                }
            }
        }
        answers
    }

    /// True if some row of a run of this depth fails.
    fn is_noticed(&self, depth: RunDepth) -> bool {
        let engine = StandIn::new("planted@1").executing(|case| self.answers(case));
        let options = Options { instructions: vec![self.opcode.to_owned()], ..Options::at(depth) };
        let subjects = [Subject::executing(&engine, *SPEC.isa.versions.last().expect("versions"))];
        let results = campaign::run(&SPEC, &Divergences::default(), &subjects, &options, &Progress::default());
        let [result] = results.engines.as_slice() else { panic!("{:?}", results.absent) };
        !result.tally.groups.is_empty()
    }
}

/// The mistakes that a run of this depth misses, in words.
fn missed(depth: RunDepth) -> Vec<String> {
    // Loaded before threads wait for each other.
    assert!(!SPEC.instructions.is_empty());
    let missed: Vec<&Planted> = PLANTED.par_iter().filter(|planted| !planted.is_noticed(depth)).collect();
    missed.iter().map(|of| format!("{} in `{}` ({})", of.says, of.opcode, of.lines.0)).collect()
}

#[test]
fn mistakes_of_implementations_are_noticed() {
    let missed = missed(RunDepth::Pairs);
    assert!(missed.is_empty(), "{} of {} are missed: {missed:#?}", missed.len(), PLANTED.len());
}

#[test]
fn the_default_run_notices_most_mistakes_of_implementations() {
    let missed = missed(RunDepth::Choices);
    println!("{} of {} are missed: {missed:#?}", missed.len(), PLANTED.len());
    assert!(missed.len() <= MISSED, "{} of {} are missed: {missed:#?}", missed.len(), PLANTED.len());
}
