//! The support matrix of a run.

use super::{Opts, RunEngines};
use ptx_conform::campaign::{AskingStage, Campaign, KeptEngine, Preparation, Results, Stage, Subject};
use ptx_conform::case::InternalError;
use ptx_conform::ledger::{Ledger, TaskKind};
use ptx_conform::matrix::{Matrix, Survey, SurveyPart};
use ptx_conform::spec::Instruction;

impl Opts {
    /// The manual's statements about the run's instructions; none if no matrix is wanted.
    pub(super) fn survey<'s>(&self, run: &Campaign<'s>) -> Option<Survey<'s>> {
        // A run in one environment cannot make it.
        if self.no_matrix || !run.options.depth.budget().matrix || self.ptx.is_some() {
            return None;
        }
        let instructions = run.spec.instructions.iter();
        let named = |of: &&Instruction| self.instructions.is_empty() || self.instructions.contains(&of.name);
        Some(Survey::by_manual(run.spec, &instructions.filter(named).collect::<Vec<_>>()))
    }
}

/// The questions that the engines that judge are asked whatever they answer, in parts that are tasks.
pub(super) fn preparations<'a>(
    run: &Campaign<'a>,
    ledger: &'a Ledger,
    survey: &'a Survey<'_>,
    engines: &'a RunEngines<'_>,
) -> Vec<Preparation<'a>> {
    let (divergences, progress) = (run.divergences, run.progress);
    let mut preparations = Vec::new();
    for subject in engines.subjects {
        let Some(judge) = subject.judge else { continue };
        for part in survey.parts(divergences, subject, progress) {
            let SurveyPart { words, size, .. } = part.clone();
            let ask = move || {
                // As the conclusion asks, and for the first time.
                let kept = engines.answers.keeping(&[*subject], AskingStage::Conclusion, ledger, progress);
                for kept in &kept {
                    survey.ask(&part, divergences, &kept.subject(), progress)?;
                }
                match kept.into_iter().find_map(KeptEngine::into_failure) {
                    Some(why) => Err(InternalError(why.to_string())),
                    None => Ok(size),
                }
            };
            preparations.push(Preparation { judge, kind: TaskKind::Matrix, words, size, ask: Box::new(ask) });
        }
    }
    preparations
}

/// The matrix, as the engines have it that judged; none if it is not wanted.
pub(super) fn observed(
    survey: Option<Survey<'_>>,
    run: &Campaign<'_>,
    subjects: &[Subject<'_>],
    results: &Results,
) -> Result<Option<Matrix>, InternalError> {
    let Some(mut survey) = survey else { return Ok(None) };
    run.progress.begin(Stage::Matrix);
    for subject in subjects.iter().filter(|subject| results.judges(subject)) {
        survey.observe(run.divergences, subject, run.progress)?;
    }
    Ok(Some(survey.into_matrix()))
}
