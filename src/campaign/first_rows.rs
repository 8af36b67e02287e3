//! Chooses the first row of each program of a form that is executed.

use rustc_hash::{FxHashMap, FxHashSet};

use super::executions::FirstRows;
use super::options::Strategy;
use crate::must::Must as _;
use crate::setup;
use crate::space::{Diagram, Draw, EnvironmentValues, Region, Slice, Values, covering};
use crate::spec::{Choice, Cube, Form, ValueSet};

/// Random programs for each program of the covering array.
const DRAWN: usize = 3;

/// Programs for each choice of the axis with the most, if choices are balanced.
const OFTEN: usize = 4;
/// For this many other programs, one plain one as a rule.
const PLAIN: usize = 2;
/// Variants that are drawn for each of these programs.
const CANDIDATES: usize = 32;
/// The weight of a choice that did not occur yet, in pairs of choices; each time that it does, it is a sixteenth of what it was.
const RAREST: usize = 256;

/// An axis of a form, and a choice on it.
type AxisChoice = (usize, u8);
/// Two choices of a variant.
type ChoicePair = (AxisChoice, AxisChoice);

/// A form whose programs are chosen, in an environment.
pub(super) struct ProgramChoice<'a> {
    pub(super) form: &'a Form,
    /// Its variants with setups.
    pub(super) diagram: &'a Diagram,
    /// The same without the axes of numbers.
    pub(super) points: &'a Diagram,
    pub(super) environment: EnvironmentValues,
    pub(super) seed: u64,
}

impl ProgramChoice<'_> {
    /// At most `most` programs, and plain ones beside them.
    pub(super) fn first_rows(&self, most: usize, strategy: Strategy) -> FirstRows {
        let balanced = strategy == Strategy::Choices;
        let mut rows = if balanced { self.balanced(most) } else { self.covering(most) };
        let plain_from = rows.len();
        if most > 0 {
            rows.extend(self.plain(most / PLAIN, !balanced));
        }
        FirstRows { rows, plain_from }
    }

    fn region(&self) -> Region<'_> {
        self.diagram.all().below(&self.environment)
    }

    /// At most `most` first rows: a covering array of all pairs of choices with random numbers, and random
    /// rows between them, because the tail of a covering array is monotonous.
    fn covering(&self, most: usize) -> Vec<Values> {
        let region = self.region();
        let mut draw = Draw::named(&format!("executed {}", self.form.id), self.seed);
        let covering = shuffled(covering(&self.points.all().below(&self.environment), 2), &mut draw);
        let both = covering.into_iter().flat_map(|point| {
            let drawn = (0..DRAWN).map(|_| draw.variant(&region)).collect::<Vec<_>>();
            drawn.into_iter().chain([draw.variant(&self.diagram.all().below(&point))]).flatten()
        });
        both.take(most).collect()
    }

    /// At most `most` first rows, in which each choice of a program is about as often as the others of its axis, as a rule
    /// [`OFTEN`] or more, and with different others.
    fn balanced(&self, most: usize) -> Vec<Values> {
        let mut draw = Draw::named(&format!("balanced {}", self.form.id), self.seed);
        let axes = self.axes_of_programs();
        self.rarest(most.min(self.often(&axes)), &axes, &mut draw)
    }

    /// The axes of programs that have several choices.
    fn axes_of_programs(&self) -> Vec<usize> {
        (0..setup::first_of_row(self.form)).filter(|axis| self.diagram.width(*axis) > 1).collect()
    }

    /// How many programs have each choice of these axes [`OFTEN`].
    fn often(&self, axes: &[usize]) -> usize {
        OFTEN * axes.iter().map(|axis| self.diagram.width(*axis)).max().unwrap_or(1)
    }

    /// First rows of plain programs, which are the simplest ones with their modifiers: registers without a guard, what compilers write
    /// most. There is one with each pair of types and no modifier more than it needs; with `pairs`, with each pair of modifiers, and
    /// each modifier with each pair of types. If these are fewer than `most`, there are others with drawn modifiers.
    fn plain(&self, most: usize, pairs: bool) -> Vec<Values> {
        let mut draw = Draw::named(&format!("plain {}", self.form.id), self.seed);
        let axes = self.axes_of_programs();
        let is_modifier = |axis: &usize| self.form.axes[*axis].choice == Choice::Modifier;
        let modifiers: Vec<usize> = axes.into_iter().filter(is_modifier).collect();
        let gives_type = |axis: &&usize| {
            let types = self.form.operands.iter().filter_map(|operand| operand.instruction_type.as_ref());
            types.into_iter().any(|of| self.form.axis(&of.of) == Some(**axis))
        };
        let types: Vec<usize> = modifiers.iter().filter(gives_type).copied().collect();
        let mut together = pairs_of(&types);
        if pairs {
            let with =
                |pair: &Vec<usize>| modifiers.iter().map(|other| [&pair[..], &[*other]].concat()).collect::<Vec<_>>();
            together = together.iter().flat_map(with).chain(pairs_of(&modifiers)).collect();
        }
        let mut programs: Vec<Values> = Vec::new();
        for axes in together {
            let choices = |axis: usize| {
                (0..=u8::MAX).take(self.diagram.width(axis)).map(move |value| (axis, ValueSet::only(value)))
            };
            let cubes = axes.iter().fold(vec![Cube::default()], |cubes, axis| {
                let each =
                    |cube: &Cube| choices(*axis).map(|(axis, set)| cube.clone().with(axis, set)).collect::<Vec<_>>();
                cubes.iter().flat_map(each).collect()
            });
            for cube in cubes {
                if programs.iter().any(|program| cube.contains(program)) {
                    continue;
                }
                let program = Slice::new(&self.region(), &cube).simplest();
                programs.extend(program.and_then(|program| self.first_row(&program, &mut draw)));
            }
        }
        let more = most.min(self.often(&modifiers)).saturating_sub(programs.len());
        let others = self.rarest(more, &modifiers, &mut draw);
        programs.extend(others.iter().filter_map(|row| {
            let own = modifiers.iter().map(|axis| (*axis, ValueSet::only(row[*axis])));
            let program = Slice::new(&self.region(), &Cube::new(own)).simplest()?;
            self.first_row(&program, &mut draw)
        }));
        programs
    }

    /// A row of a program.
    fn first_row(&self, program: &Values, draw: &mut Draw) -> Option<Values> {
        draw.variant(&self.diagram.all().below(&program[..setup::first_of_row(self.form)]))
    }

    /// First rows that are different in these axes: each is the variant, of some that are drawn, that has the rarest choices and the
    /// most new pairs.
    fn rarest(&self, count: usize, axes: &[usize], draw: &mut Draw) -> Vec<Values> {
        let region = self.region();
        let choices = |row: &Values| axes.iter().map(|axis| (*axis, row[*axis])).collect::<Vec<_>>();
        let pairs = |row: &Values| -> Vec<ChoicePair> {
            let choices = choices(row);
            (0..choices.len())
                .flat_map(|a| (0..a).map(move |b| (b, a)))
                .map(|(b, a)| (choices[b], choices[a]))
                .collect()
        };
        let mut used: FxHashMap<AxisChoice, u32> = FxHashMap::default();
        let mut paired: FxHashSet<ChoicePair> = FxHashSet::default();
        let mut chosen: Vec<Values> = Vec::new();
        for _ in 0..count {
            let rarity = |row: &Values| -> usize {
                let weight = |choice| RAREST >> (4 * used.get(&choice).map_or(0, |used| (*used).min(3)));
                let rare: usize = choices(row).into_iter().map(weight).sum();
                rare + pairs(row).iter().filter(|pair| !paired.contains(pair)).count()
            };
            let drawn: Vec<Values> = (0..CANDIDATES).filter_map(|_| draw.variant(&region)).collect();
            let Some(rarest) = drawn.into_iter().max_by_key(rarity) else { break };
            choices(&rarest).into_iter().for_each(|choice| *used.entry(choice).or_default() += 1);
            paired.extend(pairs(&rarest));
            chosen.push(rarest);
        }
        chosen
    }
}

/// All pairs of some axes.
fn pairs_of(axes: &[usize]) -> Vec<Vec<usize>> {
    axes.iter().enumerate().flat_map(|(at, a)| axes[at + 1..].iter().map(|b| vec![*a, *b])).collect()
}

/// Shuffles the cases, so that they do not begin with everything at its first value.
fn shuffled(mut cases: Vec<Values>, draw: &mut Draw) -> Vec<Values> {
    for at in (1..cases.len()).rev() {
        let other = draw.below(at as u128 + 1).and_then(|other| usize::try_from(other).ok());
        cases.swap(at, other.must("a position of a list is below its length"));
    }
    cases
}
