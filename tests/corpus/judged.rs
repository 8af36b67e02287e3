//! The judged lines of `corpus/`, one test each: `ld::modifiers-in-any-order`.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use ptx_conform::case::Stored;
use ptx_conform::environment::{AddressSize, Environment, Target, Version};
use ptx_conform::judge::Judge;
use ptx_conform::properties::check_line;
use ptx_conform::ptx::{Declarations, Line};
use ptx_conform::spec::{Spec, Verdict};

/// A line, its declarations and environment, and the expected verdict.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    line: String,
    #[serde(default)]
    declarations: String,
    ptx: Version,
    target: Target,
    #[serde(default = "wide")]
    address_size: u32,
    verdict: Verdict,
    /// The rules that the line breaks, in any order.
    #[serde(default)]
    rules: BTreeSet<String>,
    /// The rules that make the line undefined, in any order.
    #[serde(default)]
    undefined: BTreeSet<String>,
}

fn wide() -> u32 {
    AddressSize::Bits64.bits()
}

pub(crate) fn trials(spec: &Arc<Spec>) -> anyhow::Result<Vec<Trial>> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut trials = Vec::new();
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&corpus)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml") && !path.ends_with("odd.yaml"));
    paths.sort();
    for path in paths {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let known = spec.instruction(&name).is_some() || name == "isa";
        anyhow::ensure!(known, "{}: there is no such instruction", path.display());
        let text = std::fs::read_to_string(&path).map_err(|why| anyhow::anyhow!("{}: {why}", path.display()))?;
        let cases: Vec<Case> =
            serde_yaml::from_str(&text).map_err(|why| anyhow::anyhow!("{}: {why}", path.display()))?;
        let mut names = BTreeSet::new();
        for case in cases {
            anyhow::ensure!(names.insert(case.name.clone()), "{}: `{}` appears twice", path.display(), case.name);
            let spec = Arc::clone(spec);
            trials.push(Trial::test(format!("{name}::{}", case.name), move || check(&spec, &case)));
        }
    }
    let folders = [corpus.clone(), corpus.join("executed")];
    trials.push(Trial::test("each_file_says_what_it_is_for", move || heads(&folders)));
    for entry in std::fs::read_dir(corpus.join("findings"))? {
        let (path, spec) = (entry?.path(), Arc::clone(spec));
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        trials.push(Trial::test(format!("findings::{name}"), move || check_stored(&spec, &path)));
    }
    Ok(trials)
}

/// Each file begins with comments: a line on who replays it, and a paragraph of its own on what its cases are for.
fn heads(folders: &[PathBuf]) -> Result<(), Failed> {
    let mut said = BTreeSet::new();
    for entry in folders.iter().map(std::fs::read_dir).collect::<io::Result<Vec<_>>>()?.into_iter().flatten() {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "yaml") || path.ends_with("odd.yaml") {
            continue;
        }
        let text = std::fs::read_to_string(&path)?;
        let comments: Vec<&str> = text.lines().map_while(|line| line.strip_prefix('#')).map(str::trim).collect();
        let own = comments.get(1..).unwrap_or_default().join(" ");
        if own.len() < 60 || !said.insert(own) {
            return Err(format!("{}: its head says nothing of its own on what it is for", path.display()).into());
        }
    }
    if said.len() < 90 { Err(format!("only {} files have a head", said.len()).into()) } else { Ok(()) }
}

/// A stored case must be named after its id, be read back as it was written, and have at most one fault.
fn check_stored(spec: &Spec, path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let stored = Stored::parse(&text, spec)?;
    let id = stored.id.as_deref().ok_or("no id in its first line")?;
    if path.file_stem().is_none_or(|stem| stem.to_string_lossy() != id) {
        return Err(format!("the file must be named after its id {id}").into());
    }
    if !text.ends_with(&stored.module) {
        return Err("the file does not end with its module".into());
    }
    match stored.read(spec)? {
        (_, reading) if reading.broken.len() < 2 => Ok(()),
        (_, reading) => Err(format!("`{}` reads as {reading:?}", stored.line).into()),
    }
}

fn check(spec: &Spec, case: &Case) -> Result<(), Failed> {
    let environment =
        Environment { ptx: case.ptx, target: case.target, address_size: case.address_size.to_string().parse()? };
    let judge = Judge::new(spec, &environment)?;
    let line = Line::parse(&case.line)?;
    let (verdict, rules, undefined) = match judge.read(&line, &Declarations::parse(&case.declarations, &spec.isa)?) {
        None => {
            let none = spec.no_instruction(&line).ok_or("it is neither read nor of no instruction")?;
            (none.verdict(), none.rule().map(str::to_owned).into_iter().collect(), BTreeSet::new())
        }
        Some((instruction, reading)) => {
            let undefined: BTreeSet<String> = reading.undefined(instruction).map(|rule| rule.id.clone()).collect();
            let rules: BTreeSet<String> = reading.rules(instruction).map(|rule| rule.id.clone()).collect();
            (if reading.valid() { Verdict::Valid } else { Verdict::Invalid }, rules, undefined)
        }
    };
    if (verdict, &rules, &undefined) != (case.verdict, &case.rules, &case.undefined) {
        return Err(
            format!("`{line}` in {environment} is {verdict:?}: broken {rules:?}, undefined {undefined:?}").into()
        );
    }
    check_line(spec, &environment, &case.line, &case.declarations);
    Ok(())
}
