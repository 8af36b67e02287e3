//! Generalises failing points to regions, where whether a point fails depends on random data.
//!
//! Whether an accepted line is wrong follows from its choices alone. Whether a wrong value shows depends on
//! the numbers too: two swapped layers may hold the same bytes. So a combination need not fail everywhere.
//! It grows from one failing point: a value of an axis belongs to it if failing points mostly still fail
//! once they have it.

use rustc_hash::FxHashSet;

use crate::must::Must as _;
use crate::space::{Diagram, Draw, EnvironmentValues, Region, Slice, Values, distance};
use crate::spec::{Cube, Form, ValueSet};

/// The number of failing points that are tried with each value of an axis.
const EACH: usize = 8;
/// How many of these may have other axes changed to stay valid.
const REPAIRED: usize = 2;
/// The number of failing points that are kept for a combination.
const POOL: usize = 32;
/// The number of points to try in a combination.
const INSIDE: usize = 60;
/// How often all axes are tried.
const PASSES: usize = 2;
/// The most combinations for one group; the rest stays unexplained.
const COMBINATIONS: usize = 8;
/// Two combinations are joined if their union fails at least this percentage as often as the weaker one.
const JOINED: usize = 75;

/// The result at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PointSeen {
    /// Some row fails there.
    Fails,
    /// Rows pass there.
    Passes,
    /// Rows pass there, but their expected effect differs from that of the point that is generalised.
    Elsewhere,
    /// The result is unknown.
    Unknown,
}

impl PointSeen {
    /// True if the point fails; none if unknown.
    fn failed(self) -> Option<bool> {
        match self {
            Self::Fails => Some(true),
            Self::Passes => Some(false),
            Self::Elsewhere | Self::Unknown => None,
        }
    }
}

/// A question about points; the second argument is the point that is generalised.
pub(crate) type Ask<'a, E> = dyn FnMut(&[Values], Option<&Values>) -> Result<Vec<PointSeen>, E> + 'a;

/// A combination, and what is known about it.
#[derive(Clone, Debug)]
pub(crate) struct Combination {
    /// For each axis that it restricts, its values.
    pub(crate) cube: Cube,
    /// For each axis, the values that were not tried: they may or may not belong to it.
    pub(crate) unknown: Vec<ValueSet>,
    /// The point that it was generalised from.
    seed: Values,
    /// The simplest point in it that is known to fail; none if the engine stopped answering.
    pub(crate) simplest: Option<Values>,
    /// The number of points in it that were drawn and tried, and how many failed.
    pub(crate) asked: usize,
    pub(crate) failed: usize,
    /// How many points are in it.
    pub(crate) size: u128,
}

impl Combination {
    /// Takes a point in it that fails, if it is simpler than those before it.
    fn fails_at(&mut self, point: &Values) {
        let order = |point: &Values| (distance(point), point.clone());
        if self.simplest.as_ref().is_none_or(|known| order(point) < order(known)) {
            self.simplest = Some(point.clone());
        }
    }
}

/// A combination that explains failing points elsewhere, and may explain these.
#[derive(Clone, Debug)]
pub(crate) struct Hint {
    /// Its choices.
    pub(crate) cube: Cube,
    /// The number of points that were tried elsewhere, and how many failed.
    pub(crate) asked: usize,
    pub(crate) failed: usize,
}

/// Of a thousand points that were asked about, how many failed.
fn rate(asked: usize, failed: usize) -> usize {
    failed * 1000 / asked.max(1)
}

/// The results at points with one value of an axis.
struct ValueEvidence {
    /// Each point, and whether it failed.
    points: Vec<(Values, bool)>,
    /// True if rows passed at points with another expected effect.
    elsewhere: bool,
}

impl ValueEvidence {
    fn new(seen: impl Iterator<Item = (PointSeen, Values)>) -> Self {
        let mut evidence = Self { points: Vec::new(), elsewhere: false };
        for (seen, point) in seen {
            evidence.elsewhere |= seen == PointSeen::Elsewhere;
            evidence.points.extend(seen.failed().map(|failed| (point, failed)));
        }
        evidence
    }

    fn join(&mut self, other: Self) {
        self.points.extend(other.points);
        self.elsewhere |= other.elsewhere;
    }
}

/// The result at a point, with `Elsewhere` only if the point is near enough.
fn known_elsewhere(((seen, point), nearest): ((PointSeen, Values), bool)) -> (PointSeen, Values) {
    if seen == PointSeen::Elsewhere && !nearest { (PointSeen::Unknown, point) } else { (seen, point) }
}

/// True if the part is at least N percent of the whole.
fn is_part(part: usize, whole: usize, hundredths: usize) -> bool {
    part * 100 >= whole * hundredths
}

/// Searches for the combinations that explain failing points.
pub(crate) struct Generalise<'a> {
    pub(crate) diagram: &'a Diagram,
    /// The environment, and what else is not varied.
    pub(crate) prefix: Values,
    pub(crate) form: &'a Form,
    pub(crate) draw: Draw,
}

impl Generalise<'_> {
    /// Combinations that together contain the failing points. A hint is taken if points fail there about as often as
    /// elsewhere.
    ///
    /// # Errors
    /// Those of asking.
    pub(crate) fn explain<E>(
        &mut self,
        fails: &[Values],
        hints: &[Hint],
        ask: &mut Ask<'_, E>,
    ) -> Result<Vec<Combination>, E> {
        let mut open: Vec<&Values> = fails.iter().collect();
        open.sort_by_key(|values| (distance(values), (*values).clone()));
        let mut found: Vec<Combination> = Vec::new();
        while let Some(seed) = open.first().copied() {
            if found.len() == COMBINATIONS {
                break;
            }
            open.retain(|values| *values != seed);
            if ask(std::slice::from_ref(seed), None)?.first() == Some(&PointSeen::Fails) {
                match self.hinted(seed, hints, ask)? {
                    Some(combination) => found.push(combination),
                    None => {
                        let grown = self.grow(seed, ask)?;
                        found.push(grown);
                        self.join(&mut found, ask)?;
                    }
                }
                open.retain(|values| !found.iter().any(|combination| combination.cube.contains(values)));
            }
        }
        Ok(found)
    }

    fn region(&self) -> Region<'_> {
        self.diagram.all().below(&self.prefix)
    }

    /// The first hint that explains a failing point.
    fn hinted<E>(&mut self, seed: &Values, hints: &[Hint], ask: &mut Ask<'_, E>) -> Result<Option<Combination>, E> {
        for hint in hints.iter().filter(|hint| hint.cube.contains(seed)) {
            let sets: Vec<ValueSet> =
                (0..self.form.axes.len()).map(|axis| values_of(&hint.cube, axis, self.form)).collect();
            let unknown = vec![ValueSet::default(); sets.len()];
            let mut combination = self.look(seed, &sets, unknown, ask)?;
            let least = rate(hint.asked, hint.failed);
            if combination.failed > 0 && rate(combination.asked, combination.failed) * 100 >= least * JOINED {
                combination.fails_at(seed);
                return Ok(Some(combination));
            }
        }
        Ok(None)
    }

    /// The combination around a failing point.
    fn grow<E>(&mut self, seed: &Values, ask: &mut Ask<'_, E>) -> Result<Combination, E> {
        let mut sets: Vec<ValueSet> = seed.iter().map(|&value| ValueSet::only(value)).collect();
        let mut unknown = vec![ValueSet::default(); seed.len()];
        let mut pool: Vec<Values> = vec![seed.clone()];
        for _ in 0..PASSES {
            for axis in self.prefix.len().max(EnvironmentValues::AXES)..seed.len() {
                [sets[axis], unknown[axis]] = self.values(&sets, axis, seed, &mut pool, ask)?;
            }
        }
        let mut combination = self.look(seed, &sets, unknown, ask)?;
        for known in &pool {
            if combination.cube.contains(known) {
                combination.fails_at(known);
            }
        }
        Ok(combination)
    }

    /// The values of an axis for which failing points mostly fail, and those that were not tried. Points
    /// that fail join the pool.
    fn values<E>(
        &mut self,
        sets: &[ValueSet],
        axis: usize,
        seed: &Values,
        pool: &mut Vec<Values>,
        ask: &mut Ask<'_, E>,
    ) -> Result<[ValueSet; 2], E> {
        let (count, own) = (self.form.axes[axis].values.len(), usize::from(seed[axis]));
        let of_value = self.seen_with(sets, axis, seed, pool, ask)?;
        let failed = |of_value: &ValueEvidence| of_value.points.iter().filter(|(_, failed)| *failed).count();
        let mostly = |of_value: &ValueEvidence| {
            let failed = failed(of_value);
            failed > 0 && is_part(failed, of_value.points.len(), 50)
        };
        for of_value in of_value.iter().filter(|of_value| mostly(of_value)) {
            let failing = of_value.points.iter().filter(|(_, failed)| *failed);
            pool.extend(failing.take(2).map(|(point, _)| point.clone()));
        }
        let mut known = FxHashSet::default();
        pool.retain(|point| known.insert(point.clone()));
        while pool.len() > POOL {
            let at = self.draw.below(pool.len() as u128 - 1).and_then(|at| usize::try_from(at).ok());
            // The first one is the starting point.
            pool.remove(1 + at.must("a pool that is too large has more than its starting point"));
        }
        let fails = ValueSet::of(count, |value| value == own || mostly(&of_value[value]));
        let unknown = ValueSet::of(count, |value| {
            value != own && of_value[value].points.is_empty() && !of_value[value].elsewhere
        });
        Ok([fails, unknown])
    }

    /// The results at points with each value of an axis: points near the pool, or others if those tell
    /// nothing.
    fn seen_with<E>(
        &mut self,
        sets: &[ValueSet],
        axis: usize,
        seed: &Values,
        pool: &[Values],
        ask: &mut Ask<'_, E>,
    ) -> Result<Vec<ValueEvidence>, E> {
        let chosen: Vec<Values> = self.choose(pool);
        let mut questions: Vec<Values> = Vec::new();
        let mut ends = Vec::new();
        // Only a point that differs in this value alone shows that the value has another expected effect.
        let mut nearest: Vec<bool> = Vec::new();
        for value in (0..=u8::MAX).take(self.form.axes[axis].values.len()) {
            let mut repaired = 0;
            for point in &chosen {
                let mut with = point.clone();
                with[axis] = value;
                if self.diagram.contains(&with) {
                    questions.push(with);
                    nearest.push(true);
                } else if repaired < REPAIRED {
                    repaired += 1;
                    questions.extend(self.repaired(point, axis, value));
                    nearest.resize(questions.len(), false);
                }
            }
            ends.push(questions.len());
        }
        let mut all = ask(&questions, Some(seed))?.into_iter().zip(questions).zip(nearest).map(known_elsewhere);
        let mut of_value: Vec<ValueEvidence> = Vec::new();
        let mut start = 0;
        for end in ends {
            of_value.push(ValueEvidence::new(all.by_ref().take(end - start)));
            start = end;
        }
        // All at once: asking may take long, however few points it is about.
        let (mut others, mut counts) = (Vec::new(), Vec::new());
        for (value, of_value) in (0..=u8::MAX).zip(&of_value) {
            let mut with = sets.to_vec();
            with[axis] = ValueSet::only(value);
            let cube = Cube::new(with.into_iter().enumerate().skip(self.prefix.len()));
            let drawn = if of_value.points.is_empty() { self.sample(&cube, EACH).1 } else { Vec::new() };
            counts.push(drawn.len());
            others.extend(drawn);
        }
        let seen = ask(&others, Some(seed))?;
        let mut seen = seen.into_iter().zip(others).map(|seen| known_elsewhere((seen, false)));
        for (of_value, count) in of_value.iter_mut().zip(counts) {
            of_value.join(ValueEvidence::new(seen.by_ref().take(count)));
        }
        Ok(of_value)
    }

    /// Some of the pool.
    fn choose(&mut self, pool: &[Values]) -> Vec<Values> {
        if pool.len() <= EACH {
            return pool.to_vec();
        }
        let mut drawn = || self.draw.below(pool.len() as u128).and_then(|at| usize::try_from(at).ok());
        (0..EACH).map(|_| pool[drawn().must("a position of a list is below its length")].clone()).collect()
    }

    /// A point with this value that differs from another one in few axes, found by changing one after the
    /// other.
    fn repaired(&self, point: &Values, axis: usize, value: u8) -> Option<Values> {
        let region = self.region();
        let mut cube = Cube::new([(axis, ValueSet::only(value))]);
        if Slice::new(&region, &cube).count() == 0 {
            return None;
        }
        // The nearest axes are the likeliest to conflict, so they are fixed last.
        let mut others: Vec<usize> = (self.prefix.len()..point.len()).filter(|other| *other != axis).collect();
        others.sort_by_key(|other| std::cmp::Reverse(other.abs_diff(axis)));
        for chunk in others.chunks(4) {
            let all = chunk.iter().fold(cube.clone(), |cube, &other| cube.with(other, ValueSet::only(point[other])));
            if Slice::new(&region, &all).count() > 0 {
                cube = all;
                continue;
            }
            for &other in chunk {
                let kept = cube.clone().with(other, ValueSet::only(point[other]));
                if Slice::new(&region, &kept).count() > 0 {
                    cube = kept;
                }
            }
        }
        Slice::new(&region, &cube).simplest()
    }

    /// How many points a cube has, and some of them.
    fn sample(&mut self, cube: &Cube, wanted: usize) -> (u128, Vec<Values>) {
        let region = self.diagram.all().below(&self.prefix);
        let slice = Slice::new(&region, cube);
        let size = slice.count();
        let few = usize::try_from(size).is_ok_and(|size| size <= wanted);
        let ranks: Vec<u128> =
            if few { (0..size).collect() } else { (0..wanted).filter_map(|_| self.draw.below(size)).collect() };
        (size, ranks.into_iter().filter_map(|rank| slice.unrank(rank)).collect())
    }

    /// The results in a combination.
    fn look<E>(
        &mut self,
        seed: &Values,
        sets: &[ValueSet],
        unknown: Vec<ValueSet>,
        ask: &mut Ask<'_, E>,
    ) -> Result<Combination, E> {
        let cube = self.named(sets, &unknown);
        let (size, mut questions) = self.sample(&cube, INSIDE);
        questions.extend(Slice::new(&self.region(), &cube).simplest());
        let seen = ask(&questions, Some(seed))?;
        let failing =
            questions.iter().zip(&seen).filter(|(_, seen)| **seen == PointSeen::Fails).map(|(values, _)| values);
        let simplest = failing.clone().min_by_key(|values| (distance(values), (*values).clone()));
        // No choices: nothing failed. Callers then know a point that did.
        let simplest = simplest.cloned();
        let asked = seen.iter().filter(|seen| seen.failed().is_some()).count();
        Ok(Combination { seed: seed.clone(), simplest, asked, failed: failing.count(), size, cube, unknown })
    }

    /// The cube of these sets, without axes that exclude no tried value.
    fn named(&self, sets: &[ValueSet], unknown: &[ValueSet]) -> Cube {
        let region = self.region();
        let with = |axis: usize| (axis, sets[axis].or(&unknown[axis]));
        let mut cube = Cube::new((self.prefix.len()..sets.len()).map(with));
        for axis in (self.prefix.len()..sets.len()).rev() {
            let without = Cube::new(cube.sets().iter().copied().filter(|(named, _)| *named != axis));
            let count = Slice::new(&region, &cube).count();
            if Slice::new(&region, &without).count() == count {
                cube = without;
            }
        }
        let known = cube.sets().iter().map(|(axis, set)| (*axis, set.without(&unknown[*axis])));
        Cube::new(known)
    }

    /// Joins combinations whose union fails about as often as each of them.
    fn join<E>(&mut self, found: &mut Vec<Combination>, ask: &mut Ask<'_, E>) -> Result<(), E> {
        let mut at = 0;
        while at + 1 < found.len() {
            let last = found.len() - 1;
            let sets = union(&found[at].cube, &found[last].cube, self.form);
            let unknown = |axis: usize| {
                let of = |combination: &Combination| combination.unknown[axis];
                of(&found[at]).or(&of(&found[last])).without(&sets[axis])
            };
            let unknown = (0..sets.len()).map(unknown).collect();
            let seed = found[at].seed.clone();
            let mut joined = self.look(&seed, &sets, unknown, ask)?;
            let rate = |combination: &Combination| rate(combination.asked, combination.failed);
            // If one of them could not be asked about, nothing supports joining them.
            let least = rate(&found[at]).min(rate(&found[last]));
            if least > 0 && rate(&joined) * 100 >= least * JOINED {
                [at, last]
                    .iter()
                    .filter_map(|of| found[*of].simplest.as_ref())
                    .for_each(|known| joined.fails_at(known));
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
}

/// The values of an axis in a cube: all of them if it does not restrict the axis.
fn values_of(cube: &Cube, axis: usize, form: &Form) -> ValueSet {
    let named = cube.sets().iter().find(|(named, _)| *named == axis).map(|(_, set)| *set);
    named.unwrap_or_else(|| ValueSet::of(form.axes[axis].values.len(), |_| true))
}

/// The values of either on each axis.
fn union(one: &Cube, other: &Cube, form: &Form) -> Vec<ValueSet> {
    (0..form.axes.len()).map(|axis| values_of(one, axis, form).or(&values_of(other, axis, form))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::{AddressSize, Environment};
    use crate::space::environment_values;

    /// An engine can stop answering at any question of a search.
    #[test]
    fn a_search_ends_when_nothing_fails_any_more() {
        let spec = crate::shipped::spec().expect("the specification is sound");
        let form = &spec.instruction("add").expect("an instruction").forms[0];
        let newest = Environment {
            ptx: "9.4".parse().expect("a version"),
            target: "sm_90".parse().expect("a target"),
            address_size: AddressSize::Bits64,
        };
        let prefix = environment_values(form, &newest).expect("an environment of the form");
        let diagram = Diagram::within(form, None, &prefix);
        let region = diagram.all().below(&prefix);
        let fails: Vec<Values> = [0, 70].into_iter().filter_map(|rank| region.unrank(rank)).collect();
        for answered in 0..9 {
            let draw = Draw::named("tests", 0);
            let mut generalise = Generalise { diagram: &diagram, prefix: prefix.to_vec(), form, draw };
            let mut questions = 0;
            let found = generalise.explain(&fails, &[], &mut |points, _| {
                questions += 1;
                let seen = if questions <= answered { PointSeen::Fails } else { PointSeen::Unknown };
                Ok::<_, ()>(vec![seen; points.len()])
            });
            assert_eq!(found.map(|found| found.is_empty()), Ok(answered == 0), "{answered} questions are answered");
        }
    }
}
