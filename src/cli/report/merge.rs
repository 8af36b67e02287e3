//! `ptx-conform report merge`: one report of several.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};

use ptx_conform::matrix::Matrix;
use ptx_conform::report::{PageSources, Report, ReportFolder, RunVerdict, SupportReport};

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
    pub(super) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        let read = |path: &PathBuf| -> anyhow::Result<(String, Report)> {
            Ok((path.display().to_string(), stored::read(path)?))
        };
        let reports = self.reports.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
        let mut merged = Report::merged(reports).map_err(anyhow::Error::msg)?;
        let spec = super::super::load::load_spec(specs)?;
        if spec.fingerprint != merged.specification {
            bail!(
                "the reports are of the specification {}, and this one is {}; name theirs with --specs",
                merged.specification,
                spec.fingerprint
            );
        }
        let matrices = self.reports.iter().map(|path| stored::read_matrix(path)).collect::<anyhow::Result<Vec<_>>>()?;
        let matrix = Matrix::joined(matrices.into_iter().flatten().collect());
        merged.support = matrix.as_ref().map(SupportReport::new);
        merged.settle();
        let divergences = super::super::load::load_divergences(specs, &spec)?;
        let releases = super::super::load::load_listed_releases(specs, &spec.isa)?;
        let (matrix, releases) = (matrix.as_ref(), releases.as_ref());
        let sources = PageSources { spec: &spec, divergences: &divergences, history: &[], matrix, releases };
        let replaced = ReportFolder::lock(&self.into).and_then(|mut folder| {
            folder.begin()?;
            merged.write(&sources, &mut folder, Vec::new())
        });
        output::print(&merged.text())?;
        replaced.with_context(|| format!("the report cannot be written to {}", self.into.display()))?;
        output::print(&format!("report: {}\n", self.into.join("index.html").display()))?;
        Ok(ExitCode::from(match merged.verdict {
            RunVerdict::Agreed => 0,
            RunVerdict::Disagreed => 1,
            RunVerdict::CouldNotJudge | RunVerdict::Interrupted | RunVerdict::InternalError => 2,
        }))
    }
}
