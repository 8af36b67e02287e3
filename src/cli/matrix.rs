//! `ptx-conform matrix`: from which PTX version and target on instructions and modifiers are available.

mod engines;
mod text;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{anyhow, bail};

use engines::Named;
use ptx_conform::campaign::Progress;
use ptx_conform::matrix::{Matrix, MatrixQuery, QueryAnswer, Survey};

use super::output::{print, say};

/// Show from which PTX version and target on instructions and modifiers are available
///
/// By the manual, and in each ptxas: found by asking it about real lines. Without a query, everything that the manual has;
/// engines are then asked only if they are named.
///
/// Exit codes: 0 as the manual, 1 an engine differs and no divergence lists it, 2 a bad query, or lines without an answer.
///
/// Example: ptx-conform matrix ld.L2::evict_last --engine ptxas@13.5
#[derive(Debug, clap::Args)]
pub(crate) struct Opts {
    /// An instruction with any of its modifiers, in any order: `add`, `add.f32x2`, `ld.global.v4.f64`; or modifiers alone,
    /// of all instructions: `.L2::evict_last` [default: everything].
    #[arg(value_name = "QUERY")]
    queries: Vec<String>,
    /// Engine to ask: `ptxas@13.5`, `ptxas@all`, `exec:COMMAND`; as for `run`. Can be given several times [default: with a
    /// query every ptxas found, otherwise none].
    #[arg(long, value_name = "ENGINE")]
    engine: Vec<String>,
    /// Ask no engine: only what the manual says.
    #[arg(long, conflicts_with = "engine")]
    no_engine: bool,
    /// Instead show every combination of the modifiers of these slots of the queried instruction; `spec show` names the
    /// slots.
    #[arg(long, value_name = "SLOT", value_delimiter = ',', requires = "queries")]
    by: Vec<String>,
    /// How to print it. `csv` opens in a spreadsheet; the JSON Schema of `json` is `spec schema matrix`.
    #[arg(long, value_enum, default_value = "text")]
    format: MatrixFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum MatrixFormat {
    /// For reading.
    Text,
    /// A table to read: with --by it has a column for each slot.
    Markdown,
    /// One row for each feature, one column for each engine.
    Csv,
    /// Everything.
    Json,
}

impl Opts {
    pub(crate) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        let spec = super::load::load_spec(specs)?;
        let divergences = super::load::load_divergences(specs, &spec)?;
        let read = |text: &String| MatrixQuery::read(&spec, text).map_err(|why| anyhow!(why));
        let queries: Vec<MatrixQuery<'_>> = self.queries.iter().map(read).collect::<anyhow::Result<_>>()?;
        let named = match (self.no_engine, self.engine.as_slice(), queries.is_empty()) {
            (true, ..) | (_, [], true) => Named::Nothing,
            (_, [], false) => Named::Installed,
            (_, names, _) => Named::These(names),
        };
        let engines = named.open(specs)?;
        let (mut survey, answers) = match queries.as_slice() {
            [] => (Survey::by_manual(&spec, &spec.all().collect::<Vec<_>>()), None),
            [query] if !self.by.is_empty() => {
                (Survey::by_slots(&spec, query, &self.by).map_err(|why| anyhow!(why))?, None)
            }
            _ if !self.by.is_empty() => bail!("--by takes one query"),
            queries => {
                let (survey, answers) = Survey::by_queries(&spec, queries);
                (survey, Some(answers))
            }
        };
        super::run::with_progress(|progress: &Progress| {
            let subjects = super::engines::subjects(&engines, &spec.isa);
            let done = subjects.iter().try_for_each(|subject| survey.observe(&divergences, subject, progress));
            done.map(|()| progress.stopped())
        })??;
        super::engines::say_notes(&engines);
        let matrix = survey.into_matrix();
        match self.format {
            MatrixFormat::Json => print(&format!("{}\n", serde_json::to_string_pretty(&matrix)?))?,
            MatrixFormat::Markdown => print(&matrix.markdown(&self.by))?,
            MatrixFormat::Csv => print(&matrix.csv())?,
            MatrixFormat::Text => print(&text::shown(&matrix, answers.as_deref()))?,
        }
        if engines.is_empty() && named == Named::Installed {
            say(
                "note: no ptxas was found, so this is only what the manual says; `ptx-conform toolchain install 13.5` installs one",
            );
        }
        let lost = super::engines::losses(&engines);
        lost.iter().for_each(|lost| say(&format!("could not judge: {lost}")));
        Ok(code(&matrix, answers.as_deref(), !lost.is_empty()))
    }
}

/// The exit code: what is wrong with the questions counts more than what engines do.
fn code(matrix: &Matrix, answers: Option<&[QueryAnswer]>, lost: bool) -> ExitCode {
    let never = answers.is_some_and(|answers| answers.iter().any(|answer| answer.never.is_some()));
    let observed = || matrix.features.iter().flat_map(|feature| &feature.observed);
    let unlisted = observed().any(|observed| observed.unlisted > 0);
    let open = lost || observed().any(|observed| !observed.undecided.is_empty());
    match (never, unlisted, open) {
        (true, ..) | (false, false, true) => ExitCode::from(2),
        (false, true, _) => ExitCode::from(1),
        (false, false, false) => ExitCode::SUCCESS,
    }
}
