//! What a line computes, on the registers of a thread.

use smallvec::SmallVec;

use super::code::{CodeDestination, CodeSource};
use super::register_bits::RegisterBits;
use super::thread::InterpretedThread;
use crate::semantics::Computation;

/// The most sources and results of a line, its carry included.
const MOST: usize = 9;

/// The products that are kept: a sum uses one that is not far before it.
const PRODUCTS: usize = 64;

impl InterpretedThread<'_> {
    /// Executes a computation. What is undefined in the sources makes undefined what depends on it.
    #[inline]
    pub(super) fn compute(
        &mut self,
        computation: &Computation,
        sources: &[CodeSource],
        destinations: &[CodeDestination],
    ) {
        let (mut values, mut all) = ([0; MOST], u128::MAX);
        for (to, source) in values.iter_mut().zip(sources) {
            let RegisterBits { value, defined } = self.value(*source);
            (*to, all) = (value, all & defined);
        }
        let mut count = sources.len();
        if computation.reads_carry() {
            (values[count], all) = (self.carry.value, all & self.carry.defined);
            count += 1;
        }
        let mut results = [0; MOST];
        let results = &mut results[..destinations.len() + usize::from(computation.writes_carry())];
        if all == u128::MAX && computation.is_exact() {
            let known = if computation.compute(&values[..count], results).is_ok() { u128::MAX } else { 0 };
            self.write_results(computation, destinations, results, |_| known);
        } else {
            self.compute_partly(computation, sources, destinations, (&values[..count], results));
        }
    }

    /// As [`Self::compute`], where bits of the sources are undefined.
    #[cold]
    fn compute_partly(
        &mut self,
        computation: &Computation,
        sources: &[CodeSource],
        destinations: &[CodeDestination],
        (values, results): (&[u128], &mut [u128]),
    ) {
        let carry = computation.reads_carry().then_some(self.carry.defined);
        let defined = sources.iter().map(|source| self.value(*source).defined).chain(carry);
        let defined: SmallVec<[u128; 4]> = defined.collect();
        let known = computation.compute_partly(values, &defined, results);
        // What the manual leaves undefined has no defined bit.
        let mut known = known.unwrap_or_else(|_| results.iter().map(|_| 0).collect::<SmallVec<[u128; 4]>>());
        if computation.contracts() {
            known[0] &= !self.contracted(computation, values);
        }
        self.write_results(computation, destinations, results, |at| known[at]);
    }

    /// The bits of the result that differ if the line is contracted with an earlier one; keeps its products for later ones.
    fn contracted(&mut self, computation: &Computation, values: &[u128]) -> u128 {
        let products = computation.products(values);
        if products.is_empty() {
            return computation.contracted(values, self.products.make_contiguous());
        }
        self.products.extend(products);
        let surplus = self.products.len().saturating_sub(PRODUCTS);
        self.products.drain(..surplus);
        0
    }

    #[inline]
    fn write_results(
        &mut self,
        computation: &Computation,
        destinations: &[CodeDestination],
        results: &[u128],
        known: impl Fn(usize) -> u128,
    ) {
        for (at, ((to, of), result)) in destinations.iter().zip(computation.results()).zip(results).enumerate() {
            let result = RegisterBits::new(*result, known(at));
            // A wider register gets the sign of a signed number.
            match of.signed && of.elements == 1 && to.bits > of.bits {
                true => self.set(*to, result.sign_extended(of.bits, to.bits)),
                false if to.bits > of.size() => self.set(*to, result.zero_extended(of.size())),
                false => self.set(*to, result),
            }
        }
        if computation.writes_carry() {
            let at = destinations.len();
            self.carry = RegisterBits::new(results[at], known(at)).zero_extended(1);
        }
    }
}
