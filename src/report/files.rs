//! The report and the cases of its findings as files.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::data::{FORMAT, FormatNumber, Report};
use super::defect;
use super::folder::{ReportFile, ReportFolder};
use super::pages::PageSources;
use crate::causes::Finding;
use crate::engine::words::{acts, visible};

impl Report {
    /// Reads `report.json`.
    ///
    /// # Errors
    /// A text that says what is wrong: it cannot be read, is not a report, or one of another format.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text =
            std::fs::read_to_string(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
        let wrong = |error| format!("{} is not a report of ptx-conform: {error}", path.display());
        let format = serde_json::from_str::<FormatNumber>(&text).map_err(wrong)?.format;
        if format != FORMAT {
            return Err(format!(
                "{} has format {format}, and this version of ptx-conform reads format {FORMAT}: repeat the run",
                path.display()
            ));
        }
        let mut report: Self = serde_json::from_str(&text).map_err(wrong)?;
        // Our own reports are safe to show. Read a second time, because errors in the text say where they are.
        if text.contains('\\') || text.chars().any(acts) {
            let mut data = serde_json::from_str(&text).map_err(wrong)?;
            make_visible(&mut data);
            report = serde_json::from_value(data).map_err(wrong)?;
        }
        // They become names of files.
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let names = report.findings.iter().flat_map(|of| [&of.fingerprint, &of.case.id]);
        let names = names.chain(report.divergences.iter().map(|of| &of.id));
        for name in names {
            if name.starts_with('.') || !name.chars().all(plain) {
                return Err(format!("{}: `{}` cannot be the name of a file", path.display(), visible(name)));
            }
        }
        Ok(report)
    }

    /// Replaces the report in a folder by this one: `report.json`, `report.txt`, the pages, the simplest case of each finding,
    /// a text about each listed divergence that an executing engine showed, and further files. Files of an earlier report
    /// go.
    ///
    /// # Errors
    /// If a file cannot be written; then the folder says that it has no report of this run.
    pub fn write(
        &self,
        sources: &PageSources<'_>,
        folder: &mut ReportFolder,
        more: Vec<ReportFile>,
    ) -> std::io::Result<()> {
        let mut files = self.pages(sources).map_err(std::io::Error::other)?;
        if let Some(matrix) = sources.matrix {
            files.push(("matrix.json".to_owned(), serde_json::to_string_pretty(matrix)? + "\n"));
            files.push(("matrix.csv".to_owned(), matrix.csv()));
        }
        self.add_cases(&mut files)?;
        let shown = self.divergences.iter().filter(|divergence| divergence.case.is_some());
        files.extend(shown.map(|of| (format!("defects/{}.md", of.id), defect::text(of))));
        files.extend(more);
        // The one that other programs read comes last.
        files.extend([("report.txt".to_owned(), self.text()), ("report.json".to_owned(), self.json()?)]);
        folder.replace(&files, is_of_a_report)
    }

    /// Adds the simplest case of each finding: modules for `replay` and any assembler, and executed cases for `execute`.
    fn add_cases(&self, files: &mut Vec<ReportFile>) -> std::io::Result<()> {
        for finding in &self.findings {
            let case = &finding.case;
            if let Some(row) = &case.row {
                let text = serde_json::to_string_pretty(&row.execution)?;
                files.push((format!("cases/{}.json", case.id), text + "\n"));
            }
            if let Some(text) = finding.stored() {
                files.push((format!("cases/{}.ptx", case.id), text));
            }
        }
        Ok(())
    }

    /// The YAML that would list the findings, one text for each family of engines.
    pub fn proposed(&self) -> String {
        let families: BTreeSet<&str> = self.findings.iter().map(|finding| finding.listed_family.as_str()).collect();
        let mut text = String::new();
        for family in families {
            let of_family = self.findings.iter().filter(|finding| finding.listed_family == family);
            let (new, stale): (Vec<&Finding>, Vec<&Finding>) = of_family.partition(|f| f.contradicts.is_none());
            stale.iter().for_each(|finding| text.push_str(&finding.yaml));
            let new: String = new.iter().map(|finding| finding.yaml.as_str()).collect();
            text.push_str(&format!("engine: {family}\ndivergences:{}\n", if new.is_empty() { " []" } else { "" }));
            text.push_str(&new);
        }
        if text.is_empty() { "# There are no new findings.\n".to_owned() } else { text }
    }
}

/// Makes everything visible in the texts of a report that would act on whoever reads them.
fn make_visible(data: &mut Value) {
    match data {
        Value::String(text) => {
            if let Cow::Owned(shown) = visible(text) {
                *text = shown;
            }
        }
        Value::Array(all) => all.iter_mut().for_each(make_visible),
        Value::Object(all) => {
            let keys: Vec<String> = all.keys().filter(|key| key.chars().any(acts)).cloned().collect();
            for key in keys {
                let value = all.remove(&key).unwrap_or_default();
                all.insert(visible(&key).into_owned(), value);
            }
            all.values_mut().for_each(make_visible);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// True for the path, in the folder of a report, of a file that only some reports have. What else is there is the user's.
fn is_of_a_report(path: &str) -> bool {
    let Some((folder, name)) = path.split_once('/') else {
        return ["matrix.html", "matrix.json", "matrix.csv", "toolchains.html"].contains(&path);
    };
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    match folder {
        "instructions" | "findings" => extension == "html",
        "defects" => extension == "md",
        "cases" => {
            let id = stem.len() == 16 && stem.bytes().all(|byte| byte.is_ascii_hexdigit());
            id && matches!(extension, "ptx" | "json")
        }
        _ => false,
    }
}
