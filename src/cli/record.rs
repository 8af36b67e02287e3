//! `ptx-conform record`: stores what an engine does.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};

use ptx_conform::campaign::{self, Options, RunDepth};
use ptx_conform::divergences::Date;
use ptx_conform::engine::recording::{Provenance, Recording};
use ptx_conform::files;
use ptx_conform::plural::counted;

/// Record what an executing engine does, with its version, device and date
///
/// Some cases of each form that the manual leaves undefined are recorded as well, each in its own
/// launch. `run` compares the recordings in corpus/recordings/ with the model, without the engine.
///
/// Example: ptx-conform record --engine gpu --out corpus/recordings/h200.jsonl
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Opts {
    /// Opcodes [default: all that the model can execute].
    instructions: Vec<String>,
    /// Engine: `gpu` or `exec:COMMAND`.
    #[arg(long, value_name = "ENGINE")]
    engine: String,
    /// File to write; `run` reads files named `*.jsonl`.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The most cases of each form [default: as many as a first `run` executes].
    #[arg(long, value_name = "N")]
    cases: Option<usize>,
    /// Rows of inputs for each case [default: as many as a first `run` executes].
    #[arg(long, value_name = "N")]
    rows: Option<usize>,
    /// Seed of all random draws.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Number of threads, each with its own engine process [default: one per core].
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Date of the recording [default: today].
    #[arg(long, value_name = "YYYY-MM-DD")]
    today: Option<Date>,
}

impl Opts {
    pub(crate) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        super::run::use_threads(self.jobs)?;
        let spec = super::load::load_spec(specs)?;
        super::load::instructions(&spec, &self.instructions)?;
        let mut engines = Vec::new();
        super::engines::open_named(&self.engine, specs, &mut engines)?;
        let [opened] = engines.as_slice() else { bail!("only one engine can be recorded at a time") };
        let Some(engine) = opened.engine.as_executor() else {
            bail!("nothing can be recorded: {} does not execute", opened.engine.id())
        };
        let out = self.out.display();
        files::probe(&self.out).with_context(|| format!("{out} cannot be written; name another file with --out"))?;
        let date = self.today.clone().unwrap_or_else(|| Date::of(std::time::SystemTime::now()));
        let provenance = Provenance::new(engine.id(), engine.details(), &date.to_string(), &spec.fingerprint);
        let mut recording = Recording::new(provenance);
        let usual = Options::at(RunDepth::Choices);
        let options = Options {
            instructions: self.instructions,
            cases: self.cases.or(usual.cases),
            rows: self.rows.unwrap_or(usual.rows).max(1),
            seed: self.seed,
            ..usual
        };
        let mut twice = 0;
        let recorded = super::run::with_progress(|progress| {
            campaign::record(&spec, engine, &options, progress, &mut |program, answers| {
                twice += recording.add(program, answers).err().map_or(0, |rows| rows.len());
            })
        })?;
        if let Err(why) = recorded {
            bail!("nothing can be recorded: {why}");
        }
        let text = recording.write();
        files::replace(&self.out, text.as_bytes()).with_context(|| format!("{out} cannot be written"))?;
        super::engines::say_notes(&engines);
        super::output::print(&format!("recorded {} of {} in {out}\n", counted(recording.len(), "row"), engine.id()))?;
        if twice > 0 {
            super::output::say(&format!(
                "warning: {} gave different results on repetition; kept the first",
                counted(twice, "row")
            ));
        }
        let lost = super::engines::losses(&engines);
        lost.iter().for_each(|lost| super::output::say(&format!("could not record: {lost}")));
        Ok(if recording.is_empty() || !lost.is_empty() { ExitCode::from(2) } else { ExitCode::SUCCESS })
    }
}
