//! Whole modules of `corpus/modules/`: what `check` says of each is what ptxas does.

use std::path::PathBuf;

use ptx_conform::check::{Checker, DiagnosticSeverity, SmallestHeader, smallest_header};
use ptx_conform::divergences::{Divergences, Leniency};
use serde::Deserialize;

use crate::shipped::SPEC;

/// A module, and what is known of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownModule {
    id: String,
    text: String,
    /// What ptxas does with it.
    verdict: Option<Verdict>,
    /// The smallest version and target under which it is taken.
    smallest: Option<String>,
    /// A rule that a diagnostic must name, at one of these lines.
    rule: Option<String>,
    #[serde(default)]
    lines: Vec<usize>,
    /// The reason why `check` says something else.
    limit: Option<String>,
    /// A text that no diagnostic may have.
    never: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Accepts,
    Rejects,
}

/// The way in which `check` is wrong about a module, if it is.
fn wrong(module: &KnownModule, leniency: &Leniency) -> Option<String> {
    let tolerated = leniency.remark();
    let checker = Checker { spec: &SPEC, limit: 100, remark: None, tolerated: Some(&*tolerated), sample: true };
    let checked = checker.check(&module.text);
    let line = |at: usize| 1 + module.text[..at].matches('\n').count();
    let said: Vec<String> = checked
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == DiagnosticSeverity::Error)
        .map(|diagnostic| format!("{} line {}: {}", diagnostic.rule, line(diagnostic.at.start), diagnostic.message))
        .collect();
    let verdict = if checked.counts.errors == 0 { Verdict::Accepts } else { Verdict::Rejects };
    let smallest = || match smallest_header(&SPEC, &checked) {
        SmallestHeader::Found { ptx, target, .. } => format!("{ptx} {target}"),
        _ => "none".to_owned(),
    };
    let named = |rule: &String| {
        checked.diagnostics.iter().any(|of| of.rule == *rule && module.lines.contains(&line(of.at.start)))
    };
    if module.verdict.is_some_and(|expected| expected != verdict) {
        Some(format!("{verdict:?} {said:?}"))
    } else if module.smallest.as_ref().is_some_and(|expected| *expected != smallest()) {
        Some(format!("the smallest header is {}, and not {:?}", smallest(), module.smallest))
    } else if module.rule.as_ref().is_some_and(|rule| !named(rule)) {
        Some(format!("{:?} is not named: {said:?}", module.rule))
    } else {
        let never = module.never.as_ref()?;
        said.iter().any(|text| text.contains(never)).then(|| format!("{said:?}"))
    }
}

#[test]
fn modules_are_judged_as_ptxas_does() {
    let read = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).expect("the corpus");
        serde_yaml::from_str::<Vec<KnownModule>>(&text).unwrap_or_else(|why| panic!("{}: {why}", file.display()))
    };
    let entries = std::fs::read_dir("corpus/modules").expect("the corpus");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let modules: Vec<KnownModule> = files.iter().flat_map(read).collect();
    assert!(files.len() >= 4 && modules.len() > 300, "only {} modules in {} files", modules.len(), files.len());
    let leniency = Leniency::new(Divergences::load(None, &SPEC).expect("sound divergences"));
    let wrong: Vec<String> = modules
        .iter()
        .filter_map(|module| match (wrong(module, &leniency), &module.limit) {
            (Some(why), None) => Some(format!("{}: {why}", module.id)),
            (None, Some(limit)) => Some(format!("{}: it is right, and has the limit: {limit}", module.id)),
            _ => None,
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), modules.len(), wrong.join("\n"));
}
