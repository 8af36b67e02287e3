//! Answers that are kept from run to run: of which engines, and what a run did with them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::engines::Opened;
use super::super::output::say;
use ptx_conform::answers::KeptAnswers;
use ptx_conform::campaign::{AskingStage, KeptEngine, LastingAnswers, Progress, Subject};
use ptx_conform::engine::{CaseExecutor, toolchain};
use ptx_conform::ledger::{Ledger, LedgerError, RemarkKind};
use ptx_conform::plural::counted;

/// The use of answers of earlier runs.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct AnswerOpts {
    /// Ask this share of the questions again that an earlier run asked, from 0 to 1, and report answers that changed. Answers of
    /// ptxas, of its machine code, and of engines that name their build are kept from run to run.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = share)]
    ask_again: f64,
    /// Neither use answers of earlier runs nor keep any.
    #[arg(long, conflicts_with = "ask_again")]
    no_answers: bool,
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| format!("`{text}` is not a share: write a number from 0 to 1, such as 0.01"))
}

impl AnswerOpts {
    /// The answers of each engine that are kept from run to run.
    ///
    /// # Errors
    /// If the file of an engine cannot be read.
    pub(super) fn of_engines(&self, engines: &[Opened], seed: u64) -> anyhow::Result<RunAnswers> {
        let mut builds = BTreeMap::new();
        for opened in engines {
            if let Some(build) = opened.build()? {
                builds.insert(opened.engine.id().to_string(), build);
            }
        }
        let folder = toolchain::answers().filter(|_| !self.no_answers && !builds.is_empty());
        let Some(folder) = folder else { return Ok(RunAnswers::default()) };
        let store = Arc::new(KeptAnswers::open(&folder));
        let lasting = |build| LastingAnswers::new(Arc::clone(&store), build, self.ask_again, seed);
        let of_engines = builds.into_iter().map(|(engine, build)| (engine, lasting(build))).collect();
        Ok(RunAnswers { of_engines, store: Some(store) })
    }
}

/// The answers that a run can use.
#[derive(Default)]
pub(super) struct RunAnswers {
    store: Option<Arc<KeptAnswers>>,
    of_engines: BTreeMap<String, LastingAnswers>,
}

impl RunAnswers {
    /// The engines of subjects, with the answers that are kept for them.
    pub(super) fn keeping<'a>(
        &'a self,
        subjects: &[Subject<'a>],
        stage: AskingStage,
        ledger: &'a Ledger,
        progress: &'a Progress,
    ) -> Vec<KeptEngine<'a>> {
        // A recording can have the name of an engine that is asked itself.
        let is_asked = |executor: &dyn CaseExecutor| executor.recorded().is_none();
        let lasting = |subject: &Subject<'_>| {
            let lasting = self.of_engines.get(subject.id()?.as_str())?;
            subject.executor.is_none_or(is_asked).then_some(lasting)
        };
        let keeping = |subject: &Subject<'a>| KeptEngine::new(subject, stage, (ledger, lasting(subject)), progress);
        subjects.iter().filter_map(keeping).collect()
    }

    /// Says how many kept answers were used, and why if none could be.
    pub(super) fn say(&self) {
        let counts = self.of_engines.values().map(LastingAnswers::counts);
        let (taken, again) = counts.fold((0, 0), |(taken, again), of| (taken + of.0, again + of.1));
        if taken > 0 {
            say(&format!("note: used {}; `--ask-again 1` asks again", counted(taken, "kept answer")));
        }
        if again > 0 {
            say(&format!("note: {} that an earlier run asked were asked again", counted(again, "question")));
        }
        if let Some(why) = self.store.as_ref().and_then(|store| store.problem()) {
            say(&format!("warning: {why}"));
        }
    }
}

/// The answers of an engine that are not those of an earlier run, in words; none if there are none.
pub(super) fn changes(engine: &str, ledger: &Ledger) -> Result<Option<String>, LedgerError> {
    let changes: Vec<String> = ledger.remarks(engine, RemarkKind::Change)?;
    let Some(first) = changes.iter().min() else { return Ok(None) };
    let what = if changes.len() == 1 { "one question" } else { &format!("{} questions", changes.len()) };
    Ok(Some(format!("{engine} answered {what} otherwise than in an earlier run; the first: {first}")))
}
