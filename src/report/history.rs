//! The history of runs: `history.jsonl`, one line for each run, beside the reports.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::data::{FormatNumber, KnownFinding, Report, RunVerdict};
use super::engines::EngineReport;
use crate::campaign::Agreement;

/// The version of the format of a line. It grows when a field changes its meaning or goes away.
pub const HISTORY_FORMAT: u32 = 1;

/// The summary of a run that the history keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryLine {
    /// The version of this format: [`HISTORY_FORMAT`].
    pub format: u32,
    /// The name of the report.
    pub name: String,
    /// The day of the run, if it was given.
    pub date: Option<String>,
    /// Version of the tool.
    pub tool: String,
    /// A hash of the specification's files.
    pub specification: String,
    /// The opcodes; all if empty.
    pub instructions: Vec<String>,
    /// The only environment that was tested in.
    pub environment: Option<String>,
    /// The seed of random draws.
    pub seed: u64,
    /// The other options, in words.
    pub options: String,
    /// The result as a whole.
    pub verdict: RunVerdict,
    /// True if nothing was lost and the causes of all mismatches were searched for: only then is a finding that is
    /// absent gone.
    pub complete: bool,
    /// Each engine in numbers.
    pub engines: Vec<HistoryEngine>,
    /// The findings.
    pub findings: Vec<KnownFinding>,
    /// Rules of forms of which some engine was asked about a line that breaks only them.
    pub rules_tested: usize,
    /// The other rules of forms.
    pub rules_untested: usize,
    /// The number of entries of `lost` in the report.
    pub lost: usize,
    /// Answers to examples of the manual that were not expected.
    pub unexpected_examples: usize,
}

/// An engine of a run in numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryEngine {
    /// Its name.
    pub name: String,
    /// True if the engine was asked to judge lines.
    pub judges: bool,
    /// True if the engine was asked to execute.
    pub executes: bool,
    /// Lines judged.
    pub lines: u64,
    /// Rows tried.
    pub rows: u64,
    /// Lines with words in slots.
    pub words: u64,
    /// Mismatches that a divergence lists.
    pub listed: u64,
    /// Mismatches that no divergence lists.
    pub unlisted: u64,
    /// Rows that failed, and that no divergence lists.
    pub failed_rows: u64,
    /// Lines and rows that were skipped.
    pub skipped: u64,
}

impl HistoryLine {
    /// The line of a report with this name.
    pub fn new(report: &Report, name: &str) -> Self {
        let tested = report.rules.iter().filter(|rule| rule.tested.values().any(|[cases, _]| *cases > 0)).count();
        let answers = report.examples.iter().flat_map(|example| example.engines.values());
        let known = report
            .findings
            .iter()
            .map(|finding| KnownFinding { fingerprint: finding.fingerprint.clone(), title: finding.title.clone() });
        Self {
            format: HISTORY_FORMAT,
            name: name.to_owned(),
            date: report.date.clone(),
            tool: report.tool.clone(),
            specification: report.specification.clone(),
            instructions: report.options.instructions.clone(),
            environment: report.options.environment.clone(),
            seed: report.options.seed,
            options: report.options.words(),
            verdict: report.verdict,
            complete: report.is_complete(),
            engines: report.engines.iter().map(HistoryEngine::new).collect(),
            findings: known.collect(),
            rules_tested: tested,
            rules_untested: report.rules.len() - tested,
            lost: report.lost.len(),
            unexpected_examples: answers.filter(|answer| answer.agreement == Agreement::Unexpected).count(),
        }
    }

    /// The lines of a history, oldest first, and what is wrong with the others. There are none if there is no file yet.
    pub fn read(path: &Path) -> (Vec<(usize, Self)>, Vec<String>) {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return (Vec::new(), Vec::new()),
            Err(error) => return (Vec::new(), vec![format!("{} cannot be read: {error}", path.display())]),
        };
        let (mut lines, mut problems) = (Vec::new(), Vec::new());
        for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty()) {
            match Self::parse(line) {
                Ok(line) => lines.push((at + 1, line)),
                Err(why) => problems.push(format!("{}: line {} is skipped: {why}", path.display(), at + 1)),
            }
        }
        (lines, problems)
    }

    fn parse(line: &[u8]) -> Result<Self, String> {
        let wrong = |error: serde_json::Error| format!("it is not a run: {error}");
        let format = serde_json::from_slice::<FormatNumber>(line).map_err(wrong)?.format;
        if format != HISTORY_FORMAT {
            return Err(format!("it has format {format}, and this version of ptx-conform reads {HISTORY_FORMAT}"));
        }
        serde_json::from_slice(line).map_err(wrong)
    }

    /// Appends the line, in one piece, while no other run appends. If the last line was left unfinished, it stays a line of
    /// its own.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn append(&self, path: &Path) -> io::Result<()> {
        let mut file = open(path)?;
        file.lock()?;
        let mut text = serde_json::to_string(self)? + "\n";
        let earlier = file.seek(SeekFrom::End(0))?;
        if earlier > 0 {
            file.seek(SeekFrom::End(-1))?;
            let mut last = [0];
            file.read_exact(&mut last)?;
            if last != *b"\n" {
                text.insert(0, '\n');
            }
        }
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_data());
        if written.is_err() {
            // Half a line helps nobody; if it cannot be removed, readers skip it.
            let _ = file.set_len(earlier);
        }
        file.unlock()?;
        written
    }

    /// True if another run asked the same questions: it has the same name, instructions and environment, and
    /// engines of the same families that do the same. Versions, seeds and the number of cases may differ.
    pub fn is_like(&self, other: &Self) -> bool {
        self.scope() == other.scope() && self.families() == other.families()
    }

    fn scope(&self) -> (&str, &[String], Option<&str>) {
        (&self.name, &self.instructions, self.environment.as_deref())
    }

    /// The releases of its engines: `ptxas@13.5` for `ptxas@13.5.37`.
    pub(super) fn releases(&self) -> std::collections::BTreeSet<&str> {
        let release = |name: &'_ str| name.match_indices('.').nth(1).map_or(name.len(), |(at, _)| at);
        self.engines.iter().map(|engine| &engine.name[..release(&engine.name)]).collect()
    }

    /// The families of its engines, and what each does.
    fn families(&self) -> std::collections::BTreeSet<(&str, bool, bool)> {
        let family = |engine: &HistoryEngine| (engine.judges, engine.executes);
        let named = self.engines.iter().map(|engine| (family_of(&engine.name), family(engine)));
        named.map(|(name, (judges, executes))| (name, judges, executes)).collect()
    }
}

/// Opens a history to append to it; makes it if it is not there.
///
/// # Errors
/// If it cannot be written.
pub fn open(path: &Path) -> io::Result<File> {
    File::options().read(true).append(true).create(true).open(path)
}

/// The family in an engine's name: `ptxas` of `ptxas@13.5.37`.
fn family_of(engine: &str) -> &str {
    engine.split_once('@').map_or(engine, |(family, _)| family)
}

impl HistoryEngine {
    fn new(engine: &EngineReport) -> Self {
        let [rows, _, failed_rows] = engine.row_counts();
        Self {
            name: engine.name.clone(),
            judges: engine.judges,
            executes: engine.environment.is_some(),
            lines: engine.cases,
            rows,
            words: engine.words.as_ref().map_or(0, |words| words.lines),
            listed: engine.listed,
            unlisted: engine.unlisted,
            failed_rows,
            skipped: engine.skipped.values().chain(engine.skipped_rows.values()).sum(),
        }
    }
}
