//! The numbers that both sides compute with: drawn ones, special ones, and those that are hard to round.

use crate::library::LibraryFormat;

/// A sequence of pseudo-random numbers: SplitMix64.
pub(crate) struct Sequence(u64);

impl Sequence {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub(crate) fn below(&mut self, count: u64) -> u64 {
        self.next() % count
    }

    /// A number of 128 bits.
    pub(crate) fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }
}

/// The fields of a format, to put numbers together.
#[derive(Clone, Copy)]
pub(crate) struct Fields {
    of: LibraryFormat,
    /// The least place of the mantissa.
    last: u32,
    /// The largest exponent field of a number.
    most: u64,
    bias: i64,
}

impl Fields {
    pub(crate) fn new(of: LibraryFormat) -> Self {
        let last = of.format.infinity().trailing_zeros() - of.mantissa;
        let most = (of.format.largest() >> (last + of.mantissa)) as u64;
        let bias = (of.format.one() >> (last + of.mantissa)) as i64;
        Self { of, last, most, bias }
    }

    /// Zero, the limits of subnormal and normal numbers, numbers around 1 and 2, infinity, NaNs: each with both signs.
    pub(crate) fn specials(self) -> Vec<u128> {
        let (one, infinity, step) = (self.of.format.one(), self.of.format.infinity(), 1 << self.last);
        let normal = 1 << (self.last + self.of.mantissa);
        let largest = self.of.format.largest();
        let magnitudes = [
            0,
            step,
            2 * step,
            3 * step,
            normal - step,
            normal,
            normal + step,
            2 * normal - step,
            2 * normal,
            one - normal,
            one - step,
            one,
            one + step,
            one + normal - step,
            one + normal,
            one + normal / 2,
            largest,
            largest - step,
            largest / 2 / step * step,
            infinity,
            self.of.format.quiet_nan(),
            self.of.format.canonical_nan() >> self.last << self.last,
        ];
        magnitudes.into_iter().flat_map(|bits| [bits, bits | self.of.format.sign()]).collect()
    }

    /// A number with this significand, of as many bits as it may have, and an exponent of its highest bit, if it has one.
    fn number(self, significand: u128, exponent: i64, negative: bool) -> u128 {
        let field = (exponent + self.bias).clamp(1, self.most as i64) as u128;
        let top = 127 - (significand | 1).leading_zeros();
        let normal = if top <= self.of.mantissa { significand << (self.of.mantissa - top) } else { significand };
        let mantissa = normal & ((1 << self.of.mantissa) - 1);
        let magnitude = (field << self.of.mantissa | mantissa) << self.last;
        magnitude | if negative { self.of.format.sign() } else { 0 }
    }

    /// A drawn number: any, a special one, a subnormal one, one of few bits, or one with an exponent near another.
    pub(crate) fn drawn(self, from: &mut Sequence, near: i64) -> u128 {
        let (kind, negative) = (from.below(16), from.below(2) == 1);
        let any = from.wide() & ((1 << self.of.format.bits()) - 1) >> self.last << self.last;
        let sign = if negative { self.of.format.sign() } else { 0 };
        let fraction = any & ((1 << (self.of.mantissa + self.last)) - 1);
        match kind {
            0..4 => any,
            4 => {
                let specials = self.specials();
                specials[from.below(specials.len() as u64) as usize]
            }
            5 => fraction | sign,
            6 | 7 => {
                let few = (from.wide() & from.wide() & from.wide()) & ((1 << self.of.mantissa) - 1);
                self.number(1 << self.of.mantissa | few, near + from.below(5) as i64 - 2, negative)
            }
            _ => {
                let distance = from.below(2 * u64::from(self.of.mantissa) + 8) as i64 - i64::from(self.of.mantissa) - 4;
                self.number(1 << self.of.mantissa | fraction >> self.last, near + distance, negative)
            }
        }
    }

    /// An exponent somewhere in the format, often near a limit of it.
    pub(crate) fn exponent(self, from: &mut Sequence) -> i64 {
        let (least, most) = (1 - self.bias, self.most as i64 - self.bias);
        match from.below(4) {
            0 => least + from.below(3) as i64,
            1 => most - from.below(3) as i64,
            2 => from.below(5) as i64 - 2,
            _ => least + from.below(self.most) as i64,
        }
    }

    /// Two numbers whose sum is at a half of a last place, or next to it.
    pub(crate) fn hard_sum(self, from: &mut Sequence) -> [u128; 2] {
        let p = i64::from(self.of.mantissa);
        let exponent = self.exponent(from);
        let large = self.number(1 << p | from.wide() & ((1 << p) - 1), exponent, from.below(2) == 1);
        let distance = [p, p + 1, p + 2, p + 3, 0, 1, 2, 2 * p, 2 * p + 2][from.below(9) as usize];
        let fraction = [0, 1, (1 << p) - 1, 1 << (p - 1), from.wide() & ((1 << p) - 1)][from.below(5) as usize];
        [large, self.number(1 << p | fraction, exponent - distance, from.below(2) == 1)]
    }

    /// Two numbers whose product is at a half of a last place, or next to it: the second factor is found from the lower bits
    /// that the product should have.
    pub(crate) fn hard_product(self, from: &mut Sequence) -> [u128; 2] {
        let n = self.of.mantissa + 1;
        let a = 1 << (n - 1) | from.wide() & ((1 << n) - 1) | 1;
        let kept = n - from.below(2) as u32;
        let wanted = (1_u128 << (kept - 1)).wrapping_add(from.below(5) as u128).wrapping_sub(2);
        let b = wanted.wrapping_mul(inverse(a)) & ((1 << kept) - 1);
        let below = if from.below(3) == 0 { from.below(u64::from(n) + 4) as i64 } else { 0 };
        let (first, total) = (self.exponent(from), self.exponent(from) - below);
        [self.number(a, first, from.below(2) == 1), self.number(b, total - first, from.below(2) == 1)]
    }

    /// Two numbers whose quotient is next to a half of a last place.
    pub(crate) fn hard_quotient(self, from: &mut Sequence) -> [u128; 2] {
        let n = self.of.mantissa + 1;
        let (mut a, mut b) = (1, 1);
        for _ in 0..8 {
            b = 1 << (n - 1) | from.wide() & ((1 << n) - 1) | 1;
            let rest = 1_u128.wrapping_add(2 * from.below(3) as u128).wrapping_sub(4);
            let quotient = 1 << n | rest.wrapping_neg().wrapping_mul(inverse(b)) & ((1 << n) - 1);
            a = (quotient * b).wrapping_add(rest) >> n;
            if a >> n == 0 || a & 1 == 0 {
                break;
            }
        }
        let exponent = self.exponent(from);
        let a = if a >> n == 0 { a } else { a >> 1 };
        [self.number(a, exponent, from.below(2) == 1), self.number(b, self.exponent(from), from.below(2) == 1)]
    }

    /// A number whose square root is next to a half of a last place, if one is found, or next to a number.
    pub(crate) fn hard_square(self, from: &mut Sequence) -> u128 {
        let n = self.of.mantissa + 1;
        let exponent = self.exponent(from);
        let rest = 8 * u128::from(from.below(1 << n.min(20))) + 1;
        let root = root(rest);
        let size = n + 2;
        let roots = [root, root.wrapping_neg(), root ^ 1 << (size - 1), root.wrapping_neg() ^ 1 << (size - 1)];
        let found = roots
            .map(|root| root & ((1 << size) - 1))
            .into_iter()
            .find(|root| root >> (n - 1) == 2 || root >> (n - 1) == 3);
        match found {
            Some(root) => self.number((root * root - rest) >> size, exponent, false),
            None => {
                let whole = 1 << (n / 2) | from.wide() & ((1 << (n / 2)) - 1);
                self.number(whole * whole + from.below(3) as u128 - 1, exponent, false)
            }
        }
    }
}

/// The number whose product with an odd one is 1 in 128 bits: each step doubles the bits that are right.
fn inverse(odd: u128) -> u128 {
    (0..7).fold(odd, |found, _| found.wrapping_mul(2_u128.wrapping_sub(odd.wrapping_mul(found))))
}

/// A root of a number that is one more than a multiple of eight: bit by bit in 128 bits.
fn root(square: u128) -> u128 {
    (3..127).fold(1, |found: u128, bit| {
        let differs = found.wrapping_mul(found) ^ square;
        if differs >> bit & 1 == 1 { found | 1 << (bit - 1) } else { found }
    })
}
