//! Approximate instructions: what the specification's bounds allow. PTX ISA `floating-point-instructions`.
//!
//! The reference is a function of doubles, whose own error is far below every bound.

use std::cmp::Ordering;

use ptx_spec::must::Must as _;
use ptx_spec::spec::{Accuracy, ErrorBound, Promise, Role, SpecialResult};

use super::float_result::{ExpectedElement, any_nan, exact};
use super::modes::Modes;
use super::{Computation, Undefined, Unmodelled};
use crate::value::{ExpectedValue, FloatFormat, FloatValue, RoundingMode};

/// The function that an instruction approximates.
type ApproximatedFunction = fn(&[f64]) -> f64;

/// The share of a result by which the reference may be wrong, and of a bound by which it is wider than it says.
const SLACK: f64 = 1.0 / (1_u64 << 40) as f64;

/// A format of results, and whether subnormal ones become zeros.
#[derive(Clone, Copy)]
struct ApproximateResult {
    format: FloatFormat,
    flushes: bool,
}

impl ApproximateResult {
    /// The expectation of a result near a value.
    fn near(self, value: f64, bound: ErrorBound) -> ExpectedElement {
        let Self { format, .. } = self;
        let rounded = |value: f64, mode| self.flushed(format.rounded(float(value), mode));
        let nearest = rounded(value, RoundingMode::NearestEven);
        if value.is_nan() {
            return any_nan(format);
        }
        if value.is_infinite() {
            return exact(nearest);
        }
        let error = match bound {
            // Such errors are counted from the number that is nearest to the exact result.
            ErrorBound::Ulp(places) => {
                let slack = value.abs() * SLACK;
                let [low, high] = [value - slack, value + slack].map(|value| rounded(value, RoundingMode::NearestEven));
                return self.between([self.steps(low, places)[0], self.steps(high, places)[1]], nearest);
            }
            ErrorBound::Relative(share) => share * value.abs(),
            ErrorBound::Absolute(error) => error,
        };
        let error = error * (1.0 + SLACK) + value.abs() * SLACK;
        // Where a last place is large beside the bound, what is bounded is the value before it is rounded.
        let (up, down) = match (format.is_subnormal(nearest) || nearest & !format.sign() == 0, format.bits()) {
            (true, _) => (RoundingMode::Down, RoundingMode::Up),
            (false, 16) => (RoundingMode::NearestEven, RoundingMode::NearestEven),
            (false, _) => (RoundingMode::Up, RoundingMode::Down),
        };
        self.between([rounded(value - error, up), rounded(value + error, down)], nearest)
    }

    /// The numbers this many units in the last place below and above a number. They stop at the zero of its sign, and at infinity.
    fn steps(self, nearest: u128, places: f64) -> [u128; 2] {
        let (sign, places) = (nearest & self.format.sign(), places as u128);
        let magnitude = nearest ^ sign;
        let ends = [magnitude.saturating_sub(places), (magnitude + places).min(self.format.infinity())];
        let ends = ends.map(|end| self.flushed(end | sign));
        if sign == 0 { ends } else { [ends[1], ends[0]] }
    }

    /// The expectation of a result between two numbers, one of which is the nearest to the exact result.
    fn between(self, [least, most]: [u128; 2], nearest: u128) -> ExpectedElement {
        match least == most || self.order(least, nearest).is_gt() || self.order(nearest, most).is_gt() {
            true => exact(nearest),
            false => (ExpectedValue::between(least, most, nearest, self.format), None),
        }
    }

    fn order(self, a: u128, b: u128) -> Ordering {
        self.format.value(a).order(self.format.value(b)).unwrap_or(Ordering::Equal)
    }

    fn flushed(self, bits: u128) -> u128 {
        if self.flushes { self.format.flushed(bits) } else { bits }
    }
}

/// A double as a value.
fn float(value: f64) -> FloatValue {
    FloatFormat::F64.value(value.to_bits().into())
}

/// A value of at most 53 bits as a double.
fn double(value: FloatValue) -> f64 {
    f64::from_bits(FloatFormat::F64.rounded(value, RoundingMode::NearestEven) as u64)
}

/// The approximation of a function: what the page of the line promises for its inputs.
fn approximate(m: &Modes<'_>, reference: ApproximatedFunction) -> Result<Computation, Unmodelled> {
    let format = m.result_format()?;
    let accuracy: Accuracy = m.accuracy().ok_or_else(|| m.unmodelled("a result that nothing is promised of"))?.clone();
    let inputs =
        (0..m.places_of(&Role::Source).len()).map(|at| m.float_input(at)).collect::<Result<Vec<_>, Unmodelled>>()?;
    let places = m.places_of(&Role::Source);
    let result = ApproximateResult { format, flushes: m.has("ftz") };
    // `rcp.approx.ftz.f64` and `rsqrt.approx.ftz.f64` use the upper half of their source.
    let used = if format == FloatFormat::F64 && m.has("ftz") { !u128::from(u32::MAX) } else { u128::MAX };
    let least_normal = double(format.value(format.infinity() & format.infinity().wrapping_neg()));
    m.float_elements(move |_, given| {
        let bits: [u128; 2] = [0, 1].map(|at| inputs.get(at).map_or(0, |input| input.bits(given[at] & used)));
        let values: [f64; 2] =
            [0, 1].map(|at| inputs.get(at).map_or(0.0, |input| double(input.format.value(bits[at]))));
        let source = |operand: usize| {
            places.iter().position(|place| *place == operand).must("a promise is about sources of the line")
        };
        let value = reference(&values);
        match accuracy.promise(|operand| values[source(operand)], least_normal) {
            Some(Promise::Within(bound)) => result.near(value, bound),
            Some(Promise::Exactly(special)) => match special {
                SpecialResult::Nan => any_nan(format),
                SpecialResult::Bits(bits) => exact(bits.into()),
                SpecialResult::Number(number) => exact(format.rounded(float(number), RoundingMode::NearestEven)),
                SpecialResult::SignedZero => exact(if value.is_sign_negative() { format.sign() } else { 0 }),
                SpecialResult::Operand(operand) => exact(bits[source(operand)]),
            },
            None => {
                let nearest = format.rounded(float(value), RoundingMode::NearestEven);
                (ExpectedValue::anything(nearest, format.bits()), Some(Undefined::NoBound))
            }
        }
    })
}

pub(super) fn div(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    approximate(m, |of| of[0] / of[1])
}

pub(super) fn rcp(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    approximate(m, |of| 1.0 / of[0])
}

pub(super) fn sqrt(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    approximate(m, |of| of[0].sqrt())
}

pub(super) fn rsqrt(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    approximate(m, |of| 1.0 / of[0].sqrt())
}

pub(super) fn sin(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    approximate(m, |of| libm::sin(of[0]))
}

pub(super) fn cos(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    approximate(m, |of| libm::cos(of[0]))
}

pub(super) fn lg2(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    approximate(m, |of| libm::log2(of[0]))
}

pub(super) fn ex2(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    approximate(m, |of| libm::exp2(of[0]))
}

pub(super) fn tanh(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    approximate(m, |of| libm::tanh(of[0]))
}
