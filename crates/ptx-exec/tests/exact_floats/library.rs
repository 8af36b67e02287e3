//! The floats of LLVM, in its port to Rust, behind the numbers of bits that this workspace has.

use std::cmp::Ordering;

use ptx_exec::value::{FloatFormat, FloatValue, RoundingMode};
use rustc_apfloat::ieee::{BFloatS, DoubleS, Float8E4M3FNS, Float8E5M2S, HalfS, IeeeFloat, Quad, Semantics, SingleS};
use rustc_apfloat::{ExpInt, Float, FloatConvert as _, Round};

/// The modes that both sides have.
pub(crate) const MODES: [(RoundingMode, Round); 5] = [
    (RoundingMode::NearestEven, Round::NearestTiesToEven),
    (RoundingMode::NearestAway, Round::NearestTiesToAway),
    (RoundingMode::Zero, Round::TowardZero),
    (RoundingMode::Down, Round::TowardNegative),
    (RoundingMode::Up, Round::TowardPositive),
];

/// An operation of up to three numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
    MulAdd,
}

impl Arithmetic {
    pub(crate) const ALL: [Self; 5] = [Self::Add, Self::Sub, Self::Mul, Self::Div, Self::MulAdd];

    /// What the core computes, before it is rounded.
    pub(crate) fn value(self, [a, b, c]: [FloatValue; 3], mode: RoundingMode) -> FloatValue {
        match self {
            Self::Add => a.plus(b, mode),
            Self::Sub => a.plus(b.negated(), mode),
            Self::Mul => a.times(b),
            Self::Div => a.over(b),
            Self::MulAdd => a.times(b).plus(c, mode),
        }
    }

    fn of<S: Semantics>(self, [a, b, c]: [u128; 3], mode: Round) -> u128 {
        let [a, b, c] = [a, b, c].map(IeeeFloat::<S>::from_bits);
        let result = match self {
            Self::Add => a.add_r(b, mode),
            Self::Sub => a.sub_r(b, mode),
            Self::Mul => a.mul_r(b, mode),
            Self::Div => a.div_r(b, mode),
            Self::MulAdd => a.mul_add_r(b, c, mode),
        };
        result.value.to_bits()
    }
}

/// A format of the library.
#[derive(Clone, Copy)]
pub(crate) struct LibraryFormat {
    pub(crate) name: &'static str,
    pub(crate) format: FloatFormat,
    /// The bits of the mantissa.
    pub(crate) mantissa: u32,
    /// Zeros below the mantissa, which the library does not have.
    padding: u32,
    operate: fn(Arithmetic, [u128; 3], Round) -> u128,
    widen: fn(u128) -> Quad,
    narrow: fn(Quad, Round) -> u128,
    to_integer: fn(u128, u32, bool, Round) -> i128,
    from_integer: fn(i128, Round) -> u128,
    round_to_integral: fn(u128, Round) -> u128,
    order: fn(u128, u128) -> Option<Ordering>,
}

/// The ten explicit bits of tf32 under eight of the exponent.
struct Tf32Semantics;

impl Semantics for Tf32Semantics {
    const BITS: usize = 19;
    const EXP_BITS: usize = 8;
}

/// The digits of an f32 under as many exponents as an f32's product may have.
struct UnlimitedSemantics;

impl Semantics for UnlimitedSemantics {
    const BITS: usize = 39;
    const EXP_BITS: usize = 15;
}

/// True if a number, rounded to an f32 as if exponents had no limits, is less than the smallest normal one, and not zero.
pub(crate) fn is_tiny(number: Quad, mode: Round) -> bool {
    let rounded: IeeeFloat<UnlimitedSemantics> = number.convert_r(mode, &mut false).value;
    rounded.is_finite_non_zero() && rounded.ilogb() < -126
}

/// The numbers of a format without infinities and NaNs, and larger ones: its least exponent is the same.
macro_rules! wide {
    ($name:ident, $mantissa:literal, $smallest:literal) => {
        #[doc = "Its magnitudes have the bits of the small format, and go on after its largest."]
        struct $name;

        impl Semantics for $name {
            const BITS: usize = 16;
            const EXP_BITS: usize = 15 - $mantissa;
            const MIN_EXP: ExpInt = $smallest;
        }
    };
}

wide!(WideE3m2Semantics, 2, -2);
wide!(WideE2m3Semantics, 3, 0);
wide!(WideE2m1Semantics, 1, 0);

fn to_integer<S: Semantics>(bits: u128, width: u32, signed: bool, mode: Round) -> i128 {
    let (number, mut is_exact) = (IeeeFloat::<S>::from_bits(bits), false);
    match signed {
        true => number.to_i128_r(width as usize, mode, &mut is_exact).value,
        false => number.to_u128_r(width as usize, mode, &mut is_exact).value.cast_signed(),
    }
}

const fn library<S: Semantics>(name: &'static str, format: FloatFormat, padding: u32) -> LibraryFormat {
    LibraryFormat {
        name,
        format,
        mantissa: S::PRECISION as u32 - 1,
        padding,
        operate: |operation, numbers, mode| operation.of::<S>(numbers, mode),
        widen: |bits| IeeeFloat::<S>::from_bits(bits).convert_r(Round::NearestTiesToEven, &mut false).value,
        narrow: |number, mode| {
            let narrow: IeeeFloat<S> = number.convert_r(mode, &mut false).value;
            narrow.to_bits()
        },
        to_integer: to_integer::<S>,
        from_integer: |number, mode| IeeeFloat::<S>::from_i128_r(number, mode).value.to_bits(),
        round_to_integral: |bits, mode| IeeeFloat::<S>::from_bits(bits).round_to_integral(mode).value.to_bits(),
        order: |a, b| IeeeFloat::<S>::from_bits(a).partial_cmp(&IeeeFloat::<S>::from_bits(b)),
    }
}

/// The formats that the library has, or whose description it takes.
pub(crate) const FORMATS: [LibraryFormat; 7] = [
    library::<HalfS>("f16", FloatFormat::F16, 0),
    library::<BFloatS>("bf16", FloatFormat::BF16, 0),
    library::<Tf32Semantics>("tf32", FloatFormat::TF32, 13),
    library::<SingleS>("f32", FloatFormat::F32, 0),
    library::<DoubleS>("f64", FloatFormat::F64, 0),
    library::<Float8E5M2S>("e5m2", FloatFormat::E5M2, 0),
    library::<Float8E4M3FNS>("e4m3", FloatFormat::E4M3, 0),
];

/// The formats with only finite numbers, as the low part of larger ones.
pub(crate) const FINITE: [LibraryFormat; 3] = [
    library::<WideE3m2Semantics>("e3m2", FloatFormat::E3M2, 0),
    library::<WideE2m3Semantics>("e2m3", FloatFormat::E2M3, 0),
    library::<WideE2m1Semantics>("e2m1", FloatFormat::E2M1, 0),
];

impl LibraryFormat {
    /// The library's format with a name.
    pub(crate) fn named(name: &str) -> Self {
        *FORMATS.iter().find(|format| format.name == name).expect("a format of the library")
    }

    /// The result of an operation.
    pub(crate) fn operate(&self, operation: Arithmetic, numbers: [u128; 3], mode: Round) -> u128 {
        (self.operate)(operation, numbers.map(|bits| bits >> self.padding), mode) << self.padding
    }

    /// The number in 113 bits, which all formats fit in.
    pub(crate) fn widen(&self, bits: u128) -> Quad {
        (self.widen)(bits >> self.padding)
    }

    /// A number of 113 bits, rounded.
    pub(crate) fn narrow(&self, number: Quad, mode: Round) -> u128 {
        (self.narrow)(number, mode) << self.padding
    }

    /// A number of 113 bits, rounded to a format without infinities: the largest number is in the place of all others.
    pub(crate) fn narrow_finite(&self, number: Quad, mode: Round) -> u128 {
        let wide = (self.narrow)(number, mode);
        let magnitude = (wide & 0x7fff).min(self.format.largest());
        magnitude | if wide & 0x8000 == 0 { 0 } else { self.format.sign() }
    }

    /// The number as an integer of this many bits, saturated; 0 of a NaN.
    pub(crate) fn as_integer(&self, bits: u128, width: u32, signed: bool, mode: Round) -> i128 {
        (self.to_integer)(bits >> self.padding, width, signed, mode)
    }

    /// An integer, rounded.
    pub(crate) fn of_integer(&self, number: i128, mode: Round) -> u128 {
        (self.from_integer)(number, mode) << self.padding
    }

    /// The number rounded to an integer, in the same format.
    pub(crate) fn round_to_integral(&self, bits: u128, mode: Round) -> u128 {
        (self.round_to_integral)(bits >> self.padding, mode) << self.padding
    }

    /// The order of two numbers.
    pub(crate) fn order(&self, a: u128, b: u128) -> Option<Ordering> {
        (self.order)(a >> self.padding, b >> self.padding)
    }

    /// True if the result of the core is that of the library, or both are NaNs.
    pub(crate) fn agrees(&self, computed: u128, expected: u128, mode: RoundingMode) -> bool {
        // Where all ones are a NaN, the library rounds what is beyond the least number as if it were beyond the largest.
        let is_directed = matches!(mode, RoundingMode::Down | RoundingMode::Up);
        let (sign, most) = (self.format.sign(), self.format.largest());
        if self.name == "e4m3" && is_directed && computed & sign != 0 && expected & !sign >= most {
            return computed & !sign >= most;
        }
        computed == expected || self.format.is_nan(computed) && self.format.is_nan(expected)
    }
}
