//! The search for the causes of one mismatch group, in one environment.
//!
//! It works in rounds: propose the cubes that fit what is known, ask about variants that would refute them,
//! and propose again. All searches of a run ask together.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::cubes::{self, Budget, CubeCover, Points};
use crate::case::Case;
use crate::space::{Diagram, Draw, EnvironmentValues, Region, Slice, Values, distance};
use crate::spec::{Cube, Form, Instruction, ValueSet};

/// How much to ask about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Spaces of up to this many variants are asked about completely.
    small: u128,
    /// Failed variants to ask about again.
    seeds: usize,
    /// How many of those have their neighbours asked about.
    near: usize,
    /// Random variants of the space to ask about first.
    first: usize,
    /// Random variants of a cube to ask about before it is accepted.
    inside: usize,
    /// The same for a cube that is not the best one.
    beside: usize,
    /// Variants to ask about for each value that a cube leaves open, or excludes.
    open: usize,
    border: usize,
}

impl Effort {
    /// For cases that share processes.
    pub(crate) const FULL: Self =
        Self { small: 1_500, seeds: 256, near: 4, first: 200, inside: 64, beside: 12, open: 1, border: 2 };
    /// For failing cases that cost a process each.
    pub(crate) const LEAN: Self =
        Self { small: 24, seeds: 6, near: 1, first: 120, inside: 12, beside: 2, open: 0, border: 1 };
}

/// The most rounds of a search.
const ROUNDS: usize = 24;
/// If a search finds more causes than this in one space, the failures do not depend on the choices.
const SCATTERED: usize = 12;
/// The comparisons that the proposals of one search may cost: a hundred times what the causes of real engines take, and a
/// second of work. A search that spends them has no few conditions either.
const COMPARISONS: u64 = 400_000_000;
/// The most rounds if there are that many causes.
const SCATTERED_ROUNDS: usize = 6;

/// The evidence that a case gives about a kind of mismatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// It fails in this way.
    Fails,
    /// It behaves as expected.
    Passes,
    /// Nothing: it fails in another way, or was not judged.
    Masked,
}

/// A search.
pub(crate) struct Search<'s> {
    pub(crate) instruction: &'s Instruction,
    pub(crate) form: usize,
    /// The first choices of every variant asked about.
    pub(crate) environment: EnvironmentValues,
    /// All variants with the same claim.
    domain: Arc<Diagram>,
    effort: Effort,
    points: Points,
    known: FxHashMap<Values, Seen>,
    draw: Draw,
    /// Cubes whose inside was asked about, and how thoroughly.
    looked: FxHashSet<(Cube, bool)>,
    rounds: usize,
    first: Vec<Values>,
    cover: CubeCover,
    budget: Budget,
}

/// A cause: a cube, and what is known about it.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    pub(crate) cube: Cube,
    /// The simplest variant in it that fails, and a few others.
    pub(crate) fails: Vec<Values>,
    /// Variants in it that were asked about.
    pub(crate) asked: usize,
    /// How many variants there are in it.
    pub(crate) size: u128,
    /// The neighbours of the simplest one that were asked about and pass: variants that differ in
    /// one choice.
    pub(crate) passing_neighbours: usize,
    /// True if only some of the cube's variants fail, for reasons that the choices do not show.
    pub(crate) sometimes: bool,
}

impl<'s> Search<'s> {
    /// A search that starts from variants that have failed.
    pub(crate) fn new(
        instruction: &'s Instruction,
        form: usize,
        rule: Option<usize>,
        environment: EnvironmentValues,
        seeds: Vec<Values>,
        effort: Effort,
        draw: Draw,
    ) -> Self {
        let domain = Arc::new(Diagram::within(&instruction.forms[form], rule, &environment));
        let mut search = Self {
            instruction,
            form,
            environment,
            domain,
            effort,
            points: Points::default(),
            known: FxHashMap::default(),
            draw,
            looked: FxHashSet::default(),
            rounds: 0,
            first: Vec::new(),
            cover: CubeCover { causes: Vec::new(), complete: true },
            budget: Budget(COMPARISONS),
        };
        search.first = search.start(seeds);
        search
    }

    pub(crate) fn form(&self) -> &'s Form {
        &self.instruction.forms[self.form]
    }

    /// A variant as a case.
    pub(crate) fn case<'v>(&'v self, values: &'v [u8]) -> Case<'v> {
        Case { instruction: self.instruction, form: self.form, values }
    }

    /// All variants in its environment with the same claim.
    pub(crate) fn domain(&self) -> Arc<Diagram> {
        Arc::clone(&self.domain)
    }

    /// All variants in its environment with the same claim.
    pub(crate) fn region(&self) -> Region<'_> {
        self.domain.all().below(&self.environment)
    }

    /// The first questions.
    fn start(&mut self, seeds: Vec<Values>) -> Vec<Values> {
        let domain = Arc::clone(&self.domain);
        let region = domain.all().below(&self.environment);
        if region.count() <= self.effort.small {
            return region.iter_from(0).collect();
        }
        let mut first = seeds;
        first.sort_by_key(|values| (distance(values), values.clone()));
        first.truncate(self.effort.seeds);
        let near: Vec<Values> =
            first.iter().take(self.effort.near).flat_map(|values| neighbours(&domain, values)).collect();
        first.extend(near);
        let wanted = self.effort.first;
        first.extend((0..wanted).filter_map(|_| self.draw.below(region.count()).and_then(|rank| region.unrank(rank))));
        first
    }

    /// The next questions; empty when the search has ended.
    pub(crate) fn questions(&mut self) -> Vec<Values> {
        let mut questions = std::mem::take(&mut self.first);
        if self.rounds > 0 && self.rounds <= ROUNDS {
            self.cover = cubes::cover(&self.points, &mut self.budget);
            if self.scattered() && (self.rounds >= SCATTERED_ROUNDS || self.budget.is_spent()) {
                return Vec::new();
            }
            // The answers about some causes may join others, so one more than makes a search scattered is enough.
            for candidates in self.cover.causes.iter().take(SCATTERED + 1).cloned().collect::<Vec<_>>() {
                for (at, cube) in candidates.into_iter().enumerate() {
                    questions.extend(self.refuting(cube, at == 0));
                }
            }
        }
        self.rounds += 1;
        let mut seen = FxHashSet::default();
        questions.retain(|values| !self.known.contains_key(values) && seen.insert(values.clone()));
        questions
    }

    /// Variants that would refute that everything in a cube fails, and that nothing around it does.
    fn refuting(&mut self, cube: Cube, best: bool) -> Vec<Values> {
        // A cube that was looked into beside others is looked into again once it is the best: then more thoroughly.
        if self.looked.contains(&(cube.clone(), true)) || !self.looked.insert((cube.clone(), best)) {
            return Vec::new();
        }
        let domain = Arc::clone(&self.domain);
        let region = domain.all().below(&self.environment);
        let inside = Slice::new(&region, &cube);
        let mut questions: Vec<Values> = inside.simplest().into_iter().collect();
        if best {
            let near: Vec<Values> = questions.iter().flat_map(|simplest| neighbours(&domain, simplest)).collect();
            questions.extend(near);
        }
        let effort = self.effort;
        self.sample(&inside, if best { effort.inside } else { effort.beside }, &mut questions);
        if !best {
            return questions;
        }
        let named = |axis: usize| cube.sets().iter().find(|(named, _)| *named == axis).map(|(_, set)| *set);
        for (axis, of) in self.form().axes.iter().enumerate().skip(EnvironmentValues::AXES) {
            for value in (0..=u8::MAX).take(of.values.len()) {
                let only = ValueSet::of(of.values.len(), |at| at == usize::from(value));
                match named(axis) {
                    // Every value of an axis that is not named is inside.
                    None if effort.open == 0 => {}
                    None => {
                        let with = cube.clone().with(axis, only);
                        self.sample(&Slice::new(&region, &with), effort.open, &mut questions);
                    }
                    Some(set) if set.contains(value) => {}
                    Some(_) => {
                        let others = cube.sets().iter().copied().filter(|(named, _)| *named != axis);
                        let beside = Cube::new(others.chain([(axis, only)]));
                        self.sample(&Slice::new(&region, &beside), effort.border, &mut questions);
                    }
                }
            }
        }
        questions
    }

    /// All of a slice, or this many drawn from it.
    fn sample(&mut self, slice: &Slice<'_>, wanted: usize, to: &mut Vec<Values>) {
        let size = slice.count();
        if usize::try_from(size).is_ok_and(|size| size <= wanted) {
            to.extend((0..size).filter_map(|rank| slice.unrank(rank)));
        } else {
            let ranks = (0..wanted).filter_map(|_| self.draw.below(size));
            to.extend(ranks.filter_map(|rank| slice.unrank(rank)));
        }
    }

    /// Records an answer.
    pub(crate) fn tell(&mut self, values: Values, seen: Seen) {
        match seen {
            Seen::Fails => self.points.fails.push(values.clone()),
            Seen::Passes => self.points.passes.push(values.clone()),
            Seen::Masked => {}
        }
        self.known.insert(values, seen);
    }

    /// True if any variant failed.
    pub(crate) fn failed(&self) -> bool {
        !self.points.fails.is_empty()
    }

    fn scattered(&self) -> bool {
        !self.cover.complete || self.cover.causes.len() > SCATTERED
    }

    /// The causes found, each needed to explain some variant that fails; one around all that fail where no few
    /// combinations explain them.
    pub(crate) fn causes(&self) -> Vec<Local> {
        if self.scattered() {
            let around = self.local(cubes::around(&self.points));
            return around.map(|local| Local { sometimes: true, ..local }).into_iter().collect();
        }
        let chosen: Vec<Cube> = self.cover.causes.iter().filter_map(|candidates| self.choose(candidates)).collect();
        let fails: Vec<&Values> = self.points.fails.iter().collect();
        // Chosen for its size, a cube may explain what others do.
        cubes::least(&chosen, &fails).into_iter().flatten().filter_map(|cube| self.local(cube)).collect()
    }

    /// Among cubes that explain a cause equally well, the one with the most variants.
    fn choose(&self, candidates: &[Cube]) -> Option<Cube> {
        let region = self.region();
        let failing = |cube: &Cube| self.points.fails.iter().filter(|values| cube.contains(values)).count();
        let most = candidates.iter().map(failing).max()?;
        let best = candidates.iter().filter(|cube| failing(cube) == most);
        // Reversed, since the last of equal ones is taken: candidates come best first.
        best.rev().max_by_key(|cube| Slice::new(&region, cube).count()).cloned()
    }

    /// A cause of everything that is known about a cube.
    fn local(&self, cube: Cube) -> Option<Local> {
        let mut fails: Vec<Values> = self.points.fails.iter().filter(|v| cube.contains(v)).cloned().collect();
        fails.sort_by_key(|values| (distance(values), values.clone()));
        let passing = |values: &Values| self.known.get(values) == Some(&Seen::Passes);
        let near = neighbours(&self.domain, fails.first()?);
        Some(Local {
            asked: self.known.keys().filter(|values| cube.contains(values)).count(),
            size: Slice::new(&self.region(), &cube).count(),
            passing_neighbours: near.filter(passing).count(),
            fails,
            cube,
            sometimes: false,
        })
    }
}

/// The variants of a space that differ from one in one choice; the environment stays.
fn neighbours<'a>(domain: &'a Diagram, values: &'a [u8]) -> impl Iterator<Item = Values> + 'a {
    (EnvironmentValues::AXES..values.len()).flat_map(move |axis| {
        (0..=u8::MAX).take(domain.width(axis)).filter_map(move |value| {
            let mut other = values.to_vec();
            other[axis] = value;
            (value != values[axis] && domain.contains(&other)).then_some(other)
        })
    })
}
