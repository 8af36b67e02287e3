//! What the manual promises of the results of approximate instructions: bounds of errors, and results of special inputs.

use super::Cube;

/// The promise of a page of the manual on the results of some lines of a form: bounds of errors, results of special inputs.
#[derive(Clone, Debug)]
pub struct Accuracy {
    /// The anchor of the page in the manual.
    pub manual: String,
    /// The choices of the lines that it is about.
    pub when: Cube,
    /// The cases, of which the first that fits the inputs counts. If none does, the manual promises nothing.
    pub cases: Vec<AccuracyCase>,
    /// The reason, if no case has a bound.
    pub because: Option<String>,
}

/// Inputs of an approximate instruction, and the promise of its page on their result.
#[derive(Clone, Debug, PartialEq)]
pub struct AccuracyCase {
    /// For each operand that matters, where its number must be. Of packed types each lane is a number.
    pub inputs: Vec<InputRange>,
    /// The promise of the page.
    pub promise: Promise,
}

/// The numbers that one operand of an approximate instruction may be in a case of its page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InputRange {
    /// The operand, by its position in [`Form::operands`](super::Form::operands).
    pub operand: usize,
    /// True if the magnitude of the operand must be there, whatever its sign: `|b|` on the page.
    pub magnitude: bool,
    /// The numbers.
    pub numbers: NumberSet,
}

/// A set of floating-point numbers, as pages of approximate instructions name them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NumberSet {
    /// The numbers of a class, with one sign or either: `-normal`, `NaN`.
    Class {
        /// The class.
        class: FloatClass,
        /// True for negative ones only, false for positive ones only.
        negative: Option<bool>,
    },
    /// An interval: `(0.5, 2)`. No NaN is in one.
    Interval {
        /// The lower end.
        from: f64,
        /// True if the lower end is in it.
        has_from: bool,
        /// The upper end.
        to: f64,
        /// True if the upper end is in it.
        has_to: bool,
    },
}

/// The classes of floating-point numbers in the tables of special inputs of approximate instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatClass {
    /// `Inf`.
    Infinite,
    /// `normal`.
    Normal,
    /// `subnormal`.
    Subnormal,
    /// `0.0`.
    Zero,
    /// `NaN`, whatever its sign.
    Nan,
}

/// The promise of the page of an approximate instruction on one result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Promise {
    /// It is this far from the exact one at most.
    Within(ErrorBound),
    /// It is this one.
    Exactly(SpecialResult),
}

/// The largest distance of the result of an approximate instruction from the exact one, as its page gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ErrorBound {
    /// In units of the last place of the result.
    Ulp(f64),
    /// In parts of the exact result.
    Relative(f64),
    /// As a number.
    Absolute(f64),
}

/// The result that the page of an approximate instruction gives for special inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpecialResult {
    /// A number with this sign, which may be infinite.
    Number(f64),
    /// Any NaN.
    Nan,
    /// The bits of the one result that it can be.
    Bits(u64),
    /// A zero with the sign of the exact result.
    SignedZero,
    /// This operand, by its position in [`Form::operands`](super::Form::operands).
    Operand(usize),
}

impl Accuracy {
    /// The promise for these inputs, if there is one.
    ///
    /// `input` is the number that an operand is, by its position; with `.ftz`, the zero that a subnormal one is flushed to.
    /// `least_normal` is the least positive normal number of the type, which tells subnormal numbers.
    pub fn promise(&self, input: impl Fn(usize) -> f64, least_normal: f64) -> Option<Promise> {
        let fits = |case: &&AccuracyCase| case.inputs.iter().all(|of| of.has(input(of.operand), least_normal));
        self.cases.iter().find(fits).map(|case| case.promise)
    }
}

impl InputRange {
    /// True if the number of its operand is there.
    fn has(&self, number: f64, least_normal: f64) -> bool {
        self.numbers.has(if self.magnitude { number.abs() } else { number }, least_normal)
    }
}

impl NumberSet {
    /// True if a number of a type with this least normal number is in the set.
    pub fn has(&self, number: f64, least_normal: f64) -> bool {
        match *self {
            Self::Class { class, negative } => {
                let signed = class == FloatClass::Nan || negative.is_none_or(|sign| sign == number.is_sign_negative());
                signed && FloatClass::of(number, least_normal) == class
            }
            Self::Interval { from, has_from, to, has_to } => {
                (number > from || (has_from && number == from)) && (number < to || (has_to && number == to))
            }
        }
    }
}

impl FloatClass {
    /// The class of a number of a type with this least normal number.
    fn of(number: f64, least_normal: f64) -> Self {
        match number.abs() {
            magnitude if magnitude.is_nan() => Self::Nan,
            f64::INFINITY => Self::Infinite,
            0.0 => Self::Zero,
            magnitude if magnitude < least_normal => Self::Subnormal,
            _ => Self::Normal,
        }
    }
}
