//! Engines whose answers are kept: in the ledger of the run, so that a conclusion that is made again asks only what was not
//! asked before, and from run to run.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::lasting::{KeptAnswer, KnownAnswer, LastingAnswers, WholeListing};
use super::options::{Progress, Subject};
use super::tasks::remarks;
use crate::engine::{
    Batch, CaseExecutor, CodeLister, Depth, Engine, EngineId, JointDeath, KernelExecutor, LineFunction, LineJudge,
    Listing, Outcome, Unable,
};
use crate::environment::{Environment, Version};
use crate::kernel_case::{KernelAnswer, KernelCase};
use crate::ledger::{EngineRemark, Ledger, LedgerError, RemarkKind};
use crate::line_case::{Answer, LineCase};
use crate::must::Must as _;

/// The hash of a question.
type QuestionHash = [u8; 32];

/// The stages of a run that ask engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskingStage {
    /// The tasks: their results are in the ledger.
    Tasks,
    /// The conclusion: its answers are in the ledger. Whoever asks a question again, to find out whether the engine wavers, is
    /// not told the first answer, nor that of the tasks: each is kept beside the others.
    Conclusion,
}

/// An engine whose answers are kept.
pub struct KeptEngine<'a> {
    engine: &'a dyn Engine,
    judge: Option<&'a dyn LineJudge>,
    executor: Option<&'a dyn CaseExecutor>,
    newest: Version,
    stage: AskingStage,
    ledger: &'a Ledger,
    lasting: Option<&'a LastingAnswers>,
    progress: &'a Progress,
    /// How often each question was asked in this process.
    asked: Mutex<FxHashMap<QuestionHash, u32>>,
    failed: Mutex<Option<LedgerError>>,
}

impl<'a> KeptEngine<'a> {
    /// The engine of a subject; none if it is asked nothing.
    pub fn new(
        subject: &Subject<'a>,
        stage: AskingStage,
        (ledger, lasting): (&'a Ledger, Option<&'a LastingAnswers>),
        progress: &'a Progress,
    ) -> Option<Self> {
        let Subject { judge, executor, newest } = *subject;
        let engine: &dyn Engine = match (judge, executor) {
            (Some(judge), _) => judge,
            (None, Some(executor)) => executor,
            (None, None) => return None,
        };
        let (asked, failed) = (Mutex::default(), Mutex::default());
        Some(Self { engine, judge, executor, newest, stage, ledger, lasting, progress, asked, failed })
    }

    /// The subject that is asked through the ledger.
    pub fn subject(&self) -> Subject<'_> {
        Subject {
            judge: self.judge.map(|_| self as &dyn LineJudge),
            executor: self.executor.map(|_| self as &dyn CaseExecutor),
            newest: self.newest,
        }
    }

    /// The first failure of the ledger.
    pub fn into_failure(self) -> Option<LedgerError> {
        self.failed.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// The beginning of the hash of all questions of a kind.
    fn hasher(&self, kind: &str) -> blake3::Hasher {
        let mut hasher = blake3::Hasher::new();
        for part in [self.engine.id().as_str(), kind] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher
    }

    /// The question as it is asked for the next time. The tasks ask each once.
    fn next(&self, question: QuestionHash) -> QuestionHash {
        let times = match self.stage {
            AskingStage::Tasks => 0,
            AskingStage::Conclusion => {
                let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
                let times = asked.entry(question).or_default();
                *times += 1;
                *times
            }
        };
        let mut hasher = blake3::Hasher::new();
        hasher.update(&question);
        hasher.update(&u32::to_le_bytes(times));
        *hasher.finalize().as_bytes()
    }

    fn noted<T>(&self, result: Result<T, LedgerError>) -> Option<T> {
        result
            .map_err(|why| {
                self.progress.stop.store(true, Ordering::Relaxed);
                self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
            })
            .ok()
    }

    /// The losses and other faults of the engine, its notes and its joint deaths: all that it says beside its answers.
    fn asides(&self) -> (u64, usize, Vec<EngineRemark>) {
        let lost = self.engine.losses().values().sum();
        (lost, self.engine.unexplained().len(), remarks(self.engine, self.judge))
    }

    /// The answers to questions: those that are known, and the others by asking about them, by their positions. An answer is kept
    /// if the engine lost nothing meanwhile, and the run was not stopped; from run to run only if it said nothing else either.
    /// `words` says what is asked.
    fn recall<A: KeptAnswer>(
        &self,
        questions: Vec<QuestionHash>,
        words: impl Fn(usize) -> String,
        ask: impl FnOnce(&[usize]) -> Vec<A>,
    ) -> Vec<A> {
        let questions: Vec<QuestionHash> = questions.into_iter().map(|question| self.next(question)).collect();
        let mut answers: Vec<Option<A>> = questions.iter().map(|question| self.in_ledger(question)).collect();
        let doubted = self.take(&questions, &mut answers);
        let missing: Vec<usize> = (0..answers.len()).filter(|at| answers[*at].is_none()).collect();
        if missing.is_empty() {
            return answers.into_iter().flatten().collect();
        }
        let before = self.asides();
        let asked = ask(&missing);
        // Who asks notices that an answer is missing or too many, and says so.
        if asked.len() != missing.len() {
            return asked;
        }
        let after = self.asides();
        let sound = (after.0, after.1) == (before.0, before.1) && !self.progress.stopped();
        let mut lasting = Vec::new();
        for (at, answer) in missing.into_iter().zip(asked) {
            if sound {
                let text = to_json(&answer);
                if let Some(earlier) = doubted.get(&at).filter(|earlier| **earlier != text) {
                    self.note_change(&words(at), earlier, &text);
                }
                self.keep_in_ledger(questions[at], &text);
                if answer.is_lasting() && before == after {
                    lasting.push((questions[at], text));
                }
            }
            answers[at] = Some(answer);
        }
        if let Some(answers) = self.lasting {
            answers.keep(lasting);
        }
        if self.stage == AskingStage::Conclusion && before.2 != after.2 {
            self.noted(self.ledger.keep_remarks(&after.2));
        }
        answers.into_iter().flatten().collect()
    }

    /// The answers to questions of a kind, each about a case.
    fn recall_cases<C: Clone + Serialize, A: KeptAnswer>(
        &self,
        kind: &str,
        cases: &[C],
        words: impl Fn(&C) -> String,
        ask: impl FnOnce(&[C]) -> Vec<A>,
    ) -> Vec<A> {
        let questions = cases.iter().map(|case| self.by_json(kind, case)).collect();
        let of = |missing: &[usize]| missing.iter().map(|at| cases[*at].clone()).collect::<Vec<C>>();
        self.recall(questions, |at| words(&cases[at]), |missing| ask(&of(missing)))
    }

    /// The answer to a question of the conclusion, if an earlier process asked it.
    fn in_ledger<A: KeptAnswer>(&self, question: &QuestionHash) -> Option<A> {
        if self.stage == AskingStage::Tasks {
            return None;
        }
        let text: String = self.noted(self.ledger.answer(question)).flatten()?;
        serde_json::from_str(&text).ok()
    }

    fn keep_in_ledger(&self, question: QuestionHash, text: &str) {
        if self.stage == AskingStage::Conclusion {
            self.noted(self.ledger.keep_answer(question, &text));
        }
    }

    /// Fills in answers that earlier runs were given. Returns those that are asked for again, by their positions.
    fn take<A: KeptAnswer>(&self, questions: &[QuestionHash], answers: &mut [Option<A>]) -> BTreeMap<usize, String> {
        let mut doubted = BTreeMap::new();
        let Some(lasting) = self.lasting else { return doubted };
        let missing: Vec<usize> = (0..answers.len()).filter(|at| answers[*at].is_none()).collect();
        let asked: Vec<QuestionHash> = missing.iter().map(|at| questions[*at]).collect();
        for (at, known) in missing.into_iter().zip(lasting.known(&asked)) {
            match known {
                KnownAnswer::Unknown => {}
                KnownAnswer::Doubted(answer) => drop(doubted.insert(at, to_json::<A>(&answer))),
                KnownAnswer::Taken(answer) => {
                    self.keep_in_ledger(questions[at], &to_json(&answer));
                    answers[at] = Some(answer);
                }
            }
        }
        doubted
    }

    /// Notes that an answer is not that of an earlier run.
    fn note_change(&self, asked: &str, earlier: &str, now: &str) {
        let text = format!("answers otherwise than in an earlier run: `{asked}`: first {earlier}, now {now}");
        let remark = EngineRemark::new(self.engine.id().as_str(), RemarkKind::Change, &text);
        self.noted(self.ledger.keep_remarks(&[remark]));
    }

    fn by_json<Q: Serialize>(&self, kind: &str, question: &Q) -> QuestionHash {
        let text = serde_json::to_vec(question).must("the keys of all maps of a case are text");
        let mut hasher = self.hasher(kind);
        hasher.update(&text);
        *hasher.finalize().as_bytes()
    }
}

impl Engine for KeptEngine<'_> {
    fn id(&self) -> &EngineId {
        self.engine.id()
    }

    fn details(&self) -> BTreeMap<String, String> {
        self.engine.details()
    }

    fn notes(&self) -> Vec<String> {
        self.engine.notes()
    }

    fn losses(&self) -> BTreeMap<String, u64> {
        self.engine.losses()
    }

    fn unexplained(&self) -> Vec<String> {
        self.engine.unexplained()
    }

    fn as_judge(&self) -> Option<&dyn LineJudge> {
        self.judge.map(|_| self as &dyn LineJudge)
    }

    fn as_executor(&self) -> Option<&dyn CaseExecutor> {
        self.executor.map(|_| self as &dyn CaseExecutor)
    }

    fn as_kernel_executor(&self) -> Option<&dyn KernelExecutor> {
        self.executor?.as_kernel_executor().map(|_| self as &dyn KernelExecutor)
    }
}

fn to_json<A: Serialize>(answer: &A) -> String {
    serde_json::to_string(answer).must("answers have only text as keys")
}

/// An engine is asked only for what it can do: [`KeptEngine::subject`] offers nothing else.
const ABLE: &str = "an engine is asked only for what it can do";

impl LineJudge for KeptEngine<'_> {
    fn supports(&self, environment: &Environment, depth: Depth) -> Result<(), Unable> {
        self.judge.must(ABLE).supports(environment, depth)
    }

    fn judge(&self, batch: &Batch<'_>, depth: Depth) -> Vec<Outcome> {
        self.judge_all(std::slice::from_ref(batch), depth).pop().unwrap_or_default()
    }

    fn judge_all(&self, batches: &[Batch<'_>], depth: Depth) -> Vec<Vec<Outcome>> {
        let judge = self.judge.must(ABLE);
        let mut questions = Vec::new();
        for batch in batches {
            let mut module = self.hasher("line");
            let common = (depth, batch.environment.to_string(), &batch.scaffold);
            module.update(&postcard::to_stdvec(&common).must("a scaffold is made of texts"));
            questions
                .extend(batch.lines.iter().map(|line| *module.clone().update(line.as_bytes()).finalize().as_bytes()));
        }
        let mut places =
            batches.iter().enumerate().flat_map(|(at, batch)| batch.lines.iter().map(move |line| (at, *line)));
        let places: Vec<(usize, &str)> = places.by_ref().collect();
        let words = |at: usize| format!("{} {}", batches[places[at].0].environment, places[at].1);
        let outcomes = self.recall(questions, words, |missing| {
            let mut asked: BTreeMap<usize, Batch<'_>> = BTreeMap::new();
            for (at, line) in missing.iter().map(|at| places[*at]) {
                let empty = || Batch { lines: Vec::new(), ..batches[at].clone() };
                asked.entry(at).or_insert_with(empty).lines.push(line);
            }
            let asked: Vec<Batch<'_>> = asked.into_values().collect();
            judge.judge_all(&asked, depth).into_iter().flatten().collect()
        });
        let mut outcomes = outcomes.into_iter();
        let mut all: Vec<Vec<Outcome>> =
            batches.iter().map(|batch| outcomes.by_ref().take(batch.lines.len()).collect()).collect();
        // Outcomes that nobody asked for are not dropped.
        if let Some(last) = all.last_mut() {
            last.extend(outcomes);
        }
        all
    }

    fn command(&self, environment: &Environment, depth: Depth, separate: bool) -> Option<String> {
        self.judge.must(ABLE).command(environment, depth, separate)
    }

    fn joint_deaths(&self) -> Vec<JointDeath> {
        self.judge.must(ABLE).joint_deaths()
    }

    fn words(&self) -> Vec<String> {
        self.judge.must(ABLE).words()
    }
}

impl CaseExecutor for KeptEngine<'_> {
    fn executes(&self, environment: &Environment) -> Result<(), Unable> {
        self.executor.must(ABLE).executes(environment)
    }

    fn execute(&self, cases: &[LineCase]) -> Vec<Vec<Answer>> {
        let executor = self.executor.must(ABLE);
        self.recall_cases("rows", cases, |case| case.line.clone(), |asked| executor.execute(asked))
    }

    fn function(&self, case: &LineCase, act: &mut dyn FnMut(&mut LineFunction<'_>)) -> bool {
        self.executor.must(ABLE).function(case, act)
    }

    fn recorded(&self) -> Option<Vec<LineCase>> {
        self.executor.must(ABLE).recorded()
    }

    fn traps_cost(&self) -> bool {
        self.executor.must(ABLE).traps_cost()
    }

    fn usual_cases(&self) -> usize {
        self.executor.must(ABLE).usual_cases()
    }

    fn limits(&self) -> &'static [&'static str] {
        self.executor.must(ABLE).limits()
    }

    fn as_lister(&self) -> Option<&dyn CodeLister> {
        self.executor?.as_lister().map(|_| self as &dyn CodeLister)
    }
}

/// A listing with the operations that its JSON leaves out.
fn whole(listing: Listing) -> (Listing, Vec<String>) {
    let operations = listing.code.iter().map(|of| of.operation.clone()).collect();
    (listing, operations)
}

/// The listing of an answer.
fn listing(whole: WholeListing) -> Option<Listing> {
    let (mut listing, operations) = whole?;
    listing.code.iter_mut().zip(operations).for_each(|(of, operation)| of.operation = operation);
    Some(listing)
}

impl CodeLister for KeptEngine<'_> {
    fn listings(&self, cases: &[LineCase]) -> Vec<Option<Listing>> {
        let lister = self.executor.and_then(CaseExecutor::as_lister).must(ABLE);
        let ask = |asked: &[LineCase]| lister.listings(asked).into_iter().map(|of| of.map(whole)).collect();
        let answers: Vec<WholeListing> = self.recall_cases("listing", cases, |case| case.line.clone(), ask);
        answers.into_iter().map(listing).collect()
    }

    fn smallest(&self, case: &LineCase) -> Option<Listing> {
        let lister = self.executor.and_then(CaseExecutor::as_lister).must(ABLE);
        let question = self.by_json("smallest", case);
        let ask = |_: &[usize]| vec![lister.smallest(case).map(whole)];
        let mut answers: Vec<WholeListing> = self.recall(vec![question], |_| case.line.clone(), ask);
        answers.pop().and_then(listing)
    }
}

impl KernelExecutor for KeptEngine<'_> {
    fn execute_kernels(&self, cases: &[KernelCase]) -> Vec<KernelAnswer> {
        let executor = self.executor.and_then(|executor| executor.as_kernel_executor()).must(ABLE);
        self.recall_cases("kernel", cases, |case| case.module.to_string(), |asked| executor.execute_kernels(asked))
    }
}
