//! A plan as a value: tasks, each with the exact variants that it asks about.
//!
//! A plan can be listed, and split into shards; running it is a fold over its tasks. If possible, variants
//! are given by their positions in a space, and made only when they are asked about.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::engine::Depth;
use crate::environment::Environment;
use crate::space::{Diagram, Draw, EnvironmentValues, Permutation, Region, Values};
use crate::spec::Instruction;

/// The purposes for which variants are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// They are claimed valid, or to break one rule, and only checked.
    Check,
    /// They are claimed valid, and code is generated.
    Code,
}

impl Purpose {
    /// The depth at which an engine is asked.
    pub fn depth(self) -> Depth {
        if self == Self::Code { Depth::Generate } else { Depth::Check }
    }

    /// The word in a listed plan.
    pub fn word(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Code => "code",
        }
    }
}

/// Variants that are asked about together.
#[derive(Clone, Debug)]
pub struct Task {
    /// The instruction.
    pub instruction: String,
    /// Where.
    pub environment: Environment,
    /// The purpose for which the variants are asked about.
    pub purpose: Purpose,
    /// The variants.
    pub(super) variants: TaskVariants,
}

/// A variant to be asked about.
#[derive(Clone, Debug)]
pub struct PlannedVariant {
    /// The position of its form in the instruction.
    pub form: usize,
    /// Its choices.
    pub values: Values,
    /// The rule that it should break.
    pub meant: Option<usize>,
    /// True if a variant may break other rules as well.
    pub loose: bool,
}

impl PlannedVariant {
    /// True if it has a fault of syntax, which may end an assembler's pass: such lines are asked about apart.
    pub(super) fn is_faulty(&self, instruction: &Instruction) -> bool {
        self.values[instruction.forms[self.form].writing()] != 0
    }
}

/// Variants, listed or by their positions in a space. The latter are made only when a thread asks about
/// them.
#[derive(Clone, Debug)]
pub(super) enum TaskVariants {
    /// These.
    Listed(Vec<PlannedVariant>),
    /// This many from a place on in the random order of a space.
    Drawn(Arc<ShuffledSpace>, u128, usize),
    /// This many from a position on.
    Range(FormSpace, u128, usize),
}

/// The variants of a form in an environment that are valid, or break one rule.
#[derive(Clone, Debug)]
pub(super) struct FormSpace {
    pub(super) form: usize,
    pub(super) rule: Option<usize>,
    pub(super) environment: EnvironmentValues,
    pub(super) diagram: Arc<Diagram>,
}

impl FormSpace {
    pub(super) fn region(&self) -> Region<'_> {
        self.diagram.all().below(&self.environment)
    }
}

/// A space, the first variants of which in a random order are asked about. It is small however many they are.
#[derive(Clone, Debug)]
pub(super) struct ShuffledSpace {
    pub(super) space: FormSpace,
    pub(super) order: Permutation,
    /// How many of them are.
    pub(super) wanted: u128,
}

impl ShuffledSpace {
    /// Up to `wanted` variants, in the order of a random series.
    pub(super) fn new(space: &FormSpace, draw: &mut Draw, wanted: u128) -> Arc<Self> {
        let order = Permutation::new(space.region().count(), draw);
        Arc::new(Self { space: space.clone(), order, wanted: wanted.min(order.count()) })
    }

    /// True if a variant is asked about.
    pub(super) fn has(&self, values: &[u8]) -> bool {
        self.space.diagram.rank(values).and_then(|rank| self.order.place(rank)).is_some_and(|place| place < self.wanted)
    }

    /// The variants, in parts of up to `most`.
    pub(super) fn parts(self: &Arc<Self>, most: usize) -> impl Iterator<Item = TaskVariants> {
        let most = most.max(1);
        let mut from = 0;
        std::iter::from_fn(move || {
            let count = usize::try_from(self.wanted - from).map_or(most, |left| left.min(most));
            let part = (count > 0).then(|| TaskVariants::Drawn(Arc::clone(self), from, count));
            from += count as u128;
            part
        })
    }
}

impl Task {
    /// The number of its variants, or more.
    pub(super) fn size(&self) -> usize {
        match &self.variants {
            TaskVariants::Listed(rows) => rows.len(),
            TaskVariants::Drawn(.., count) | TaskVariants::Range(.., count) => *count,
        }
    }

    /// Its variants.
    pub(super) fn rows(self) -> Vec<PlannedVariant> {
        let row =
            |space: &FormSpace, values| PlannedVariant { form: space.form, values, meant: space.rule, loose: false };
        match self.variants {
            TaskVariants::Listed(rows) => rows,
            TaskVariants::Drawn(drawn, from, count) => {
                let ShuffledSpace { space, order, .. } = &*drawn;
                let region = space.region();
                let places = (from..).take(count);
                places.filter_map(|place| Some(row(space, region.unrank(order.position(place)?)?))).collect()
            }
            TaskVariants::Range(space, from, count) => {
                space.region().iter_from(from).take(count).map(|values| row(&space, values)).collect()
            }
        }
    }

    /// A hash of all that it asks.
    pub(super) fn hash(&self, instruction: &Instruction) -> blake3::Hash {
        let TaskVariants::Listed(rows) = &self.variants else {
            return blake3::hash(self.describe(instruction).to_string().as_bytes());
        };
        // To write millions of variants as text takes longer than to choose them.
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("{} {} {}", self.instruction, self.purpose.word(), self.environment).as_bytes());
        for PlannedVariant { form, values, meant, loose } in rows {
            let form = &instruction.forms[*form];
            let rule = meant.map_or("", |rule| form.rules[rule].id.as_str());
            for bytes in [form.id.as_bytes(), rule.as_bytes(), &[u8::from(*loose)], values] {
                hasher.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
            }
        }
        hasher.finalize()
    }

    /// The task as a line of a listed plan: two tasks with the same line ask the same.
    pub fn describe(&self, instruction: &Instruction) -> Value {
        let form = |at: usize| instruction.forms.get(at).map_or("", |form| form.id.as_str());
        let rule = |at: usize, rule: Option<usize>| {
            rule.and_then(|rule| Some(instruction.forms.get(at)?.rules.get(rule)?.id.clone()))
        };
        let what = match &self.variants {
            TaskVariants::Drawn(drawn, from, count) => json!({
                "form": form(drawn.space.form), "breaks": rule(drawn.space.form, drawn.space.rule),
                "order": drawn.order.keys(), "from": from.to_string(), "count": count,
            }),
            TaskVariants::Range(space, from, count) => json!({
                "form": form(space.form), "breaks": rule(space.form, space.rule), "from": from.to_string(), "count": count,
            }),
            TaskVariants::Listed(rows) => {
                let row = |row: &PlannedVariant| {
                    let digits =
                        |value: &u8| [value >> 4, value & 15].map(|digit| char::from(DIGITS[usize::from(digit)]));
                    let digits: String = row.values.iter().flat_map(digits).collect();
                    json!([form(row.form), rule(row.form, row.meant), digits])
                };
                json!({ "variants": rows.iter().map(row).collect::<Vec<_>>() })
            }
        };
        json!({
            "instruction": self.instruction, "what": self.purpose.word(), "environment": self.environment.to_string(),
            "cases": what,
        })
    }
}

/// The digits of base 16: a plan has millions.
const DIGITS: [u8; 16] = *b"0123456789abcdef";

/// A rule, and the variants that break it and no other.
#[derive(Clone, Debug)]
pub struct Isolated {
    /// Its position in the form.
    pub rule: usize,
    /// How many variants.
    pub count: u128,
    /// The first of them; none if there are none.
    pub first: Option<Values>,
}

impl Isolated {
    pub(super) fn new(rule: usize, diagram: &Diagram) -> Self {
        Self { rule, count: diagram.count(), first: diagram.unrank(0) }
    }
}

/// The plan of one form: what is tested of it, and how large its spaces are.
#[derive(Clone, Debug)]
pub struct FormPlan {
    /// The form's id.
    pub form: String,
    /// The main environment.
    pub main: Environment,
    /// Valid variants in the main environment.
    pub valid: TestedVariants,
    /// Variants that break exactly one rule in the main environment.
    pub breaches: TestedVariants,
    /// By rule, how many variants break only this rule: in the main environment, or anywhere for a rule on
    /// a version or target.
    pub isolated: Vec<Isolated>,
    /// The number of environments with cases.
    pub environments: usize,
    /// Breaches without a twin that the engine can be asked about.
    pub breaches_without_twin: u64,
    /// How many more random valid variants there would be, but for the budget of the instruction.
    pub left_out: u128,
    /// The variants to be asked about with those of the other forms, each with its environment.
    pub(super) waiting: Vec<(Environment, PlannedVariant)>,
}

/// The size of a set of variants, and how many of them are asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestedVariants {
    /// How many there are.
    pub exist: u128,
    /// How many are asked about.
    pub tested: u128,
}
