//! Plans and engines that go wrong: a plan is parted without loss, an engine that fails at everything is found
//! out by few cases, and one that answers at random has no findings.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use ptx_conform::campaign::{self, Generate, Options, Progress, Shard, Subject};
use ptx_conform::causes;
use ptx_conform::divergences::Divergences;
use ptx_conform::engine::{Batch, CaseExecutor, Depth, Engine, EngineId, LineJudge, Outcome};
use ptx_conform::environment::{Environment, Version};
use ptx_conform::execution::{Answer, Execution};
use ptx_conform::judge::Judge;
use ptx_conform::ptx::{Declarations, Line};
use ptx_conform::report::Report;
use ptx_conform::spec::Spec;

static SPEC: LazyLock<Spec> = LazyLock::new(|| ptx_conform::shipped::spec().expect("the specification is sound"));

/// What it does with the line of a number: the verdict of the specification, or something else.
type Does = fn(u64, Outcome) -> Outcome;

/// A judge and executor for tests.
struct Odd {
    id: EngineId,
    does: Does,
    /// Lines and rows that it was asked about.
    asked: AtomicU64,
}

impl Odd {
    fn new(does: Does) -> Self {
        Self { id: "odd@1.0".parse().expect("an id"), does, asked: AtomicU64::new(0) }
    }

    fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Engine for Odd {
    fn id(&self) -> &EngineId {
        &self.id
    }

    fn details(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    fn losses(&self) -> BTreeMap<String, u64> {
        BTreeMap::new()
    }

    fn as_judge(&self) -> Option<&dyn LineJudge> {
        Some(self)
    }

    fn as_executor(&self) -> Option<&dyn CaseExecutor> {
        Some(self)
    }
}

impl LineJudge for Odd {
    fn supports(&self, _: &Environment, _: Depth) -> Result<(), String> {
        Ok(())
    }

    fn judge(&self, batch: &Batch<'_>, _: Depth) -> Vec<Outcome> {
        let judge = Judge::new(&SPEC, &batch.environment).expect("a known environment");
        let declarations =
            Declarations::parse(&batch.scaffold.declarations(), &SPEC.isa).expect("declarations of ours");
        let right = |line: &&str| {
            let line = Line::parse(line).expect("a line of ours");
            let valid = judge.read(&line, &declarations).is_some_and(|(_, reading)| reading.valid());
            if valid { Outcome::Accepted } else { Outcome::Rejected("invalid".to_owned()) }
        };
        batch.lines.iter().map(|line| (self.does)(self.asked.fetch_add(1, Ordering::Relaxed), right(line))).collect()
    }

    fn command(&self, _: &Environment, _: Depth, _: bool) -> Option<String> {
        None
    }

    fn words(&self) -> Vec<String> {
        Vec::new()
    }
}

impl CaseExecutor for Odd {
    fn executes(&self, _: &Environment) -> Result<(), String> {
        Ok(())
    }

    fn execute(&self, cases: &[Execution]) -> Vec<Vec<Answer>> {
        let fails = |case: &Execution| {
            self.asked.fetch_add(case.rows.len() as u64, Ordering::Relaxed);
            vec![Answer::Failed("it answered with a lemon".to_owned()); case.rows.len()]
        };
        cases.iter().map(fails).collect()
    }

    fn recorded(&self) -> Option<Vec<Execution>> {
        None
    }

    fn traps_cost(&self) -> bool {
        false
    }
}

fn newest() -> Version {
    *SPEC.isa.versions.last().expect("versions")
}

fn options(instruction: &str) -> Options {
    let instructions = vec![instruction.to_owned()];
    Options { instructions, random: 200, generate: Generate::Nothing, vocabulary: false, ..Options::default() }
}

#[test]
fn shards_together_are_the_plan() {
    let engine = Odd::new(|_, right| right);
    let subject = Subject::judging(&engine, newest());
    let tasks = |shard| -> Vec<String> {
        let options = Options { shard, batch: 50, ..options("suq") };
        let instruction = SPEC.instruction("suq").expect("a specification");
        campaign::plan(&SPEC, &subject, &options).iter().map(|task| task.describe(instruction).to_string()).collect()
    };
    let whole = tasks(Shard::WHOLE);
    let parts: Vec<Vec<String>> = (1..=4).map(|number| tasks(Shard { number, of: 4 })).collect();
    assert!(whole.len() > 8 && parts.iter().all(|part| part.len() < whole.len()), "{} tasks", whole.len());
    let mut together: Vec<String> = parts.concat();
    together.sort();
    assert_eq!(together, whole);
    // Listing a plan asks nothing.
    assert_eq!(engine.asked(), 0);
    assert!("0/4".parse::<Shard>().is_err() && "5/4".parse::<Shard>().is_err() && "x".parse::<Shard>().is_err());
}

#[test]
fn an_engine_that_fails_at_everything_is_found_out_by_few_cases() {
    let crashes: Does = |_, _| Outcome::Crashed("signal 11".to_owned());
    for (judges, words) in [(true, "signal 11"), (false, "it answered with a lemon")] {
        let engine = Odd::new(crashes);
        let subject = if judges { Subject::judging(&engine, newest()) } else { Subject::executing(&engine, newest()) };
        let (divergences, options, progress) = (Divergences::default(), options("suq"), Progress::default());
        let results = campaign::run(&SPEC, &divergences, &[subject], &options, &progress);
        let why = format!("it failed 24 times in a row, the last time: {words}");
        assert_eq!(results.engines[0].gave_up, Some(why));
        assert!(engine.asked() <= 100, "{} cases were asked about", engine.asked());
        let findings = causes::find(&SPEC, &divergences, &[subject], &results, &progress).expect("texts of ours");
        assert!(findings.all.is_empty(), "{findings:#?}");
        let report = Report::new(&SPEC, &divergences, &options, &results, findings);
        assert_eq!(report.verdict, "could not judge");
        assert!(report.text().contains(words), "{}", report.text());
    }
}

#[test]
fn an_engine_that_answers_at_random_has_no_findings() {
    let random: Does = |number, right| {
        let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        if mixed.is_multiple_of(2) { Outcome::Accepted } else { right }
    };
    let engine = Odd::new(random);
    let subjects = [Subject::judging(&engine, newest())];
    let (divergences, options, progress) = (Divergences::default(), options("suq"), Progress::default());
    let results = campaign::run(&SPEC, &divergences, &subjects, &options, &progress);
    assert!(!results.agreed());
    let findings = causes::find(&SPEC, &divergences, &subjects, &results, &progress).expect("texts of ours");
    assert!(findings.all.is_empty(), "{findings:#?}");
    let [unstable] = findings.not_reproduced.as_slice() else { panic!("{:#?}", findings.not_reproduced) };
    assert!(unstable.starts_with("odd@1.0 is unstable: "), "{unstable}");
}
