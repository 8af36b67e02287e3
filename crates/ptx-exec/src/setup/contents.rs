//! Bit patterns by their names.

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

/// Bits for a lane of N bits of a source, which is told apart from others by its position among them.
pub(super) fn data(kind: &str, sample: u64, (source, lane): (usize, usize), bits: u32) -> u128 {
    let (source, lane) = (source as u64, lane as u64);
    // Each source picks in an order of its own, so that all pairs of numbers meet.
    let turn = if source == 0 { sample } else { mix(sample * 4 + source) };
    let pick = usize::try_from(turn.wrapping_add(5 * lane) % 16).unwrap_or_default();
    let seed = sample * 8 + lane + 1024 * source;
    let random = || u128::from(mix(seed)) << 64 | u128::from(mix(!seed));
    match kind {
        "edge" => i128::from(EDGES[pick]).cast_unsigned(),
        "float" if bits == 64 => u128::from(f64::from(FLOATS[pick]).to_bits()),
        "float" => u128::from(FLOATS[pick].to_bits()),
        "random" => random(),
        "ones" => u128::MAX,
        "one" => 1,
        "alternating" => (u128::MAX / 3) << ((sample + source) % 2),
        "smallest" => 1 << (bits - 1),
        "largest" => (1 << (bits - 1)) - 1,
        _ => 0,
    }
}
