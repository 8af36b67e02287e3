//! `ptx-conform check`: diagnoses whole PTX files.

mod advice;
mod file_report;
mod files;
mod inline;
mod json;
mod prediction;
pub(super) mod summary;
mod text;
mod wrong_lines;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use ptx_conform::check::{Checker, Counts};
use ptx_conform::divergences::{Divergences, Leniency};
use ptx_conform::inline::InlineChecker;
use ptx_conform::ptx::Module;
use ptx_conform::spec::Spec;
use ptx_conform::wrong_code::WrongCodeSearch;

use super::environment::EnvironmentOpts;
use super::load::{UnknownOpts, load_divergences, load_isa, load_listed_releases};
use super::output;
use super::sarif;
use file_report::{FileReport, Reporter, Status};
use files::LoadedText;
use inline::InlineCounts;
use prediction::Prediction;
pub(super) use text::diagnostic;

/// Diagnose PTX files: every instruction, with the broken rules, where the manual states them, and what would be valid
///
/// Each instruction is judged for the `.version`, `.target` and `.address_size` of its file. What the manual forbids, but
/// every known ptxas accepts, is a warning. Instructions that PTX does not have, names that are not declared, names that
/// are declared twice and statements that cannot be read are errors, and reading goes on after them. Declarations and
/// directives are judged like instructions.
///
/// Exit codes: 0 everything that is known is valid, 1 something is not, 2 something could not be judged: a file or a
/// part of it cannot be read, or its version or target is not known. Unknown instructions alone are 0, where they are
/// allowed.
///
/// With --inline, the files are sources, and their inline assembly is diagnosed. What could not be judged are then also the
/// statements that were skipped; the summary says how many and why.
///
/// Example: ptx-conform check kernel.ptx 'build/*.ptx' --fix-header
///
/// Example: ptx-conform check --inline src/ kernel.cu --target sm_90a
#[derive(Debug, clap::Args)]
pub(crate) struct Opts {
    /// Files, patterns such as 'build/**/*.ptx', directories (their *.ptx files), and `-` for stdin.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Check the inline assembly of sources: CUDA, C and C++ (also stdin), Rust, Python (Triton, CUTLASS), Julia, LLVM IR and MLIR.
    /// Of a directory, all such files in it and below it. Without --target, a statement that is not valid for the newest plain
    /// target is judged for the target on which it breaks the fewest rules.
    #[arg(long)]
    inline: bool,
    #[command(flatten)]
    environment: EnvironmentOpts,
    /// Output format: `text`; `json`: JSON Lines, an object for each diagnostic, then one for each file and one for all;
    /// `sarif`: SARIF 2.1.0.
    #[arg(long, value_enum, default_value = "text")]
    format: DiagnosticFormat,
    /// Print at most this many diagnostics of each file, and count the others.
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
    /// Print no diagnostics, only the summary.
    #[arg(long, short)]
    quiet: bool,
    /// Also say what the smallest `.target`, and for it the smallest `.version`, is under which all known instructions and directives of
    /// the file are valid, and which of them demand it. The file is not changed.
    #[arg(long, conflicts_with = "inline")]
    fix_header: bool,
    /// Also predict where this engine differs from the manual, by its known divergences: `ptxas@12.9`. If that ptxas is
    /// installed, lines like those that it is known to compile wrong are also compiled by it, and executed; if they are wrong,
    /// they are warned about (without --inline).
    #[arg(long, value_name = "ENGINE")]
    engine: Option<String>,
    /// Treat instructions that the manual forbids, but that every known ptxas accepts, as invalid. By default they are
    /// warned about.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    unknown: UnknownOpts,
    /// Exit with 1 if there are unknown instructions: those that a specification lacks that is not complete (--specs).
    #[arg(long, conflicts_with = "allow_unknown")]
    deny_unknown: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum DiagnosticFormat {
    Text,
    Json,
    Sarif,
}

/// How many files are read and checked before what was found is printed.
const BATCH: usize = 64;

impl Opts {
    pub(crate) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        if self.environment.given() && !self.inline {
            bail!("a PTX file says itself what it is made for: --ptx, --target and --address-size are for --inline");
        }
        let (files, missing) = files::find(&self.files, self.inline);
        let texts = files::load_all(files.chunks(BATCH).next().unwrap_or_default());
        let isa = if self.inline { None } else { Some(load_isa(specs)?) };
        // Loading the specification keeps no second core busy, and reading a file needs only what all instructions share.
        let (loaded, modules) =
            rayon::join(|| self.load(specs), || isa.map_or_else(Vec::new, |isa| files::modules(&texts, &isa)));
        let (spec, divergences) = loaded?;
        let prediction = match &self.engine {
            None => None,
            Some(name) => Some(Prediction::new(name, divergences.clone(), load_listed_releases(specs, &spec.isa)?)?),
        };
        let remark = prediction.as_ref().map(Prediction::remark);
        let search = prediction
            .as_ref()
            .filter(|_| !self.inline)
            .and_then(|prediction| Some(WrongCodeSearch::new(&spec, &divergences, prediction.assembler()?)));
        let leniency = Leniency::new(divergences.clone());
        let tolerated = (!self.strict).then(|| leniency.remark());
        let checker = Checker {
            spec: &spec,
            limit: if self.quiet { 0 } else { self.limit },
            remark: remark.as_deref(),
            tolerated: tolerated.as_deref(),
            sample: self.fix_header,
        };
        let inline = self.inline_checker(checker)?;
        let reporter = Reporter {
            checker,
            inline: inline.as_ref(),
            prediction: prediction.as_ref(),
            search: search.as_ref(),
            format: self.format,
            styled: output::color(&std::io::stdout()),
            alone: files.len() + missing.len() == 1,
            quiet: self.quiet,
        };
        self.report(&reporter, &files, missing, (&texts, modules))
    }

    /// Checks the files, of which the texts and modules of the first batch are read already, and prints what is found.
    fn report(
        &self,
        reporter: &Reporter<'_>,
        files: &[PathBuf],
        missing: Vec<(String, String)>,
        (texts, modules): (&[LoadedText], Vec<Option<Module<'_>>>),
    ) -> anyhow::Result<ExitCode> {
        let mut total = Total::default();
        let mut document = sarif::Document::default();
        for (name, why) in missing {
            self.add(reporter.unreadable(&name, &why), &mut total, &mut document)?;
        }
        let (first, others) = files.split_at(texts.len());
        for report in reporter.files(first, texts, &modules) {
            self.add(report, &mut total, &mut document)?;
        }
        drop(modules);
        for batch in others.chunks(BATCH) {
            for report in reporter.files(batch, &files::load_all(batch), &[]) {
                self.add(report, &mut total, &mut document)?;
            }
        }
        self.print_total(reporter.alone, &total, &document)?;
        let denied = self.deny_unknown && total.counts.unknown() > 0;
        let status = if denied { total.status.max(Status::Invalid) } else { total.status };
        Ok(ExitCode::from(status.code()))
    }

    /// The specification and its known divergences.
    fn load(&self, specs: Option<&Path>) -> anyhow::Result<(Spec, Divergences)> {
        let spec = self.unknown.load_spec(specs)?;
        let divergences = load_divergences(specs, &spec)?;
        Ok((spec, divergences))
    }

    /// The checker of inline assembly, if the files are sources.
    fn inline_checker<'s>(&self, checker: Checker<'s>) -> anyhow::Result<Option<InlineChecker<'s>>> {
        if !self.inline {
            return Ok(None);
        }
        let environment = self.environment.resolve(&checker.spec.isa)?;
        Ok(Some(InlineChecker { checker, environment, fixed: self.environment.names_target() }))
    }

    fn print_total(&self, alone: bool, total: &Total, document: &sarif::Document) -> anyhow::Result<()> {
        match self.format {
            DiagnosticFormat::Text if !alone => output::print(&total.words())?,
            DiagnosticFormat::Text => {}
            DiagnosticFormat::Json => output::print_json(&total.json())?,
            DiagnosticFormat::Sarif => output::print_json(&document.print(total.status < Status::Incomplete)?)?,
        }
        Ok(())
    }

    fn add(&self, report: FileReport, total: &mut Total, document: &mut sarif::Document) -> anyhow::Result<()> {
        match self.format {
            DiagnosticFormat::Text => output::print_painted(&report.output)?,
            DiagnosticFormat::Json | DiagnosticFormat::Sarif => output::print_json(&report.output)?,
        }
        if let (Some((name, why)), true) = (&report.notification, self.format == DiagnosticFormat::Text) {
            output::say(&format!("error: {}: {}", output::printable(name), output::printable(why)));
        }
        total.files += 1;
        total.unreadable += usize::from(report.notification.is_some());
        total.counts.add(&report.counts);
        if let Some(inline) = &report.inline {
            total.inline.get_or_insert_default().add(inline);
        }
        total.status = total.status.max(report.status);
        document.add(report.results, report.notification);
        report.notes.iter().for_each(|(file, note)| document.note(file, note));
        Ok(())
    }
}

/// The findings in all files.
#[derive(Default)]
struct Total {
    files: usize,
    unreadable: usize,
    counts: Counts,
    /// The statements of inline assembly, if it is checked.
    inline: Option<InlineCounts>,
    status: Status,
}

impl Total {
    fn words(&self) -> String {
        let inline = self.inline.as_ref().map_or(String::new(), InlineCounts::total);
        format!("{inline}{}", summary::total(self.files, self.unreadable, &self.counts))
    }

    fn json(&self) -> String {
        json::total(self.files, self.unreadable, &self.counts, self.inline.as_ref())
    }
}
