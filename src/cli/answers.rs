//! `ptx-conform answers`: the answers of engines that are kept from run to run.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;

use super::output;
use ptx_conform::answers::{answer_files, this_build};
use ptx_conform::engine::toolchain;
use ptx_conform::plural::counted;

/// List and remove the answers of engines that are kept from run to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Opts {
    #[command(subcommand)]
    command: AnswersCommand,
}

#[derive(Debug, clap::Subcommand)]
enum AnswersCommand {
    /// List the files of answers: the build of this program that asked, its answers, and the size.
    ///
    /// Example: ptx-conform answers list
    List,
    /// Remove the answers that other builds of this program were given, which this one does not use.
    ///
    /// Example: ptx-conform answers prune --all
    Prune {
        /// Remove all answers.
        #[arg(long)]
        all: bool,
    },
}

impl Opts {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let folder =
            toolchain::answers().context("there is no cache directory; set PTX_CONFORM_ANSWERS to a folder")?;
        match self.command {
            AnswersCommand::List => list(&folder),
            AnswersCommand::Prune { all } => prune(&folder, all),
        }
    }
}

fn list(folder: &Path) -> anyhow::Result<ExitCode> {
    let mut text = format!("{}\n", folder.display());
    for file in answer_files(folder) {
        let whose = if file.build == this_build() { "this build" } else { "another build" };
        let answers = file.count().map_or("cannot be read".to_owned(), |count| counted(count, "answer"));
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}  {whose:<13}  {answers}, {}", file.build, megabytes(file.bytes));
    }
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn prune(folder: &Path, all: bool) -> anyhow::Result<ExitCode> {
    let mut removed = 0;
    for file in answer_files(folder).into_iter().filter(|file| all || file.build != this_build()) {
        file.remove().with_context(|| format!("{} cannot be removed", file.path.display()))?;
        removed += file.bytes;
    }
    output::print(&format!("removed: {}\n", megabytes(removed)))?;
    Ok(ExitCode::SUCCESS)
}

fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(1_000_000))
}
