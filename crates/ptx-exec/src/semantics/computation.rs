//! What a line computes: a function from the values of its sources to those of its destinations.

use smallvec::SmallVec;

use super::contraction::{Contraction, UnroundedProduct};
use super::float_computation::FloatComputation;
use super::{Inferences, NumberType, Undefined, Unmodelled};
use crate::value::{ExpectedValue, low};

/// A function of numbers: the sources in the order of the line, the results likewise.
type NumberFunction = Box<dyn Fn(&[u128], &mut [u128]) -> Result<(), Undefined> + Send + Sync>;

/// The function that makes the results of a line.
enum ResultFunction {
    /// Exact numbers, or none.
    Numbers(NumberFunction),
    /// The expectation of each element.
    Floats(FloatComputation),
}

/// The carry that a line reads and writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CarryUse {
    pub(super) reads: bool,
    pub(super) writes: bool,
}

/// The function of a line from the values of its sources to its results, with their types.
pub struct Computation {
    /// The type of each source, in the order of the line.
    sources: SmallVec<[NumberType; 4]>,
    /// The type of each result, in the order of the line.
    results: SmallVec<[NumberType; 2]>,
    carry: CarryUse,
    dependence: Dependence,
    inferred: Inferences,
    function: ResultFunction,
}

/// Which bits of the sources a bit of a result depends on: what is undefined in them is undefined there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dependence {
    /// On all bits of all sources.
    #[default]
    All,
    /// On at most one bit of each source, if the sources with these positions are given: bitwise operations have none of
    /// them, shifts their count.
    One(&'static [usize]),
    /// On the bits of the sources up to its own position, as of sums.
    Lower,
}

impl Computation {
    /// The most sources of a line, its carry included.
    pub const SOURCES: usize = 8;
    /// The most results of a line, its carry included.
    pub const RESULTS: usize = 8;

    /// The computation of each element of the results by itself, from the elements of the sources at its position.
    ///
    /// # Errors
    /// If the function has other sources and results than the line.
    pub(super) fn elementwise<const N: usize, const M: usize>(
        sources: Vec<NumberType>,
        results: Vec<NumberType>,
        carry: CarryUse,
        compute: impl Fn([i128; N]) -> Result<[i128; M], Undefined> + Send + Sync + 'static,
    ) -> Result<Self, Unmodelled> {
        let (given, wanted) = (sources.len() + usize::from(carry.reads), results.len() + usize::from(carry.writes));
        let (elements, from): (u32, [NumberType; N]) = match (
            results.first(),
            <[NumberType; N]>::try_from(
                sources.iter().copied().chain(carry.reads.then_some(NumberType::unsigned(1))).collect::<Vec<_>>(),
            ),
        ) {
            (Some(first), Ok(from)) if wanted <= M && M <= Self::RESULTS && N <= Self::SOURCES => {
                (first.elements, from)
            }
            _ => {
                return Err(Unmodelled(format!(
                    "the model has {N} sources and {M} results, the line {given} and {wanted}"
                )));
            }
        };
        let mut to = [NumberType::unsigned(1); M];
        to.iter_mut().zip(&results).for_each(|(to, of)| *to = *of);
        if from.iter().chain(&results).any(|of| of.elements != elements) {
            return Err(Unmodelled("the sources have other numbers of elements than the results".to_owned()));
        }
        let one = move |given: &[u128], written: &mut [u128], at: u32| {
            let mut numbers = [0; N];
            for ((number, of), bits) in numbers.iter_mut().zip(&from).zip(given) {
                *number = of.read(bits >> (at * of.bits));
            }
            let computed = compute(numbers)?;
            for ((written, of), number) in written.iter_mut().zip(&to).zip(computed) {
                *written |= low(number.cast_unsigned(), of.bits) << (at * of.bits);
            }
            Ok(())
        };
        let function: NumberFunction = match elements {
            1 => Box::new(move |given, written| one(given, written, 0)),
            _ => Box::new(move |given, written| (0..elements).try_for_each(|at| one(given, written, at))),
        };
        Ok(Self {
            sources: sources.into(),
            results: results.into(),
            carry,
            dependence: Dependence::All,
            inferred: Inferences::NONE,
            function: ResultFunction::Numbers(function),
        })
    }

    /// A computation on bits.
    ///
    /// # Errors
    /// If the line has more sources or results than a computation can have.
    pub(super) fn of_bits(
        sources: Vec<NumberType>,
        results: Vec<NumberType>,
        compute: impl Fn(&[u128], &mut [u128]) + Send + Sync + 'static,
    ) -> Result<Self, Unmodelled> {
        let sizes: SmallVec<[u32; 4]> = results.iter().map(|of| of.size()).collect();
        let function: NumberFunction = Box::new(move |given, written| {
            compute(given, written);
            written.iter_mut().zip(&sizes).for_each(|(written, size)| *written = low(*written, *size));
            Ok(())
        });
        Self::new(sources, results, ResultFunction::Numbers(function))
    }

    /// A computation of floats, or from floats.
    ///
    /// # Errors
    /// If the line has more sources or results than a computation can have.
    pub(super) fn of_floats(
        sources: Vec<NumberType>,
        results: Vec<NumberType>,
        computation: FloatComputation,
    ) -> Result<Self, Unmodelled> {
        Self::new(sources, results, ResultFunction::Floats(computation))
    }

    fn new(sources: Vec<NumberType>, results: Vec<NumberType>, function: ResultFunction) -> Result<Self, Unmodelled> {
        if sources.len() > Self::SOURCES || results.len() > Self::RESULTS {
            return Err(Unmodelled("the line has too many elements".to_owned()));
        }
        let (carry, dependence, inferred) = (CarryUse::default(), Dependence::All, Inferences::NONE);
        Ok(Self { sources: sources.into(), results: results.into(), carry, dependence, inferred, function })
    }

    /// Says which part the line can have in a contraction.
    pub(super) fn contracting(mut self, contraction: Contraction) -> Self {
        if let ResultFunction::Floats(computation) = self.function {
            self.function = ResultFunction::Floats(computation.contracting(contraction));
        }
        self
    }

    /// Says how results depend on sources.
    pub(super) fn depending(mut self, dependence: Dependence) -> Self {
        self.dependence = dependence;
        self
    }

    /// Says what the model assumes.
    pub(super) fn inferring(mut self, inferred: Inferences) -> Self {
        self.inferred = inferred;
        self
    }

    /// The type of each source, in the order of the line.
    pub fn sources(&self) -> &[NumberType] {
        &self.sources
    }

    /// The type of each result, in the order of the line.
    pub fn results(&self) -> &[NumberType] {
        &self.results
    }

    /// True if the carry of another line is a further source, the last.
    pub fn reads_carry(&self) -> bool {
        self.carry.reads
    }

    /// True if the carry is a further result, the last.
    pub fn writes_carry(&self) -> bool {
        self.carry.writes
    }

    /// The assumptions behind all of its results.
    pub fn inferred(&self) -> Inferences {
        self.inferred
    }

    /// Computes what is expected of the results: exact numbers, or those that a float may be. Returns why some of it is
    /// left open, if it is.
    ///
    /// # Errors
    /// The reason why the manual leaves the results undefined.
    #[inline]
    pub fn expect(&self, sources: &[u128], results: &mut [ExpectedValue]) -> Result<Option<Undefined>, Undefined> {
        match &self.function {
            ResultFunction::Floats(computation) => {
                results.fill(ExpectedValue::exact(0));
                Ok(computation.expect(sources, results))
            }
            ResultFunction::Numbers(function) => {
                let mut numbers = [0; Self::RESULTS];
                function(sources, &mut numbers[..results.len()])?;
                results.iter_mut().zip(numbers).for_each(|(result, number)| *result = ExpectedValue::exact(number));
                Ok(None)
            }
        }
    }

    /// True if the line may be part of a contraction.
    pub(crate) fn contracts(&self) -> bool {
        matches!(&self.function, ResultFunction::Floats(computation) if computation.contracts())
    }

    /// The products of known sources that what is computed next may use without rounding.
    pub(crate) fn products(&self, sources: &[u128]) -> SmallVec<[UnroundedProduct; 2]> {
        match &self.function {
            ResultFunction::Floats(computation) => computation.products(sources),
            ResultFunction::Numbers(_) => SmallVec::new(),
        }
    }

    /// The bits of the first result that differ if one of these products is added without rounding.
    pub(crate) fn contracted(&self, sources: &[u128], products: &[UnroundedProduct]) -> u128 {
        match &self.function {
            ResultFunction::Floats(computation) => computation.contracted(sources, products),
            ResultFunction::Numbers(_) => 0,
        }
    }

    /// True if its results are exact numbers, or undefined as a whole.
    pub fn is_exact(&self) -> bool {
        matches!(self.function, ResultFunction::Numbers(_))
    }

    /// Computes the results. Bits of a source beyond its type do not matter, and results have none beyond theirs. A predicate
    /// with `!` before it is given inverted; what a minus sign does is computed here. Of a result that may have several
    /// values, this is one.
    ///
    /// # Errors
    /// The reason why the manual leaves the results undefined.
    #[inline]
    pub fn compute(&self, sources: &[u128], results: &mut [u128]) -> Result<(), Undefined> {
        match &self.function {
            ResultFunction::Numbers(function) => {
                results.fill(0);
                function(sources, results)
            }
            ResultFunction::Floats(computation) => {
                let mut expected = [ExpectedValue::exact(0); Self::RESULTS];
                computation.expect(sources, &mut expected);
                results.iter_mut().zip(expected).for_each(|(result, expected)| *result = expected.example());
                Ok(())
            }
        }
    }

    /// Computes the results where some bits of the sources are undefined, which have the value 0 there. Returns the bits of
    /// each result that are defined; the others do not matter.
    ///
    /// # Errors
    /// The reason why the manual leaves the results undefined.
    pub fn compute_partly(
        &self,
        sources: &[u128],
        defined: &[u128],
        results: &mut [u128],
    ) -> Result<SmallVec<[u128; 4]>, Undefined> {
        let carry = NumberType::unsigned(1);
        let types = self.sources.iter().chain(self.carry.reads.then_some(&carry));
        let unknown: SmallVec<[u128; 4]> = types.zip(defined).map(|(of, defined)| low(!defined, of.size())).collect();
        let spoiled = |results: &[u128]| results.iter().map(|_| 0).collect();
        if let ResultFunction::Floats(computation) = &self.function {
            let mut expected = [ExpectedValue::exact(0); Self::RESULTS];
            computation.expect_partly(sources, &unknown, &mut expected);
            results.iter_mut().zip(&expected).for_each(|(result, expected)| *result = expected.example());
            return Ok(expected[..results.len()].iter().map(ExpectedValue::known).collect());
        }
        self.compute(sources, results)?;
        if unknown.iter().all(|bits| *bits == 0) {
            return Ok(results.iter().map(|_| u128::MAX).collect());
        }
        match self.dependence {
            Dependence::All => Ok(spoiled(results)),
            Dependence::One(given) if given.iter().any(|at| unknown[*at] != 0) => Ok(spoiled(results)),
            Dependence::One(_) => self.same_for_all(sources, &unknown, results),
            // A carry that is a source or a result depends on all bits.
            Dependence::Lower if self.carry != CarryUse::default() => Ok(spoiled(results)),
            Dependence::Lower => {
                let below = unknown.iter().map(|bits| bits.trailing_zeros()).min();
                Ok(results.iter().map(|_| below.map_or(u128::MAX, |below| low(u128::MAX, below))).collect())
            }
        }
    }

    /// The bits of the results that are the same whatever the unknown bits are. A bit of a result depends on at most one of a
    /// source, so it is enough to try all zeros and all ones in each.
    fn same_for_all(
        &self,
        sources: &[u128],
        unknown: &[u128],
        results: &[u128],
    ) -> Result<SmallVec<[u128; 4]>, Undefined> {
        let mut same: SmallVec<[u128; 4]> = results.iter().map(|_| u128::MAX).collect();
        let mut other: SmallVec<[u128; 4]> = results.iter().copied().collect();
        for filled in 1..1_u32 << unknown.len() {
            let fill = |(at, (value, unknown)): (usize, (&u128, &u128))| {
                value | if filled >> at & 1 == 1 { *unknown } else { 0 }
            };
            let tried: SmallVec<[u128; 4]> = sources.iter().zip(unknown).enumerate().map(fill).collect();
            self.compute(&tried, &mut other)?;
            for ((same, result), other) in same.iter_mut().zip(results).zip(&other) {
                *same &= !(result ^ other);
            }
        }
        Ok(same)
    }
}
