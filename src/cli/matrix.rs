//! `ptx-conform matrix`: from which PTX version and target on instructions and modifiers are available.

mod contrast;
mod engines;
mod text;
mod toolchains;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{anyhow, bail};

use engines::Named;
use ptx_conform::campaign::Progress;
use ptx_conform::environment::{Target, Version};
use ptx_conform::matrix::{Matrix, MatrixQuery, QueryAnswer, Survey, TargetPair};
use ptx_conform::spec::Spec;

use super::output::{print, print_json, say};

/// Show from which PTX version and target on instructions and modifiers are available
///
/// By the manual, and in each ptxas: found by asking it about real lines. Without a query, everything that the manual has;
/// engines are then asked only if they are named.
///
/// Exit codes: 0 as the manual, 1 an engine differs and no divergence lists it, 2 a bad query, or lines without an answer.
///
/// Examples:
///   ptx-conform matrix ld.L2::evict_last --engine ptxas@13.5
///   ptx-conform matrix --target sm_120a --against sm_120
///   ptx-conform matrix --toolchains
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
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
    /// Instead show what this target has and the one of --against lacks, and what it lacks. Queries are then names of
    /// instructions, and with --by every combination is compared.
    #[arg(long, value_name = "TARGET", requires = "against")]
    target: Option<Target>,
    /// The target to compare with.
    #[arg(long, value_name = "TARGET", requires = "target")]
    against: Option<Target>,
    /// The PTX version in which the targets are compared [default: the newest that the named engines take].
    #[arg(long, value_name = "VERSION", requires = "target")]
    ptx: Option<Version>,
    /// Instead show which PTX version, driver and targets each release of CUDA and its ptxas has. Without --engine, every
    /// ptxas found is asked whether that is so.
    #[arg(long, conflicts_with_all = ["queries", "by", "target"])]
    toolchains: bool,
    /// How to print it. `csv` opens in a spreadsheet; the JSON Schema of `json` is `spec schema matrix`, with --target `spec
    /// schema contrast`, and with --toolchains `spec schema releases`.
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
        if self.toolchains {
            let named = match (self.no_engine, self.engine.as_slice()) {
                (true, _) => Named::Nothing,
                (_, []) => Named::Installed,
                (_, names) => Named::These(names),
            };
            return toolchains::show(&super::load::load_isa(specs)?, specs, named, self.format);
        }
        let spec = super::load::load_spec(specs)?;
        if let (Some(target), Some(against)) = (self.target, self.against) {
            return self.compare(&spec, specs, (target, against));
        }
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
            MatrixFormat::Json => print_json(&format!("{}\n", serde_json::to_string_pretty(&matrix)?))?,
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

impl Opts {
    /// Shows what each of two targets has and the other lacks.
    fn compare(
        self,
        spec: &Spec,
        specs: Option<&Path>,
        (target, against): (Target, Target),
    ) -> anyhow::Result<ExitCode> {
        let divergences = super::load::load_divergences(specs, spec)?;
        let engines = if self.engine.is_empty() { Named::Nothing } else { Named::These(&self.engine) }.open(specs)?;
        let subjects = super::engines::subjects(&engines, &spec.isa);
        let newest = spec.isa.versions.last().copied();
        let taken = subjects.iter().map(|subject| subject.newest).chain(newest).min();
        let Some(ptx) = self.ptx.or(taken) else { bail!("isa.yaml has no version") };
        for needed in [target, against] {
            match spec.isa.targets.iter().find(|(known, _)| *known == needed) {
                Some((_, since)) if *since > ptx => {
                    bail!("{needed} came with PTX {since}, and this is about PTX {ptx}")
                }
                Some(_) => {}
                None => bail!("{needed} is not in isa.yaml; `ptx-conform matrix --toolchains` lists targets"),
            }
        }
        let targets = TargetPair { ptx, target, against };
        let mut survey = match self.by.as_slice() {
            [] => Survey::by_manual(spec, &super::load::instructions(spec, &self.queries)?),
            slots => {
                let [query] = self.queries.as_slice() else { bail!("--by takes one query") };
                let query = MatrixQuery::read(spec, query).map_err(|why| anyhow!(why))?;
                Survey::by_slots(spec, &query, slots).map_err(|why| anyhow!(why))?
            }
        };
        survey.limit(&targets);
        super::run::with_progress(|progress: &Progress| {
            let done = subjects.iter().try_for_each(|subject| survey.observe(&divergences, subject, progress));
            done.map(|()| progress.stopped())
        })??;
        super::engines::say_notes(&engines);
        let matrix = survey.into_matrix();
        let contrast = matrix.contrast(targets);
        match self.format {
            MatrixFormat::Json => print_json(&format!("{}\n", serde_json::to_string_pretty(&contrast)?))?,
            MatrixFormat::Markdown => print(&contrast.markdown())?,
            MatrixFormat::Csv => print(&contrast.csv())?,
            MatrixFormat::Text => print(&contrast::shown(&contrast))?,
        }
        let lost = super::engines::losses(&engines);
        lost.iter().for_each(|lost| say(&format!("could not judge: {lost}")));
        Ok(code(&matrix, None, !lost.is_empty()))
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
