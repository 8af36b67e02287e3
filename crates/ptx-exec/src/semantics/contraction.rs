//! Contraction: a product and a sum without rounding modifiers may be computed as one fused multiply-add. PTX ISA
//! `floating-point-instructions-add`.
//!
//! So such a sum has two allowed results where a source is such a product. Which of the values of a program are products is
//! known by their bits, as a value may have been moved, stored or negated in between.

use super::float_input::FloatInput;
use super::float_result::FloatResult;
use crate::value::{FloatFormat, FloatValue};

/// The part that a line without a rounding modifier can have in a contraction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Contraction {
    /// The product of these sources.
    Product([FloatInput; 2]),
    /// The sum of these sources, or their difference if the flag is set, and how it is rounded.
    Sum([FloatInput; 2], bool, FloatResult),
}

/// A product that may be added before it is rounded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnroundedProduct {
    format: FloatFormat,
    /// The bits of the rounded product, without its sign.
    magnitude: u128,
    negative: bool,
    factors: [FloatValue; 2],
}

impl UnroundedProduct {
    /// The product of two factors whose rounded bits are known; none of a NaN.
    pub(super) fn new(format: FloatFormat, rounded: u128, factors: [FloatValue; 2]) -> Option<Self> {
        let negative = rounded & format.sign() != 0;
        (!format.is_nan(rounded)).then_some(Self { format, magnitude: rounded & !format.sign(), negative, factors })
    }

    /// The product with its sign, if these bits can be it, or its opposite.
    fn behind(&self, bits: u128, format: FloatFormat) -> Option<FloatValue> {
        let fits = self.format == format && self.magnitude == bits & !format.sign();
        let product = || self.factors[0].times(self.factors[1]);
        let same_sign = self.negative == (bits & format.sign() != 0);
        fits.then(|| if same_sign { product() } else { product().negated() })
    }
}

/// The sum of two numbers of which the one at `position` is not rounded, if it is one of the products.
pub(super) fn fused(
    [a, b]: [FloatInput; 2],
    subtracts: bool,
    result: &FloatResult,
    bits: [u128; 2],
    (product, position): (&UnroundedProduct, usize),
) -> Option<u128> {
    let mut values = [a.value(bits[0]), b.value(bits[1])];
    values[position] = product.behind(bits[position], [a, b][position].format)?;
    let second = if subtracts { values[1].negated() } else { values[1] };
    Some(result.of(values[0].plus(second, result.mode)).0.example())
}
