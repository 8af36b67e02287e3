//! A run without known divergences finds every divergence again that is listed for ptxas 13.5.
//!
//! The test is ignored by default: such a run takes minutes, because ptxas crashes on many lines.
//!
//! ```sh
//! cargo test --release --test campaign found_again -- --ignored --nocapture
//! ```

use std::path::Path;
use std::process::Command;

use ptx_conform::divergences::{Divergence, Divergences, Does, EngineVersion};
use ptx_conform::engine::{Depth, LineJudge as _, ptxas::Ptxas, toolchain};
use ptx_conform::shipped;
use ptx_conform::space::{Diagram, Draw, Slice, Values, environment};
use ptx_conform::spec::{Cube, Form, Spec};

/// The version of ptxas.
const VERSION: &str = "13.5";
/// The number of lines that are sampled for each form and rule of a divergence.
const SAMPLE: usize = 40;
/// The number of draws for a sample: many lines are of environments that the engine does not support.
const DRAWS: usize = 2_000;

/// The percentage of a sample that the findings must cover.
const ENOUGH: usize = 50;

/// Divergences that one run does not find again, because all their lines have two faults. See `docs/findings.md`.
const NOT_FOUND: &[&str] = &[
    "loads-of-split-lanes",
    "stores-of-split-lanes",
    "stores-of-two-float-immediates",
    "crash-on-a-sink-for-eight-lanes",
];

/// How many of the sampled lines of a divergence the findings cover.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    found: usize,
    of: usize,
}

impl Share {
    fn percent(self) -> usize {
        self.found * 100 / self.of.max(1)
    }
}

fn spec() -> Spec {
    shipped::spec().unwrap_or_else(|errors| panic!("{}", errors[0].render(false)))
}

/// The divergences that a default run without known divergences proposes, as `--write-divergences` writes them. If the
/// environment variable `FOUND` is set, it names the file of an earlier run instead.
fn proposed() -> String {
    if let Some(file) = std::env::var_os("FOUND") {
        return std::fs::read_to_string(file).expect("the divergences of an earlier run");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let specs = folder.path().join("specs");
    copy_without_divergences(&Path::new(env!("CARGO_MANIFEST_DIR")).join("specs"), &specs);
    let status = Command::new(env!("CARGO_BIN_EXE_ptx-conform"))
        .args(["run", "--depth", "pairs", "--engine", &format!("ptxas@{VERSION}"), "--no-execution"])
        .args(["--write-divergences", "--reports"])
        .arg(folder.path())
        .arg("--specs")
        .arg(&specs)
        .status()
        .expect("the program starts");
    assert_eq!(status.code(), Some(1), "a run without divergences finds some");
    std::fs::read_to_string(folder.path().join("latest/divergences.yaml")).expect("what was found")
}

fn copy_without_divergences(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("specs/").flatten() {
        if entry.path().is_file() {
            std::fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
        }
    }
}

/// The engine, and the divergences that were found in it.
struct Found<'a> {
    engine: &'a Ptxas,
    all: &'a Divergences,
}

impl Found<'_> {
    /// A sample of a cube: lines of the form with this fault alone, in environments that the engine supports.
    fn lines(&self, form: &Form, rule: Option<usize>, cube: &Cube, depth: Depth) -> Vec<Values> {
        let space = rule.map_or_else(|| Diagram::valid(form), |rule| Diagram::breaking(form, rule));
        let slice = Slice::new(&space.all(), cube);
        let mut draw = Draw::named(&form.id, 0);
        let drawn = (0..DRAWS).filter_map(|_| draw.below(slice.count())).filter_map(|rank| slice.unrank(rank));
        let asked = |values: &Values| {
            environment(form, values).is_some_and(|environment| self.engine.supports(&environment, depth).is_ok())
        };
        drawn.filter(asked).take(SAMPLE).collect()
    }

    /// Whether one of the found divergences covers a line.
    fn has(&self, known: &Divergence, form: &Form, rule: Option<usize>, values: &[u8]) -> bool {
        self.all.all.iter().any(|found| {
            found.does == known.does
                && found.depth == known.depth
                && rule.is_none() == found.rules.is_empty()
                && found
                    .cubes_in(&form.id)
                    .any(|listed| rule.is_none_or(|rule| listed.rules.contains(&rule)) && listed.cube.contains(values))
        })
    }

    /// How much of a divergence was found, for each form and rule.
    fn share(&self, spec: &Spec, known: &Divergence) -> Vec<(String, Share)> {
        let forms = spec.instructions.iter().flat_map(|instruction| &instruction.forms);
        let mut shares = Vec::new();
        for form in forms {
            let rules: Vec<Option<usize>> = match known.rules.is_empty() {
                true => vec![None],
                false => (0..form.rules.len()).filter(|at| known.names(&form.rules[*at].id)).map(Some).collect(),
            };
            for rule in rules {
                let mut share = Share::default();
                for listed in known.cubes_in(&form.id) {
                    if rule.is_some_and(|rule| !listed.rules.contains(&rule)) {
                        continue;
                    }
                    let lines = self.lines(form, rule, &listed.cube, known.depth);
                    share.of += lines.len();
                    share.found += lines.iter().filter(|values| self.has(known, form, rule, values)).count();
                }
                if share.of > 0 {
                    let rule = rule.map_or("valid", |rule| form.rules[rule].id.as_str());
                    shares.push((format!("{} {rule}", form.id), share));
                }
            }
        }
        shares
    }
}

#[test]
#[ignore = "a whole run without divergences takes minutes"]
fn a_run_without_divergences_finds_them_all_again() {
    let spec = spec();
    let installed = toolchain::find(VERSION).expect("ptxas; `ptx-conform toolchain install 13.5` fetches it");
    let engine = Ptxas::open(&installed.path).expect("it can be asked");
    let version = EngineVersion::parse(&format!("ptxas@{}", engine.version())).expect("a version");
    let listed = Divergences::load(None, &spec).unwrap_or_else(|errors| panic!("{}", errors[0].render(false)));
    let all = Divergences::from_texts(&[("found.yaml".to_owned(), proposed())], &spec)
        .unwrap_or_else(|errors| panic!("{}", errors[0].render(false)));
    let found = Found { engine: &engine, all: &all };
    let judged = listed.all.iter().filter(|known| known.does != Does::Computes && known.applies(&version));
    let mut missing = Vec::new();
    for known in judged {
        let shares = found.share(&spec, known);
        let best = shares.iter().map(|(_, share)| share.percent()).max();
        let words: Vec<String> =
            shares.iter().map(|(of, share)| format!("{of}: {} of {}", share.found, share.of)).collect();
        println!("{}: {best:?} %\n  {}", known.id, words.join("\n  "));
        // Code generation hangs on some of these lines, so a run abandons it.
        if known.depth == Depth::Check && best.unwrap_or_default() < ENOUGH {
            missing.push(known.id.as_str());
        }
    }
    assert_eq!(missing, NOT_FOUND, "not found again");
}
