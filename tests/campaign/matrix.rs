//! The support matrix: what the manual says, and engines that differ from it.

use std::path::Path;
use std::process::{Command, Stdio};

use ptx_conform::campaign::{Progress, Subject};
use ptx_conform::divergences::Divergences;
use ptx_conform::engine::{LineJudge, Outcome};
use ptx_conform::environment::Version;
use ptx_conform::matrix::{
    Feature, Matrix, MatrixQuery, Observation, QueryAnswer, Standing, Survey, TargetPair, TargetsWith,
};
use ptx_conform::spec::Spec;

use crate::engine::StandIn;
use crate::shipped::SPEC;
use crate::transcript;

fn spec() -> &'static Spec {
    &SPEC
}

fn asked(text: &str) -> (Survey<'static>, Vec<QueryAnswer>) {
    let query = MatrixQuery::read(spec(), text).unwrap_or_else(|why| panic!("{why}"));
    Survey::by_queries(spec(), &[query])
}

/// What was asked about.
fn exact(text: &str) -> Feature {
    let (survey, answers) = asked(text);
    let [answer] = &answers[..] else { panic!("one instruction") };
    let [at] = answer.exact[..] else { panic!("one meaning: {answer:?}") };
    survey.matrix().features[at].clone()
}

#[test]
fn the_manual_is_right_about_known_features() {
    for (query, available) in [
        ("add", "PTX 1.0, sm_10"),
        ("add.f64", "PTX 1.2, sm_13"),
        ("add.rn.ftz.f32x2", "PTX 8.6, sm_100"),
        // In another order.
        ("add.f32x2.ftz.rn", "PTX 8.6, sm_100"),
        ("vote.sync", "PTX 6.0, sm_30"),
        ("ld.global.L2::cache_hint", "PTX 7.4, sm_80"),
        ("add.f32x2", "PTX 8.6, sm_100"),
    ] {
        assert_eq!(exact(query).manual.to_string(), available, "{query}");
    }
}

#[test]
fn what_is_gone_again_is_a_feature() {
    let (survey, _) = asked("vote");
    let gone =
        survey.matrix().features.iter().find(|feature| feature.name == "vote without .sync").expect("it is there");
    assert_eq!(gone.manual.to_string(), "PTX 1.2, sm_12; not from PTX 6.4 on for sm_70 and later");
    let rules: Vec<&str> = gone.because.iter().map(|because| because.rule.as_str()).collect();
    assert!(rules.contains(&"vote/removed"), "{rules:?}");
}

/// Each line is valid by the judge where the matrix says so, since `observe` compares them; an engine that does what the
/// specification says is the same everywhere.
#[test]
fn an_engine_that_follows_the_specification_is_the_same() {
    let engine = StandIn::new("stand-in@1.0").judging(spec(), |_, _, right| right);
    for query in ["add", "vote", "ld.L2::evict_last", "mov.b128", "brx.idx"] {
        let (matrix, _) = observed(query, &engine, "9.5");
        for feature in &matrix.features {
            let [seen] = &feature.observed[..] else { panic!("one engine") };
            assert_eq!((seen.verdict, &seen.accepts), (Standing::Same, &feature.manual), "{}", feature.name);
        }
    }
}

fn observed(query: &str, engine: &StandIn<'_>, newest: &str) -> (Matrix, Vec<QueryAnswer>) {
    let (mut survey, answers) = asked(query);
    let subject = Subject::judging(engine as &dyn LineJudge, newest.parse::<Version>().expect("a version"));
    survey.observe(&Divergences::default(), &subject, &Progress::default()).expect("it can be asked");
    (survey.into_matrix(), answers)
}

/// What an engine does with what was asked about.
fn seen(query: &str, engine: &StandIn<'_>, newest: &str) -> Observation {
    let (matrix, answers) = observed(query, engine, newest);
    matrix.features[answers[0].exact[0]].observed[0].clone()
}

#[test]
fn what_an_engine_takes_earlier_later_or_never_is_a_difference() {
    let spec = spec();
    let early = StandIn::new("early@1.0").judging(spec, |line, read, right| {
        let needs_only_ptx =
            |(instruction, reading): (&ptx_conform::spec::Instruction, &ptx_conform::judge::Reading)| {
                reading.rules(instruction).all(|rule| rule.id == "add/pairs-of-f32-ptx")
            };
        if line.contains(".f32x2") && read.is_some_and(needs_only_ptx) { Outcome::Accepted } else { right }
    });
    let of = seen("add.rn.ftz.f32x2", &early, "9.5");
    // The targets came with the version that has it, so nothing can be earlier there.
    assert_eq!(of.verdict, Standing::Same);

    let early = StandIn::new("early@1.0")
        .judging(spec, |line, _, right| if line.starts_with("vote.sync") { Outcome::Accepted } else { right });
    let of = seen("vote.sync", &early, "9.5");
    assert_eq!((of.verdict, of.accepts.to_string().as_str()), (Standing::Differs, "PTX 1.0, sm_10"));
    assert!(of.unlisted == of.also.environments && of.unlisted > 100 && of.not.is_none(), "{of:?}");

    let strict = StandIn::new("strict@1.0").judging(spec, |line, _, right| {
        if line.starts_with("vote.sync") { Outcome::Rejected("no".to_owned()) } else { right }
    });
    let of = seen("vote.sync", &strict, "9.5");
    assert_eq!((of.verdict, of.accepts.is_nowhere()), (Standing::Never, true));
    assert!(of.not.smallest[0].to_string() == "PTX 6.0, sm_30", "{of:?}");
}

/// An engine that does something else with lines of `vote.sync` that are valid, or that are not.
fn odd_at_votes(outcome: &Outcome, where_valid: bool) -> Observation {
    let answer = outcome.clone();
    let odd = StandIn::new("odd@1.0").judging(spec(), move |line, read, right| {
        let valid = read.is_some_and(|(_, reading)| reading.valid());
        if line.starts_with("vote.sync") && valid == where_valid { answer.clone() } else { right }
    });
    seen("vote.sync", &odd, "9.5")
}

#[test]
fn no_answer_is_not_agreement() {
    for outcome in [Outcome::TimedOut, Outcome::Skipped("busy".to_owned())] {
        let of = odd_at_votes(&outcome, true);
        assert_eq!(of.verdict, Standing::Undecided, "{outcome:?}");
        assert!(of.undecided.values().sum::<usize>() > 100, "{of:?}");
    }
}

#[test]
fn a_crash_is_a_difference() {
    let crash = Outcome::Crashed("signal 11".to_owned());
    let of = odd_at_votes(&crash, true);
    assert_eq!((of.verdict, of.crashes == of.not, of.unlisted), (Standing::Never, true, of.crashes.environments));
    let of = odd_at_votes(&crash, false);
    assert_eq!((of.verdict, of.accepts.to_string().as_str()), (Standing::Differs, "PTX 6.0, sm_30"));
    assert_eq!((of.crashes.smallest[0].to_string().as_str(), of.unlisted), ("PTX 1.0, sm_10", of.crashes.environments));
    assert!(of.also.is_none() && of.not.is_none() && of.undecided.is_empty(), "{of:?}");
}

#[test]
fn what_comes_after_an_engine_is_not_agreement_either() {
    let engine = StandIn::new("stand-in@1.0").judging(spec(), |_, _, right| right);
    assert_eq!(seen("add.rn.ftz.f32x2", &engine, "8.5").verdict, Standing::Beyond);
    assert_eq!(seen("add.rn.ftz.f32x2", &engine, "8.6").verdict, Standing::Same);
}

#[test]
fn a_search_that_was_stopped_agrees_with_nothing() {
    let engine = StandIn::new("stand-in@1.0").judging(spec(), |_, _, right| right);
    let (mut survey, _) = asked("vote.sync");
    let progress = Progress::default();
    progress.stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let subject = Subject::judging(&engine, "9.5".parse().expect("a version"));
    survey.observe(&Divergences::default(), &subject, &progress).expect("it can be asked");
    let mut all = survey.matrix().features.iter().flat_map(|feature| &feature.observed);
    assert!(all.all(|of| of.verdict == Standing::Undecided && of.accepts.ranges.is_empty()));
}

#[test]
fn queries_say_what_is_wrong_with_them() {
    for (query, says) in [
        ("ad", "`ad`: `ad` has no specification; did you mean `add`?"),
        ("add.f32x3", "`add.f32x3`: `add` has no modifier `.f32x3`; did you mean `.f32x2`?"),
        (
            ".L2::evict_lst",
            "`.L2::evict_lst`: no instruction has the modifier `.L2::evict_lst`; did you mean `.L2::evict_last`?",
        ),
        (".f32x2.pred", "`.f32x2.pred`: no instruction has all of these modifiers"),
    ] {
        let error = MatrixQuery::read(spec(), query).expect_err("it is wrong");
        assert_eq!(error.to_string(), says);
    }
}

#[test]
fn what_is_never_valid_names_its_rules() {
    let (survey, answers) = asked("ld.const.relaxed");
    let never = &survey.matrix().never[answers[0].never.expect("nothing has it")];
    assert!(never.because.iter().any(|why| why.starts_with("ld/synchronizing-spaces: ")), "{never:?}");
}

/// The output of the program has the schema's shape: the schema is that of the types, which refuse unknown fields.
#[test]
fn the_output_has_the_shape_of_its_schema() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let arguments = transcript::arguments("matrix add vote ld.const.relaxed --no-engine --format json");
    let output = transcript::run(root, &arguments, Vec::new());
    let text = String::from_utf8(output.stdout).expect("text");
    let matrix: Matrix = serde_json::from_str(&text).expect("a matrix");
    assert_eq!(format!("{}\n", serde_json::to_string_pretty(&matrix).expect("JSON")), text);
    assert!(matrix.version == 1 && matrix.features.len() > 40 && matrix.never.len() == 1);
}

/// The block of docs/matrix.md is what is printed. `BLESS=1` updates it.
#[test]
fn the_example_of_the_documentation_is_real() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = root.join("docs/matrix.md");
    let text = std::fs::read_to_string(&page).expect("the page");
    let (before, rest) = text.split_once("<!-- matrix -->\n```text\n").expect("the block");
    let (block, after) = rest.split_once("```").expect("its end");
    let output = transcript::run(root, &transcript::arguments("matrix vote.sync --no-engine"), Vec::new());
    let printed = String::from_utf8(output.stdout).expect("text");
    if std::env::var_os("BLESS").is_some() {
        let new = format!("{before}<!-- matrix -->\n```text\n{printed}```{after}");
        std::fs::write(&page, new).expect("the page is written");
    } else {
        assert_eq!(block, printed, "BLESS=1 updates docs/matrix.md");
    }
}

#[test]
fn the_example_script_prints_a_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let arguments = transcript::arguments("matrix vote add.f16 --no-engine --format json");
    let json = transcript::run(root, &arguments, Vec::new()).stdout;
    for (language, row) in [
        ("c++", "{\"vote without .sync\", {{12, 12, ' '}}, {{64, 70, ' '}}},\n"),
        ("tablegen", "// vote without .sync: [hasPTX<12>, hasSM<12>] and not [hasPTX<64>, hasSM<70>]\n"),
    ] {
        let mut script = Command::new("python3")
            .args(["-ES", "examples/feature_table.py", "--language", language])
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 starts");
        std::io::Write::write_all(&mut script.stdin.take().expect("a pipe"), &json).expect("it reads");
        let output = script.wait_with_output().expect("it ends");
        let text = String::from_utf8(output.stdout).expect("text");
        assert!(output.status.success() && text.contains(row), "{text}");
    }
}

/// By the manual, and in an engine that has a feature of the exact target in the plain one as well.
#[test]
fn two_targets_are_compared() {
    let spec = spec();
    let instructions =
        [spec.instruction("redux").expect("it is there"), spec.instruction("ldmatrix").expect("it is there")];
    let target = |name: &str| name.parse().expect("a target");
    let targets =
        TargetPair { ptx: "9.1".parse().expect("a version"), target: target("sm_100a"), against: target("sm_100") };
    let contrast = |engine: &StandIn<'_>| {
        let mut survey = Survey::by_manual(spec, &instructions);
        survey.limit(&targets);
        let subject = Subject::judging(engine as &dyn LineJudge, targets.ptx);
        survey.observe(&Divergences::default(), &subject, &Progress::default()).expect("it can be asked");
        survey.into_matrix().contrast(targets)
    };
    let plain = contrast(&StandIn::new("plain@1.0").judging(spec, |_, _, right| right));
    let names: Vec<&str> = plain.gained.iter().map(|feature| feature.name.as_str()).collect();
    // Modifiers that only the exact target has, and no combination that contains one of them.
    for name in ["redux.f32", "redux.NaN", "ldmatrix.b8", "ldmatrix.m16n16"] {
        assert!(names.contains(&name), "{name} is not in {names:?}");
    }
    assert!(!names.iter().any(|name| name.contains(".b16") || *name == "redux.sync.f32"), "{names:?}");
    assert!(plain.lost.is_empty(), "{:?}", plain.lost);
    assert!(plain.gained.iter().all(|feature| plain.deviation(feature, 0).is_none()));

    let lenient = contrast(
        &StandIn::new("lenient@1.0").judging(
            spec,
            |line, _, right| {
                if line.contains(".f32") { Outcome::Accepted } else { right }
            },
        ),
    );
    let float = lenient.gained.iter().find(|feature| feature.name == "redux.f32").expect("it is there");
    assert_eq!(float.observed, [Some(TargetsWith::Both)]);
    assert_eq!(lenient.deviation(float, 0).as_deref(), Some("both have it (no divergence lists it)"));
    let other = lenient.gained.iter().find(|feature| feature.name == "ldmatrix.b8").expect("it is there");
    assert_eq!(other.observed, [Some(TargetsWith::Target)]);
}
