//! Engines with one narrow bug each: whether a default run finds the bug, in how many findings, and whether their
//! conditions have accidental parts.
//!
//! A part of a condition is accidental if a value that it leaves out fails as well. To check that, the test asks the
//! engine about failing rows, changed on that axis only.

#[path = "planted/executor.rs"]
mod executor;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use rayon::prelude::*;

use ptx_conform::campaign::{self, Options, Progress, Results, RowSource, Subject};
use ptx_conform::case::{self, CostlyRows};
use ptx_conform::causes::{self, Findings};
use ptx_conform::divergences::{Divergences, ListedCube};
use ptx_conform::environment::Environment;
use ptx_conform::model::RowVerdict;
use ptx_conform::setup;
use ptx_conform::space::{Diagram, Draw, EnvironmentValues, Slice, Values, environment_values};
use ptx_conform::spec::{Cube, Form, Instruction, Spec, ValueSet};

use executor::engine::StandIn;
use executor::narrow::{NARROW_BUGS, Narrow, NarrowBug};

static SPEC: LazyLock<Spec> = LazyLock::new(|| ptx_conform::shipped::spec().expect("the specification is sound"));
/// The instructions with the axes of their setups.
static EXECUTED: LazyLock<BTreeMap<String, Instruction>> = LazyLock::new(|| {
    let of = |instruction: &Instruction| (instruction.name.clone(), setup::executed(&SPEC, instruction));
    SPEC.instructions.iter().map(of).collect()
});

/// The number of rows drawn from a condition to find some that fail.
const DRAWN: usize = 3000;
/// The number of failing rows that are changed on one axis.
const CHANGED: usize = 32;
/// The number of changed rows that is enough for a conclusion.
const ENOUGH: usize = 4;

fn run(engine: &StandIn<'_>, instruction: &str) -> (Results, Findings) {
    let options = Options { instructions: vec![instruction.to_owned()], ..Options::default() };
    let (progress, divergences) = (Progress::default(), Divergences::default());
    let subjects = [Subject::executing(engine, *SPEC.isa.versions.last().expect("versions"))];
    let results = campaign::run(&SPEC, &divergences, &subjects, &options, &progress);
    let findings =
        causes::find(&SPEC, &divergences, &subjects, &results, &progress).expect("our own texts can be read");
    (results, findings)
}

/// The cubes of a condition, by form.
fn cubes(instruction: &str, forms: &[&str], when: &str) -> Vec<ListedCube> {
    let forms = if forms.is_empty() { String::new() } else { format!("    forms: [{}]\n", forms.join(", ")) };
    let when = if when.is_empty() { String::new() } else { format!("    when: {when}\n") };
    let yaml = format!(
        "engine: narrow\ndivergences:\n  - id: {instruction}-computes-this\n    instructions: [{instruction}]\n{forms}    does: computes\n{when}    because: It is planted.\n"
    );
    let read = Divergences::from_texts(&[("narrow.yaml".to_owned(), yaml)], &SPEC);
    read.unwrap_or_else(|errors| panic!("{}", errors[0].render(false))).all[0].cubes().to_vec()
}

/// One form of an instruction in the environment of a run, and an engine to ask about its rows.
struct Inquiry<'a> {
    engine: &'a StandIn<'a>,
    form: &'a Form,
    domain: Diagram,
    prefix: Values,
    draw: Draw,
}

impl<'a> Inquiry<'a> {
    fn new(engine: &'a StandIn<'a>, form: &'a Form, environment: &Environment) -> Self {
        let prefix = environment_values(form, environment).expect("a known environment").to_vec();
        let domain = Diagram::within(form, None, &prefix);
        Self { engine, form, domain, prefix, draw: Draw::named("accidental", 0) }
    }

    /// Whether each row fails; `None` if that is undefined or unknown.
    fn fails(&self, rows: &[Values]) -> Vec<Option<bool>> {
        let tried = case::execute(&SPEC, self.engine, self.form, rows, &CostlyRows::default())
            .expect("our own texts can be read");
        let failed = |verdict: &RowVerdict| match verdict {
            RowVerdict::Differs(_) => Some(true),
            RowVerdict::Agrees(_) => Some(false),
            _ => None,
        };
        tried.iter().map(|tried| failed(tried.row.as_ref()?)).collect()
    }

    /// Rows of a cube.
    fn drawn(&mut self, cube: &Cube, count: usize) -> Vec<Values> {
        let region = self.domain.all().below(&self.prefix);
        let slice = Slice::new(&region, cube);
        let size = slice.count();
        let ranks: Vec<u128> = (0..count).filter_map(|_| self.draw.below(size)).collect();
        ranks.into_iter().filter_map(|rank| slice.unrank(rank)).collect()
    }

    /// Rows of a cube that fail.
    fn failing(&mut self, cube: &Cube) -> Vec<Values> {
        let rows = self.drawn(cube, DRAWN);
        let failed = self.fails(&rows);
        rows.into_iter().zip(failed).filter(|(_, failed)| *failed == Some(true)).map(|(row, _)| row).collect()
    }

    /// How many of these rows fail, and how many were judged, after one axis is changed to this value.
    fn with(&mut self, cube: &Cube, failing: &[Values], axis: usize, value: u8) -> (usize, usize) {
        let change = |row: &Values| {
            let mut row = row.clone();
            row[axis] = value;
            row
        };
        let changed: Vec<Values> = failing.iter().map(change).filter(|row| self.domain.contains(row)).collect();
        let seen: Vec<bool> = self.fails(&changed).into_iter().flatten().collect();
        if seen.len() >= ENOUGH {
            return (seen.iter().filter(|failed| **failed).count(), seen.len());
        }
        // The axis depends on others, so take any rows of the condition that have the value.
        let others = Cube::new(cube.sets().iter().copied().filter(|(named, _)| *named != axis));
        let cube = others.with(axis, ValueSet::of(ValueSet::CAPACITY - 1, |at| at == usize::from(value)));
        let rows = self.drawn(&cube, DRAWN / 10);
        let seen: Vec<bool> = self.fails(&rows).into_iter().flatten().collect();
        (seen.iter().filter(|failed| **failed).count(), seen.len())
    }
}

/// The judgement of one condition in one form.
#[derive(Default)]
struct Judged {
    /// Parts that leave out values which fail as well, with these values.
    accidental: Vec<(String, Vec<String>)>,
    /// Parts with values that never fail.
    wide: Vec<(String, Vec<String>)>,
}

fn judge(inquiry: &mut Inquiry<'_>, cube: &Cube) -> Judged {
    let mut judged = Judged::default();
    let mut failing = inquiry.failing(cube);
    let rate = failing.len() as f64 / DRAWN as f64;
    failing.truncate(CHANGED);
    if failing.is_empty() {
        judged.wide.push(("all of it".to_owned(), Vec::new()));
        return judged;
    }
    let environment = inquiry.prefix.len();
    for (axis, set) in cube.sets().iter().filter(|(axis, _)| *axis >= environment) {
        let form = inquiry.form;
        let of = &form.axes[*axis];
        let (mut left_out, mut idle) = (Vec::new(), Vec::new());
        for (at, name) in of.values.iter().enumerate() {
            let value = u8::try_from(at).expect("few values");
            let (failed, asked) = inquiry.with(cube, &failing, *axis, value);
            let paired = asked <= CHANGED;
            let mostly = if paired { failed * 2 >= asked } else { failed as f64 >= asked as f64 * rate / 2.0 };
            if !set.contains(value) && asked >= ENOUGH && failed > 0 && mostly {
                left_out.push(name.clone());
            }
            if set.contains(value)
                && asked >= 2 * ENOUGH
                && failed == 0
                && !failing.iter().any(|row| row[*axis] == value)
            {
                idle.push(name.clone());
            }
        }
        if !left_out.is_empty() {
            judged.accidental.push((of.name.clone(), left_out));
        }
        if !idle.is_empty() {
            judged.wide.push((of.name.clone(), idle));
        }
    }
    judged
}

/// What a default run finds out about one bug.
struct Measured {
    name: &'static str,
    /// Whether a failure was not reproduced: a row that depends on those before it has no condition.
    not_alone: bool,
    findings: usize,
    /// The number of failing rows outside of the condition that the bug states.
    elsewhere: usize,
    accidental: bool,
    wide: bool,
    /// A summary to print.
    text: String,
}

fn measure(bug: &'static NarrowBug) -> Measured {
    let narrow = Narrow { bug };
    let engine = narrow.engine();
    let (results, findings) = run(&engine, bug.instruction());
    let [result] = results.engines.as_slice() else { panic!("{:?}", results.absent) };
    let Some(RowSource::Executed(environment)) = result.rows_from else { panic!("nothing was executed") };
    let truth = cubes(bug.instruction(), bug.forms, bug.when);
    let forms = &EXECUTED[bug.instruction()].forms;
    let mut measured = Measured {
        name: bug.name,
        not_alone: !findings.not_reproduced.is_empty(),
        findings: findings.all.len(),
        elsewhere: 0,
        accidental: false,
        wide: false,
        text: String::new(),
    };
    let _ = writeln!(measured.text, "{} {}: {} rows", bug.name, bug.when, result.tally.failed_rows());
    for (key, group) in &result.tally.groups {
        let shows = |row: &&Values| truth.iter().any(|listed| listed.form == key.form && listed.cube.contains(row));
        let mut elsewhere = group.kept.values().filter(|row| !shows(row)).peekable();
        if let Some(row) = elsewhere.peek() {
            let form = forms.iter().find(|known| known.id == key.form).expect("a form");
            let named = form.axes.iter().enumerate().skip(EnvironmentValues::AXES).filter(|(axis, _)| row[*axis] != 0);
            let words: Vec<String> =
                named.map(|(at, axis)| format!("{}: {}", axis.name, form.value(row, at))).collect();
            let _ = writeln!(measured.text, "    {} fails outside of its condition: {}", form.id, words.join(", "));
        }
        measured.elsewhere += elsewhere.count();
    }
    findings.not_reproduced.iter().for_each(|group| measured.text.push_str(&format!("    {group}\n")));
    for finding in &findings.all {
        let evidence: Vec<String> =
            finding.evidence.iter().map(|known| format!("{}/{}", known.failed, known.asked)).collect();
        let _ = writeln!(
            measured.text,
            "    {} {} {} [{}]",
            finding.forms.join(" "),
            finding.when,
            finding.inputs,
            evidence.join(" ")
        );
        let names: Vec<&str> =
            finding.forms.iter().filter_map(|form| form.split_once('.')).map(|(_, form)| form).collect();
        let when = if finding.when.is_empty() { String::new() } else { finding.when.to_string() };
        for ListedCube { form: id, cube, .. } in cubes(bug.instruction(), &names, &when) {
            let form = forms.iter().find(|form| form.id == id).expect("a form");
            let judged = judge(&mut Inquiry::new(&engine, form, &environment), &cube);
            for (axis, values) in &judged.accidental {
                let _ = writeln!(measured.text, "        {id}: {axis} is accidental, also fails: {}", values.join(" "));
            }
            for (axis, values) in &judged.wide {
                let _ = writeln!(measured.text, "        {id}: {axis} is too wide, never fails: {}", values.join(" "));
            }
            measured.accidental |= !judged.accidental.is_empty();
            measured.wide |= !judged.wide.is_empty();
        }
    }
    measured
}

/// The bugs to measure. If the environment variable `NARROW` is set, only those whose names contain it.
fn chosen() -> Vec<&'static NarrowBug> {
    let part = std::env::var("NARROW").unwrap_or_default();
    NARROW_BUGS.iter().filter(|bug| bug.name.contains(&part)).collect()
}

#[test]
fn narrow_bugs_are_found_and_their_conditions_have_no_accidental_parts() {
    let bugs = chosen();
    let measured: Vec<Measured> = bugs.into_par_iter().map(measure).collect();
    measured.iter().for_each(|measured| print!("{}", measured.text));
    let names = |keep: &dyn Fn(&Measured) -> bool| -> Vec<&str> {
        measured.iter().filter(|measured| keep(measured)).map(|measured| measured.name).collect()
    };
    let missed = names(&|measured| measured.findings == 0 && !measured.not_alone);
    let several = names(&|measured| measured.findings > 1);
    let accidental = names(&|measured| measured.accidental);
    let wide = names(&|measured| measured.wide);
    let elsewhere = names(&|measured| measured.elsewhere > 0);
    let found = measured.len() - missed.len();
    let findings: usize = measured.iter().map(|measured| measured.findings).sum();
    println!("{found} of {} found, {:.2} findings each", measured.len(), findings as f64 / found.max(1) as f64);
    println!("missed {}: {}", missed.len(), missed.join(" "));
    println!("in several findings {}: {}", several.len(), several.join(" "));
    println!("with accidental parts {}: {}", accidental.len(), accidental.join(" "));
    println!("too wide {}: {}", wide.len(), wide.join(" "));
    assert!(elsewhere.is_empty(), "these fail outside of their stated conditions: {elsewhere:?}");
    if bugs_are_chosen() {
        return;
    }
    assert!(missed.len() * 100 <= measured.len() * 2, "more than 2 % are missed");
    assert!(findings * 10 <= found * 11, "more than 1.1 findings each");
    assert!(accidental.len() * 10 <= found, "more than 10 % with accidental parts");
}

fn bugs_are_chosen() -> bool {
    std::env::var_os("NARROW").is_some()
}
