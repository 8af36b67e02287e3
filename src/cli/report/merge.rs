//! `ptx-conform report merge`: one report of the parts of a plan.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;

use super::super::run::{self, LEDGER};
use ptx_conform::ledger;

/// Make one report of the parts of a plan (`run --shard`)
///
/// Their ledgers are united, and the run is concluded once, as if one machine had done all of it: the report is the same to the
/// byte. The engines must be there, since the search for causes asks them. If tasks are missing, the report says of which
/// shards, and does not agree; merged again with these, or with `run --resume`, it is complete.
///
/// Exit codes: those of `run`.
///
/// Example: ptx-conform report merge reports/shard-* --into reports/whole
#[derive(Debug, clap::Args)]
pub(crate) struct Opts {
    /// The directories of the parts, or their ledgers.
    #[arg(required = true, value_name = "PART")]
    parts: Vec<PathBuf>,
    /// The directory to write the report to; it is made if it is not there. If it has the ledger of an earlier merge, the parts
    /// are added to that.
    #[arg(long, value_name = "DIR")]
    into: PathBuf,
}

impl Opts {
    pub(super) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        let file = |path: &PathBuf| if path.is_dir() { path.join(LEDGER) } else { path.clone() };
        let mut ledgers: Vec<PathBuf> = self.parts.iter().map(file).collect();
        let written = || format!("{} cannot be written to", self.into.display());
        std::fs::create_dir_all(&self.into).with_context(written)?;
        let (united, new) = (self.into.join(LEDGER), self.into.join("ledger.new.sqlite"));
        if united.exists() && !ledgers.contains(&united) {
            ledgers.push(united.clone());
        }
        ledger::remove(&new).with_context(written)?;
        if let Err(why) = ledger::unite(&new, &ledgers) {
            ledger::remove(&new).with_context(written)?;
            return Err(why.into());
        }
        std::fs::rename(&new, &united).with_context(written)?;
        run::conclude(&self.into, specs)
    }
}
