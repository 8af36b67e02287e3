//! Computations whose results are floats, or are computed from floats: what is expected of each element of a result may be
//! a number, any NaN, or a number between bounds.

use smallvec::SmallVec;

use super::Undefined;
use super::contraction::{Contraction, UnroundedProduct, fused};
use super::float_result::ExpectedElement;
use crate::value::{ExpectedValue, FloatFormat, low};

/// The function of an element: its position in the line's results, and the parts of the sources that it depends on.
type ElementFunction = Box<dyn Fn(usize, &[u128]) -> ExpectedElement + Send + Sync>;

/// A part of a source.
#[derive(Clone, Copy, Debug)]
pub(super) struct SourceBits {
    /// The position of the source in the line.
    pub(super) source: usize,
    /// The lowest bit of the part.
    pub(super) at: u32,
    /// The size of the part in bits.
    pub(super) bits: u32,
    /// The format, if it is a float.
    pub(super) format: Option<FloatFormat>,
}

impl SourceBits {
    fn of(self, sources: &[u128]) -> u128 {
        low(sources[self.source] >> self.at, self.bits)
    }

    /// True if the part has no undefined bit that matters: all NaNs are the same.
    fn is_known(self, sources: &[u128], unknown: &[u128]) -> bool {
        low(unknown[self.source] >> self.at, self.bits) == 0
            || self.format.is_some_and(|format| format.is_nan(self.of(sources)))
    }

    /// True if the part is a NaN, and whether it signals is not known.
    fn may_signal(self, sources: &[u128], unknown: &[u128]) -> bool {
        let unknown = low(unknown[self.source] >> self.at, self.bits);
        self.format.is_some_and(|format| format.is_signalling(self.of(sources)) && unknown & format.quiet_bit() != 0)
    }
}

/// An element of a result.
#[derive(Clone, Debug)]
pub(super) struct ResultElement {
    /// The position of the result in the line.
    pub(super) result: usize,
    /// The lowest bit of the element.
    pub(super) at: u32,
    /// The size of the element in bits.
    pub(super) bits: u32,
    /// The parts of the sources that it depends on.
    pub(super) parts: SmallVec<[SourceBits; 4]>,
}

impl ResultElement {
    /// The NaN that signals, if it is the only one among the sources of the result's format: the result may be that one, as where a product
    /// with 1 is the other factor. Beside another NaN it is not passed on. Which NaN is returned otherwise is unspecified.
    fn passed_on(&self, given: &[u128], format: FloatFormat) -> Option<ExpectedValue> {
        let of_format = self.parts.iter().zip(given).filter(|(part, _)| part.format == Some(format));
        let mut nans = of_format.map(|(_, bits)| *bits).filter(|bits| format.is_nan(*bits));
        let only = nans.next().filter(|_| nans.next().is_none())?;
        format.is_signalling(only).then(|| ExpectedValue::nan(only, format))
    }
}

/// The function of a line from the values of its sources to what is expected of its results, element by element.
pub(super) struct FloatComputation {
    elements: Vec<ResultElement>,
    function: ElementFunction,
    contraction: Option<Contraction>,
}

impl FloatComputation {
    pub(super) fn new(
        elements: Vec<ResultElement>,
        function: impl Fn(usize, &[u128]) -> ExpectedElement + Send + Sync + 'static,
    ) -> Self {
        Self { elements, function: Box::new(function), contraction: None }
    }

    /// The same, of a line that may be part of a contraction.
    pub(super) fn contracting(self, contraction: Contraction) -> Self {
        Self { contraction: Some(contraction), ..self }
    }

    /// True if the line may be part of a contraction.
    pub(super) fn contracts(&self) -> bool {
        self.contraction.is_some()
    }

    /// The products that the line computes of known sources, if what is computed next may use them without rounding.
    pub(super) fn products(&self, sources: &[u128]) -> SmallVec<[UnroundedProduct; 2]> {
        let Some(Contraction::Product([a, b])) = self.contraction else { return SmallVec::new() };
        let product = |(at, element): (usize, &ResultElement)| {
            let factors = [a.value(element.parts[0].of(sources)), b.value(element.parts[1].of(sources))];
            let rounded = self.element(at, element, sources).0;
            UnroundedProduct::new(element.parts[0].format?, rounded.only()?, factors)
        };
        self.elements.iter().enumerate().filter_map(product).collect()
    }

    /// The bits of the result that differ if one of these products is added without rounding.
    pub(super) fn contracted(&self, sources: &[u128], products: &[UnroundedProduct]) -> u128 {
        let Some(Contraction::Sum(inputs, subtracts, result)) = &self.contraction else { return 0 };
        let mut differing = 0;
        for (at, element) in self.elements.iter().enumerate() {
            let bits = [element.parts[0].of(sources), element.parts[1].of(sources)];
            let rounded = self.element(at, element, sources).0.example();
            for product in products.iter().flat_map(|product| [(product, 0), (product, 1)]) {
                let other = fused(*inputs, *subtracts, result, bits, product).unwrap_or(rounded);
                differing |= (other ^ rounded) << element.at;
            }
        }
        differing
    }

    /// Computes what is expected of the results, which are exactly 0 before.
    #[inline]
    pub(super) fn expect(&self, sources: &[u128], results: &mut [ExpectedValue]) -> Option<Undefined> {
        let mut why = None;
        for (at, element) in self.elements.iter().enumerate() {
            let (expected, undefined) = self.element(at, element, sources);
            results[element.result] = results[element.result].joined(element.at, &expected);
            why = why.or(undefined);
        }
        why
    }

    fn element(&self, at: usize, element: &ResultElement, sources: &[u128]) -> ExpectedElement {
        let mut given = [0; 8];
        given.iter_mut().zip(&element.parts).for_each(|(given, part)| *given = part.of(sources));
        let given = &given[..element.parts.len()];
        let (expected, why) = (self.function)(at, given);
        let passed_on = expected.nan_format().and_then(|format| element.passed_on(given, format));
        (passed_on.unwrap_or(expected), why)
    }

    /// As [`Self::expect`], where some bits of the sources are unknown, and 0.
    pub(super) fn expect_partly(&self, sources: &[u128], unknown: &[u128], results: &mut [ExpectedValue]) {
        for (at, element) in self.elements.iter().enumerate() {
            let known = element.parts.iter().all(|part| part.is_known(sources, unknown));
            let either = element.parts.iter().any(|part| part.may_signal(sources, unknown));
            let expected = known.then(|| self.element(at, element, sources).0);
            // Quiet, it gives some quiet NaN, and otherwise one with its payload: nothing is the same in both.
            let expected = expected.filter(|expected| !either || expected.nan_format().is_none());
            let expected = expected.unwrap_or_else(|| ExpectedValue::anything(0, element.bits));
            results[element.result] = results[element.result].joined(element.at, &expected);
        }
    }
}
