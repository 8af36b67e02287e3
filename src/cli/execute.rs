//! `ptx-conform execute`: executes one case.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};

use super::engines::Opened;
use ptx_conform::campaign::describe;
use ptx_conform::case::{self, InternalError};
use ptx_conform::causes::{actual, expected};
use ptx_conform::line_case::{Answer, LineCase};
use ptx_conform::model::{self, RowVerdict};

/// Execute a stored case: print the expected and the actual result of each row
///
/// The file is JSON, as a run writes it to reports/NAME/cases/ and as docs/protocol.md describes it.
///
/// Exit codes: 0 every row passed, 1 a row failed, 2 the case cannot be read or no engine executed it.
///
/// Example: ptx-conform execute reports/latest/cases/0123456789abcdef.json --engine gpu
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Opts {
    /// File with the case.
    file: PathBuf,
    #[arg(long, value_name = "ENGINE", help = super::engines::executing_help())]
    engine: Vec<String>,
    /// Print the PTX that each engine compiles, and its machine code, too; `>` marks the line, and what is executed for
    /// it in the first row. Only machine code (`sass@VERSION`) can be listed.
    #[arg(long)]
    listing: bool,
}

impl Opts {
    pub(crate) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        let spec = super::load::load_spec(specs)?;
        let file = self.file.display();
        let text = std::fs::read_to_string(&self.file).with_context(|| format!("{file} cannot be read"))?;
        let program: LineCase =
            serde_json::from_str(&text).with_context(|| format!("{file} is not an executed case"))?;
        let prepared = model::prepare(&spec, &program).with_context(|| format!("{file} cannot be executed"))?;
        let mut engines = Vec::new();
        for name in &self.engine {
            super::engines::open_named(name, specs, &mut engines)?;
        }
        let answers = answers(&engines, &program)?;
        let mut agreed = true;
        let mut executed = engines.is_empty();
        let mut text = format!("{} ({}, {})\n", program.line, prepared.form(), program.environment());
        for (row, expectation) in prepared.all(&program.rows).enumerate() {
            let inputs: Vec<String> = program
                .inputs
                .iter()
                .zip(program.rows.row(row))
                .map(|(input, bits)| format!("{} = {bits:x}", input.register))
                .collect();
            text.push_str(&format!("row {row}: {}\n  expected {}\n", inputs.join(", "), expected(&expectation)));
            for inference in expectation.inferred.iter() {
                text.push_str(&format!("  inferred {}: {}\n", inference.id, inference.says));
            }
            for (name, answers) in &answers {
                let answer = &answers[row];
                executed |= !matches!(answer, Answer::Skipped(_));
                let verdict = match expectation.check(&program, answer) {
                    RowVerdict::Agrees(_) => "passed".to_owned(),
                    RowVerdict::Undecided(why) => format!("undecided: {}", why.says()),
                    RowVerdict::Skipped(_) => "not executed".to_owned(),
                    RowVerdict::Differs(difference) => {
                        agreed = false;
                        format!("failed: {}", describe(&difference, &program))
                    }
                };
                text.push_str(&format!("  {name} {}: {verdict}\n", actual(answer)));
            }
        }
        if self.listing {
            text.push_str(&listings(&program, &engines)?);
        }
        super::output::print(&text)?;
        super::engines::say_notes(&engines);
        Ok(match () {
            () if !agreed => ExitCode::from(1),
            () if !executed || !super::engines::losses(&engines).is_empty() => ExitCode::from(2),
            () => ExitCode::SUCCESS,
        })
    }
}

/// The answers of each engine to the rows of a case.
fn answers<'e>(engines: &'e [Opened], program: &LineCase) -> Result<Vec<(&'e str, Vec<Answer>)>, InternalError> {
    let of_engine = |opened: &'e Opened| {
        let id = opened.engine.id();
        let answers = match opened.engine.as_executor() {
            Some(executor) => case::answers(executor, std::slice::from_ref(program))?.concat(),
            None => vec![Answer::Skipped(format!("{id} does not execute")); program.rows.len()],
        };
        Ok((id.as_str(), answers))
    };
    engines.iter().map(of_engine).collect()
}

/// The PTX and the machine code that each engine makes of a case.
fn listings(program: &LineCase, engines: &[Opened]) -> anyhow::Result<String> {
    let mut text = String::new();
    for opened in engines {
        let lister = opened.engine.as_executor().and_then(|executor| executor.as_lister());
        let listing = lister.and_then(|lister| lister.listing(program));
        let Some(listing) = listing else { bail!("{} has no listing", opened.engine.id()) };
        text.push_str(&format!("{}: {}\n", opened.engine.id(), listing.command));
        let ptx = listing.ptx.iter().map(|of| (of.marked, &of.text));
        for (marked, line) in ptx.chain(listing.code.iter().map(|of| (of.marked, &of.text))) {
            text.push_str(&format!("{} {line}\n", if marked { ">" } else { " " }));
        }
    }
    Ok(text)
}
