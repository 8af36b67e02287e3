//! `ptx-conform report export`: a report in the formats of other programs.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;

use ptx_conform::engine::words::{cut, visible};
use ptx_conform::files;

use super::super::output;
use super::super::sarif::{Document, RuleResult};
use super::stored;

/// Write a report as JUnit XML, Markdown or SARIF
///
/// Example: ptx-conform report export reports/latest --format markdown >> "$GITHUB_STEP_SUMMARY"
#[derive(Debug, clap::Args)]
pub(crate) struct Opts {
    /// The report.
    report: PathBuf,
    /// `junit`: JUnit XML, for the test pages of CI; `markdown`: a summary of at most 60 kB; `sarif`: the findings as
    /// SARIF 2.1.0.
    #[arg(long, value_enum)]
    format: ExportFormat,
    /// Write to this file and not to stdout.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The bytes of a text that are kept.
const TEXT: usize = 4_000;

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum ExportFormat {
    Junit,
    Markdown,
    Sarif,
}

impl Opts {
    /// The exit code says whether it was written, not what the report says.
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let report = stored::read(&self.report)?;
        let text = match self.format {
            ExportFormat::Junit => report.junit()?,
            ExportFormat::Markdown => report.markdown(),
            ExportFormat::Sarif => {
                let mut document = Document::default();
                document.add(report.findings.iter().map(RuleResult::of_finding).collect(), None);
                document.add(report.chain_findings().iter().map(RuleResult::of_chain).collect(), None);
                for (what, lines) in [("could not judge", &report.lost), ("internal error", &report.internal_errors)] {
                    let notify = |line: &String| (what.to_owned(), visible(&cut(line, TEXT)).into_owned());
                    lines.iter().for_each(|line| document.add(Vec::new(), Some(notify(line))));
                }
                document.print(report.is_complete())?
            }
        };
        match &self.output {
            None => output::print(&text)?,
            Some(path) => {
                files::replace(path, text.as_bytes())
                    .with_context(|| format!("{} cannot be written", path.display()))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
