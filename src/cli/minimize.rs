//! `ptx-conform minimize`: reduces one case to its cause.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};

use ptx_conform::campaign::Progress;
use ptx_conform::case::{Case, Stored};
use ptx_conform::causes;
use ptx_conform::engine::Depth;
use ptx_conform::files;
use ptx_conform::must::Must as _;
use ptx_conform::report::finding_text;
use ptx_conform::spec::UNREAD;

/// Reduce one case to the simplest one that fails the same way, and to the choices that cause it
///
/// The case is a PTX module (a file, or `-` for standard input) with one line of a specified
/// instruction, such as those in reports/NAME/cases/. It is reduced whether or not a divergence
/// lists it.
///
/// Exit codes: 0 every engine agrees with the specification, 1 the case was reduced, 2 it cannot be
/// reduced.
///
/// Example: ptx-conform minimize reports/latest/cases/0123456789abcdef.ptx --engine ptxas@all
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Opts {
    /// File with the case.
    file: PathBuf,
    #[command(flatten)]
    engines: super::engines::EngineOpts,
    /// Take the case through code generation as well.
    #[arg(long)]
    generate_code: bool,
    /// Write the simplest case to this file.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Opts {
    pub(crate) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        let spec = super::load::load_spec(specs)?;
        let stored = read(&self.file, &spec)?;
        let depth = if self.generate_code { Depth::Generate } else { stored.depth };
        let (instruction, reading) = stored.read(&spec)?;
        if reading.broken.len() > 1 || reading.values.contains(&UNREAD) {
            let rules: Vec<&str> = reading.rules(instruction).map(|rule| rule.id.as_str()).collect();
            bail!("only a line with at most one fault can be reduced; this one breaks {}", rules.join(", "));
        }
        let engines = self.engines.open(specs)?;
        let case = Case { instruction, form: reading.form, values: &reading.values };
        let environment = stored.environment;
        if !engines.iter().any(|opened| opened.judges(&environment, depth)) {
            bail!("none of the engines judges lines in {environment}; choose others with --engine");
        }
        let findings = causes::minimize(
            &spec,
            &super::engines::subjects(&engines, &spec.isa),
            &case,
            depth,
            &Progress::default(),
        )?;
        for group in &findings.not_reproduced {
            super::output::say(&format!("not analysed: {group}"));
        }
        for finding in &findings.all {
            super::output::print(&finding_text(finding))?;
        }
        if let (Some(output), Some(finding)) = (&self.output, findings.all.first()) {
            let text = finding.stored().must("a finding about a line has a file");
            files::replace(output, text.as_bytes())
                .with_context(|| format!("{} cannot be written", output.display()))?;
        }
        if findings.all.is_empty() {
            super::output::print(&format!(
                "every engine asked agrees with the specification about `{}`\n",
                case.line()
            ))?;
            let lost = super::engines::losses(&engines);
            lost.iter().for_each(|lost| super::output::say(&format!("could not judge: {lost}")));
            let judged = findings.not_reproduced.is_empty() && lost.is_empty();
            return Ok(if judged { ExitCode::SUCCESS } else { ExitCode::from(2) });
        }
        Ok(ExitCode::from(1))
    }
}

/// Reads a case from a file.
pub(super) fn read(file: &Path, spec: &ptx_conform::spec::Spec) -> anyhow::Result<Stored> {
    let mut text = String::new();
    if file == Path::new("-") {
        std::io::stdin().read_to_string(&mut text).context("standard input cannot be read")?;
    } else {
        text = std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
    }
    Stored::parse(&text, spec).with_context(|| format!("{} is not a case", file.display()))
}
