//! Floats as the manual describes them: a sign, an exponent and a mantissa, whose value is a number of 113 bits of LLVM's
//! library in its port to Rust. What has more bits keeps a last bit that says so.

use rustc_apfloat::ieee::Quad;
use rustc_apfloat::{ExpInt, Float as _, Round, Status, StatusAnd};

/// What the largest magnitudes of a type are, if they are no numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Largest {
    /// Those of the largest exponent: infinity, and NaNs above it.
    InfinityAndNans,
    /// All ones: a NaN.
    Nan,
    /// None.
    Number,
}

/// A type of floats, or of rows of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FloatType {
    exponent: u32,
    mantissa: u32,
    largest: Largest,
    signed: bool,
    /// Zeros below the mantissa.
    below: u32,
    /// The bits of a register that an element takes.
    pub(crate) storage: usize,
    pub(crate) elements: usize,
}

/// The element types: exponent, mantissa, largest, signed, zeros below, storage.
const TYPES: [(&str, u32, u32, Largest, bool, u32, usize); 12] = [
    ("f16", 5, 10, Largest::InfinityAndNans, true, 0, 16),
    ("bf16", 8, 7, Largest::InfinityAndNans, true, 0, 16),
    ("tf32", 8, 10, Largest::InfinityAndNans, true, 13, 32),
    ("f32", 8, 23, Largest::InfinityAndNans, true, 0, 32),
    ("f64", 11, 52, Largest::InfinityAndNans, true, 0, 64),
    ("e5m2", 5, 2, Largest::InfinityAndNans, true, 0, 8),
    ("e4m3", 4, 3, Largest::Nan, true, 0, 8),
    ("e3m2", 3, 2, Largest::Number, true, 0, 8),
    ("e2m3", 2, 3, Largest::Number, true, 0, 8),
    ("e2m1", 2, 1, Largest::Number, true, 0, 4),
    ("ue5m3", 5, 3, Largest::Nan, false, 0, 8),
    ("ue8m0", 8, 0, Largest::Nan, false, 0, 8),
];

impl FloatType {
    /// The type with this name, with or without its dot; none if it has no floats.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let name = name.trim_start_matches('.');
        let of = |(known, exponent, mantissa, largest, signed, below, storage): (&str, u32, u32, _, _, _, _)| {
            let count = name.strip_prefix(known)?;
            let elements = if count.is_empty() { 1 } else { count.strip_prefix('x')?.parse().ok()? };
            Some(Self { exponent, mantissa, largest, signed, below, storage, elements })
        };
        TYPES.into_iter().find_map(of)
    }

    /// True if it is `.f32` or `.f16`, or has such elements: the types whose subnormal numbers `.ftz` flushes.
    pub(crate) fn is_flushed(self) -> bool {
        self.is_single() || (self.exponent, self.mantissa) == (5, 10)
    }

    /// True if it is `.f32`, or has such elements.
    pub(crate) fn is_single(self) -> bool {
        (self.exponent, self.mantissa) == (8, 23)
    }

    /// The bits of a magnitude.
    fn magnitude_bits(self) -> u32 {
        self.exponent + self.mantissa + self.below
    }

    /// The bit of the sign; 0 if there is none.
    pub(crate) fn sign(self) -> u128 {
        u128::from(self.signed) << self.magnitude_bits()
    }

    fn bias(self) -> ExpInt {
        (1 << (self.exponent - 1)) - 1
    }

    /// The exponent of the smallest normal number.
    fn smallest(self) -> ExpInt {
        1 - self.bias()
    }

    /// All ones in the exponent.
    pub(crate) fn infinity(self) -> u128 {
        ((1 << self.exponent) - 1) << (self.mantissa + self.below)
    }

    /// The magnitude of the largest number.
    pub(crate) fn most(self) -> u128 {
        let all = (1 << self.magnitude_bits()) - 1;
        match self.largest {
            Largest::InfinityAndNans => self.infinity() - (1 << self.below),
            Largest::Nan => all - 1,
            Largest::Number => all,
        }
    }

    pub(crate) fn has_nans(self) -> bool {
        self.largest != Largest::Number
    }

    /// The canonical NaN: 0x7fffffff of `.f32`.
    pub(crate) fn canonical_nan(self) -> u128 {
        (1 << self.magnitude_bits()) - 1
    }

    /// One of three NaNs in which each bit that NaNs may have is both 0 and 1.
    pub(crate) fn nan(self, which: usize) -> u128 {
        match (self.largest, which) {
            (Largest::InfinityAndNans, 1) => self.sign() | self.infinity() | 1,
            (Largest::InfinityAndNans, 2) => self.infinity() | 2,
            (_, 1) => self.sign() | self.canonical_nan(),
            _ => self.canonical_nan(),
        }
    }

    pub(crate) fn is_nan(self, bits: u128) -> bool {
        self.value(bits).is_nan()
    }

    pub(crate) fn is_subnormal(self, bits: u128) -> bool {
        let magnitude = bits & !self.sign();
        magnitude != 0 && magnitude & self.infinity() == 0
    }

    /// A number that is subnormal as a zero with its sign.
    pub(crate) fn flushed(self, bits: u128) -> u128 {
        if self.is_subnormal(bits) { bits & self.sign() } else { bits }
    }

    /// All bits of a number.
    pub(crate) fn all(self) -> u128 {
        self.sign() | ((1 << self.magnitude_bits()) - 1)
    }

    /// All bits of a mantissa.
    pub(crate) fn subnormal(self) -> u128 {
        (1 << (self.mantissa + self.below)) - 1
    }

    /// A power of two: 1, or one of those around it, in the order of their distance.
    pub(crate) fn around_one(self, distance: u128) -> u128 {
        let steps = distance.div_ceil(2);
        let field = self.bias() as u128;
        let moved = if distance & 1 == 0 { field + steps } else { field.saturating_sub(steps) };
        moved.min((1 << self.exponent) - 1) << (self.mantissa + self.below)
    }

    /// A number with another exponent, which is less by this much.
    pub(crate) fn moved(self, number: u128, less: u128) -> u128 {
        let field = (number & self.infinity()) >> (self.mantissa + self.below);
        number & !self.infinity() | field.saturating_sub(less) << (self.mantissa + self.below)
    }

    /// Zero, the limits of subnormal and normal numbers, numbers around 1 and around powers of two that are integers,
    /// infinity, NaNs.
    pub(crate) fn edges(self) -> Vec<u128> {
        let step = 1 << self.below;
        let (one, normal) = (self.around_one(0), self.subnormal() + 1);
        let half = normal >> 1;
        let magnitudes = [
            0,
            step,
            2 * step,
            3 * step,
            normal - step,
            normal,
            normal + step,
            normal | half,
            one - step,
            one,
            one + step,
            one | half,
            self.around_one(1),
            self.around_one(1) + step,
            self.around_one(1) | half,
            self.around_one(2),
            self.around_one(2) + half / 2,
            self.most(),
            self.most() - step,
            self.infinity(),
            self.infinity() | half,
            self.infinity() | step,
            self.canonical_nan(),
            self.around_one(14),
            self.around_one(30),
            self.around_one(62),
            self.around_one(64),
        ];
        magnitudes.to_vec()
    }

    /// The value of a number.
    pub(crate) fn value(self, bits: u128) -> Quad {
        let magnitude = bits & ((1 << self.magnitude_bits()) - 1);
        let (field, fraction) =
            (magnitude >> (self.mantissa + self.below), magnitude & ((1 << (self.mantissa + self.below)) - 1));
        let is_nan = match self.largest {
            Largest::InfinityAndNans => magnitude > self.infinity(),
            Largest::Nan => magnitude == self.canonical_nan(),
            Largest::Number => false,
        };
        let value = if is_nan {
            Quad::NAN
        } else if self.largest == Largest::InfinityAndNans && magnitude == self.infinity() {
            Quad::INFINITY
        } else {
            let digits = (self.mantissa + self.below) as ExpInt;
            let first = u128::from(field != 0 || self.mantissa == 0) << digits;
            // Numbers without a mantissa are powers of two, that of the field 0 as well.
            let field = if self.mantissa == 0 { field as ExpInt } else { (field as ExpInt).max(1) };
            Quad::from_u128(first | fraction).value.scalbn(field - self.bias() - digits)
        };
        if bits & self.sign() == 0 { value } else { -value }
    }

    /// A value with the digits of the type, and any exponent that is not less than this one.
    fn digits(self, value: Quad, least: ExpInt, mode: Round) -> Quad {
        let last = value.ilogb().max(least) - self.mantissa as ExpInt;
        value.scalbn(-last).round_to_integral(mode).value.scalbn(last)
    }

    /// True if a value, rounded as if exponents had no limits, is less than the smallest normal number.
    pub(crate) fn is_tiny(self, value: Quad, mode: Round) -> bool {
        value.is_finite_non_zero() && self.digits(value, ExpInt::MIN / 2, mode).ilogb() < self.smallest()
    }

    /// A value that is no NaN, rounded to the type.
    pub(crate) fn rounded(self, value: Quad, mode: Round) -> u128 {
        let sign = if value.is_negative() { self.sign() } else { 0 };
        if value.is_zero() {
            return sign;
        }
        let beyond = if self.largest == Largest::Number {
            self.most()
        } else if self.largest == Largest::Nan {
            self.canonical_nan()
        } else {
            self.infinity()
        };
        if value.is_infinite() {
            return sign | beyond;
        }
        let rounded = self.digits(value, self.smallest(), mode).abs();
        if rounded > self.value(self.most()) {
            let grows = match mode {
                Round::TowardZero => false,
                Round::TowardPositive => !value.is_negative(),
                Round::TowardNegative => value.is_negative(),
                _ => true,
            };
            return sign | if grows { beyond } else { self.most() };
        }
        if rounded.is_zero() {
            return sign;
        }
        let exponent = rounded.ilogb().max(self.smallest());
        let whole = rounded.scalbn(self.mantissa as ExpInt - exponent).to_u128(120).value;
        let field = (exponent - self.smallest()) as u128;
        sign | ((field << self.mantissa) + whole) << self.below
    }
}

/// A result that was cut, with a last bit that is 1 if there is more: it rounds as the whole does.
fn cut(result: StatusAnd<Quad>) -> Quad {
    let is_cut = result.status.contains(Status::INEXACT);
    Quad::from_bits(result.value.to_bits() | u128::from(is_cut))
}

/// The sum; of a zero, the mode decides the sign.
pub(crate) fn sum(a: Quad, b: Quad, mode: Round) -> Quad {
    let rounded = a.add_r(b, mode).value;
    if rounded.is_zero() || !rounded.is_finite() { rounded } else { cut(a.add_r(b, Round::TowardZero)) }
}

/// The product, which has at most 106 bits.
pub(crate) fn product(a: Quad, b: Quad) -> Quad {
    (a * b).value
}

pub(crate) fn quotient(a: Quad, b: Quad) -> Quad {
    let rounded = a.div_r(b, Round::TowardZero);
    if rounded.value.is_finite_non_zero() { cut(rounded) } else { rounded.value }
}

/// The square root, cut: digit by digit, each of which is kept if the square is not too large.
pub(crate) fn square_root(a: Quad) -> Quad {
    if a.is_nan() || a.is_zero() || a.is_infinite() && !a.is_negative() {
        return a;
    }
    if a.is_negative() {
        return Quad::NAN;
    }
    let square = |number: Quad| (number * number).value;
    let top = a.ilogb().div_euclid(2);
    let mut root = Quad::ZERO;
    // 55 digits: the square of the root is exact, and so is its order to the number.
    for place in 0..55 {
        let more = (root + Quad::from_u128(1).value.scalbn(top - place)).value;
        if square(more) <= a {
            root = more;
        }
    }
    if square(root) == a { root } else { Quad::from_bits(root.to_bits() | 1) }
}

/// The rounding mode of a word.
pub(crate) fn mode(word: &str) -> Round {
    match word {
        "" | "rn" | "rni" => Round::NearestTiesToEven,
        "rna" => Round::NearestTiesToAway,
        "rz" | "rzi" => Round::TowardZero,
        "rm" | "rmi" => Round::TowardNegative,
        "rp" | "rpi" => Round::TowardPositive,
        other => panic!("{other} is no rounding"),
    }
}
