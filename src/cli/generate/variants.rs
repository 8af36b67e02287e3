//! The variants that a strategy takes from the parts.

use std::io;

use rayon::prelude::*;

use super::parts::SpacePart;
use super::{GenerateStrategy, Opts};
use ptx_conform::space::{Draw, Values, covering};

/// The number of random variants by default.
const DRAWN: usize = 100;
/// Covering arrays that are made together.
const AT_ONCE: usize = 16;

/// The printer of each variant.
type Print<'a, 'p> = dyn FnMut(&'p SpacePart<'p>, Values) -> io::Result<()> + 'a;

impl Opts {
    /// The maximum number of variants.
    fn wanted(&self) -> usize {
        self.count.unwrap_or(if self.strategy == GenerateStrategy::Random { DRAWN } else { usize::MAX })
    }

    /// Gives each variant to `print`.
    pub(super) fn variants<'p>(
        &self,
        parts: &'p [SpacePart<'p>],
        total: u128,
        mut print: impl FnMut(&'p SpacePart<'p>, Values) -> io::Result<()>,
    ) -> io::Result<()> {
        match self.strategy {
            GenerateStrategy::All => self.all(parts, &mut print),
            GenerateStrategy::Pairs => self.covering(parts, 2, &mut print),
            GenerateStrategy::Triples => self.covering(parts, 3, &mut print),
            GenerateStrategy::Random => self.random(parts, total, &mut print),
        }
    }

    fn all<'p>(&self, parts: &'p [SpacePart<'p>], print: &mut Print<'_, 'p>) -> io::Result<()> {
        let (mut left, mut skip) = (self.wanted(), self.from);
        for part in parts {
            let region = part.region();
            if let Some(after) = skip.checked_sub(region.count()) {
                skip = after;
                continue;
            }
            for values in region.iter_from(skip).take(left) {
                print(part, values)?;
                left -= 1;
            }
            skip = 0;
        }
        Ok(())
    }

    fn covering<'p>(&self, parts: &'p [SpacePart<'p>], strength: usize, print: &mut Print<'_, 'p>) -> io::Result<()> {
        let (mut left, mut skip) = (self.wanted(), self.from);
        for parts in parts.chunks(AT_ONCE) {
            let cover = |part: &SpacePart<'_>| match part.region() {
                region if region.count() > 0 => covering(&region, strength),
                _ => Vec::new(),
            };
            let rows: Vec<Vec<Values>> = parts.par_iter().map(cover).collect();
            let rows =
                parts.iter().zip(rows).flat_map(|(part, rows)| rows.into_iter().map(move |values| (part, values)));
            for (part, values) in rows {
                if skip > 0 {
                    skip -= 1;
                } else if left > 0 {
                    print(part, values)?;
                    left -= 1;
                }
            }
            if left == 0 {
                break;
            }
        }
        Ok(())
    }

    fn random<'p>(&self, parts: &'p [SpacePart<'p>], total: u128, print: &mut Print<'_, 'p>) -> io::Result<()> {
        let (mut left, mut skip) = (self.wanted(), self.from);
        let mut draw = Draw::new(self.seed);
        while let Some(mut rank) = draw.below(total).filter(|_| left > 0) {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            for part in parts {
                let region = part.region();
                if let Some(after) = rank.checked_sub(region.count()) {
                    rank = after;
                    continue;
                }
                if let Some(values) = region.unrank(rank) {
                    print(part, values)?;
                }
                break;
            }
            left -= 1;
        }
        Ok(())
    }
}
