//! A cause of mismatches in one form of one engine.

pub(super) mod extents;
pub(super) mod of_lines;
pub(super) mod of_recorded;
pub(super) mod of_rows;
pub(super) mod of_words;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::open_group::OpenGroup;
use super::rows::executed::ExecutedInstruction;
use super::rows::shown_row::ShownRow;
use super::search::exact::{Local, Search};
use super::search::extent::Extent;
use crate::campaign::{Mismatch, WordLine};
use crate::case::Case;
use crate::divergences::{AxisValues, Does};
use crate::must::Must;
use crate::space::{Diagram, EnvironmentValues, Region, Slice, Values, environment_values};
use crate::spec::{Cube, Form, Instruction, ValueSet};

/// The points at which rows fail, as a statistical search finds them.
pub(crate) struct RowCause {
    pub(crate) cube: Cube,
    /// Points in it that failed, the simplest first.
    pub(crate) fails: Vec<Values>,
    pub(crate) asked: usize,
    pub(crate) failed: usize,
    pub(crate) size: u128,
    /// For each axis, the values that are possible in it and were tried.
    pub(crate) considered: Vec<ValueSet>,
}

/// A cause in one form of one engine.
pub(crate) struct Cause<'s> {
    /// The position of the engine.
    pub(crate) engine: usize,
    pub(crate) mismatch: Mismatch,
    pub(crate) instruction: &'s Instruction,
    pub(crate) form: usize,
    pub(crate) rule: Option<usize>,
    /// The environment, and any other axes that were not varied.
    prefix: Values,
    domain: Arc<Diagram>,
    /// The choices that trigger it, without the environment.
    pub(crate) cube: Cube,
    /// The environments in which it happens.
    pub(crate) extent: Cube,
    /// For each axis of the environment, the values for which it can happen at all.
    possible: [ValueSet; EnvironmentValues::AXES],
    /// Variants that fail, the simplest first.
    pub(crate) fails: Vec<Values>,
    /// Variants in it that were asked about, and how many failed.
    pub(crate) asked: usize,
    pub(crate) failed: usize,
    pub(crate) size: u128,
    pub(crate) passing_neighbours: usize,
    /// True if only some of its variants fail, for reasons that the choices do not show.
    pub(crate) sometimes: bool,
    /// For each axis, the values that are known to be possible in it, if not all that occur.
    pub(crate) considered: Option<Vec<ValueSet>>,
    /// The mismatches of its group.
    pub(crate) mismatches: u64,
    /// For executed rows: how to ask about them, and the row to show.
    pub(crate) rows: Option<CauseRows<'s>>,
    /// For lines with words that are not choices: the words.
    pub(crate) words: Option<CauseWords>,
}

/// How to ask about the rows of a cause, and the row to show.
#[derive(Clone)]
pub(crate) struct CauseRows<'s> {
    pub(crate) executed: &'s ExecutedInstruction,
    pub(crate) form: usize,
    /// The numbers for asking about points: choices on the last axes.
    pub(crate) numbers: Arc<Vec<Values>>,
    /// The row that is shown.
    pub(crate) shown: ShownRow,
    /// The inferences that every failing row depends on.
    pub(crate) inferred: Vec<String>,
    /// Which inputs a row must have, in words; empty for any.
    pub(crate) inputs: String,
    /// The same as a condition.
    pub(crate) numbers_when: Vec<(String, AxisValues)>,
}

/// The words of a cause.
#[derive(Clone)]
pub(crate) struct CauseWords {
    /// The words, in their order.
    pub(crate) words: Vec<String>,
    /// The slots that each was tried in and that show it.
    pub(crate) slots: BTreeSet<String>,
    /// The line that is shown.
    pub(crate) shown: WordLine,
}

impl<'s> Cause<'s> {
    /// A cause of lines.
    pub(crate) fn of_lines(engine: usize, group: &OpenGroup<'s>, search: &Search<'s>, local: Local) -> Self {
        Self {
            engine,
            mismatch: group.mismatch.clone(),
            instruction: group.instruction,
            form: group.form,
            rule: group.rule,
            prefix: search.environment.to_vec(),
            domain: search.domain(),
            cube: local.cube,
            extent: Cube::default(),
            possible: [ValueSet::default(); EnvironmentValues::AXES],
            failed: local.fails.len(),
            fails: local.fails,
            asked: local.asked,
            size: local.size,
            passing_neighbours: local.passing_neighbours,
            sometimes: local.sometimes,
            considered: None,
            mismatches: group.count,
            rows: None,
            words: None,
        }
    }

    /// A cause of rows, whose variants are points.
    pub(crate) fn of_rows(
        engine: usize,
        group: &OpenGroup<'s>,
        space: (Arc<Diagram>, Values),
        found: RowCause,
        rows: CauseRows<'s>,
    ) -> Self {
        let (domain, prefix) = space;
        Self {
            engine,
            mismatch: group.mismatch.clone(),
            instruction: &rows.executed.points,
            form: group.form,
            rule: None,
            prefix,
            domain,
            cube: found.cube,
            extent: Cube::default(),
            possible: [ValueSet::default(); EnvironmentValues::AXES],
            failed: found.failed,
            fails: found.fails,
            asked: found.asked,
            size: found.size,
            passing_neighbours: 0,
            sometimes: false,
            considered: Some(found.considered),
            mismatches: group.count,
            rows: Some(rows),
            words: None,
        }
    }

    /// A cause of recorded rows, whose condition is unknown.
    pub(crate) fn of_recorded(engine: usize, group: &OpenGroup<'s>, count: u64, rows: CauseRows<'s>) -> Self {
        let instruction = &rows.executed.points;
        let form = &instruction.forms[group.form];
        let environment = environment_values(form, &rows.shown.program.environment());
        let environment = environment.must("its line was judged in this environment");
        let domain = Arc::new(Diagram::within(form, None, &environment));
        let unsearched = Self::unsearched(engine, group, domain, environment.to_vec());
        Self { instruction, rule: None, mismatches: count, rows: Some(rows), ..unsearched }
    }

    /// A cause of lines with words, in an environment; the domain is of its form there.
    pub(crate) fn of_words(
        engine: usize,
        group: &OpenGroup<'s>,
        domain: Arc<Diagram>,
        environment: EnvironmentValues,
        words: CauseWords,
    ) -> Self {
        Self { words: Some(words), ..Self::unsearched(engine, group, domain, environment.to_vec()) }
    }

    /// The cause of a group without a condition, since no search was made.
    fn unsearched(engine: usize, group: &OpenGroup<'s>, domain: Arc<Diagram>, prefix: Values) -> Self {
        Self {
            engine,
            mismatch: group.mismatch.clone(),
            instruction: group.instruction,
            form: group.form,
            rule: group.rule,
            prefix,
            domain,
            cube: Cube::default(),
            extent: Cube::default(),
            possible: [ValueSet::default(); EnvironmentValues::AXES],
            fails: Vec::new(),
            asked: 0,
            failed: 0,
            size: 0,
            passing_neighbours: 0,
            sometimes: false,
            considered: None,
            mismatches: group.count,
            rows: None,
            words: None,
        }
    }

    pub(crate) fn form(&self) -> &'s Form {
        &self.instruction.forms[self.form]
    }

    pub(crate) fn case<'v>(&self, values: &'v [u8]) -> Case<'v>
    where
        's: 'v,
    {
        Case { instruction: self.instruction, form: self.form, values }
    }

    pub(crate) fn region(&self) -> Region<'_> {
        self.domain.all().below(&self.prefix)
    }

    pub(crate) fn is_of(&self, group: &OpenGroup<'_>) -> bool {
        self.mismatch == group.mismatch && self.instruction.name == group.instruction.name && self.form == group.form
    }

    /// True if the cause includes a variant, in any environment.
    pub(crate) fn explains(&self, values: &[u8]) -> bool {
        self.cube.contains(values) && self.extent.contains(values)
    }

    /// Adopts the environments that were found.
    pub(crate) fn settle(&mut self, extent: &Extent<'_>) {
        self.extent = extent.cube();
        self.possible = extent.possible();
    }

    /// The values that can occur on an axis.
    pub(crate) fn occurring(&self, axis: usize) -> ValueSet {
        match self.possible.get(axis) {
            Some(possible) => *possible,
            None => match &self.considered {
                Some(considered) => considered[axis],
                None => self.region().together(usize::MAX, 0)[axis],
            },
        }
    }

    /// Its choices by name, without values that do not occur.
    pub(crate) fn named(&self) -> Conditions {
        let name = |(axis, set): &(usize, ValueSet)| {
            let of = &self.form().axes[*axis];
            let occurring = set.and(&self.occurring(*axis));
            let values = occurring.iter().map(|value| of.values[usize::from(value)].clone()).collect();
            (of.name.clone(), values)
        };
        self.cube.sets().iter().map(name).collect()
    }

    /// For how many variants of its form named choices hold.
    pub(crate) fn size_of(&self, conditions: &Conditions) -> u128 {
        resolve(self.form(), conditions).map_or(0, |cube| Slice::new(&self.region(), &cube).count())
    }

    /// True if named choices hold for the same variants of the cause's form as its own choices.
    pub(crate) fn is_same(&self, conditions: &Conditions) -> bool {
        let Some(cube) = resolve(self.form(), conditions) else { return false };
        let region = self.region();
        let both = cube.sets().iter().fold(self.cube.clone(), |both, (axis, set)| both.with(*axis, *set));
        Slice::new(&region, &cube).count() == self.size && Slice::new(&region, &both).count() == self.size
    }

    /// True if both causes happen in the same environments, as far as both can.
    pub(crate) fn shows_where(&self, other: &Self) -> bool {
        EnvironmentValues::EACH.into_iter().all(|axis| {
            let (mine, others) = (self.along(axis), other.along(axis));
            mine.and(&other.possible[axis]) == others.and(&self.possible[axis])
        })
    }

    fn along(&self, axis: usize) -> ValueSet {
        let set = self.extent.sets().iter().find(|(named, _)| *named == axis);
        set.map_or(self.possible[axis], |(_, set)| *set)
    }

    /// How recorded rows fail; none for other rows.
    pub(crate) fn recorded_kind(&self) -> Option<&'static str> {
        let rows = self.rows.as_ref().filter(|_| self.fails.is_empty())?;
        Some(super::rows::row_words::kind(&rows.shown.result))
    }

    /// Which inputs a row must have, in words.
    pub(crate) fn inputs(&self) -> &str {
        self.rows.as_ref().map_or("", |rows| rows.inputs.as_str())
    }

    /// True if both causes break the same rules, in any instructions.
    pub(crate) fn same_rules(&self, other: &Self) -> bool {
        let rules = |of: &Self| of.mismatch.rules.iter().map(|rule| short(rule).to_owned()).collect::<Vec<String>>();
        rules(self) == rules(other)
    }

    /// True if another could be the same cause. Different rules are separate causes only if nothing but the
    /// rule says when they happen. Valid and invalid lines are separate causes, except for crashes.
    pub(crate) fn is_kind(&self, other: &Self) -> bool {
        let (these, those) = (&self.mismatch, &other.mismatch);
        let conditional = !self.cube.sets().is_empty() && !other.cube.sets().is_empty();
        let claims = these.does == Does::Crashes || these.rules.is_empty() == those.rules.is_empty();
        these.does == those.does
            && these.depth == those.depth
            && these.contradicts() == those.contradicts()
            && (self.same_rules(other) || (conditional && claims))
            && self.sometimes == other.sometimes
            && self.rows.is_some() == other.rows.is_some()
            && self.inputs() == other.inputs()
            && (self.engine != other.engine || these.message == those.message)
    }

    /// True if the same words could be the same cause elsewhere: which rules they break depends on the slot.
    pub(crate) fn is_kind_of_words(&self, other: &Self) -> bool {
        let (these, those) = (&self.mismatch, &other.mismatch);
        these.does == those.does
            && these.depth == those.depth
            && these.contradicts() == those.contradicts()
            && these.rules.is_empty() == those.rules.is_empty()
            && (self.engine != other.engine || these.message == those.message)
    }
}

/// Named choices as a cube of a form; `None` if they never hold there.
pub(crate) fn resolve(form: &Form, conditions: &Conditions) -> Option<Cube> {
    let mut sets = Vec::new();
    for (name, values) in conditions {
        match form.axis(name) {
            Some(axis) => sets.push((axis, form.axes[axis].select(|value| values.contains(value)))),
            // A slot that the form lacks counts as empty.
            None if values.contains("none") => {}
            None => return None,
        }
    }
    let cube = Cube::new(sets);
    (!cube.is_empty()).then_some(cube)
}

/// The name of a rule without the instruction.
pub(crate) fn short(rule: &str) -> &str {
    if rule.starts_with("isa/") { rule } else { rule.rsplit('/').next().unwrap_or(rule) }
}

/// For each axis its values, by their names.
pub(crate) type Conditions = BTreeMap<String, BTreeSet<String>>;
