//! `matrix --toolchains`: the releases of CUDA, checked with every ptxas that is asked.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{anyhow, bail};
use rayon::prelude::*;

use super::MatrixFormat;
use super::engines::Named;
use crate::cli::output::{print, print_json, say};
use ptx_conform::engine::ptxas::Ptxas;
use ptx_conform::engine::toolchain::{self, Installed};
use ptx_conform::plural::counted;
use ptx_conform::releases::{ReleaseBuild, ReleaseTable};
use ptx_conform::spec::Isa;

/// Prints the table. A ptxas that does something else than is listed makes the exit code 1, one that does not answer 2.
pub(super) fn show(
    isa: &Isa,
    specs: Option<&Path>,
    named: Named<'_>,
    format: MatrixFormat,
) -> anyhow::Result<ExitCode> {
    let mut table = crate::cli::load::load_releases(specs, isa)?;
    let assemblers = assemblers(named)?;
    let ask = |installed: &Installed| {
        let ptxas = Ptxas::open(&installed.path).map_err(|why| anyhow!(why))?;
        ReleaseBuild::of(&ptxas, isa).map_err(|why| anyhow!(why))
    };
    let asked: Vec<anyhow::Result<ReleaseBuild>> = assemblers.par_iter().map(ask).collect();
    let mut lost = false;
    for (installed, build) in assemblers.iter().zip(asked) {
        match build {
            Ok(build) => table.observe(build, isa),
            Err(why) => {
                say(&format!("warning: ptxas {} was not asked: {why:#}", installed.version));
                lost = true;
            }
        }
    }
    match format {
        MatrixFormat::Json => print_json(&format!("{}\n", serde_json::to_string_pretty(&table)?))?,
        MatrixFormat::Markdown => print(&table.markdown())?,
        MatrixFormat::Csv => print(&table.csv())?,
        MatrixFormat::Text => print(&text(&table))?,
    }
    for build in table.builds().filter(|build| build.unlisted) {
        say(&format!(
            "note: ptxas {} is not in specs/toolchains/cuda.yaml; its row is\n  {}",
            build.ptxas,
            build.row()
        ));
    }
    let differences: Vec<&str> = table.differences().collect();
    differences.iter().for_each(|says| say(&format!("DIFFERS: {says}")));
    Ok(match (lost, differences.is_empty()) {
        (_, false) => ExitCode::from(1),
        (true, true) => ExitCode::from(2),
        (false, true) => ExitCode::SUCCESS,
    })
}

/// The assemblers with these names.
fn assemblers(named: Named<'_>) -> anyhow::Result<Vec<Installed>> {
    let names = match named {
        Named::Nothing => return Ok(Vec::new()),
        Named::Installed => return Ok(toolchain::all()),
        Named::These(names) => names,
    };
    let mut found: Vec<Installed> = Vec::new();
    for name in names {
        let these = match name.strip_prefix("ptxas@") {
            Some("all") => toolchain::all(),
            Some(version) => vec![toolchain::find(version)?],
            None => bail!("`{name}` has no toolchain: --toolchains asks `ptxas@VERSION` or `ptxas@all`"),
        };
        these.into_iter().for_each(|one| {
            if !found.contains(&one) {
                found.push(one)
            }
        });
    }
    Ok(found)
}

/// The table with columns as wide as their cells, and what it does not say by itself.
fn text(table: &ReleaseTable) -> String {
    let cells = table.cells();
    let widths: Vec<usize> = (0..cells[0].len())
        .map(|column| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or_default())
        .collect();
    let line = |row: &[String; 8]| {
        let padded: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        format!("{}\n", padded.join("  ").trim_end())
    };
    let asked = table.builds().filter(|build| build.asked).count();
    let asked = match asked {
        0 => "no ptxas was asked".to_owned(),
        asked => format!("{} of ptxas asked now", counted(asked, "build")),
    };
    format!(
        "{}\nPTX, driver: the manual. ptxas and its code: observed, {asked}. ?: not known. docs/matrix.md says more.\n",
        cells.iter().map(line).collect::<String>()
    )
}
