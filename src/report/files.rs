//! The report and the cases of its findings as files.

use std::collections::BTreeSet;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::data::{FORMAT, FormatNumber, Report};
use super::defect;
use super::pages::PageSources;
use crate::causes::Finding;
use crate::engine::words::visible;

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
        let report: Self = serde_json::from_str(&text).map_err(wrong)?;
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

    /// Writes `report.json`, `report.txt` and the pages into a directory, and removes pages of an earlier report. Each
    /// file is replaced as a whole, so that an interrupt leaves no partial file.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, sources: &PageSources<'_>, directory: &Path) -> std::io::Result<()> {
        let mut files = self.pages(sources).map_err(std::io::Error::other)?;
        if let Some(matrix) = sources.matrix {
            files.push(("matrix.json".to_owned(), serde_json::to_string_pretty(matrix)? + "\n"));
            files.push(("matrix.csv".to_owned(), matrix.csv()));
        }
        files.extend([("report.json".to_owned(), self.json()?), ("report.txt".to_owned(), self.text())]);
        for folder in ["instructions", "findings"] {
            let kept = |path: &Path| files.iter().any(|(name, _)| directory.join(name) == path);
            remove_files(&directory.join(folder), |path| {
                path.extension().is_some_and(|extension| extension == "html") && !kept(path)
            })?;
        }
        for (name, text) in &files {
            let path = directory.join(name);
            let folder = path.parent().unwrap_or(directory);
            std::fs::create_dir_all(folder)?;
            let mut file = tempfile::Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(folder)?;
            std::io::Write::write_all(&mut file, text.as_bytes())?;
            file.persist(path)?;
        }
        Ok(())
    }

    /// Writes the simplest case of each finding into a new directory: modules for `replay` and any
    /// assembler, and executed cases for `execute`.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write_cases(&self, directory: &Path) -> std::io::Result<()> {
        remove_cases(directory)?;
        if self.findings.is_empty() {
            return Ok(());
        }
        std::fs::create_dir_all(directory)?;
        for finding in &self.findings {
            let case = &finding.case;
            if let Some(row) = &case.row {
                let text = serde_json::to_string_pretty(&row.execution)?;
                std::fs::write(directory.join(format!("{}.json", case.id)), text + "\n")?;
            }
            if let Some(text) = finding.stored() {
                std::fs::write(directory.join(format!("{}.ptx", case.id)), text)?;
            }
        }
        Ok(())
    }

    /// Writes a text about each listed divergence that an executing engine showed, with its simplest case, into a new
    /// directory: `ID.md`, as one would send it to whoever maintains the engine.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write_defects(&self, directory: &Path) -> std::io::Result<()> {
        let of_ours = |path: &Path| path.extension().is_some_and(|extension| extension == "md");
        remove_files(directory, of_ours)?;
        let shown = self.divergences.iter().filter(|divergence| !divergence.cases.is_empty());
        for divergence in shown {
            std::fs::create_dir_all(directory)?;
            std::fs::write(directory.join(format!("{}.md", divergence.id)), defect::text(divergence))?;
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

/// Removes the cases of an earlier report, and no other files.
fn remove_cases(directory: &Path) -> std::io::Result<()> {
    remove_files(directory, |path| {
        let (Some(stem), Some(extension)) = (path.file_stem(), path.extension()) else { return false };
        let id = stem.to_str().is_some_and(|id| id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit()));
        id && (extension == "ptx" || extension == "json")
    })
}

/// Removes the files of an earlier report from a directory, and the directory if nothing else is in it.
fn remove_files(directory: &Path, ours: impl Fn(&Path) -> bool) -> std::io::Result<()> {
    if !directory.is_dir() {
        return Ok(());
    }
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if ours(&path) {
            std::fs::remove_file(&path)?;
        }
    }
    // The directory stays if it contains anything else.
    let _ = std::fs::remove_dir(directory);
    Ok(())
}
