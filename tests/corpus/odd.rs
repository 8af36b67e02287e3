//! The odd lines of `corpus/odd.yaml`: the verdict of `judge` on each, and what the real `ptxas` 13.5 does.
//!
//! If the two differ, the file names a known divergence, or a limit that docs/specification.md describes. One test
//! checks the file against the real `ptxas`. Without one, that test is ignored; with PTX_CONFORM_REQUIRE_PTXAS=1 it
//! fails instead.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use ptx_conform::engine::ptxas::Ptxas;
use ptx_conform::engine::toolchain;
use ptx_conform::engine::{Batch, Depth, LineJudge as _, Outcome};
use ptx_conform::environment::Environment;
use ptx_conform::ptx::Scaffold;
use serde::{Deserialize, Serialize};

/// The contents of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Odd {
    /// The declarations for lines without their own.
    declarations: String,
    /// The environment of lines without their own.
    ptx: String,
    target: String,
    lines: Vec<Line>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    line: String,
    declarations: Option<String>,
    ptx: Option<String>,
    target: Option<String>,
    /// `valid` or `invalid`
    ours: String,
    #[serde(default)]
    rules: BTreeSet<String>,
    /// `accepts` or `rejects`
    ptxas: String,
    /// The known divergence that explains what `ptxas` does.
    divergence: Option<String>,
    /// The limit of docs/specification.md that explains the difference.
    limit: Option<String>,
}

#[derive(Serialize)]
struct Request<'a> {
    line: &'a str,
    ptx: &'a str,
    target: &'a str,
    declarations: &'a str,
}

/// An answer of `judge --engine ptxas@13.5`.
#[derive(Debug, Deserialize)]
struct Answer {
    verdict: Option<String>,
    #[serde(default)]
    rules: BTreeSet<String>,
    expected: Option<String>,
    divergence: Option<String>,
    error: Option<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

pub(crate) fn trials() -> anyhow::Result<Vec<Trial>> {
    let odd: Odd = serde_yaml::from_str(&std::fs::read_to_string(root().join("corpus/odd.yaml"))?)?;
    let odd = Arc::new(odd);
    let required = std::env::var_os("PTX_CONFORM_REQUIRE_PTXAS").is_some_and(|value| value == "1");
    let ptxas = toolchain::all().into_iter().find(|installed| installed.version.starts_with("13.5."));
    if ptxas.is_none() && !required {
        eprintln!("no ptxas 13.5 here: what it does is NOT CHECKED; run `ptx-conform toolchain install 13.5`");
    }
    let ignored = ptxas.is_none() && !required;
    let (ours, theirs) = (Arc::clone(&odd), Arc::clone(&odd));
    let path = ptxas.map(|installed| installed.path);
    Ok(vec![
        Trial::test("each_line_is_judged_as_the_file_says", move || judged(&ours)),
        Trial::test("real_ptxas_does_what_the_file_says", move || {
            assembled(&theirs, path.as_deref().ok_or("ptxas 13.5 is not installed")?)
        })
        .with_ignored_flag(ignored),
    ])
}

impl Odd {
    fn request<'a>(&'a self, line: &'a Line) -> Request<'a> {
        Request {
            line: &line.line,
            ptx: line.ptx.as_deref().unwrap_or(&self.ptx),
            target: line.target.as_deref().unwrap_or(&self.target),
            declarations: line.declarations.as_deref().unwrap_or(&self.declarations),
        }
    }
}

/// The answers of the binary to all lines.
fn answers(odd: &Odd) -> Result<Vec<Answer>, Failed> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ptx-conform"))
        .args(["judge", "--engine", "ptxas@13.5"])
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().ok_or("stdin is a pipe")?;
    let mut input = String::new();
    for line in &odd.lines {
        input += &serde_json::to_string(&odd.request(line))?;
        input.push('\n');
    }
    let feed = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output()?;
    feed.join().map_err(|_| "the input was not written")??;
    let text = String::from_utf8(output.stdout)?;
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// `judge` must give the verdicts of the file. If `ptxas` does something else, the file must explain it.
fn judged(odd: &Odd) -> Result<(), Failed> {
    let documented = std::fs::read_to_string(root().join("docs/specification.md"))?;
    let answers = answers(odd)?;
    let mut wrong = String::new();
    if answers.len() != odd.lines.len() || odd.lines.len() < 100 {
        return Err(
            format!("{} answers to {} lines; there must be at least 100", answers.len(), odd.lines.len()).into()
        );
    }
    for (line, answer) in odd.lines.iter().zip(&answers) {
        // Writing to a String cannot fail.
        let mut say = |what: String| writeln!(wrong, "{}\n    {what}: {answer:?}", line.line).unwrap_or(());
        if answer.verdict.as_deref() != Some(&line.ours) || answer.rules != line.rules || answer.error.is_some() {
            say("the verdict is not that of the file".to_owned());
        }
        let differs = (line.ours == "valid") != (line.ptxas == "accepts");
        match (&line.limit, answer.expected.as_deref() == Some(line.ptxas.as_str())) {
            (Some(limit), false) if !documented.contains(&format!("`{limit}`")) => {
                say(format!("docs/specification.md does not name the limit `{limit}`"));
            }
            (Some(_), true) => say("the file names a limit, but `ptxas` is expected to do this".to_owned()),
            (None, false) => say("`ptxas` is not expected to do this, and the file names no limit".to_owned()),
            _ => {}
        }
        if line.limit.is_none() && differs != line.divergence.is_some() || answer.divergence != line.divergence {
            say("the divergence is not that of the file".to_owned());
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.into()) }
}

/// The real `ptxas` must do what the file says.
fn assembled(odd: &Odd, path: &Path) -> Result<(), Failed> {
    let ptxas = Ptxas::open(path)?;
    let mut groups: BTreeMap<(&str, &str, &str), Vec<&Line>> = BTreeMap::new();
    for line in &odd.lines {
        let request = odd.request(line);
        groups.entry((request.ptx, request.target, request.declarations)).or_default().push(line);
    }
    let mut wrong = String::new();
    for ((ptx, target, declarations), lines) in groups {
        let environment = Environment { ptx: ptx.parse()?, target: target.parse()?, address_size: "64".parse()? };
        let scaffold = Scaffold::from_declarations(declarations);
        let texts = lines.iter().map(|line| line.line.as_str()).collect();
        let outcomes = ptxas.judge(&Batch { environment, scaffold, lines: texts, mostly_invalid: true }, Depth::Check);
        for (line, outcome) in lines.iter().zip(outcomes) {
            let did = match outcome {
                Outcome::Accepted => "accepts",
                Outcome::Rejected(_) => "rejects",
                _ => "neither",
            };
            if did != line.ptxas {
                let _ = writeln!(wrong, "{}\n    {outcome:?}", line.line);
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.into()) }
}
