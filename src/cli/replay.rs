//! `ptx-conform replay`: asks about stored cases again.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};

use ptx_conform::case::{self, InternalError, Stored};
use ptx_conform::divergences::{Divergences, Does, EngineVersion};
use ptx_conform::engine::{Batch, Depth, LineJudge, Outcome, Unable};
use ptx_conform::judge::Reading;
use ptx_conform::must::Must as _;
use ptx_conform::plural::counted;
use ptx_conform::spec::Instruction;

/// Ask engines about stored cases again
///
/// A case is a PTX module, such as those in reports/NAME/cases/ and corpus/findings/. For each case and
/// engine, the output says what the engine does, and whether the specification and the listed
/// divergences expect that.
///
/// Exit codes: 0 all results are expected, 1 some are not, 2 a case cannot be read or no engine could
/// judge it.
///
/// Example: ptx-conform replay corpus/findings --engine ptxas@all
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Opts {
    /// Files, or directories of `.ptx` files.
    #[arg(default_value = "corpus/findings")]
    cases: Vec<PathBuf>,
    #[command(flatten)]
    engines: super::engines::EngineOpts,
}

impl Opts {
    pub(crate) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        let spec = super::load::load_spec(specs)?;
        let divergences = super::load::load_divergences(specs, &spec)?;
        let engines = self.engines.open(specs)?;
        let files = files(&self.cases)?;
        let (mut unexpected, mut unasked, mut unread) = (0_usize, 0_usize, 0_usize);
        for file in &files {
            let read = super::minimize::read(file, &spec).and_then(|stored| {
                let (instruction, reading) = stored.read(&spec).with_context(|| file.display().to_string())?;
                Ok((stored, instruction, reading))
            });
            let (stored, instruction, reading) = match read {
                Ok(read) => read,
                Err(why) => {
                    super::output::say(&format!("error: {why:#}"));
                    unread += 1;
                    continue;
                }
            };
            let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            super::output::print(&format!("{name}  {}\n", stored.line))?;
            let mut asked = false;
            for engine in engines.iter().filter_map(|opened| opened.engine.as_judge()) {
                let Some(replayed) = replay(&divergences, engine, &stored, instruction, &reading)? else { continue };
                asked = true;
                unexpected += usize::from(!replayed.expected);
                super::output::print(&format!("  {} {}\n", engine.id(), replayed.words))?;
            }
            unasked += usize::from(!asked);
        }
        super::output::print(&format!(
            "{}: {}, {} that no engine could judge\n",
            counted(files.len(), "case"),
            counted(unexpected, "unexpected result"),
            counted(unasked, "case")
        ))?;
        let lost = super::engines::losses(&engines);
        lost.iter().for_each(|lost| super::output::say(&format!("could not judge: {lost}")));
        Ok(match () {
            () if unexpected > 0 => ExitCode::from(1),
            () if unread > 0 || unasked > 0 || !lost.is_empty() => ExitCode::from(2),
            () => ExitCode::SUCCESS,
        })
    }
}

/// The behavior of an engine on a case, in words, and whether it is expected.
struct Replayed {
    words: String,
    expected: bool,
}

/// Asks an engine about a case; `None` if the engine cannot judge it.
///
/// # Errors
/// If the engine gives no outcome.
fn replay(
    divergences: &Divergences,
    engine: &dyn LineJudge,
    stored: &Stored,
    instruction: &Instruction,
    reading: &Reading,
) -> Result<Option<Replayed>, InternalError> {
    match engine.supports(&stored.environment, stored.depth) {
        Ok(()) => {}
        Err(Unable::Unsupported(_)) => return Ok(None),
        // The exit code tells as well: the engine counts it as lost.
        Err(Unable::Broken(why)) => {
            return Ok(Some(Replayed { words: format!("could not be asked: {why}"), expected: true }));
        }
    }
    let text =
        if stored.depth == Depth::Generate { format!("{} {}", stored.line, stored.rest) } else { stored.line.clone() };
    let batch = Batch {
        environment: stored.environment,
        scaffold: stored.scaffold.clone(),
        lines: vec![&text],
        mostly_invalid: false,
    };
    let outcome = case::outcomes(engine, &batch, stored.depth)?.pop().must("there is one line");
    let Some(did) = Does::of(&outcome) else { return Ok(None) };
    let version = EngineVersion::of(engine.id());
    let compared = divergences.compare(version.as_ref(), instruction, reading, stored.depth, did);
    let message = match &outcome {
        Outcome::Rejected(text) | Outcome::Crashed(text) => format!(": {}", text.lines().next().unwrap_or_default()),
        _ => String::new(),
    };
    let why = match (compared.as_expected, compared.divergence) {
        (true, Some(id)) => format!(" (listed as {id})"),
        (true, None) => String::new(),
        (false, Some(id)) => format!(" -- UNEXPECTED: {id} says otherwise"),
        (false, None) => " -- UNEXPECTED: the specification says otherwise".to_owned(),
    };
    Ok(Some(Replayed { words: format!("{}{message}{why}", outcome.word()), expected: compared.as_expected }))
}

/// The given files, and those in the given directories sorted by name.
fn files(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let entries = std::fs::read_dir(path).with_context(|| format!("{} cannot be read", path.display()))?;
            let found = entries.flatten().map(|entry| entry.path());
            let mut found: Vec<PathBuf> = found.filter(|file| file.extension().is_some_and(|e| e == "ptx")).collect();
            found.sort();
            files.extend(found);
        } else {
            files.push(path.clone());
        }
    }
    if files.is_empty() {
        bail!("there are no cases; `run` writes them to reports/NAME/cases/");
    }
    Ok(files)
}
