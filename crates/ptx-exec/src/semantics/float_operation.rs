//! Operations on floating-point numbers. PTX ISA `floating-point-instructions`.

use std::cmp::Ordering;

use super::{Operation, Undefined, Unmodelled};
use crate::value::ExpectedValue;
use crate::value::{FloatFormat, RoundingMode, low};

/// An operation on two floats of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FloatOperation {
    pub(crate) format: FloatFormat,
    kind: FloatOperationKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FloatOperationKind {
    Add,
    Min,
    Max,
}

impl FloatOperation {
    /// An operation on the floats of a format.
    ///
    /// # Errors
    /// If floats do not have it.
    pub(crate) fn new(operation: Operation, format: FloatFormat) -> Result<Self, Unmodelled> {
        let kind = match operation {
            Operation::Add => FloatOperationKind::Add,
            Operation::Min => FloatOperationKind::Min,
            Operation::Max => FloatOperationKind::Max,
            other => return Err(Unmodelled(format!("{other:?} is not an operation on floats"))),
        };
        Ok(Self { format, kind })
    }

    /// The results for the numbers in this many bits, why some bits are undefined, if any are, and true if a subnormal number
    /// was flushed.
    pub(crate) fn elements(
        self,
        bits: u32,
        flushes: bool,
        [old, new]: [u128; 2],
    ) -> (ExpectedValue, Option<Undefined>, bool) {
        let size = self.format.bits();
        let flushed = |number: u128| if flushes { self.format.flushed(number) } else { number };
        let (mut all, mut undefined, mut lost) = (ExpectedValue::exact(0), None, false);
        for shift in (0..bits).step_by(size as usize) {
            let [old, new] = [old, new].map(|lane| low(lane >> shift, size));
            let (value, why) = self.apply(flushed(old), flushed(new));
            let value = match value.only() {
                Some(result) => {
                    lost |= flushed(result) != result;
                    ExpectedValue::exact(flushed(result))
                }
                None => value,
            };
            lost |= [old, new].into_iter().any(|number| flushed(number) != number);
            all = all.joined(shift, &value);
            undefined = undefined.or(why);
        }
        (all, undefined, lost)
    }

    /// The result for two numbers, and why some of its bits are undefined, if any are.
    pub(crate) fn apply(self, old: u128, new: u128) -> (ExpectedValue, Option<Undefined>) {
        let Self { format, kind } = self;
        let (a, b) = (format.value(old), format.value(new));
        if kind == FloatOperationKind::Add {
            let sum = a.plus(b, RoundingMode::NearestEven);
            return match sum.is_nan() {
                true => (ExpectedValue::nan(format.quiet_nan(), format), Some(Undefined::NanPayload)),
                false => (ExpectedValue::exact(format.rounded(sum, RoundingMode::NearestEven)), None),
            };
        }
        match b.order(a) {
            None => (ExpectedValue::anything(new, format.bits()), Some(Undefined::NanOperand)),
            // The order of two zeros with different signs is undefined.
            Some(Ordering::Equal) if old != new => {
                (ExpectedValue::of_any_sign(new, format), Some(Undefined::SignOfZero))
            }
            Some(order) => {
                let chosen = if order.is_lt() == (kind == FloatOperationKind::Min) { new } else { old };
                (ExpectedValue::exact(chosen), None)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(operation: Operation, of: &str, a: u128, b: u128) -> (ExpectedValue, Option<Undefined>) {
        let format = FloatFormat::of(of).expect("a format");
        FloatOperation::new(operation, format).expect("an operation on floats").apply(a, b)
    }

    fn sum(of: &str, a: u128, b: u128) -> u128 {
        apply(Operation::Add, of, a, b).0.only().expect("an exact sum")
    }

    #[test]
    fn only_the_order_of_different_zeros_is_undefined() {
        let of = |operation, old, new| apply(operation, ".bf16", old, new);
        for operation in [Operation::Min, Operation::Max] {
            assert_eq!(of(operation, 0x3f80, 0x3f80), (ExpectedValue::exact(0x3f80), None));
            assert_eq!(of(operation, 0x8000, 0x8000), (ExpectedValue::exact(0x8000), None));
            for (old, new) in [(0, 0x8000), (0x8000, 0)] {
                let (value, why) = of(operation, old, new);
                assert_eq!((value.wrong(0), value.wrong(0x8000), value.wrong(1)), (0, 0, 1));
                assert_eq!(why, Some(Undefined::SignOfZero));
            }
        }
        assert_eq!(of(Operation::Min, 0x3f80, 0xbf80), (ExpectedValue::exact(0xbf80), None));
        assert_eq!(of(Operation::Max, 0x3f80, 0xbf80), (ExpectedValue::exact(0x3f80), None));
    }

    #[test]
    fn floats_have_no_bitwise_operations() {
        for operation in [Operation::And, Operation::Increment, Operation::CompareAndSwap, Operation::Exchange] {
            assert!(FloatOperation::new(operation, FloatFormat::F32).is_err(), "{operation:?}");
        }
    }

    #[test]
    fn sums_round_to_nearest_even() {
        for (of, a, b, expected) in [
            (".f16", 0x3c00, 0x3c00, 0x4000),
            // 1 + 2^-11 is halfway between 1 and its successor, and 1 is even. For the next pair, 1 + 2^-9 is even.
            (".f16", 0x3c00, 0x1000, 0x3c00),
            (".f16", 0x3c01, 0x1000, 0x3c02),
            // The largest number plus half of its last place is infinite; a bit less is not.
            (".f16", 0x7bff, 0x4c00, 0x7c00),
            (".f16", 0x7bff, 0x4bff, 0x7bff),
            // Subnormal results are kept.
            (".f16", 0x0001, 0x0001, 0x0002),
            (".f16", 0x03ff, 0x0001, 0x0400),
            (".f16", 0x8000, 0x8000, 0x8000),
            (".f16", 0x8000, 0x0000, 0x0000),
            (".bf16", 0x3f80, 0x3f80, 0x4000),
            (".bf16", 0x3f80, 0x3b80, 0x3f80),
            (".bf16", 0x3f81, 0x3b80, 0x3f82),
            (".bf16", 0x0001, 0x0001, 0x0002),
            (".f32", 0x3f80_0000, 0x3380_0000, 0x3f80_0000),
            (".f32", 0x3f80_0001, 0x3380_0000, 0x3f80_0002),
            (".f32", 0x0000_0001, 0x0000_0001, 0x0000_0002),
            (".f64", 0x3ff0_0000_0000_0000, 0x3ff0_0000_0000_0000, 0x4000_0000_0000_0000),
        ] {
            assert_eq!(sum(of, a, b), expected, "{of} {a:x} {b:x}");
        }
    }

    #[test]
    fn sums_of_32_bits_are_those_of_the_host() {
        let mut seed = 1_u64;
        for _ in 0..20_000 {
            let mut next = || {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                u32::try_from(seed >> 32).expect("32 bits")
            };
            let (a, b) = (next(), next());
            let host = f32::from_bits(a) + f32::from_bits(b);
            if !host.is_nan() {
                assert_eq!(sum(".f32", a.into(), b.into()), u128::from(host.to_bits()), "{a:x} {b:x}");
            }
        }
    }
}
