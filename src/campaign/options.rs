//! The options of a run.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::divergences::{Date, Divergence};
use crate::engine::{CaseExecutor, Depth, EngineId, LineJudge};
use crate::environment::{Environment, Version};

/// How much of a space is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Every choice that occurs among the valid variants, in a covering array; a few breaches of each rule.
    Choices,
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
    /// No lines.
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

    /// The most parts.
    const MOST: u64 = 1 << 16;
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((number, of)) if number >= 1 && number <= of && of <= Self::MOST => Ok(Self { number, of }),
            _ => Err(format!(
                "`{text}` is not a shard: write 2/8 for the second of eight; there can be up to {} of them",
                Self::MOST
            )),
        }
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// How deep a run looks, unless its other options say otherwise. Every depth that plans touches every form and every PTX version and
/// target that something needs; the report lists the rules that no line breaks, and the listed divergences not asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunDepth {
    /// Nothing but the listed divergences: those of the engine's version show, those of other versions do not.
    Listed,
    /// Each choice of each form once, and a few breaches of each rule.
    Choices,
    /// Each pair of choices, and what is around them: random lines, environments, words, the support matrix.
    Pairs,
}

/// The budget of a depth.
#[derive(Clone, Copy, Debug)]
pub struct DepthBudget {
    /// True if lines, rows and chains are planned; otherwise only the listed divergences are asked about.
    pub planned: bool,
    /// True if what other versions are known for is asked about as well: it must not show.
    pub(super) elsewhere: bool,
    /// How much of each space is tested.
    pub strategy: Strategy,
    /// Random valid variants of an instruction, shared by its forms.
    pub random_of_instruction: u64,
    /// Variants one or two choices away from the simplest breach of a rule.
    pub(super) neighbours: usize,
    /// Variants of a form that are taken through code generation as a sample.
    pub(super) code_sample: u128,
    /// True if all choices are tried in each environment around a requirement; otherwise, only the requirement.
    pub(super) environments: bool,
    /// True if the lines of several instructions share processes.
    pub(super) together: bool,
    /// True if each slot is tried with the words of all of PTX and of the engine.
    pub vocabulary: bool,
    /// True if the support matrix is made.
    pub matrix: bool,
    /// Variants of each combination of a divergence.
    pub(super) listed: u128,
    /// Variants of a divergence that happens only sometimes, shared by its combinations.
    pub(super) sometimes: u128,
    /// The most programs of each form that are executed; by default what is usual for each engine.
    pub cases: Option<usize>,
    /// Rows of each program.
    pub rows: usize,
    /// Chains of lines that are executed if all instructions are tested.
    pub chains: u64,
}

/// The budgets, by depth. The figures of `choices` let a first run over all of PTX end in about two minutes on two cores:
/// a process of `ptxas` costs as much as a hundred lines, so it saves processes before lines.
const BUDGETS: [(RunDepth, &str, DepthBudget); 3] = [
    (
        RunDepth::Listed,
        "listed",
        DepthBudget {
            planned: false,
            elsewhere: true,
            strategy: Strategy::Choices,
            random_of_instruction: 0,
            neighbours: 0,
            code_sample: 0,
            environments: false,
            together: true,
            vocabulary: false,
            matrix: false,
            listed: 16,
            sometimes: 256,
            cases: Some(0),
            rows: 16,
            chains: 0,
        },
    ),
    (
        RunDepth::Choices,
        "choices",
        DepthBudget {
            planned: true,
            elsewhere: false,
            strategy: Strategy::Choices,
            random_of_instruction: 0,
            neighbours: 0,
            code_sample: 8,
            environments: false,
            together: true,
            vocabulary: false,
            matrix: false,
            listed: 4,
            sometimes: 64,
            cases: Some(48),
            rows: 16,
            chains: 1024,
        },
    ),
    (
        RunDepth::Pairs,
        "pairs",
        DepthBudget {
            planned: true,
            elsewhere: true,
            strategy: Strategy::Pairs,
            random_of_instruction: 10_000,
            neighbours: 256,
            code_sample: 150,
            environments: true,
            together: false,
            vocabulary: true,
            matrix: true,
            listed: 16,
            sometimes: 2000,
            cases: None,
            rows: 16,
            chains: 32_768,
        },
    ),
];

impl RunDepth {
    /// The deepest.
    pub const DEEPEST: Self = Self::Pairs;

    /// The budget of the depth.
    pub fn budget(self) -> &'static DepthBudget {
        &BUDGETS[self as usize].2
    }

    /// The word of the command line and of reports.
    pub fn word(self) -> &'static str {
        BUDGETS[self as usize].1
    }

    /// The next deeper one.
    pub fn deeper(self) -> Option<Self> {
        BUDGETS.get(self as usize + 1).map(|(depth, ..)| *depth)
    }
}

/// The options of a run: what it asks about, and how much.
#[derive(Clone, Debug)]
pub struct Options {
    /// The opcodes; all if empty.
    pub instructions: Vec<String>,
    /// How deep the run looks where the other options do not say it.
    pub depth: RunDepth,
    /// How much of each space is tested in the newest environment.
    pub strategy: Strategy,
    /// The size below which a space is tested completely by [`Strategy::Complete`].
    pub limit: u128,
    /// Additional random valid variants of each form, and for each hundred of them one random breach of
    /// each rule; by default those of the depth, shared by the forms of an instruction.
    pub random: Option<u64>,
    /// True if every PTX version and target at which a requirement changes is tested as well.
    pub boundaries: bool,
    /// Which lines are taken through code generation.
    pub generate: Generate,
    /// The seed of random draws.
    pub seed: u64,
    /// The maximum number of programs of each form; by default what is usual for each engine.
    pub cases: Option<usize>,
    /// Rows of each program.
    pub rows: usize,
    /// The chains of lines to execute; by default those of the depth if all instructions are tested, and otherwise none.
    pub chains: Option<u64>,
    /// Lines per batch.
    pub batch: usize,
    /// Today's date, for reporting expired divergences; none if that does not matter.
    pub today: Option<Date>,
    /// The only environment to test in; by default the newest of each engine, and the boundaries.
    pub environment: Option<Environment>,
    /// True if each slot is tried with the words of all of PTX and of the engine.
    pub vocabulary: bool,
    /// True if the machine code of lines with and without each modifier is compared.
    pub modifiers: bool,
}

impl Options {
    /// The random variants that are drawn of each form, by the number of forms of its instruction.
    pub fn random_of_form(&self, forms: usize) -> u64 {
        self.random.unwrap_or_else(|| self.depth.budget().random_of_instruction / (forms as u64).max(1))
    }

    /// The chains of lines that are executed.
    pub fn chain_count(&self) -> u64 {
        self.chains.unwrap_or(if self.instructions.is_empty() { self.depth.budget().chains } else { 0 })
    }

    /// True if the run is made after the last day of a divergence.
    pub(super) fn has_expired(&self, divergence: &Divergence) -> bool {
        self.today.as_ref().zip(divergence.expires.as_ref()).is_some_and(|(today, last)| today > last)
    }

    /// True if lines, rows and chains are planned.
    pub(super) fn plans(&self) -> bool {
        self.depth.budget().planned
    }

    /// True if the chains that show listed divergences are executed.
    pub(super) fn asks_listed_chains(&self) -> bool {
        self.chain_count() > 0 || !self.plans()
    }

    /// True if the run asks in every way: then a divergence that no line shows matches none.
    pub(super) fn asks_everywhere(&self) -> bool {
        self.depth == RunDepth::DEEPEST && self.boundaries && self.vocabulary && self.environment.is_none()
    }

    /// How many more the form would have if it was the only one.
    pub(crate) fn left_out_of_form(&self, forms: usize) -> u64 {
        match self.random {
            None => self.depth.budget().random_of_instruction - self.random_of_form(forms),
            Some(_) => 0,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::at(RunDepth::DEEPEST)
    }
}

impl Options {
    /// The options of a run that says nothing but how deep it looks.
    pub fn at(depth: RunDepth) -> Self {
        let budget = depth.budget();
        Self {
            instructions: Vec::new(),
            depth,
            strategy: budget.strategy,
            limit: 1_000_000,
            random: None,
            boundaries: true,
            generate: Generate::Sample,
            seed: 0,
            cases: budget.cases,
            rows: budget.rows,
            chains: None,
            batch: 10_000,
            today: None,
            environment: None,
            vocabulary: budget.vocabulary,
            modifiers: true,
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

    /// True if the engine can judge lines in an environment.
    pub(crate) fn takes(&self, environment: &Environment, depth: Depth) -> bool {
        environment.ptx <= self.newest && self.judge.is_some_and(|judge| judge.supports(environment, depth).is_ok())
    }
}

/// The stages of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// Lines are planned and judged.
    #[default]
    Judging,
    /// Words are tried in slots.
    Words,
    /// The manual's examples and the listed divergences are asked about.
    Listed,
    /// Rows are executed.
    Executing,
    /// Chains of lines are executed.
    Chains,
    /// Causes of mismatches are searched for.
    Causes,
    /// The support matrix is made.
    Matrix,
    /// The report is written.
    Report,
}

/// The stages in their order, with their words.
const STAGES: [(Stage, &str); 8] = [
    (Stage::Judging, "judging lines"),
    (Stage::Words, "trying words in slots"),
    (Stage::Listed, "asking about examples and listed divergences"),
    (Stage::Executing, "executing rows"),
    (Stage::Chains, "executing chains of lines"),
    (Stage::Causes, "searching for causes"),
    (Stage::Matrix, "making the support matrix"),
    (Stage::Report, "writing the report"),
];

/// The progress of a run: its stage, tasks planned and done, cases judged. A progress bar reads it; an interrupt sets
/// `stop`.
#[derive(Debug, Default)]
pub struct Progress {
    /// The present stage: a position in the list of stages.
    stage: AtomicUsize,
    /// Tasks planned.
    pub planned: AtomicU64,
    /// Tasks done.
    pub done: AtomicU64,
    /// Cases judged.
    pub cases: AtomicU64,
    /// Set to stop the run: what is done is kept.
    pub stop: AtomicBool,
    /// Set to let no further task begin; those that are running end.
    pub time_is_over: AtomicBool,
}

impl Progress {
    /// The run goes on with this.
    pub fn begin(&self, stage: Stage) {
        self.stage.store(stage as usize, Ordering::Relaxed);
    }

    /// The present stage in words.
    pub fn stage(&self) -> &'static str {
        STAGES[self.stage.load(Ordering::Relaxed)].1
    }

    /// True if no further task may begin.
    pub fn is_ending(&self) -> bool {
        self.stopped() || self.time_is_over.load(Ordering::Relaxed)
    }

    /// True if the run is to end.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
