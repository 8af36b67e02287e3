//! Reading the reports that a command names.

use std::path::{Path, PathBuf};

use ptx_conform::report::Report;

/// Reads a report from its directory or its report.json.
pub(super) fn read(path: &Path) -> anyhow::Result<Report> {
    let file: PathBuf = if path.is_dir() { path.join("report.json") } else { path.to_owned() };
    Report::read(&file).map_err(anyhow::Error::msg)
}
