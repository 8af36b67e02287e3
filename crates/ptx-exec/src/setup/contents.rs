//! Named bit patterns.

use ptx_spec::must::Must as _;

/// The reason why a word is known. Zeros in place of one that is not would be numbers that nobody chose.
pub(super) const UNKNOWN: &str = "the words of `role::setup` are all known";

/// The bytes of a variable.
pub(super) const LENGTH: u32 = 64;

/// Integers near the limits of conversions and comparisons.
const EDGES: [i64; 48] = [
    // Of 8, 16 and 32 bits.
    1,
    2,
    -1,
    -2,
    127,
    128,
    -127,
    -128,
    -129,
    255,
    256,
    257,
    32_767,
    32_768,
    -32_767,
    -32_768,
    -32_769,
    65_535,
    65_536,
    65_537,
    0x7fff_fffe,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fffe,
    0xffff_ffff,
    -0x7fff_ffff,
    -0x8000_0000,
    // Of 64 bits: the extremes, and numbers whose halves compare differently.
    0x1_0000_0000,
    0x1_0000_0001,
    0x1_7fff_ffff,
    -0x1_0000_0000,
    -0x1_0000_0001,
    -0x8000_0001,
    i64::MAX,
    0x7fff_ffff_ffff_fffe,
    0x7fff_ffff_8000_0000,
    0x7fff_ffff_0000_0000,
    i64::MIN,
    -0x7fff_ffff_ffff_ffff,
    -0x7fff_ffff_8000_0000,
    -0x7fff_ffff_0000_0001,
    // Distinct bytes.
    0x102_0304_0506_0708,
    0x1020_3040_5060_7080,
    -0x102_0304_0506_0708,
    0x5555_5555_5555_5555,
    -0x5555_5555_5555_5556,
    0xff_00ff_00ff_00ff,
];

/// 32-bit floats near the limits of conversions and comparisons.
const FLOATS: [u32; 64] = [
    // Simple ones, and zero with a sign.
    0x3f80_0000,
    0xbf80_0000,
    0x3f00_0000,
    0xbf00_0000,
    0x3e80_0000,
    0x4020_0000,
    0xc396_0000,
    0x8000_0000,
    // Within the range of normalized integers: two numbers in each tenth of its upper half, ties, and the
    // ends.
    0x3dcc_cccd,
    0x3eaa_aaab,
    0x3f05_1eb8,
    0x3f0f_5c29,
    0x3f1e_b852,
    0x3f33_3333,
    0x3f40_0000,
    0x3f4c_cccd,
    0x3f5e_b852,
    0x3f6e_147b,
    0x3f78_51ec,
    0x3f7e_f9db,
    0x3f7f_ff58,
    0xbdcc_cccd,
    0xbf05_1eb8,
    0xbf19_999a,
    0xbf40_0000,
    0xbf61_47ae,
    0xbf7f_be77,
    0x3f00_8081,
    0x3b00_8081,
    0x3f7f_7f7f,
    // Just outside it.
    0x3f80_0001,
    0xbf80_0001,
    // Infinities; NaNs that are quiet, quiet with a payload, signalling, and those with a sign.
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffd2_3456,
    0x7f80_0001,
    0xff92_3456,
    // Denormals, and their neighbours.
    0x0000_0001,
    0x007f_ffff,
    0x8000_0001,
    0x0080_0000,
    // The largest ones, and powers of two that limit integers.
    0x7f7f_ffff,
    0xff7f_ffff,
    0x4f00_0000,
    0x5f00_0000,
    // Halves: the largest, and numbers that round to it and to infinity.
    0x477f_e000,
    0x477f_efff,
    0x477f_f000,
    0xc77f_f000,
    0x4780_0000,
    // Ties between halves, and a number just beyond one.
    0x3f80_1000,
    0x3f80_3000,
    0x3f80_1001,
    0xbf80_1000,
    // The smallest normal half and the number below it; denormal halves, and ties between them.
    0x3880_0000,
    0x387f_ffff,
    0x3380_0000,
    0x3300_0000,
    0x3300_0001,
    0x33c0_0000,
    0x3420_0000,
    0xb3c0_0000,
    0xb586_37bd,
];

/// A pseudo-random number for each number: SplitMix64.
pub(super) fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// The low byte of a number.
fn byte(number: u64) -> u8 {
    number.to_le_bytes()[0]
}

/// A position in a list of this length, for each number.
#[expect(clippy::cast_possible_truncation, reason = "the remainder is less than a length")]
fn below(number: u64, length: usize) -> usize {
    (number % length as u64) as usize
}

/// The upper half of a number, of which every bit depends on all of what was mixed.
pub(super) fn upper_half(number: u64) -> u32 {
    (number >> 32) as u32
}

/// One of the edges, for each number.
fn edge(number: u64) -> i64 {
    EDGES[below(number, EDGES.len())]
}

/// The bits of one of the floats, for each number.
fn float(number: u64) -> u32 {
    FLOATS[below(number, FLOATS.len())]
}

/// The bits of a 32-bit float as a 64-bit float; a NaN keeps its payload, and stays quiet or signalling.
fn widened(bits: u32) -> u64 {
    let float = f32::from_bits(bits);
    if float.is_nan() {
        let (sign, payload) = (u64::from(bits >> 31), u64::from(bits & 0x7f_ffff));
        return sign << 63 | 0x7ff << 52 | payload << 29;
    }
    f64::from(float).to_bits()
}

/// This many bytes of this kind.
pub(super) fn bytes(kind: &str, count: usize) -> Vec<u8> {
    let at = |position: u64| match kind {
        // Up to 256 bytes are all different.
        "distinct" => byte(position.wrapping_mul(167).wrapping_add(13 + position / 256)),
        "signs" => [0x80, 0x7f, 0xff, 0x01][usize::from(byte(mix(position) & 3))],
        "random" => byte(mix(position) >> 8),
        "ones" => 0xff,
        "edges" => {
            let of_word = edge(mix(position / 8)).to_le_bytes();
            of_word[below(position, 8)]
        }
        // A form that reads nothing of a variable or surface has no word.
        "zeros" | "" => 0,
        _ => None.must(UNKNOWN),
    };
    (0..count as u64).map(at).collect()
}

/// Bits for a lane of N bits of a source; they differ between sources by the source's position.
pub(super) fn data(kind: &str, sample: u64, (source, lane): (usize, usize), bits: u32) -> u128 {
    let (source, lane) = (source as u64, lane as u64);
    // Each source picks in its own order, so that all pairs of numbers occur.
    let turn = if source == 0 { sample } else { mix(sample * 4 + source) };
    let pick = turn.wrapping_add(5 * lane);
    let seed = sample * 8 + lane + 1024 * source;
    let random = || u128::from(mix(seed)) << 64 | u128::from(mix(!seed));
    match kind {
        "edge" => i128::from(edge(pick)).cast_unsigned(),
        "float" if bits == 64 => u128::from(widened(float(pick))),
        "float" => u128::from(float(pick)),
        "random" => random(),
        "ones" => u128::MAX,
        "one" => 1,
        "alternating" => (u128::MAX / 3) << ((sample + source) % 2),
        "smallest" => 1 << (bits - 1),
        "largest" => (1 << (bits - 1)) - 1,
        "zero" => 0,
        _ => None.must(UNKNOWN),
    }
}

#[cfg(test)]
mod tests {
    use ptx_spec::role::setup::{CONTENTS, DATA, PAIRED};

    use super::*;

    #[test]
    fn floats_of_64_bits_are_those_of_32() {
        for (bits, wide) in [
            (0x3f80_0000, 0x3ff0_0000_0000_0000),
            (0xff80_0000, 0xfff0_0000_0000_0000),
            // Signalling: the upper bit of the payload is 0, the lowest one is 29 places further up.
            (0x7f80_0001, 0x7ff0_0000_2000_0000),
            (0x7fc0_0000, 0x7ff8_0000_0000_0000),
            // 2^-149 is a normal number of 64 bits: the exponent is 1023 - 149 = 874.
            (0x0000_0001, 0x36a0_0000_0000_0000),
        ] {
            assert_eq!(widened(bits), wide, "{bits:x}");
        }
    }

    #[test]
    fn every_word_of_a_setup_is_known_and_no_other_one_is_zero() {
        for word in CONTENTS.1 {
            assert_eq!(bytes(word, 64).iter().all(|byte| *byte == 0), *word == "zeros", "{word}");
        }
        for word in DATA.1.iter().chain(PAIRED.1) {
            assert_eq!(data(word, 3, (1, 0), 32) == 0, *word == "zero", "{word}");
        }
        assert!(std::panic::catch_unwind(|| bytes("zeroes", 1)).is_err());
        assert!(std::panic::catch_unwind(|| data("zeros", 0, (0, 0), 32)).is_err());
    }

    #[test]
    fn numbers_match_the_names_of_their_kinds() {
        assert_eq!(data("smallest", 3, (0, 0), 64), 1 << 63);
        assert_eq!(data("largest", 3, (0, 1), 32), 0x7fff_ffff);
        assert_eq!(data("edge", 0, (0, 0), 32), 1);
        // The third edge is -1.
        assert_eq!(data("edge", 2, (0, 0), 64), u128::MAX);
        assert_eq!(data("float", 0, (0, 0), 32), 0x3f80_0000);
        assert_eq!(data("float", 1, (0, 0), 64), 0xbff0_0000_0000_0000);
        // Lanes of one sample differ: the second one is five further, 2.5.
        assert_eq!(data("float", 0, (0, 1), 32), 0x4020_0000);
        assert_eq!(bytes("ones", 3), [0xff; 3]);
    }

    #[test]
    fn floats_are_of_every_class() {
        let has = |is: fn(f32) -> bool| FLOATS.iter().any(|&bits| is(f32::from_bits(bits)));
        assert!(has(|float| float == f32::INFINITY) && has(|float| float == f32::NEG_INFINITY));
        assert!(has(f32::is_subnormal) && has(|float| float.is_sign_negative() && float == 0.0));
        let upper = |tenth: f32| has_between(0.5 + tenth, 0.6 + tenth);
        assert!([0.0, 0.1, 0.2, 0.3, 0.4].into_iter().all(upper), "a tenth between 0.5 and 1 is empty");
        let quiet = |bits: &&u32| f32::from_bits(**bits).is_nan() && **bits & 0x40_0000 != 0;
        let signalling = |bits: &&u32| f32::from_bits(**bits).is_nan() && **bits & 0x40_0000 == 0;
        assert_eq!((FLOATS.iter().filter(quiet).count(), FLOATS.iter().filter(signalling).count()), (2, 2));
    }

    fn has_between(low: f32, high: f32) -> bool {
        FLOATS.iter().any(|&bits| f32::from_bits(bits) > low && f32::from_bits(bits) < high)
    }
}
