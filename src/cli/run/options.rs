//! The options of a run, from those of the command line.

use std::time::SystemTime;

use super::Opts;
use ptx_conform::campaign::{Generate, Options, RunDepth, Strategy};
use ptx_conform::divergences::Date;
use ptx_conform::environment::{AddressSize, Environment};
use ptx_conform::judge::Judge;
use ptx_conform::spec::Spec;

/// How deep to look.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum DepthOption {
    /// Only the listed divergences: those of the engine's version must show, and those of other versions must not.
    Listed,
    /// Each choice of each form, a few breaches of each rule, each PTX version and target that something needs, each
    /// listed divergence: a first answer.
    Choices,
    /// Each pair of choices, each choice in the breaches of each rule, 10,000 random lines of each instruction, all
    /// environments around requirements, every word in every slot, the support matrix, and five times the rows.
    Pairs,
}

/// How much of each space to test.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum StrategyOption {
    /// Covering arrays of all choices, and four breaches of each rule.
    Choices,
    /// Covering arrays of all combinations of two choices.
    Pairs,
    /// Covering arrays of all combinations of three choices.
    Triples,
    /// All variants of spaces smaller than the limit, triples for the others.
    Complete,
}

/// Which lines to take through code generation.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum GenerateOption {
    /// No lines.
    None,
    /// Some lines, evenly spread.
    Sample,
    /// All lines.
    All,
}

impl Opts {
    /// The options of the campaign.
    pub(super) fn options(&self, spec: &Spec) -> anyhow::Result<Options> {
        let environment = match (&self.ptx, &self.target) {
            (Some(ptx), Some(target)) => {
                let environment = Environment {
                    ptx: ptx.parse()?,
                    target: target.parse()?,
                    address_size: self.address_size.parse::<AddressSize>()?,
                };
                Judge::new(spec, &environment)?;
                Some(environment)
            }
            _ => None,
        };
        let depth = self.depth();
        let budget = depth.budget();
        Ok(Options {
            instructions: self.instructions.clone(),
            depth,
            strategy: match self.strategy {
                None => budget.strategy,
                Some(StrategyOption::Choices) => Strategy::Choices,
                Some(StrategyOption::Pairs) => Strategy::Pairs,
                Some(StrategyOption::Triples) => Strategy::Triples,
                Some(StrategyOption::Complete) => Strategy::Complete,
            },
            limit: u128::from(self.limit),
            random: self.random,
            boundaries: !self.no_boundaries,
            generate: match self.generate_code {
                GenerateOption::None => Generate::Nothing,
                GenerateOption::Sample => Generate::Sample,
                GenerateOption::All => Generate::Everything,
            },
            seed: self.seed,
            cases: self.cases.or(budget.cases),
            rows: self.rows.unwrap_or(budget.rows).max(1),
            chains: self.chains,
            batch: self.batch.max(1),
            today: self.today.clone().or_else(|| self.going.day.clone()).or_else(|| Some(Date::of(SystemTime::now()))),
            environment,
            vocabulary: budget.vocabulary && !self.no_vocabulary,
            modifiers: true,
        })
    }

    /// How deep it looks.
    pub(super) fn depth(&self) -> RunDepth {
        match self.depth {
            DepthOption::Listed => RunDepth::Listed,
            DepthOption::Choices => RunDepth::Choices,
            DepthOption::Pairs => RunDepth::Pairs,
        }
    }
}
