//! What a run is: everything on which its report depends, and the command line that asks the same again.

use anyhow::Context as _;

use super::super::engines::Opened;
use super::super::hash::hash_of;
use super::{Opts, RunSources, Shard};
use ptx_conform::campaign::Options;
use ptx_conform::ledger::{Ledger, RunHeader, TaskCosts};
use ptx_conform::must::Must as _;

impl Opts {
    /// The costs of tasks.
    pub(super) fn costs(&self) -> anyhow::Result<TaskCosts> {
        match &self.costs {
            None => Ok(TaskCosts::default()),
            Some(path) => Ok(TaskCosts::of(&Ledger::open(path)?)?),
        }
    }

    /// The header of the run's ledger.
    pub(super) fn header(
        &self,
        sources: &RunSources<'_>,
        options: &Options,
        engines: &[Opened],
        costs: &TaskCosts,
    ) -> anyhow::Result<RunHeader> {
        let mut header = RunHeader {
            program: hash_of(&std::env::current_exe().context("this program has no file")?)?,
            specification: sources.spec.fingerprint.clone(),
            divergences: sources.divergences.fingerprint.clone(),
            day: options.today.as_ref().map(ToString::to_string).unwrap_or_default(),
            options: self.settings(costs),
            arguments: self.arguments(),
            parts: self.shard.of,
            shard: if self.shard == Shard::WHOLE { 0 } else { self.shard.number },
            ..RunHeader::default()
        };
        for opened in engines {
            let known = header.engines.entry(opened.engine.id().to_string()).or_default();
            known.push_str(&opened.fingerprint()?);
        }
        Ok(header)
    }

    /// The options on which the report depends, as one text. All parts of a plan have the same.
    pub(super) fn settings(&self, costs: &TaskCosts) -> String {
        let whole = Self { shard: Shard::WHOLE, ..self.clone() };
        let words = ["--depth".to_owned(), self.depth().word().to_owned()].into_iter().chain(self.instructions.clone());
        let words: Vec<String> = words.chain(whole.questions()).chain(self.manner()).collect();
        let costs = costs.words();
        let costs = if costs.is_empty() { costs } else { format!("; costs: {costs}") };
        format!("{}{costs}", joined(&words))
    }

    /// The arguments of a `run` that asks the same of the same engines and reports it in the same way.
    fn arguments(&self) -> Vec<String> {
        let mut words = vec!["--depth".to_owned(), self.depth().word().to_owned()];
        words.extend(self.instructions.iter().cloned());
        words.extend(self.engines.arguments());
        words.extend(Self { shard: Shard::WHOLE, ..self.clone() }.questions());
        words.extend(self.manner());
        let path = |of: &std::path::PathBuf| of.display().to_string();
        let valued = [
            ("--today", self.today.as_ref().map(ToString::to_string)),
            ("--history", self.history.as_ref().map(path)),
            ("--costs", self.costs.as_ref().map(path)),
        ];
        words.extend(valued.into_iter().filter_map(|(name, value)| Some([name.to_owned(), value?])).flatten());
        let flags = [("--no-history", self.no_history), ("--write-divergences", self.write_divergences)];
        words.extend(flags.into_iter().filter(|(_, given)| *given).map(|(name, _)| name.to_owned()));
        words
    }

    /// The options that say how it is asked, and what is made of the answers.
    fn manner(&self) -> Vec<String> {
        let flags = [
            ("--no-matrix", self.no_matrix),
            ("--no-vocabulary", self.no_vocabulary),
            ("--no-borders", self.no_borders),
        ];
        let batch = (self.batch != super::BATCH).then(|| ["--batch".to_owned(), self.batch.to_string()]);
        let flags = flags.into_iter().filter(|(_, given)| *given).map(|(name, _)| name.to_owned());
        flags.chain(batch.into_iter().flatten()).collect()
    }
}

fn joined(words: &[String]) -> String {
    shlex::try_join(words.iter().map(String::as_str)).must("no argument of a command line has a zero byte")
}
