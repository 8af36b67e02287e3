//! The options of a run, from those of the command line.

use std::time::SystemTime;

use super::{DepthOption, GenerateOption, Opts, StrategyOption};
use ptx_conform::campaign::{Generate, Options, RunDepth, Strategy};
use ptx_conform::divergences::Date;
use ptx_conform::environment::{AddressSize, Environment};
use ptx_conform::judge::Judge;
use ptx_conform::spec::Spec;

impl Opts {
    /// What the run asks about.
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
            today: self.today.clone().or_else(|| self.day.clone()).or_else(|| Some(Date::of(SystemTime::now()))),
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
