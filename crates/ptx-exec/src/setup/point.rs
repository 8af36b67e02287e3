//! The choices of an executed form: one value for each axis.

use ptx_spec::must::Must as _;
use ptx_spec::role::setup::{IMMEDIATE, SAMPLE};
use ptx_spec::spec::{Form, Isa, Size};

use super::contents;

/// The choices of a variant in a setup.
#[derive(Clone, Copy)]
pub(super) struct Point<'a> {
    pub(super) isa: &'a Isa,
    pub(super) form: &'a Form,
    pub(super) values: &'a [u8],
}

impl<'a> Point<'a> {
    /// The value on the axis with this name; empty if the form has none.
    pub(super) fn value(&self, axis: &str) -> &'a str {
        self.form.axis(axis).map_or("", |axis| self.at(axis))
    }

    /// The value on an axis.
    pub(super) fn at(&self, axis: usize) -> &'a str {
        self.form.value(self.values, axis)
    }

    /// The size of an access in bytes.
    pub(super) fn size(&self, size: Option<Size>) -> u32 {
        size.map_or(1, |size| size.bytes(self.isa, self.form, self.values))
    }

    /// The position of the sample among the numbers of its kind.
    pub(super) fn sample(&self) -> u64 {
        match self.value(SAMPLE.0) {
            // A form without axes of numbers has one sample.
            "" => 0,
            number => number.parse().must("samples are numbers"),
        }
    }
}

/// The remainder of a division.
#[expect(clippy::cast_possible_truncation, reason = "it is less than the divisor")]
fn remainder(number: u64, divisor: u32) -> u32 {
    (number % u64::from(divisor)) as u32
}

/// The smallest power of two that is far beyond every length.
const FAR: u32 = 13;

/// The positions along a dimension: multiples of `size` below `length`.
#[derive(Clone, Copy)]
pub(super) struct Places {
    pub(super) size: u32,
    pub(super) length: u32,
    pub(super) sample: u64,
}

impl Places {
    fn last(self) -> u32 {
        (self.length / self.size).max(1) - 1
    }

    /// A named position within the length.
    pub(super) fn inside(self, label: &str) -> u32 {
        let between = 1 + remainder(contents::mix(self.sample), self.last().max(2) - 1);
        match label {
            "last" => self.last() * self.size,
            "inside" => between * self.size,
            // Odd bytes are unaligned, the others are aligned to less than the size.
            "misaligned" => {
                let step = 1 + remainder(self.sample, self.size.max(2) - 1);
                between.min(self.last()) * self.size + step
            }
            // A coordinate in the line itself, or none, is in no register.
            "first" | IMMEDIATE | "" => 0,
            _ => None.must(contents::UNKNOWN),
        }
    }

    /// The distance of far positions: a power of two, so that an engine that drops upper bits accesses the
    /// inside. None for the first sample, which is as far as possible.
    fn far(self) -> Option<u32> {
        let sample = self.sample.checked_sub(1)?;
        Some(1 << (FAR + remainder(sample, 31 - FAR)))
    }

    /// A position within the length, from which a far one is computed.
    fn near(self) -> u32 {
        if self.sample.is_multiple_of(2) { 0 } else { self.inside("inside").min(self.last() * self.size) }
    }

    /// A named position that may be outside the length.
    pub(super) fn coordinate(self, label: &str) -> u32 {
        let size = self.size;
        match label {
            "after" => self.length.next_multiple_of(size),
            "before" => size.wrapping_neg(),
            "far-after" => {
                let most = i32::MAX.cast_unsigned() & !(size - 1);
                self.far().map_or(most, |far| far + self.near())
            }
            "far-before" => {
                let least = i32::MIN.cast_unsigned();
                self.far().map_or(least, |far| far.wrapping_neg() + self.near())
            }
            "negative" => u32::MAX,
            label => self.inside(label),
        }
    }
}
