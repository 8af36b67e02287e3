//! Bit patterns by their names.

/// What surfaces and variables hold.
pub(super) const CONTENTS: [&str; 5] = ["distinct", "signs", "random", "zeros", "ones"];

/// What is stored, or reduced with.
pub(super) const DATA: [&str; 7] = ["edge", "float", "random", "zero", "ones", "smallest", "largest"];

/// Numbers at which conversions and comparisons change their mind.
const EDGES: [i64; 16] =
    [1, 127, 128, 255, 256, -1, -128, -129, 32_767, 32_768, 65_535, 65_536, -32_768, -32_769, 0x7fff_fffe, 0x0102_0304];

/// Floats at which they do; halves of places, the largest half, what is none.
const FLOATS: [f32; 16] = [
    1.0,
    -1.0,
    0.5,
    -0.5,
    0.25,
    0.501_960_8,
    0.001_960_784_4,
    1.000_488_3,
    65_504.0,
    65_520.0,
    6.0e-8,
    -1.0e-6,
    2.5,
    -300.0,
    f32::NAN,
    f32::NEG_INFINITY,
];

/// A number that looks random, for each number: SplitMix64.
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

/// So many bytes of this kind.
pub(super) fn bytes(kind: &str, count: usize) -> Vec<u8> {
    let at = |position: u64| match kind {
        // Of up to 256 bytes no two are the same.
        "distinct" => byte(position.wrapping_mul(167).wrapping_add(13 + position / 256)),
        "signs" => [0x80, 0x7f, 0xff, 0x01][usize::from(byte(mix(position) & 3))],
        "random" => byte(mix(position) >> 8),
        "ones" => 0xff,
        _ => 0,
    };
    (0..count as u64).map(at).collect()
}

/// Bits to store in a lane of so many bits.
pub(super) fn data(kind: &str, sample: u64, lane: usize, bits: u32) -> u128 {
    let lane = lane as u64;
    let pick = usize::try_from((sample + 5 * lane) % 16).unwrap_or_default();
    let random = || u128::from(mix(sample * 8 + lane)) << 64 | u128::from(mix(!(sample * 8 + lane)));
    match kind {
        "edge" => i128::from(EDGES[pick]).cast_unsigned(),
        "float" if bits == 64 => u128::from(f64::from(FLOATS[pick]).to_bits()),
        "float" => u128::from(FLOATS[pick].to_bits()),
        "random" => random(),
        "ones" => u128::MAX,
        "smallest" => 1 << (bits - 1),
        "largest" => (1 << (bits - 1)) - 1,
        _ => 0,
    }
}
