//! The output about one file.

use std::fmt::Write as _;
use std::path::PathBuf;

use ptx_conform::check::{CheckedFile, Checker, Counts, Details, Diagnostic};
use ptx_conform::inline::{CheckedSource, InlineChecker};
use ptx_conform::ptx::Module;
use ptx_conform::wrong_code::{SearchedFile, WrongCodeSearch};
use rayon::prelude::*;

use super::super::place::Lines;
use super::super::sarif;
use super::files::LoadedText;
use super::inline::{self, InlineCounts};
use super::prediction::Prediction;
use super::{DiagnosticFormat, advice, files, json, summary, text, wrong_lines};
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
    /// The statements of inline assembly, if it is checked.
    pub(super) inline: Option<InlineCounts>,
    pub(super) status: Status,
    pub(super) results: Vec<sarif::RuleResult>,
    /// The file and what is to be known of it that is no diagnostic, for a document of results.
    pub(super) notes: Vec<(String, String)>,
    /// The file and the reason why it could not be read.
    pub(super) notification: Option<(String, String)>,
}

/// Checks files, and puts what was found into words.
pub(super) struct Reporter<'r> {
    pub(super) checker: Checker<'r>,
    /// The checker of inline assembly, if the files are sources.
    pub(super) inline: Option<&'r InlineChecker<'r>>,
    pub(super) prediction: Option<&'r Prediction>,
    /// The search for lines that the engine compiles wrong.
    pub(super) search: Option<&'r WrongCodeSearch<'r>>,
    pub(super) format: DiagnosticFormat,
    /// True to print in colours.
    pub(super) styled: bool,
    /// True if there is only one file.
    pub(super) alone: bool,
    pub(super) quiet: bool,
}

impl Reporter<'_> {
    /// The reports on some files, in order: their texts, and the modules of those that are read already.
    pub(super) fn files(
        &self,
        paths: &[PathBuf],
        loaded: &[LoadedText],
        modules: &[Option<Module<'_>>],
    ) -> Vec<FileReport> {
        let texts: Vec<&str> = loaded.iter().map(|text| text.as_ref().map_or("", String::as_str)).collect();
        let searched = match self.search {
            Some(search) => search.of(&texts),
            None => vec![SearchedFile::default(); paths.len()],
        };
        let report = |at: usize| {
            let (path, name) = (&paths[at], files::name(&paths[at]));
            match &loaded[at] {
                Ok(text) => match (self.inline, files::language(path)) {
                    (None, _) => {
                        let checked = match modules.get(at).and_then(Option::as_ref) {
                            Some(module) => self.checker.check_module(module),
                            None => self.checker.check(text),
                        };
                        self.text(&name, text, checked, &searched[at])
                    }
                    (Some(inline), Some(language)) => self.source(&name, text, &inline.check(text, language)),
                    (Some(_), None) => self.unreadable(&name, &files::no_source()),
                },
                Err(why) => self.unreadable(&name, why),
            }
        };
        (0..paths.len()).into_par_iter().map(report).collect()
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

    /// The report on a PTX file.
    fn text<'a>(&self, name: &str, text: &'a str, mut checked: CheckedFile<'a>, searched: &SearchedFile) -> FileReport {
        let spec = self.checker.spec;
        let lines = Lines::new(text);
        let wrong = searched.found.iter().filter_map(|of| wrong_lines::warning(text, &lines, of));
        checked.warn(wrong.collect(), self.checker.limit);
        let advice = match self.checker.sample {
            true => advice::advice(spec, name, &lines, &checked),
            false => Vec::new(),
        };
        let predicted = self.prediction.map(|prediction| prediction.of_header(&checked.header)).unwrap_or_default();
        let engine = self.prediction.map_or("", Prediction::engine);
        let notes = wrong_lines::untried(searched).into_iter().map(|note| (name.to_owned(), note)).collect();
        let said = predicted.into_iter().chain(wrong_lines::said(engine, searched)).chain(advice);
        let said: Vec<String> = said.collect();
        let (mut output, mut results) = (String::new(), Vec::new());
        for diagnostic in &checked.diagnostics {
            let details = diagnostic.details(spec);
            output += &self.shown(name, text, &lines, diagnostic, &details, &mut results);
        }
        match self.format {
            DiagnosticFormat::Text => self.end(name, &checked, &said, &mut output),
            DiagnosticFormat::Json => output += &json::of_file(name, &checked, &said),
            DiagnosticFormat::Sarif => {}
        }
        let status = Status::of(&checked);
        FileReport { output, status, counts: checked.counts, inline: None, results, notes, notification: None }
    }

    /// The report on a source with inline assembly.
    fn source(&self, name: &str, text: &str, checked: &CheckedSource) -> FileReport {
        let lines = Lines::new(text);
        let (mut output, mut results) = (String::new(), Vec::new());
        for (diagnostic, details) in &checked.diagnostics {
            output += &self.shown(name, text, &lines, diagnostic, details, &mut results);
        }
        let inline = InlineCounts::of(checked, &lines);
        let predicted =
            self.prediction.map(|prediction| inline::predicted(prediction.engine(), checked.counts.remarked));
        match self.format {
            // Of many sources, most have no inline assembly.
            DiagnosticFormat::Text if !self.alone && inline.none() => {}
            DiagnosticFormat::Text => {
                self.unkept(checked.unkept(), &mut output);
                output += &inline.of_file(name);
                output += &summary::of_file(&checked.counts);
                predicted.iter().for_each(|line| output.push_str(&format!("{}\n", printable(line))));
            }
            DiagnosticFormat::Json => output += &json::of_source(name, checked, &inline, predicted.as_slice()),
            DiagnosticFormat::Sarif => {}
        }
        let notes = inline.notes().into_iter().map(|note| (name.to_owned(), note)).collect();
        let status = match checked.counts.errors > 0 {
            _ if checked.incomplete => Status::Incomplete,
            true => Status::Invalid,
            false => Status::Valid,
        };
        let (counts, inline) = (checked.counts.clone(), Some(inline));
        FileReport { output, status, counts, inline, results, notes, notification: None }
    }

    /// A diagnostic as text; one for a document of results is added to these.
    fn shown(
        &self,
        name: &str,
        text: &str,
        lines: &Lines<'_>,
        diagnostic: &Diagnostic<'_>,
        details: &Details,
        results: &mut Vec<sarif::RuleResult>,
    ) -> String {
        match self.format {
            DiagnosticFormat::Text => text::diagnostic(name, text, lines, diagnostic, details, self.styled),
            DiagnosticFormat::Json => json::diagnostic(name, text, lines, diagnostic, details),
            DiagnosticFormat::Sarif => {
                results.push(sarif::RuleResult::new(name, lines, diagnostic, details));
                String::new()
            }
        }
    }

    fn unkept(&self, unkept: u64, to: &mut String) {
        if !self.quiet && unkept > 0 {
            // Writing to a String cannot fail.
            let _ = writeln!(to, "errors and warnings not shown: {unkept}; see --limit\n");
        }
    }

    /// The lines after the diagnostics of a file.
    fn end(&self, name: &str, checked: &CheckedFile<'_>, said: &[String], to: &mut String) {
        self.unkept(checked.unkept(), to);
        // Writing to a String cannot fail.
        if !self.alone {
            let _ = write!(to, "{}: ", printable(name));
        }
        to.push_str(&summary::of_file(&checked.counts));
        if let Some(prediction) = self.prediction {
            let remarked = checked.counts.remarked;
            let engine = prediction.engine();
            let _ = writeln!(to, "prediction: {engine} differs from the manual on {remarked} of them");
        }
        said.iter().for_each(|line| to.push_str(&format!("{}\n", printable(line))));
    }
}
