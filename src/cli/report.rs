//! `ptx-conform report`: what can be done with reports of runs, without engines.

mod diff;
mod export;
mod merge;
mod show;
mod stored;

use std::path::Path;
use std::process::ExitCode;

/// Compare, merge and convert the reports of runs
///
/// A report is the directory that `run` wrote, or its report.json.
#[derive(Debug, clap::Args)]
pub(crate) struct Opts {
    #[command(subcommand)]
    command: ReportCommand,
}

#[derive(Debug, clap::Subcommand)]
enum ReportCommand {
    Diff(diff::Opts),
    Merge(merge::Opts),
    Show(show::Opts),
    Export(export::Opts),
}

impl Opts {
    pub(crate) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        match self.command {
            ReportCommand::Diff(opts) => opts.run(),
            ReportCommand::Merge(opts) => opts.run(specs),
            ReportCommand::Show(opts) => opts.run(),
            ReportCommand::Export(opts) => opts.run(),
        }
    }
}
