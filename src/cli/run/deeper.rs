//! A deeper run: what it would add, and its command.

use std::path::Path;

use clap::ValueEnum as _;

use super::{Opts, Shard};
use ptx_conform::campaign::{Deeper, Options, Results, RunDepth};
use ptx_conform::must::Must as _;
use ptx_conform::report::DeeperReport;
use ptx_conform::spec::Spec;

impl Opts {
    /// The additions of a deeper run, with its command.
    pub(super) fn deeper(
        &self,
        spec: &Spec,
        options: &Options,
        results: &Results,
        specs: Option<&Path>,
    ) -> Option<DeeperReport> {
        let deeper = Deeper::new(spec, options, results)?;
        Some(DeeperReport { command: self.command(deeper.depth, specs), adds: deeper.adds })
    }

    /// The command that asks the same engines at another depth, with the same choice of what is asked about.
    fn command(&self, depth: RunDepth, specs: Option<&Path>) -> String {
        let start = ["ptx-conform", "run", "--depth", depth.word()].map(str::to_owned).into_iter();
        let words: Vec<String> = start
            .chain(self.instructions.iter().cloned())
            .chain(self.engines.arguments())
            .chain(specs.into_iter().flat_map(|path| ["--specs".to_owned(), path.display().to_string()]))
            .chain(self.questions())
            .collect();
        shlex::try_join(words.iter().map(String::as_str)).must("no argument of a command line has a zero byte")
    }

    /// The options that choose what is asked about.
    pub(super) fn questions(&self) -> Vec<String> {
        // All options by name, so that a new one is thought of here.
        let Self {
            instructions: _,
            engines: _,
            depth: _,
            strategy,
            limit,
            random,
            generate_code,
            no_boundaries,
            ptx,
            target,
            address_size,
            seed,
            no_execution,
            cases,
            rows,
            chains,
            shard,
            // A run that is not as deep has neither, whatever they say: they are among what the deeper one adds.
            no_matrix: _,
            // How a run goes on, and with which parts of it.
            costs: _,
            going: _,
            answers: _,
            // Another kind of run.
            exhaustive: _,
            exhaustive_bits: _,
            no_vocabulary: _,
            // How it is run, and where the report goes.
            plan: _,
            batch: _,
            jobs: _,
            write_divergences: _,
            today: _,
            name: _,
            reports: _,
            history: _,
            no_borders: _,
            no_history: _,
        } = self;
        let usual = |of: bool, value: String| (!of).then_some(value);
        let word = |value: Option<clap::builder::PossibleValue>| value.map(|value| value.get_name().to_owned());
        let valued = [
            ("--strategy", strategy.as_ref().and_then(|of| word(of.to_possible_value()))),
            ("--limit", usual(*limit == super::LIMIT, limit.to_string())),
            ("--random", random.map(|of| of.to_string())),
            ("--generate-code", word(generate_code.to_possible_value()).filter(|word| word != super::CODE)),
            ("--ptx", ptx.clone()),
            ("--target", target.clone()),
            ("--address-size", usual(address_size == super::ADDRESS_SIZE, address_size.clone())),
            ("--seed", usual(*seed == super::SEED, seed.to_string())),
            ("--cases", cases.map(|of| of.to_string())),
            ("--rows", rows.map(|of| of.to_string())),
            ("--chains", chains.map(|of| of.to_string())),
            ("--shard", usual(*shard == Shard::WHOLE, shard.to_string())),
        ];
        given(valued, &[("--no-boundaries", *no_boundaries), ("--no-execution", *no_execution)])
    }
}

/// Options as words: those that have a value, and those that are given.
fn given<const N: usize>(valued: [(&str, Option<String>); N], flags: &[(&str, bool)]) -> Vec<String> {
    let valued = valued.into_iter().filter_map(|(name, value)| Some([name.to_owned(), value?])).flatten();
    let flags = flags.iter().filter(|(_, given)| *given).map(|(name, _)| (*name).to_owned());
    valued.chain(flags).collect()
}
