//! Variants drawn from bytes or from a seed.

use arbitrary::Unstructured;
use rand::Rng;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{Region, Values};

/// A variant of the region, with its choices made one by one from bytes; changing a byte does not affect
/// the choices before it, which suits fuzzers.
///
/// # Errors
/// If the region is empty.
pub fn draw_variant(u: &mut Unstructured<'_>, region: &Region<'_>) -> arbitrary::Result<Values> {
    let mut region = region.clone();
    while region.prefix().len() < region.widths().len() {
        let choices = region.choices();
        let value = *u.choose(&choices)?;
        region = region.below(&[value]);
    }
    Ok(region.prefix().to_vec())
}

/// An endless series of uniformly drawn positions. A seed means the same on every machine: ChaCha
/// with eight rounds, seeded as `rand_core` documents for `seed_from_u64`.
#[derive(Clone, Debug)]
pub struct Draw(ChaCha8Rng);

impl Draw {
    /// The series of a seed.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// The series of a name under a seed: adding or removing names does not change the series of others.
    pub fn named(name: &str, seed: u64) -> Self {
        let hash = blake3::hash(name.as_bytes());
        let own = hash.as_bytes().iter().take(8).fold(0, |sum, &byte| sum << 8 | u64::from(byte));
        Self::new(seed ^ own)
    }

    /// The next word of 64 bits.
    pub(super) fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A position below `count`, or `None` where `count` is 0.
    pub fn below(&mut self, count: u128) -> Option<u128> {
        if count == 0 {
            return None;
        }
        // Draws beyond the last whole multiple are repeated, so that all positions are equally likely.
        let limit = u128::MAX - (u128::MAX % count + 1) % count;
        loop {
            let drawn = u128::from(self.word()) << 64 | u128::from(self.word());
            if drawn <= limit {
                return Some(drawn % count);
            }
        }
    }

    /// A variant of the region, with each choice drawn in turn from the possible ones, so that rare choices
    /// are as frequent as others. `None` if the region is empty.
    pub fn variant(&mut self, region: &Region<'_>) -> Option<Values> {
        let mut region = region.clone();
        while region.prefix().len() < region.widths().len() {
            let choices = region.choices();
            let at = self.below(u128::try_from(choices.len()).ok()?)?;
            region = region.below(&[*choices.get(usize::try_from(at).ok()?)?]);
        }
        Some(region.prefix().to_vec())
    }
}
