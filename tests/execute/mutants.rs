//! Mutants of the model are found: a run notices each, its simplest case is one row, and its condition is about the
//! choices under which the mutant is wrong.
//!
//! Whether a mutant can be found is decided by the model: it is equivalent if none of many rows under its condition, drawn
//! without regard to the plan of a run, has an answer that the model does not allow. By default a few mutants of each form
//! are tried, with few programs; `-- --ignored` tries all of them with the whole plan, which takes minutes. If the
//! environment variable `MUTANT` is set, only those whose words contain it are tried.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use ptx_conform::campaign::{self, EngineResult, Options, Progress, RowSource, Subject};
use ptx_conform::causes::{self, Finding};
use ptx_conform::divergences::{Divergences, ListedCube};
use ptx_conform::engine::CaseExecutor as _;
use ptx_conform::space::Values;
use ptx_conform::spec::{Cube, ValueSet};
use rayon::prelude::*;

use crate::cases::{self, Expected};
use crate::engine::StandIn;
use crate::modelled_form::{DRAWN, FORMS, ModelledForm};
use crate::mutant::{self, Mutant, Mutation};
use crate::shipped::SPEC;

/// The mutants that are tried by default: of one in so many forms, so many of each, with so many programs in a run.
const FEW: (usize, usize, Option<usize>) = (3, 2, Some(300));
/// The mutants that the nightly tries: all.
const ALL: (usize, usize, Option<usize>) = (1, usize::MAX, None);
/// A kind of mistake with more mutants than this must show in rows that were computed by hand.
const SEVERAL: usize = 5;

/// The combinations of a finding in a form.
fn cubes(finding: &Finding, of: &ModelledForm) -> Vec<Cube> {
    let (instruction, Some((_, name))) = (&of.instruction, of.form.id.rsplit_once('.')) else { return Vec::new() };
    let when = if finding.when.is_empty() { String::new() } else { format!("    when: {}\n", finding.when) };
    let yaml = format!(
        "engine: mutant\ndivergences:\n  - id: {instruction}-computes-this\n    instructions: [{instruction}]\n    \
        forms: [{name}]\n    does: computes\n{when}    because: It is a mutant.\n"
    );
    let read = Divergences::from_texts(&[("mutant.yaml".to_owned(), yaml)], &SPEC);
    let read = read.unwrap_or_else(|errors| panic!("{}", errors[0].render(false)));
    let of_form = |listed: &&ListedCube| listed.form == of.form.id;
    read.all[0].cubes().iter().filter(of_form).map(|listed| listed.cube.clone()).collect()
}

/// What became of a mutant.
#[derive(Default)]
struct Measured {
    words: String,
    /// It executes another choice of the line, which need not matter to one thread: a scope, a cache, a space.
    of_choice: bool,
    /// Nothing shows that it is not the model.
    equivalent: bool,
    findings: usize,
    /// Rows failed, and not again: a row depends on those before it.
    not_alone: bool,
    /// Rows fail outside of its condition.
    elsewhere: bool,
    /// A finding has no simplest case of one row, or fewer than a fifth of what was asked about it failed.
    weak: bool,
    /// A finding holds for rows outside of its condition.
    wide: bool,
    /// The part of the rows drawn that fail outside of every finding's condition.
    uncovered: f64,
    text: String,
}

/// Runs an instruction with a mutant in each of these forms.
fn measure(instruction: &str, mutants: &[(&ModelledForm, &Mutant)], cases: Option<usize>) -> Vec<Measured> {
    let engine = mutant::engine(&SPEC, "mutant@1", mutants.iter().map(|(_, mutant)| (*mutant).clone()));
    let options = Options { instructions: vec![instruction.to_owned()], cases, ..Options::default() };
    let (progress, divergences) = (Progress::default(), Divergences::default());
    let subjects = [Subject::executing(&engine, *SPEC.isa.versions.last().expect("versions"))];
    let results = campaign::run(&SPEC, &divergences, &subjects, &options, &progress);
    let findings =
        causes::find(&SPEC, &divergences, &subjects, &results, &progress).expect("our own texts can be read");
    let [result] = results.engines.as_slice() else { panic!("{:?}", results.absent) };
    assert!(matches!(result.rows_from, Some(RowSource::Executed(_))), "nothing was executed");
    let of = |&(form, mutant): &(&ModelledForm, &Mutant)| {
        let own = findings.all.iter().filter(|finding| finding.forms.contains(&form.form.id)).collect::<Vec<_>>();
        let not_alone = findings.not_reproduced.iter().any(|group| group.starts_with(&format!("{}: ", form.form.id)));
        Measured { not_alone, ..judge(&engine, form, mutant, result, &own) }
    };
    mutants.iter().map(of).collect()
}

fn judge(
    engine: &StandIn<'_>,
    form: &ModelledForm,
    mutant: &Mutant,
    result: &EngineResult,
    findings: &[&Finding],
) -> Measured {
    let truth = &mutant.cube;
    let failing = form.failing(engine, truth, DRAWN);
    let mut kept = result.tally.groups.iter().filter(|(key, _)| key.form == form.form.id).peekable();
    let failed = kept.peek().is_some();
    let elsewhere = kept.any(|(_, group)| group.kept.values().any(|row| !truth.contains(row)));
    let weak = |finding: &&Finding| {
        finding.evidence.iter().any(|known| known.failed * 5 < known.asked)
            || finding.case.row.as_ref().is_none_or(|row| row.execution.rows.len() != 1)
    };
    let conditions: Vec<Cube> = findings.iter().flat_map(|finding| cubes(finding, form)).collect();
    let others = |(axis, set): &(usize, ValueSet)| (*axis, set.complement(form.form.axes[*axis].values.len()));
    let outside: Vec<(usize, ValueSet)> = truth.sets().iter().map(others).collect();
    let wide = |cube: &Cube| outside.iter().any(|(axis, set)| form.occurs(&cube.clone().with(*axis, *set)));
    let covered = |row: &&Values| conditions.iter().any(|cube| cube.contains(row));
    let uncovered = failing.iter().filter(|row| !covered(row)).count() as f64 / failing.len().max(1) as f64;
    let mut text = format!("{mutant}: {} of {DRAWN} drawn rows fail\n", failing.len());
    for finding in findings {
        let evidence = finding.evidence.iter().map(|known| format!("{}/{}", known.failed, known.asked));
        let evidence = evidence.collect::<Vec<_>>().join(" ");
        let _ = writeln!(text, "    {} {} {} [{evidence}]", finding.forms.join(" "), finding.when, finding.inputs);
    }
    Measured {
        words: mutant.to_string(),
        of_choice: matches!(mutant.mutation, Mutation::Choice(..)),
        equivalent: failing.is_empty() && !failed,
        findings: findings.len(),
        not_alone: false,
        elsewhere,
        weak: findings.iter().any(weak),
        wide: conditions.iter().any(wide),
        uncovered,
        text,
    }
}

/// Tries mutants: of one in `every` forms at most `most`, in runs with `cases` programs of each form.
fn are_found((every, most, cases): (usize, usize, Option<usize>)) {
    let part = std::env::var("MUTANT").unwrap_or_default();
    let mut rounds: BTreeMap<(usize, &str), Vec<(&ModelledForm, &Mutant)>> = BTreeMap::new();
    for form in FORMS.iter().step_by(every) {
        let chosen = form.mutants.iter().filter(|mutant| mutant.to_string().contains(&part)).take(most);
        for (round, mutant) in chosen.enumerate() {
            rounds.entry((round, &form.instruction)).or_default().push((form, mutant));
        }
    }
    let rounds: Vec<_> = rounds.into_iter().collect();
    let measured: Vec<Measured> =
        rounds.par_iter().flat_map(|((_, instruction), mutants)| measure(instruction, mutants, cases)).collect();
    measured.iter().for_each(|measured| print!("{}", measured.text));
    check(&measured);
}

fn check(measured: &[Measured]) {
    let (equivalent, live): (Vec<&Measured>, Vec<&Measured>) = measured.iter().partition(|one| one.equivalent);
    let named = |title: &str, of: &[&Measured], keep: &dyn Fn(&Measured) -> bool| -> usize {
        let names: Vec<&str> = of.iter().filter(|one| keep(one)).map(|one| one.words.as_str()).collect();
        println!("{title}, {}:\n    {}", names.len(), names.join("\n    "));
        names.len()
    };
    named("equivalent, because a choice does not matter", &equivalent, &|one| one.of_choice);
    let hidden = named("equivalent otherwise", &equivalent, &|one| !one.of_choice);
    let missed = named("missed", &live, &|one| one.findings == 0 && !one.not_alone);
    let elsewhere = named("failing outside of their conditions", &live, &|one| one.elsewhere);
    let weak = named("with weak evidence", &live, &|one| one.weak);
    let wide = named("with a condition that is too wide", &live, &|one| one.wide);
    let narrow =
        named("with failing rows outside of the findings", &live, &|one| one.findings > 0 && one.uncovered > 0.25);
    let findings: usize = live.iter().map(|one| one.findings).sum();
    println!("{} of {} mutants are not equivalent, {findings} findings", live.len(), measured.len());
    if std::env::var_os("MUTANT").is_some() {
        return;
    }
    assert_eq!((elsewhere, weak), (0, 0), "failing outside of their conditions, weak evidence");
    assert!(missed * 50 <= live.len(), "more than 2 % are missed");
    assert!(hidden * 5 <= measured.len(), "more than a fifth are equivalent although they change a result or an input");
    assert!(findings * 10 <= live.len() * 11, "more than 1.1 findings each");
    assert!((wide + narrow) * 10 <= live.len(), "more than 10 % have a condition that is too wide or too narrow");
}

#[test]
fn mutants_are_found() {
    are_found(FEW);
}

#[test]
#[ignore = "it takes minutes"]
fn all_mutants_are_found() {
    are_found(ALL);
}

/// The rows of `corpus/executed/` were computed by hand, so that they tell the model from its mutants. Each kind of mistake
/// of which there are several must show in some row.
#[test]
fn hand_computed_rows_show_mutants() {
    let corpus = cases::all(&SPEC).unwrap_or_else(|why| panic!("{why:#}"));
    let shows = |form: &ModelledForm, mutant: &Mutant| {
        let engine = mutant::engine(&SPEC, "mutant@1", [mutant.clone()]);
        let of_instruction = corpus.iter().filter(|case| case.instruction == form.instruction);
        of_instruction.into_iter().any(|case| {
            let answers = engine.execute(std::slice::from_ref(&case.program)).remove(0);
            let defined = |expected: &Expected| !matches!(expected, Expected::Undefined(_));
            let mut rows = case.expected.iter().zip(&answers).filter(|(expected, _)| defined(expected));
            rows.any(|(expected, answer)| expected.check(answer, &case.program).is_err())
        })
    };
    // Mutants with the shortest conditions come first.
    let tried = FORMS.par_iter().flat_map(|form| form.mutants.par_iter().take(40).map(move |mutant| (form, mutant)));
    let tried: Vec<(String, String, bool)> =
        tried.map(|(form, mutant)| (form.instruction.clone(), mutant.mutation.kind(), shows(form, mutant))).collect();
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (_, kind, shows) in &tried {
        let (shown, all) = kinds.entry(kind).or_default();
        (*shown, *all) = (*shown + usize::from(*shows), *all + 1);
    }
    println!("mutants that hand-computed rows show, by the kind of mistake: {kinds:?}");
    let silent: Vec<&&str> =
        kinds.iter().filter(|(_, (shown, all))| *shown == 0 && *all > SEVERAL).map(|(kind, _)| kind).collect();
    assert!(silent.is_empty(), "no hand-computed row shows a mistake of these kinds: {silent:?}");
    let instructions: BTreeSet<&str> = tried.iter().map(|(instruction, ..)| instruction.as_str()).collect();
    let shown: BTreeSet<&str> =
        tried.iter().filter(|(.., shows)| *shows).map(|(instruction, ..)| instruction.as_str()).collect();
    assert_eq!(shown, instructions, "no hand-computed row of the others shows any mutant");
}
