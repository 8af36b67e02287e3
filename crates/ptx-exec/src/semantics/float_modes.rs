//! The choices of a line of floats, as the functions of the table ask for them, and the parts of its operands.

use ptx_spec::spec::{Operand, Role};
use smallvec::SmallVec;

use super::float_computation::{FloatComputation, ResultElement, SourceBits};
use super::float_input::FloatInput;
use super::float_result::{ExpectedElement, FloatLimit, FloatResult};
use super::modes::Modes;
use super::{Computation, Unmodelled};
use crate::value::{FloatFormat, RoundingMode};

/// The slots that hold a rounding mode.
const ROUNDINGS: [&str; 5] = ["rnd", "frnd", "frnd2", "frnd3", "frnd4"];

impl Modes<'_> {
    /// True if the line flushes subnormal numbers of a format: of `.f32`, and of halves unless it converts.
    pub(super) fn flushes(&self, format: FloatFormat) -> bool {
        let is_half = format == FloatFormat::F16 || format == FloatFormat::BF16;
        self.has("ftz") && (format == FloatFormat::F32 || is_half && self.opcode() != "cvt")
    }

    /// How the line rounds floats; to nearest if it does not say.
    pub(super) fn rounding(&self) -> Result<RoundingMode, Unmodelled> {
        if self.has("rna") {
            return Ok(RoundingMode::NearestAway);
        }
        match ROUNDINGS.into_iter().find(|slot| self.has(slot)) {
            Some(slot) => self.rounding_of(slot),
            None => Ok(RoundingMode::NearestEven),
        }
    }

    /// The rounding mode in a slot.
    pub(super) fn rounding_of(&self, slot: &str) -> Result<RoundingMode, Unmodelled> {
        Ok(match self.value(slot) {
            ".rn" | ".rni" => RoundingMode::NearestEven,
            ".rz" | ".rzi" => RoundingMode::Zero,
            ".rm" | ".rmi" => RoundingMode::Down,
            ".rp" | ".rpi" => RoundingMode::Up,
            other => return Err(self.unmodelled(other)),
        })
    }

    /// The source at a position of the line.
    pub(super) fn float_input(&self, at: usize) -> Result<FloatInput, Unmodelled> {
        let format = self.source_format(at)?;
        Ok(FloatInput { format, flushes: self.flushes(format) })
    }

    /// Results of a format, by the modifiers of the line.
    pub(super) fn float_result(&self, format: FloatFormat) -> Result<FloatResult, Unmodelled> {
        let limit = match (self.has("sat"), self.has("satfinite")) {
            (false, false) => FloatLimit::None,
            (true, false) => FloatLimit::Unit,
            (false, true) => FloatLimit::Finite,
            (true, true) => return Err(self.unmodelled("two limits")),
        };
        Ok(FloatResult { format, mode: self.rounding()?, flushes: self.flushes(format), limit, relu: self.has("relu") })
    }

    /// True if an operand in this role is a float.
    pub(super) fn has_floats(&self) -> bool {
        self.source_format(0).is_ok() || self.result_format().is_ok()
    }

    /// The format of the source at a position of the line.
    pub(super) fn source_format(&self, at: usize) -> Result<FloatFormat, Unmodelled> {
        self.format(self.operands_of(&Role::Source).get(at).copied())
    }

    /// The format of the result.
    pub(super) fn result_format(&self) -> Result<FloatFormat, Unmodelled> {
        self.format(self.operands_of(&Role::Destination).first().copied())
    }

    fn format(&self, operand: Option<&Operand>) -> Result<FloatFormat, Unmodelled> {
        let name = operand.map_or("", |operand| self.type_name(operand));
        FloatFormat::of(name).ok_or_else(|| self.unmodelled(name))
    }

    /// How many elements the source at a position of the line has.
    pub(super) fn source_elements(&self, at: usize) -> Result<u32, Unmodelled> {
        let sources = self.with_floats_as_bits().sources()?;
        sources.get(at).map(|of| of.elements).ok_or_else(|| self.unmodelled("too few sources"))
    }

    /// How many elements the first result has.
    pub(super) fn result_elements(&self) -> Result<u32, Unmodelled> {
        let results = self.with_floats_as_bits().results()?;
        results.first().map(|of| of.elements).ok_or_else(|| self.unmodelled("no result"))
    }

    /// The part of each source that belongs to an element of a result: what has one element belongs to each.
    fn parts(&self, element: u32) -> Result<Vec<SourceBits>, Unmodelled> {
        let sources = self.with_floats_as_bits().sources()?;
        let operands = self.operands_of(&Role::Source);
        let part = |(source, of): (usize, &super::NumberType)| SourceBits {
            source,
            at: if of.elements == 1 { 0 } else { element * of.bits },
            bits: of.bits,
            format: match self.floats_as_bits {
                true => None,
                false => operands.get(source).and_then(|operand| FloatFormat::of(self.type_name(operand))),
            },
        };
        match operands.len() == sources.len() {
            true => Ok(sources.iter().enumerate().map(part).collect()),
            false => Err(self.unmodelled("a source in braces")),
        }
    }

    /// The computation of each element of the result from the elements of the sources at its position.
    pub(super) fn float_elements(
        &self,
        compute: impl Fn(usize, &[u128]) -> ExpectedElement + Send + Sync + 'static,
    ) -> Result<Computation, Unmodelled> {
        let results = self.with_floats_as_bits().results()?;
        let [of] = results[..] else { return Err(self.unmodelled("other numbers of results")) };
        // The results of two comparisons may be the halves of an integer.
        let count = of.elements.max(self.source_elements(0)?);
        let bits = of.size() / count;
        let element = |at: u32| {
            let parts = self.parts(at)?.into();
            Ok(ResultElement { result: 0, at: at * bits, bits, parts })
        };
        self.of_elements((0..count).map(element), compute)
    }

    /// The computation of the elements of a packed result, the highest first: from a source of its own each, or from the
    /// elements of one. The last source may belong to all, as a whole or in bytes.
    pub(super) fn float_packed(
        &self,
        last_is_shared: bool,
        compute: impl Fn(usize, &[u128]) -> ExpectedElement + Send + Sync + 'static,
    ) -> Result<Computation, Unmodelled> {
        let results = self.with_floats_as_bits().results()?;
        let [of] = results[..] else { return Err(self.unmodelled("other numbers of results")) };
        let sources = self.parts(0)?;
        let own = sources.len() - usize::from(last_is_shared);
        let count = of.elements as usize;
        let from_one = own == 1 && self.source_elements(0)? == of.elements;
        if own != count && !from_one {
            return Err(self.unmodelled("other numbers of sources"));
        }
        // Two scales are the bytes of one source.
        let in_bytes = self.has("scaled::n2::ue8m0");
        let element = |at: usize| {
            let place = (count - 1 - at) as u32;
            let mut parts: SmallVec<[SourceBits; 4]> = match from_one {
                true => self.parts(place)?.into_iter().take(1).collect(),
                false => [sources[at]].into_iter().collect(),
            };
            if last_is_shared {
                let whole = sources[own];
                let byte = SourceBits { at: if in_bytes { 8 * place } else { 0 }, bits: 8, ..whole };
                parts.push(if self.has("rs") { whole } else { byte });
            }
            Ok(ResultElement { result: 0, at: place * of.bits, bits: of.bits, parts })
        };
        self.of_elements((0..count).map(element), compute)
    }

    /// The computation of predicates: of two from the same sources, or each from the elements of pairs at its position.
    pub(super) fn float_predicates(
        &self,
        pairs: bool,
        compute: impl Fn(usize, &[u128]) -> ExpectedElement + Send + Sync + 'static,
    ) -> Result<Computation, Unmodelled> {
        let count = self.results()?.len();
        let element = |result: usize| {
            let parts = self.parts(if pairs { result as u32 } else { 0 })?.into();
            Ok(ResultElement { result, at: 0, bits: 1, parts })
        };
        self.of_elements((0..count).map(element), compute)
    }

    /// The computation of these elements.
    fn of_elements(
        &self,
        elements: impl Iterator<Item = Result<ResultElement, Unmodelled>>,
        compute: impl Fn(usize, &[u128]) -> ExpectedElement + Send + Sync + 'static,
    ) -> Result<Computation, Unmodelled> {
        let (bits, elements) = (self.with_floats_as_bits(), elements.collect::<Result<Vec<_>, Unmodelled>>()?);
        Computation::of_floats(bits.sources()?, bits.results()?, FloatComputation::new(elements, compute))
    }
}
