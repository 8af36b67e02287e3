//! From a place that fails to the places that do, where chance has a part in it.
//!
//! Whether an accepted line is wrong follows from its choices alone. Whether a wrong value shows
//! depends on the numbers as well: two layers that are taken for each other may hold the same. So a
//! combination need not fail throughout. It grows from one failing place, axis by axis, by the values
//! that fail about as often as what it has; then combinations are joined where they fail as often
//! together.

use crate::space::{Draw, Region, Slice, Values, distance};
use crate::spec::{Cube, Form, ValueSet};

use super::cubes::ENVIRONMENT;

/// Places asked about for each value of an axis.
const EACH: usize = 6;
/// Places asked about in a combination.
const INSIDE: usize = 40;
/// Times that all axes are gone through.
const PASSES: usize = 3;
/// Combinations for one form; what is left then is left.
const COMBINATIONS: usize = 12;

/// What is asked: whether each place fails; none where nothing can be said.
pub(super) type Ask<'a, E> = dyn FnMut(&[Values]) -> Result<Vec<Option<bool>>, E> + 'a;

/// A combination, and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct Combination {
    pub(super) cube: Cube,
    /// The simplest place in it that failed.
    pub(super) simplest: Values,
    /// Places in it that were asked about, and how many failed.
    pub(super) asked: usize,
    pub(super) failed: usize,
    /// How many places are in it.
    pub(super) size: u128,
}

impl Combination {
    /// The part of it that fails.
    fn rate(&self) -> f64 {
        ratio(self.failed, self.asked)
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    number(part) / number(whole.max(1))
}

/// Looks for the combinations that explain failing places.
pub(super) struct Generalise<'r, 'f> {
    pub(super) region: Region<'r>,
    pub(super) form: &'f Form,
    pub(super) draw: Draw,
}

impl Generalise<'_, '_> {
    /// Combinations that together have the failing places in them.
    ///
    /// # Errors
    /// Those of asking.
    pub(super) fn explain<E>(&mut self, fails: &[Values], ask: &mut Ask<'_, E>) -> Result<Vec<Combination>, E> {
        let mut open: Vec<&Values> = fails.iter().collect();
        open.sort_by_key(|values| (distance(values), (*values).clone()));
        let mut found: Vec<Combination> = Vec::new();
        while let Some(seed) = open.first().copied() {
            if found.len() == COMBINATIONS {
                break;
            }
            let Some(grown) = self.grow(seed, ask)? else {
                open.remove(0);
                continue;
            };
            open.retain(|values| !grown.cube.contains(values) && *values != seed);
            found.push(grown);
            self.join(&mut found, ask)?;
            open.retain(|values| !found.iter().any(|combination| combination.cube.contains(values)));
        }
        Ok(found)
    }

    /// The combination around a failing place; none where it fails no more.
    fn grow<E>(&mut self, seed: &Values, ask: &mut Ask<'_, E>) -> Result<Option<Combination>, E> {
        if ask(std::slice::from_ref(seed))?.first() != Some(&Some(true)) {
            return Ok(None);
        }
        let mut sets: Vec<ValueSet> = seed.iter().map(|&value| only(value)).collect();
        let mut rate = 1.0;
        for _ in 0..PASSES {
            let before = sets.clone();
            // From the state to the modifiers: what a modifier makes possible is open by then.
            for axis in (ENVIRONMENT..seed.len()).rev() {
                sets[axis] = self.values(&sets, axis, seed[axis], rate, ask)?;
                rate = self.look(&sets, ask)?.rate();
            }
            if sets == before {
                break;
            }
        }
        let mut grown = self.look(&sets, ask)?;
        grown.simplest = if grown.failed == 0 { seed.clone() } else { grown.simplest };
        if (distance(seed), seed) < (distance(&grown.simplest), &grown.simplest) {
            grown.simplest = seed.clone();
        }
        Ok(Some(grown))
    }

    /// The values of an axis that fail about as often as the combination does; those that do not occur
    /// in it stay open.
    fn values<E>(
        &mut self,
        sets: &[ValueSet],
        axis: usize,
        own: u8,
        rate: f64,
        ask: &mut Ask<'_, E>,
    ) -> Result<ValueSet, E> {
        let count = self.form.axes[axis].values.len();
        let mut questions = Vec::new();
        let mut ends = Vec::new();
        for value in (0..=u8::MAX).take(count) {
            let mut with = sets.to_vec();
            with[axis] = only(value);
            self.sample(&cube(&with), EACH, &mut questions);
            ends.push(questions.len());
        }
        let seen = ask(&questions)?;
        let mut start = 0;
        let fails: Vec<bool> = ends
            .into_iter()
            .map(|end| {
                let of_value: Vec<bool> = seen[start..end].iter().copied().flatten().collect();
                start = end;
                let failed = of_value.iter().filter(|failed| **failed).count();
                of_value.is_empty() || ratio(failed, of_value.len()) >= rate / 2.0
            })
            .collect();
        Ok(ValueSet::of(count, |value| value == usize::from(own) || fails[value]))
    }

    /// What is seen in a combination.
    fn look<E>(&mut self, sets: &[ValueSet], ask: &mut Ask<'_, E>) -> Result<Combination, E> {
        let cube = cube(sets);
        let mut questions = Vec::new();
        let size = self.sample(&cube, INSIDE, &mut questions);
        questions.extend(Slice::new(&self.region, &cube).simplest());
        let seen = ask(&questions)?;
        let failing = questions.iter().zip(&seen).filter(|(_, seen)| **seen == Some(true)).map(|(values, _)| values);
        let simplest = failing.clone().min_by_key(|values| (distance(values), (*values).clone()));
        let simplest = simplest.cloned().unwrap_or_default();
        let asked = seen.iter().filter(|seen| seen.is_some()).count();
        Ok(Combination { simplest, asked, failed: failing.count(), size, cube })
    }

    /// Joins combinations that fail together about as often as each by itself.
    fn join<E>(&mut self, found: &mut Vec<Combination>, ask: &mut Ask<'_, E>) -> Result<(), E> {
        let mut at = 0;
        while at + 1 < found.len() {
            let last = found.len() - 1;
            let sets = union(&found[at].cube, &found[last].cube, self.form);
            let mut joined = self.look(&sets, ask)?;
            let least = found[at].rate().min(found[last].rate());
            if joined.rate() >= 0.6 * least {
                let simpler =
                    |combination: &Combination| (distance(&combination.simplest), combination.simplest.clone());
                let known = [&found[at], &found[last]].into_iter().min_by_key(|known| simpler(known)).cloned();
                if let Some(known) = known
                    && (joined.failed == 0 || simpler(&known) < simpler(&joined))
                {
                    joined.simplest = known.simplest;
                }
                found.truncate(last);
                found.remove(at);
                found.push(joined);
                at = 0;
            } else {
                at += 1;
            }
        }
        Ok(())
    }

    /// Places drawn from a combination, or all; and how many there are.
    fn sample(&mut self, cube: &Cube, wanted: usize, to: &mut Vec<Values>) -> u128 {
        let slice = Slice::new(&self.region, cube);
        let size = slice.count();
        if usize::try_from(size).is_ok_and(|size| size <= wanted) {
            to.extend((0..size).filter_map(|rank| slice.unrank(rank)));
        } else {
            let ranks: Vec<u128> = (0..wanted).filter_map(|_| self.draw.below(size)).collect();
            to.extend(ranks.into_iter().filter_map(|rank| slice.unrank(rank)));
        }
        size
    }
}

fn only(value: u8) -> ValueSet {
    ValueSet::of(ValueSet::CAPACITY, |at| at == usize::from(value))
}

fn cube(sets: &[ValueSet]) -> Cube {
    Cube::new(sets.iter().copied().enumerate())
}

/// The values of either on each axis.
fn union(one: &Cube, other: &Cube, form: &Form) -> Vec<ValueSet> {
    let set = |cube: &Cube, axis: usize| {
        let named = cube.sets().iter().find(|(named, _)| *named == axis).map(|(_, set)| *set);
        named.unwrap_or_else(|| ValueSet::of(form.axes[axis].values.len(), |_| true))
    };
    (0..form.axes.len()).map(|axis| set(one, axis).or(&set(other, axis))).collect()
}
