//! `ptx-conform report diff`: what differs between two reports.

use std::path::PathBuf;
use std::process::ExitCode;

use ptx_conform::report::ReportDiff;

use super::super::output;
use super::stored;

/// Say what appeared, vanished or changed from one report to another
///
/// What the runs were asked to do is said first, if it differs: specification, seed, options. Then follow, the most important
/// first, the verdict, findings, engines, what was not judged, rules and forms that are or are not tested any more, mismatch
/// groups, divergences, examples, and code of modifiers. Numbers of cases may differ: that alone does not matter.
///
/// Exit codes: 0 nothing differs that matters, 1 something appeared, vanished or changed, 2 a report cannot be read.
///
/// Example: ptx-conform report diff reports/yesterday reports/today
#[derive(Debug, clap::Args)]
pub(crate) struct Opts {
    /// The earlier report.
    a: PathBuf,
    /// The later one.
    b: PathBuf,
    /// Print JSON, with everything that differs.
    #[arg(long)]
    json: bool,
}

impl Opts {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let diff = ReportDiff::new(&stored::read(&self.a)?, &stored::read(&self.b)?);
        output::print(&if self.json { diff.json()? } else { diff.text() })?;
        Ok(ExitCode::from(u8::from(diff.matters)))
    }
}
