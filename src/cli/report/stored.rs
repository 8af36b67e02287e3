//! Reading the reports that a command names.

use std::path::{Path, PathBuf};

use anyhow::bail;

use ptx_conform::report::{Report, ReportFolder};

/// Reads a report from its directory or its report.json. A directory whose last run has not finished has none.
pub(super) fn read(path: &Path) -> anyhow::Result<Report> {
    if let Some(why) = ReportFolder::unfinished(path) {
        bail!(why);
    }
    let file: PathBuf = if path.is_dir() { path.join("report.json") } else { path.to_owned() };
    Report::read(&file).map_err(anyhow::Error::msg)
}
