//! What a line computes: a function from the values of its sources to those of its destinations.

use smallvec::SmallVec;

use super::modes::CarryUse;
use super::{Inferences, NumberType, Undefined, Unmodelled};
use crate::value::low;

/// The most sources of a line, its carry included.
const SOURCES: usize = 8;
/// The most results of a line, its carry included.
const RESULTS: usize = 8;

/// A function of numbers: the sources in the order of the line, the results likewise.
type Function = Box<dyn Fn(&[u128], &mut [u128]) -> Result<(), Undefined> + Send + Sync>;

/// What a line computes from the values of its sources alone.
pub struct Computation {
    /// The type of each source, in the order of the line.
    sources: SmallVec<[NumberType; 4]>,
    /// The type of each result, in the order of the line.
    results: SmallVec<[NumberType; 2]>,
    carry: CarryUse,
    pub(super) dependence: Dependence,
    pub(super) inferred: Inferences,
    function: Function,
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
            (Some(first), Ok(from)) if wanted <= M && M <= RESULTS && N <= SOURCES => (first.elements, from),
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
        let function: Function = match elements {
            1 => Box::new(move |given, written| one(given, written, 0)),
            _ => Box::new(move |given, written| (0..elements).try_for_each(|at| one(given, written, at))),
        };
        Ok(Self {
            sources: sources.into(),
            results: results.into(),
            carry,
            dependence: Dependence::All,
            inferred: Inferences::NONE,
            function,
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
        if sources.len() > SOURCES || results.len() > RESULTS {
            return Err(Unmodelled("the line has too many elements".to_owned()));
        }
        let sizes: SmallVec<[u32; 4]> = results.iter().map(|of| of.size()).collect();
        let function: Function = Box::new(move |given, written| {
            compute(given, written);
            written.iter_mut().zip(&sizes).for_each(|(written, size)| *written = low(*written, *size));
            Ok(())
        });
        let (carry, dependence, inferred) = (CarryUse::default(), Dependence::All, Inferences::NONE);
        Ok(Self { sources: sources.into(), results: results.into(), carry, dependence, inferred, function })
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

    /// What the model assumes in all of its results.
    pub fn inferred(&self) -> Inferences {
        self.inferred
    }

    /// Computes the results. Bits of a source beyond its type do not matter, and results have none beyond theirs.
    ///
    /// # Errors
    /// The reason why the manual leaves the results undefined.
    #[inline]
    pub fn compute(&self, sources: &[u128], results: &mut [u128]) -> Result<(), Undefined> {
        results.fill(0);
        (self.function)(sources, results)
    }
}
