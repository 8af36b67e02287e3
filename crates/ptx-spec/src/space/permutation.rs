//! The positions of a space in a random order that takes no memory: each position is computed from its place in the order,
//! and the place from the position.

use super::Draw;

/// Rounds of the network. More mix no better; fewer leave patterns.
const ROUNDS: usize = 8;

/// A random order of the positions below a count. A seed means the same on every machine.
///
/// It is a Feistel network over the smallest even number of bits that holds the count. A result beyond the count is
/// given to the network again, which leads to one below the count after four rounds of this on average or less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permutation {
    count: u128,
    /// The bits of each half.
    bits: u32,
    keys: [u64; ROUNDS],
}

impl Permutation {
    /// The order of the positions below `count` that a series draws.
    pub fn new(count: u128, draw: &mut Draw) -> Self {
        let bits = (u128::BITS - count.saturating_sub(1).leading_zeros()).div_ceil(2).max(1);
        Self { count, bits, keys: std::array::from_fn(|_| draw.word()) }
    }

    /// The number of positions.
    pub fn count(&self) -> u128 {
        self.count
    }

    /// Its keys: another order of as many positions has others.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// The position at a place in the order; `None` for places from the count on.
    pub fn position(&self, place: u128) -> Option<u128> {
        (place < self.count).then(|| self.walk(place, |value| self.forth(value)))
    }

    /// The place of a position in the order; `None` for positions from the count on.
    pub fn place(&self, position: u128) -> Option<u128> {
        (position < self.count).then(|| self.walk(position, |value| self.back(value)))
    }

    /// The first value below the count that `step` leads to from another one. There is one, since the steps go round in a
    /// circle.
    fn walk(&self, value: u128, step: impl Fn(u128) -> u128) -> u128 {
        let mut now = step(value);
        while now >= self.count {
            now = step(now);
        }
        now
    }

    fn halves(&self, value: u128) -> (u64, u64) {
        // A half has up to 64 bits.
        ((value >> self.bits) as u64, value as u64 & self.mask())
    }

    fn joined(&self, upper: u64, lower: u64) -> u128 {
        u128::from(upper) << self.bits | u128::from(lower)
    }

    fn mask(&self) -> u64 {
        u64::MAX >> (u64::BITS - self.bits)
    }

    fn forth(&self, value: u128) -> u128 {
        let (mut upper, mut lower) = self.halves(value);
        for key in self.keys {
            (upper, lower) = (lower, upper ^ mixed(lower ^ key) & self.mask());
        }
        self.joined(upper, lower)
    }

    fn back(&self, value: u128) -> u128 {
        let (mut upper, mut lower) = self.halves(value);
        for key in self.keys.iter().rev() {
            (upper, lower) = (lower ^ mixed(upper ^ key) & self.mask(), upper);
        }
        self.joined(upper, lower)
    }
}

/// A word each of whose bits depends on each bit of the given one: the finalizer of `SplitMix64`.
fn mixed(word: u64) -> u64 {
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permutation(count: u128) -> Permutation {
        Permutation::new(count, &mut Draw::new(7))
    }

    #[test]
    fn each_position_has_one_place() {
        for count in (0..300).chain([4095, 4096, 4097]) {
            let order = permutation(count);
            let mut positions: Vec<u128> = (0..count).map(|place| order.position(place).expect("a position")).collect();
            for (place, position) in (0..).zip(&positions) {
                assert_eq!(order.place(*position), Some(place), "of {count}");
            }
            positions.sort_unstable();
            assert!(positions.into_iter().eq(0..count), "of {count}");
            assert_eq!((order.position(count), order.place(count)), (None, None));
        }
    }

    #[test]
    fn large_spaces_are_walked_both_ways() {
        for count in [u128::from(u64::MAX), 1 << 64, (1 << 64) + 1, 3 << 90, u128::MAX] {
            let order = permutation(count);
            for place in (0..1000).chain([count / 2, count - 1]) {
                let position = order.position(place).expect("a position");
                assert!(position < count);
                assert_eq!(order.place(position), Some(place), "of {count}");
            }
        }
    }

    #[test]
    fn the_first_places_are_spread_evenly() {
        // Of 4096 places, each of 16 parts has about 256: the variance is that of a draw, 15.5^2, at most.
        for count in [1 << 20, 1_000_003, 3 << 90] {
            let order = permutation(count);
            let mut parts = [0_u32; 16];
            for place in 0..4096 {
                let position = order.position(place).expect("a position");
                parts[usize::try_from(position / count.div_ceil(16)).expect("a part")] += 1;
            }
            assert!(parts.iter().all(|of| of.abs_diff(256) < 64), "{parts:?} of {count}");
            let other = Permutation::new(count, &mut Draw::new(8));
            assert!((0..100).any(|place| other.position(place) != order.position(place)));
        }
    }
}
