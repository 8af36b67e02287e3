//! A plan as a value: tasks, each with the exact variants that it asks about.
//!
//! A plan can be listed, and parted into shards; running it is a fold over its tasks. Variants are named by
//! their positions in a space where they can be, and made only when they are asked about.

use std::sync::Arc;

use serde_json::{Value, json};

use super::options::Shard;
use crate::engine::Depth;
use crate::environment::Environment;
use crate::space::{Diagram, Region, Values};
use crate::spec::Instruction;

/// Why variants are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// They are claimed valid.
    Valid,
    /// They break exactly one rule.
    Breach,
    /// They are claimed valid, and code is generated.
    Code,
    /// They are claimed valid, and executed.
    Rows,
}

impl Purpose {
    /// How deep it takes an engine.
    pub fn depth(self) -> Depth {
        if self == Self::Code { Depth::Generate } else { Depth::Check }
    }

    /// As a listed plan spells it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Breach => "breach",
            Self::Code => "code",
            Self::Rows => "rows",
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
    /// Why.
    pub purpose: Purpose,
    /// The variants.
    pub(super) variants: TaskVariants,
}

/// A variant to be asked about.
#[derive(Clone, Debug)]
pub struct Row {
    /// The position of its form in the instruction.
    pub form: usize,
    /// Its choices.
    pub values: Values,
    /// The rule that it is meant to break.
    pub meant: Option<usize>,
    /// Whether it may break others as well.
    pub loose: bool,
}

/// Variants, listed, or by their positions in a space: those are only made when they are asked
/// about, by whichever thread does that.
#[derive(Clone, Debug)]
pub(super) enum TaskVariants {
    /// These.
    Listed(Vec<Row>),
    /// Those at these positions of a space.
    At(FormSpace, Vec<u128>),
    /// So many from a position on.
    Range(FormSpace, u128, usize),
    /// The programs of a form from one on, so many, each with so many rows.
    Programs { form: usize, first: usize, count: usize, rows: usize },
}

/// The variants of a form in an environment that are valid, or break one rule.
#[derive(Clone, Debug)]
pub(super) struct FormSpace {
    pub(super) form: usize,
    pub(super) rule: Option<usize>,
    pub(super) environment: [u8; 3],
    pub(super) diagram: Arc<Diagram>,
}

impl FormSpace {
    pub(super) fn region(&self) -> Region<'_> {
        self.diagram.all().below(&self.environment)
    }
}

impl Task {
    /// Its variants.
    pub(super) fn rows(self) -> Vec<Row> {
        let row = |space: &FormSpace, values| Row { form: space.form, values, meant: space.rule, loose: false };
        match self.variants {
            TaskVariants::Listed(rows) => rows,
            // Programs are made by the part of a run that executes them.
            TaskVariants::Programs { .. } => Vec::new(),
            TaskVariants::At(space, ranks) => {
                let region = space.region();
                ranks.iter().filter_map(|&rank| Some(row(&space, region.unrank(rank)?))).collect()
            }
            TaskVariants::Range(space, from, count) => {
                space.region().iter_from(from).take(count).map(|values| row(&space, values)).collect()
            }
        }
    }

    /// What the task asks about, as a line of a listed plan: two tasks with the same line ask the same.
    pub fn describe(&self, instruction: &Instruction) -> Value {
        let form = |at: usize| instruction.forms.get(at).map_or("", |form| form.id.as_str());
        let rule = |at: usize, rule: Option<usize>| {
            rule.and_then(|rule| Some(instruction.forms.get(at)?.rules.get(rule)?.id.clone()))
        };
        let what = match &self.variants {
            TaskVariants::At(space, ranks) => {
                let ranks: Vec<String> = ranks.iter().map(u128::to_string).collect();
                json!({ "form": form(space.form), "breaks": rule(space.form, space.rule), "ranks": ranks })
            }
            TaskVariants::Range(space, from, count) => json!({
                "form": form(space.form), "breaks": rule(space.form, space.rule), "from": from.to_string(), "count": count,
            }),
            TaskVariants::Listed(rows) => {
                let row = |row: &Row| {
                    let digits: String = row.values.iter().map(|value| format!("{value:02x}")).collect();
                    json!([form(row.form), rule(row.form, row.meant), digits])
                };
                json!({ "variants": rows.iter().map(row).collect::<Vec<_>>() })
            }
            TaskVariants::Programs { form: at, first, count, rows } => {
                json!({ "form": form(*at), "from": first, "count": count, "rows": rows })
            }
        };
        json!({
            "instruction": self.instruction, "what": self.purpose.word(), "environment": self.environment.to_string(),
            "cases": what,
        })
    }

    /// Whether the task belongs to a shard: each belongs to exactly one of those that a plan has.
    pub(super) fn belongs_to(&self, shard: Shard, instruction: &Instruction) -> bool {
        if shard == Shard::WHOLE {
            return true;
        }
        let hash = blake3::hash(self.describe(instruction).to_string().as_bytes());
        let number = hash.as_bytes().iter().take(8).fold(0, |sum: u64, &byte| sum << 8 | u64::from(byte));
        number % shard.of == shard.number - 1
    }
}

/// What is asked about one form, and how large its spaces are.
#[derive(Clone, Debug)]
pub struct FormPlan {
    /// The form's id.
    pub form: String,
    /// The environment that most is asked in.
    pub home: Environment,
    /// How many valid variants it has there.
    pub home_valid: u128,
    /// How many of them are asked about.
    pub home_tested: u128,
    /// How many variants break exactly one rule there.
    pub home_breach: u128,
    /// How many of those are asked about.
    pub home_breach_tested: u128,
    /// By rule, how many variants break it alone: there, or anywhere for a need of a version or
    /// target.
    pub alone: Vec<(usize, u128)>,
    /// In how many environments anything is asked.
    pub environments: usize,
    /// Breaches without a twin that the engine can be asked about.
    pub without_twin: u64,
    /// What to ask elsewhere than at home, until it is put together with that of the other forms.
    pub(super) elsewhere: Vec<(Environment, Row)>,
}
