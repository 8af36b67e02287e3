//! The output about one file.

use std::fmt::Write as _;
use std::path::Path;

use ptx_conform::check::{CheckedFile, Checker, Counts};

use super::super::place::Lines;
use super::super::sarif;
use super::prediction::Prediction;
use super::{DiagnosticFormat, advice, files, json, summary, text};
use crate::cli::output::printable;

/// How a check ended; the worst counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    /// Everything that is known is valid.
    #[default]
    Valid,
    /// Something is not.
    Invalid,
    /// Something could not be judged.
    Incomplete,
}

impl Status {
    /// The exit code.
    pub(super) fn code(self) -> u8 {
        match self {
            Self::Valid => 0,
            Self::Invalid => 1,
            Self::Incomplete => 2,
        }
    }

    fn of(checked: &CheckedFile<'_>) -> Self {
        match checked.counts.errors > 0 {
            _ if checked.incomplete => Self::Incomplete,
            true => Self::Invalid,
            false if checked.counts.unjudged > 0 => Self::Incomplete,
            false => Self::Valid,
        }
    }
}

/// The report on one file: its text, and what was found.
#[derive(Default)]
pub(super) struct FileReport {
    pub(super) output: String,
    pub(super) counts: Counts,
    pub(super) status: Status,
    pub(super) results: Vec<sarif::RuleResult>,
    /// The file and the reason why it could not be read.
    pub(super) notification: Option<(String, String)>,
}

/// Checks files, and puts what was found into words.
pub(super) struct Reporter<'r> {
    pub(super) checker: Checker<'r>,
    pub(super) prediction: Option<&'r Prediction>,
    pub(super) format: DiagnosticFormat,
    /// True to print in colours.
    pub(super) styled: bool,
    /// True if there is only one file.
    pub(super) alone: bool,
    pub(super) quiet: bool,
}

impl Reporter<'_> {
    /// The report on a file.
    pub(super) fn file(&self, path: &Path) -> FileReport {
        let name = files::name(path);
        let bytes = match files::read(path) {
            Ok(bytes) => bytes,
            Err(why) => return self.unreadable(&name, &why.to_string()),
        };
        match files::text(&bytes) {
            Ok(text) => self.text(&name, &text),
            Err(why) => self.unreadable(&name, &why),
        }
    }

    /// The report on a file that cannot be read.
    pub(super) fn unreadable(&self, name: &str, why: &str) -> FileReport {
        let mut report = FileReport { status: Status::Incomplete, ..FileReport::default() };
        report.output = match self.format {
            DiagnosticFormat::Json => json::unreadable(name, why),
            DiagnosticFormat::Text | DiagnosticFormat::Sarif => String::new(),
        };
        report.notification = Some((name.to_owned(), why.to_owned()));
        report
    }

    fn text(&self, name: &str, text: &str) -> FileReport {
        let checked = self.checker.check(text);
        let spec = self.checker.spec;
        let lines = Lines::new(text);
        let advice = match self.checker.sample {
            true => advice::advice(spec, name, &lines, &checked),
            false => Vec::new(),
        };
        let predicted = self.prediction.and_then(|prediction| prediction.of_version(checked.header.ptx));
        let (mut output, mut results) = (String::new(), Vec::new());
        for diagnostic in &checked.diagnostics {
            let details = diagnostic.details(spec);
            match self.format {
                DiagnosticFormat::Text => {
                    output += &text::diagnostic(name, text, &lines, diagnostic, &details, self.styled)
                }
                DiagnosticFormat::Json => output += &json::diagnostic(name, text, &lines, diagnostic, &details),
                DiagnosticFormat::Sarif => results.push(sarif::RuleResult::new(name, &lines, diagnostic, &details)),
            }
        }
        match self.format {
            DiagnosticFormat::Text => self.end(name, &checked, predicted.into_iter().chain(advice), &mut output),
            DiagnosticFormat::Json => {
                let said: Vec<String> = predicted.into_iter().chain(advice).collect();
                output += &json::of_file(name, &checked, &said);
            }
            DiagnosticFormat::Sarif => {}
        }
        FileReport { output, status: Status::of(&checked), counts: checked.counts, results, notification: None }
    }

    /// The lines after the diagnostics of a file.
    fn end(&self, name: &str, checked: &CheckedFile<'_>, said: impl Iterator<Item = String>, to: &mut String) {
        // Writing to a String cannot fail.
        if !self.quiet && checked.unkept() > 0 {
            let _ = writeln!(to, "errors and warnings not shown: {}; see --limit\n", checked.unkept());
        }
        if !self.alone {
            let _ = write!(to, "{}: ", printable(name));
        }
        to.push_str(&summary::of_file(&checked.counts));
        if let Some(prediction) = self.prediction {
            let remarked = checked.counts.remarked;
            let engine = prediction.engine();
            let _ = writeln!(to, "prediction: {engine} differs from the manual on {remarked} of them");
        }
        said.for_each(|line| to.push_str(&format!("{}\n", printable(&line))));
    }
}
