//! `ptx-conform defects`: what a ptxas is known to compile to wrong code, or to die of.

use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::output::{print, print_json, say};
use ptx_conform::defects::{AssemblerVersion, Defect, DefectQuery, DefectTable, DefectVersions};
use ptx_conform::divergences::DefectKind;
use ptx_conform::engine::ptxas::Ptxas;
use ptx_conform::environment::Target;
use ptx_conform::plural::counted;

/// List what a ptxas is known to compile to wrong code, or to die of
///
/// For build systems: docs/defects-in-builds.md. Without --ptxas and --version, the defects of all versions are listed.
///
/// Exit codes: 0 nothing is known, or all versions were listed; 1 the version has a listed defect; 2 no answer.
///
/// Example: ptx-conform defects --version 13.2.78 --target sm_90 --kind wrong-code
#[derive(Debug, clap::Args)]
pub(crate) struct Opts {
    /// The ptxas to ask for its version.
    #[arg(long, value_name = "PATH", conflicts_with = "version")]
    ptxas: Option<PathBuf>,
    /// The version of ptxas: `13.2.78`, or `13.2` for any 13.2.*.
    #[arg(long, value_name = "VERSION")]
    version: Option<AssemblerVersion>,
    /// Only what concerns code for this target. `sm_90a` counts as `sm_90`.
    #[arg(long, value_name = "TARGET")]
    target: Option<Target>,
    /// Only what concerns this level of optimization; that of ptxas is 3 by default.
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(0..=3))]
    level: Option<u8>,
    /// Only one kind of defect.
    #[arg(long, value_enum)]
    kind: Option<KindOfDefect>,
    /// How to print them. The JSON Schema of `json` is `spec schema defects`.
    #[arg(long, value_enum, default_value = "text")]
    format: DefectFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum KindOfDefect {
    /// The machine code computes something else.
    WrongCode,
    /// Ptxas dies, does not end, or reports an internal error; many of these lines are invalid.
    Crash,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum DefectFormat {
    /// For reading.
    Text,
    /// For programs.
    Json,
}

impl Opts {
    pub(crate) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        let version = match self.ptxas {
            Some(path) => Some(Ptxas::open(&path)?.version().parse()?),
            None => self.version,
        };
        let kind = self.kind.map(|kind| match kind {
            KindOfDefect::WrongCode => DefectKind::WrongCode,
            KindOfDefect::Crash => DefectKind::Crash,
        });
        let spec = super::load::load_spec(specs)?;
        let divergences = super::load::load_divergences(specs, &spec)?;
        let query = DefectQuery { version, target: self.target, level: self.level, kind };
        let table = DefectTable::new(&divergences, &spec.isa, &query);
        match self.format {
            DefectFormat::Json => print_json(&format!("{}\n", serde_json::to_string_pretty(&table)?))?,
            DefectFormat::Text => print(&text(&table))?,
        }
        table.notes.iter().for_each(|note| say(&format!("note: {note}")));
        let known = table.version.is_some() && !table.defects.is_empty();
        Ok(if known { ExitCode::from(1) } else { ExitCode::SUCCESS })
    }
}

/// The table for reading.
fn text(table: &DefectTable) -> String {
    let mut text = String::new();
    let of = |kind: DefectKind| table.defects.iter().filter(|defect| defect.kind == kind).count();
    let version = table.version.as_deref().unwrap_or("all versions");
    let total = counted(table.defects.len(), "known defect");
    let (wrong, crashes) = (of(DefectKind::WrongCode), of(DefectKind::Crash));
    // Writing to a String cannot fail.
    let _ = writeln!(text, "ptxas {version}: {total}, {wrong} of wrong code and {crashes} that kill it");
    for defect in &table.defects {
        let _ = write(defect, &mut text);
    }
    text
}

fn write(defect: &Defect, to: &mut String) -> fmt::Result {
    let kind = match defect.kind {
        DefectKind::WrongCode => "wrong code",
        DefectKind::Crash => "kills ptxas",
    };
    writeln!(to, "\n{}: {kind}", defect.id)?;
    let mut row = |name: &str, words: &str| writeln!(to, "  {name:<13}{words}");
    row("versions", &versions(defect))?;
    if let Some(configurations) = &defect.configurations {
        configurations.iter().try_for_each(|options| row("with", options))?;
    } else {
        let levels = |levels: &Vec<u8>| levels.iter().map(|level| format!("-O{level}")).collect::<Vec<_>>().join(" ");
        row("targets", &defect.targets.as_ref().map_or("all".to_owned(), |targets| targets.join(" ")))?;
        row("levels", &defect.levels.as_ref().map_or("all".to_owned(), levels))?;
    }
    match (&defect.lines, &defect.instructions) {
        (Some(lines), _) => lines.iter().try_for_each(|line| row("line", line))?,
        (None, Some(instructions)) => row("instructions", &instructions.join(" "))?,
        (None, None) if defect.except.is_empty() => row("instructions", "all")?,
        (None, None) => row("instructions", &format!("all but {}", defect.except.join(" ")))?,
    }
    defect.when.iter().try_for_each(|when| row("when", when))?;
    if !defect.rules.is_empty() {
        row("breaking", &defect.rules.join(" "))?;
    }
    if defect.sometimes {
        row("sometimes", "only some of these lines")?;
    }
    if defect.together {
        row("together", "several of these lines, and none alone")?;
    }
    row("because", &defect.because)?;
    defect.page.as_ref().map_or(Ok(()), |page| row("page", page))?;
    defect.link.as_ref().map_or(Ok(()), |link| row("link", link))
}

/// `all`, `from 12.4`, `up to 13.2`, `12.4 to 12.8, from 13.2`.
fn versions(defect: &Defect) -> String {
    let range = |of: &DefectVersions| match (&of.from, &of.to) {
        (None, None) => "all".to_owned(),
        (Some(from), None) => format!("from {from}"),
        (None, Some(to)) => format!("up to {to}"),
        (Some(from), Some(to)) => format!("{from} to {to}"),
    };
    let ranges: Vec<String> = defect.versions.iter().map(range).collect();
    if ranges.is_empty() { "all".to_owned() } else { ranges.join(", ") }
}
