//! `ptx-conform report merge`: one report of several.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;

use ptx_conform::report::{Report, RunVerdict};

use super::super::output;
use super::stored;

/// Merge the reports of shards, of different engines, or of different instructions into one
///
/// Their version of ptx-conform, specification, options and seeds must be the same. If shards are missing, the merged report
/// says which, and does not agree. Merged again with the missing ones, it is complete.
///
/// Exit codes: those of `run`.
///
/// Example: ptx-conform report merge reports/shard-* --into reports/whole
#[derive(Debug, clap::Args)]
pub(crate) struct Opts {
    /// The reports.
    #[arg(required = true, value_name = "REPORT")]
    reports: Vec<PathBuf>,
    /// The directory to write the report to; it is made if it is not there.
    #[arg(long, value_name = "DIR")]
    into: PathBuf,
}

impl Opts {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let read = |path: &PathBuf| -> anyhow::Result<(String, Report)> {
            Ok((path.display().to_string(), stored::read(path)?))
        };
        let reports = self.reports.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
        let merged = Report::merged(reports).map_err(anyhow::Error::msg)?;
        let written = || format!("the report cannot be written to {}", self.into.display());
        std::fs::create_dir_all(&self.into).with_context(written)?;
        merged.write(&self.into).with_context(written)?;
        merged.write_cases(&self.into.join("cases")).with_context(written)?;
        merged.write_defects(&self.into.join("defects")).with_context(written)?;
        output::print(&merged.text())?;
        output::print(&format!("report: {}\n", self.into.join("index.html").display()))?;
        Ok(ExitCode::from(match merged.verdict {
            RunVerdict::Agreed => 0,
            RunVerdict::Disagreed => 1,
            RunVerdict::CouldNotJudge | RunVerdict::Interrupted | RunVerdict::InternalError => 2,
        }))
    }
}
