//! The options of a run.

use std::sync::atomic::{AtomicBool, AtomicU64};

use crate::divergences::Date;
use crate::engine::{CaseExecutor, Depth, EngineId, LineJudge};
use crate::environment::{Environment, Version};

/// How much of a space is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Every combination of two choices that occurs among the valid variants, in a covering array;
    /// every choice that occurs in the breaches of each rule.
    Pairs,
    /// Every combination of three choices, and of two in the breaches of each rule.
    Triples,
    /// Every variant if there are fewer than the limit; otherwise as `Triples`.
    Complete,
}

/// Which valid lines are taken through code generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generate {
    /// None.
    Nothing,
    /// Some valid lines, evenly spread.
    Sample,
    /// All valid lines.
    Everything,
}

/// One of several parts of a plan: `2/8` is the second of eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 1 on.
    pub number: u64,
    /// How many parts there are.
    pub of: u64,
}

impl Shard {
    /// The whole plan.
    pub const WHOLE: Self = Self { number: 1, of: 1 };
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((number, of)) if number >= 1 && number <= of => Ok(Self { number, of }),
            _ => Err(format!("`{text}` is not a shard: write 2/8 for the second of eight")),
        }
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// The budget of an instruction, unless a run says otherwise: so many random variants, shared by its forms.
pub const RANDOM_OF_INSTRUCTION: u64 = 10_000;

/// What a run does.
#[derive(Clone, Debug)]
pub struct Options {
    /// The opcodes; all if empty.
    pub instructions: Vec<String>,
    /// How much of each space is tested in the newest environment.
    pub strategy: Strategy,
    /// The size below which a space is tested completely by [`Strategy::Complete`].
    pub limit: u128,
    /// Additional random valid variants of each form, and for each hundred of them one random breach of
    /// each rule; by default [`RANDOM_OF_INSTRUCTION`], shared by the forms of an instruction.
    pub random: Option<u64>,
    /// Whether every PTX version and target at which a requirement changes is tested as well.
    pub boundaries: bool,
    /// Which lines are taken through code generation.
    pub generate: Generate,
    /// The seed of random draws.
    pub seed: u64,
    /// The maximum number of programs of each form; by default what is usual for each engine.
    pub cases: Option<usize>,
    /// Rows of each program.
    pub rows: usize,
    /// Lines per batch.
    pub batch: usize,
    /// Today's date, for reporting expired divergences; none if that does not matter.
    pub today: Option<Date>,
    /// The only environment to test in; by default the newest of each engine, and the boundaries.
    pub environment: Option<Environment>,
    /// Whether to try each slot with the words of all of PTX and of the engine.
    pub vocabulary: bool,
    /// Whether to compare what modifiers become in machine code.
    pub modifiers: bool,
    /// The part of the plan that is run.
    pub shard: Shard,
}

impl Options {
    /// The random variants that are drawn of each form, by the number of forms of its instruction.
    pub fn random_of_form(&self, forms: usize) -> u64 {
        let forms = u64::try_from(forms).unwrap_or(u64::MAX).max(1);
        self.random.unwrap_or(RANDOM_OF_INSTRUCTION / forms)
    }

    /// How many more the form would have if it was the only one.
    pub(crate) fn left_out_of_form(&self, forms: usize) -> u64 {
        match self.random {
            None => RANDOM_OF_INSTRUCTION - self.random_of_form(forms),
            Some(_) => 0,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            instructions: Vec::new(),
            strategy: Strategy::Pairs,
            limit: 1_000_000,
            random: None,
            boundaries: true,
            generate: Generate::Sample,
            seed: 0,
            cases: None,
            rows: 16,
            batch: 10_000,
            today: None,
            environment: None,
            vocabulary: true,
            modifiers: true,
            shard: Shard::WHOLE,
        }
    }
}

/// An engine, what it is asked to do, and the newest PTX version that it accepts.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The engine as a judge of lines, where it is asked to judge.
    pub judge: Option<&'a dyn LineJudge>,
    /// The engine as an executor of rows, where it is asked to execute.
    pub executor: Option<&'a dyn CaseExecutor>,
    /// Its newest PTX version.
    pub newest: Version,
}

impl<'a> Subject<'a> {
    /// An engine that is asked to judge.
    pub fn judging(judge: &'a dyn LineJudge, newest: Version) -> Self {
        Self { judge: Some(judge), executor: None, newest }
    }

    /// An engine that is asked to execute.
    pub fn executing(executor: &'a dyn CaseExecutor, newest: Version) -> Self {
        Self { judge: None, executor: Some(executor), newest }
    }

    /// Its family and version; none if it is asked nothing.
    pub fn id(&self) -> Option<&'a EngineId> {
        self.judge.map(|judge| judge.id()).or_else(|| self.executor.map(|executor| executor.id()))
    }

    /// Whether it can judge lines in an environment.
    pub(crate) fn takes(&self, environment: &Environment, depth: Depth) -> bool {
        environment.ptx <= self.newest && self.judge.is_some_and(|judge| judge.supports(environment, depth).is_ok())
    }
}

/// The progress of a run: tasks planned and done, cases judged. A progress bar reads it; an interrupt sets
/// `stop`.
#[derive(Debug, Default)]
pub struct Progress {
    /// Tasks planned.
    pub planned: AtomicU64,
    /// Tasks done.
    pub done: AtomicU64,
    /// Cases judged.
    pub cases: AtomicU64,
    /// Set to stop the run: what is done is kept.
    pub stop: AtomicBool,
}

impl Progress {
    /// Whether the run is to end.
    pub fn stopped(&self) -> bool {
        self.stop.load(std::sync::atomic::Ordering::Relaxed)
    }
}
