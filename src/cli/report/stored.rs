//! Reading the reports that a command names.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use ptx_conform::matrix::Matrix;
use ptx_conform::report::{Report, ReportFolder};

/// Reads a report from its directory or its report.json. A directory whose last run has not finished has none.
pub(super) fn read(path: &Path) -> anyhow::Result<Report> {
    if let Some(why) = ReportFolder::unfinished(path) {
        bail!(why);
    }
    let file: PathBuf = if path.is_dir() { path.join("report.json") } else { path.to_owned() };
    Report::read(&file).map_err(anyhow::Error::msg)
}

/// Reads the support matrix beside a report; none if it has none.
pub(super) fn read_matrix(path: &Path) -> anyhow::Result<Option<Matrix>> {
    let directory = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    let file = directory.join("matrix.json");
    if !file.exists() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(&file).with_context(|| format!("{} cannot be read", file.display()))?;
    let matrix = serde_json::from_str(&text).with_context(|| format!("{} is not a support matrix", file.display()))?;
    Ok(Some(matrix))
}
