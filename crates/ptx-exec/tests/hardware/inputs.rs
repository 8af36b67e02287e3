//! The inputs that a GPU was given: numbers of a type, drawn from the number of the row.

/// The exponent and mantissa bits of a format; none of an integer.
fn format(of: &str) -> Option<(u32, u32)> {
    Some(match of {
        "f16" => (5, 10),
        "bf16" => (8, 7),
        "f32" => (8, 23),
        "f64" => (11, 52),
        _ => return None,
    })
}

/// A pseudo-random number for each number: SplitMix64.
pub(crate) fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

fn low(bits: u64, count: u32) -> u64 {
    if count == 64 { bits } else { bits & ((1 << count) - 1) }
}

/// Zero, the limits of subnormal and normal numbers, numbers around 1 and 2, infinity, NaNs, and halves of a last place.
fn specials(exponent: u32, mantissa: u32) -> [u64; 22] {
    let (bias, t) = ((1_u64 << (exponent - 1)) - 1, mantissa);
    let (one, infinity) = (bias << t, ((1_u64 << exponent) - 1) << t);
    let tiny = |less: u64, otherwise: u64| if bias > less { (bias - less) << t } else { otherwise };
    let (half_last, last) = (tiny(u64::from(t) + 1, 1), tiny(u64::from(t), 2));
    [
        0,
        1,
        (1 << t) - 1,
        1 << t,
        (1 << t) + 1,
        one - 1,
        one,
        one + 1,
        one + (1 << (t - 1)),
        one + (1 << t) - 1,
        one + (1 << t),
        one + (1 << t) + (1 << (t - 1)),
        infinity - 1,
        infinity - 2,
        infinity,
        infinity + (1 << (t - 1)),
        infinity + 1,
        infinity + (1 << t) - 1,
        half_last,
        last,
        last + 1,
        (bias - 1) << t,
    ]
}

fn element(drawn: u64, of: &str) -> (u64, u32) {
    let (second, pick, sign) = (mix(drawn), drawn & 7, drawn >> 3 & 1);
    match format(of) {
        Some((exponent, mantissa)) => {
            let bits = 1 + exponent + mantissa;
            let bias = (1_u64 << (exponent - 1)) - 1;
            let number = match pick {
                0..3 => low(second, bits),
                3 | 4 => specials(exponent, mantissa)[(drawn >> 8) as usize % 22] | sign << (bits - 1),
                _ => sign << (bits - 1) | (bias - 4 + (drawn >> 10 & 7)) << mantissa | low(second, mantissa),
            };
            (number, bits)
        }
        None => {
            let bits: u32 = of[1..].parse().expect("a size");
            let near = (1_u64 << ((drawn >> 10) % u64::from(bits))).wrapping_add(second & 3).wrapping_sub(1);
            let number = match pick {
                0..3 => second,
                3 | 4 => (second & 0xff).wrapping_sub(128),
                _ if sign == 1 => near.wrapping_neg(),
                _ => near,
            };
            (low(number, bits), bits)
        }
    }
}

/// The value of a source in a row.
pub(crate) fn word(row: u64, source: u64, of: &str) -> u64 {
    let drawn = mix(row * 4 + source);
    match of.split_once('x') {
        Some((of, count)) => (0..count.parse().expect("a number")).fold(0, |all, at: u64| {
            let (number, bits) = element(mix(drawn.wrapping_add(at)), of);
            all | number << (u64::from(bits) * at)
        }),
        None => element(drawn, of).0,
    }
}

/// The only source of a row: all numbers of 16 bits, or one with each upper half of 32 bits.
pub(crate) fn sampled(row: u64, of: &str) -> u64 {
    match of {
        "f32" | "u32" | "s32" | "f16x2" | "bf16x2" => row << 16 | mix(row) & 0xffff,
        _ => row,
    }
}
