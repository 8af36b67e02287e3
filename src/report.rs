//! The report of a run: plain data, as JSON, as text, and as one HTML page that opens offline.
//!
//! Nothing in it depends on the clock, the machine's speed or the order in which threads ended.

mod executed;
mod html;
mod text;

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde::Serialize;

use crate::case;
use crate::divergence::Divergences;
use crate::engine::Outcome;
use crate::finding::{ExecutedFinding, Finding, Findings};
use crate::run::{Generate, Options, Problem, Results, Strategy};
use crate::space::lint::company;
use crate::spec::{Instruction, Spec, Verdict};

pub use executed::{AbsentReport, ExecutedFormReport, ExecutedReport, InferenceReport, UndefinedReport};

/// Everything a run found.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// `agreed`, `disagreed`, `could not judge`, `interrupted`, `nothing judged` or `confused`.
    pub verdict: &'static str,
    /// Version of this tool.
    pub tool: &'static str,
    /// A hash of the specification's files.
    pub specification: String,
    /// What was asked for.
    pub options: ReportOptions,
    /// What each judging engine did.
    pub engines: Vec<EngineReport>,
    /// What each executing engine did.
    pub executed: Vec<ExecutedReport>,
    /// Engines that were not asked.
    pub absent: Vec<AbsentReport>,
    /// What went without an answer because an engine failed, and engines that judged nothing.
    pub lost: Vec<String>,
    /// All that the reference model infers.
    pub inferences: Vec<InferenceReport>,
    /// The forms, and how much of their spaces was tested.
    pub forms: Vec<FormReport>,
    /// The rules, and how often each was broken alone.
    pub rules: Vec<RuleReport>,
    /// The causes of those disagreements that no divergence lists.
    pub findings: Vec<Finding>,
    /// The causes of rows that came out wrong.
    pub executed_findings: Vec<ExecutedFinding>,
    /// Heaps of disagreements of which no case showed it again.
    pub vanished: Vec<String>,
    /// Heaps of disagreements that were left alone: of lines with several faults, or too many.
    pub left: usize,
    /// Heaps of disagreements, those that no divergence lists first.
    pub disagreements: Vec<Disagreement>,
    /// The divergences met.
    pub divergences: Vec<DivergenceReport>,
    /// The manual's own examples.
    pub examples: Vec<ExampleReport>,
    /// Variants judged other than meant: bugs of this tool.
    pub confused: Vec<String>,
}

/// What was asked for.
#[derive(Clone, Debug, Serialize)]
pub struct ReportOptions {
    strategy: &'static str,
    limit: String,
    random: u64,
    boundaries: bool,
    generate_code: &'static str,
    seed: u64,
    environment: Option<String>,
}

/// What one engine did.
#[derive(Clone, Debug, Serialize)]
pub struct EngineReport {
    /// Its name.
    pub name: String,
    /// Cases judged.
    pub cases: u64,
    /// Claimed valid: cases, and how many were accepted.
    pub valid: [u64; 2],
    /// Breaking one rule: cases, and how many were rejected.
    pub breaches: [u64; 2],
    /// Taken through code generation: cases, and how many passed.
    pub code: [u64; 2],
    /// Disagreements that a divergence lists.
    pub listed: u64,
    /// Disagreements that none lists.
    pub unlisted: u64,
    /// Cases not asked, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// What came of words in slots.
    pub words: Option<crate::vocabulary::Probed>,
}

/// A form and how much of it was tested. Sizes are text, as JSON numbers end at 2^53.
#[derive(Clone, Debug, Serialize)]
pub struct FormReport {
    form: String,
    syntax: String,
    tested: Vec<FormTested>,
}

/// How much of a form one engine was asked.
#[derive(Clone, Debug, Serialize)]
pub struct FormTested {
    engine: String,
    home: String,
    valid: String,
    valid_tested: String,
    breaches: String,
    breaches_tested: String,
    environments: usize,
    breaches_without_twin: u64,
}

/// A rule of a form.
#[derive(Clone, Debug, Serialize)]
pub struct RuleReport {
    form: String,
    id: String,
    source: String,
    section: Option<String>,
    says: String,
    /// How many variants break it alone: in the environment most is asked in, or in any for a need
    /// of a PTX version or target.
    alone: String,
    /// What is broken along with it, where nothing breaks it alone.
    along_with: Vec<String>,
    /// By engine: cases that break it alone, and how many were rejected.
    tested: BTreeMap<String, [u64; 2]>,
}

/// A heap of disagreements.
#[derive(Clone, Debug, Serialize)]
pub struct Disagreement {
    instruction: String,
    form: String,
    /// What the specification says.
    claimed: &'static str,
    /// The rules broken, in its view.
    rules: Vec<String>,
    /// What the rules say.
    says: Vec<String>,
    /// What the engine did.
    outcome: &'static str,
    /// Whether in code generation.
    code_generation: bool,
    /// The engine's message, what it quotes left out.
    message: String,
    /// The divergence that lists it.
    divergence: Option<String>,
    /// The divergence that says otherwise.
    contradicts: Option<String>,
    /// By engine: how many.
    counts: BTreeMap<String, u64>,
    /// The simplest case.
    example: Case,
}

/// A case that shows a disagreement.
#[derive(Clone, Debug, Serialize)]
pub struct Case {
    id: String,
    line: String,
    ptx: String,
    target: String,
    address_size: u32,
    message: String,
    module: String,
    command: String,
}

/// A divergence met.
#[derive(Clone, Debug, Serialize)]
pub struct DivergenceReport {
    id: String,
    because: String,
    section: Option<String>,
    link: Option<String>,
    /// By engine: cases that did as listed, and cases that did not.
    counts: BTreeMap<String, [u64; 2]>,
    /// By engine: what is wrong with it.
    stale: BTreeMap<String, Problem>,
}

/// An example of the manual.
#[derive(Clone, Debug, Serialize)]
pub struct ExampleReport {
    instruction: String,
    line: String,
    specification: Verdict,
    rules: Vec<String>,
    why: Option<String>,
    /// By engine: `accepted`, or what else it did and said.
    engines: BTreeMap<String, String>,
    /// Whether the manual, this specification and every engine agree.
    agreed: bool,
}

impl Report {
    /// The report of a run.
    pub fn new(
        spec: &Spec,
        divergences: &Divergences,
        options: &Options,
        results: &Results,
        findings: Findings,
        executed_findings: Vec<ExecutedFinding>,
    ) -> Self {
        let of_engines = results.engines.iter().flat_map(|engine| &engine.tally.confused);
        let confused: Vec<String> = of_engines.chain(&results.confused).cloned().collect();
        let verdict = match () {
            () if results.interrupted => "interrupted",
            () if results.judged() == 0 => "nothing judged",
            () if !confused.is_empty() => "confused",
            () if !results.agreed() => "disagreed",
            () if !results.lost.is_empty() => "could not judge",
            () => "agreed",
        };
        let instructions = crate::run::named(spec, options);
        let vanished = executed::unexplained(results, &executed_findings);
        let mut disagreements = disagreements(spec, results);
        disagreements.sort_by_key(|heap| heap.divergence.is_some());
        Self {
            verdict,
            tool: env!("CARGO_PKG_VERSION"),
            specification: spec.fingerprint.clone(),
            options: ReportOptions {
                strategy: match options.strategy {
                    Strategy::Pairs => "pairs",
                    Strategy::Triples => "triples",
                    Strategy::Complete => "complete",
                },
                limit: options.limit.to_string(),
                random: options.random,
                boundaries: options.boundaries && options.environment.is_none(),
                generate_code: match options.generate {
                    Generate::Nothing => "none",
                    Generate::Sample => "sample",
                    Generate::Everything => "all",
                },
                seed: options.seed,
                environment: options.environment.map(|environment| environment.to_string()),
            },
            engines: results.engines.iter().map(engine).collect(),
            forms: forms(&instructions, results),
            rules: rules(&instructions, results),
            executed: executed::executed(results),
            absent: executed::absent(results),
            lost: results.lost.clone(),
            inferences: executed::inferences(results),
            findings: findings.all,
            executed_findings,
            vanished: findings.vanished.into_iter().chain(vanished).collect(),
            left: findings.left,
            disagreements,
            divergences: met(divergences, results),
            examples: examples(&instructions, results),
            confused,
        }
    }

    /// Whether this tool has contradicted itself.
    pub fn confused(&self) -> bool {
        !self.confused.is_empty()
    }

    /// Writes the simplest case of each finding into a directory, made anew: modules that `replay` and
    /// any assembler read, and executed cases that `execute` reads.
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub fn write_cases(&self, directory: &Path) -> std::io::Result<()> {
        remove_cases(directory)?;
        if self.findings.is_empty() && self.executed_findings.is_empty() {
            return Ok(());
        }
        std::fs::create_dir_all(directory)?;
        for finding in &self.executed_findings {
            let text = serde_json::to_string_pretty(&finding.case.execution)?;
            std::fs::write(directory.join(format!("{}.json", finding.case.id)), text + "\n")?;
        }
        self.findings.iter().try_for_each(|finding| {
            std::fs::write(directory.join(format!("{}.ptx", finding.case.id)), finding.stored())
        })
    }

    /// The YAML that would list the findings, one file's text for each family of engines.
    pub fn proposed(&self) -> String {
        let of_lines = self.findings.iter().map(|finding| finding.family.as_str());
        let of_rows = self.executed_findings.iter().map(ExecutedFinding::family);
        let families: std::collections::BTreeSet<&str> = of_lines.chain(of_rows).collect();
        let mut text = String::new();
        let executed = |family: &str| {
            let of_family = self.executed_findings.iter().filter(|finding| finding.family() == family);
            of_family.map(|finding| finding.yaml.as_str()).collect::<String>()
        };
        for family in families {
            let of_family = || self.findings.iter().filter(|finding| finding.family == family);
            let (new, stale): (Vec<&Finding>, Vec<&Finding>) = of_family().partition(|f| f.contradicts.is_none());
            stale.iter().for_each(|finding| text.push_str(&finding.yaml));
            let executed = executed(family);
            let none = new.is_empty() && executed.is_empty();
            text.push_str(&format!("engine: {family}\ndivergences:{}\n", if none { " []" } else { "" }));
            new.iter().for_each(|finding| text.push_str(&finding.yaml));
            text.push_str(&executed);
        }
        if text.is_empty() { "# Nothing new was found.\n".to_owned() } else { text }
    }

    /// As JSON, indented.
    ///
    /// # Errors
    /// None that is known: the data has no maps with keys other than text.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|json| json + "\n")
    }

    /// As text for a terminal.
    pub fn text(&self) -> String {
        text::render(self)
    }

    /// As one HTML page; everything that comes from an engine is escaped.
    ///
    /// # Errors
    /// What the template engine finds wrong with our own template.
    pub fn html(&self) -> Result<String, minijinja::Error> {
        html::render(self)
    }

    /// Writes `report.json`, `report.txt` and `index.html` into a directory. Each file is replaced
    /// as a whole, so that an interrupt leaves no half of one.
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub fn write(&self, directory: &Path) -> std::io::Result<()> {
        let html = self.html().map_err(std::io::Error::other)?;
        for (name, text) in [("report.json", self.json()?), ("report.txt", self.text()), ("index.html", html)] {
            let mut file =
                tempfile::Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(directory)?;
            std::io::Write::write_all(&mut file, text.as_bytes())?;
            file.persist(directory.join(name))?;
        }
        Ok(())
    }
}

/// Removes the cases of an earlier report, and nothing else that may be there.
fn remove_cases(directory: &Path) -> std::io::Result<()> {
    let ours = |path: &Path| {
        let (Some(stem), Some(extension)) = (path.file_stem(), path.extension()) else { return false };
        let id = stem.to_str().is_some_and(|id| id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit()));
        id && (extension == "ptx" || extension == "json")
    };
    if !directory.is_dir() {
        return Ok(());
    }
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if ours(&path) {
            std::fs::remove_file(&path)?;
        }
    }
    // Where something else is in it, it stays.
    let _ = std::fs::remove_dir(directory);
    Ok(())
}

/// All that is known of a finding, as text for a terminal.
pub fn finding_text(finding: &Finding) -> String {
    text::finding(finding)
}

fn engine(result: &crate::run::EngineResult) -> EngineReport {
    let sum = |counts: &mut dyn Iterator<Item = &crate::run::Count>| {
        counts.fold([0, 0], |sum, count| [sum[0] + count.cases, sum[1] + count.agreed])
    };
    let tally = &result.tally;
    let (listed, unlisted): (Vec<_>, Vec<_>) = tally.groups.iter().partition(|(key, _)| key.listed);
    let total = |groups: Vec<(&crate::run::Key, &crate::run::Group)>| groups.iter().map(|(_, group)| group.count).sum();
    EngineReport {
        name: result.name.clone(),
        cases: tally.cases(),
        valid: sum(&mut tally.valid.values()),
        breaches: sum(&mut tally.breaches.values()),
        code: sum(&mut tally.code.values()),
        listed: total(listed),
        unlisted: total(unlisted),
        skipped: tally.skipped.clone(),
        words: result.words.clone(),
    }
}

fn forms(instructions: &[&Instruction], results: &Results) -> Vec<FormReport> {
    let mut forms = Vec::new();
    for form in instructions.iter().flat_map(|instruction| &instruction.forms) {
        let plans: Vec<_> = results
            .engines
            .iter()
            .filter_map(|engine| Some((engine, engine.forms.iter().find(|plan| plan.form == form.id)?)))
            .collect();
        if plans.is_empty() {
            continue;
        }
        forms.push(FormReport {
            form: form.id.clone(),
            syntax: form.syntax.clone(),
            tested: plans
                .iter()
                .map(|(engine, plan)| FormTested {
                    engine: engine.name.clone(),
                    home: plan.home.to_string(),
                    valid: plan.home_valid.to_string(),
                    valid_tested: plan.home_tested.to_string(),
                    breaches: plan.home_breach.to_string(),
                    breaches_tested: plan.home_breach_tested.to_string(),
                    environments: plan.environments,
                    breaches_without_twin: plan.without_twin,
                })
                .collect(),
        });
    }
    forms
}

fn rules(instructions: &[&Instruction], results: &Results) -> Vec<RuleReport> {
    let mut rules = Vec::new();
    for form in instructions.iter().flat_map(|instruction| &instruction.forms) {
        let plans = results.engines.iter().flat_map(|engine| &engine.forms).filter(|plan| plan.form == form.id);
        let mut most: BTreeMap<usize, u128> = BTreeMap::new();
        for (rule, count) in plans.flat_map(|plan| &plan.alone) {
            let known = most.entry(*rule).or_default();
            *known = (*known).max(*count);
        }
        for (at, alone) in most {
            let rule = &form.rules[at];
            let along_with = if alone == 0 { company(form, at) } else { Vec::new() };
            let key = (form.id.clone(), rule.id.clone());
            let tested = results.engines.iter().filter_map(|engine| {
                let count = engine.tally.breaches.get(&key)?;
                Some((engine.name.clone(), [count.cases, count.agreed]))
            });
            rules.push(RuleReport {
                form: form.id.clone(),
                id: rule.id.clone(),
                source: format!("{:?}", rule.source).to_lowercase(),
                section: rule.section.clone(),
                says: rule.says.clone(),
                alone: alone.to_string(),
                along_with,
                tested: tested.collect(),
            });
        }
    }
    rules
}

fn disagreements(spec: &Spec, results: &Results) -> Vec<Disagreement> {
    let groups = results.groups();
    let heaps = groups.into_iter().map(|(key, engines)| {
        let says = |id: &String| {
            let forms = spec.instruction(&key.instruction).map_or(&[][..], |instruction| &instruction.forms);
            let rule = forms.iter().flat_map(|form| &form.rules).find(|rule| rule.id == *id);
            rule.map_or(String::new(), |rule| rule.says.clone())
        };
        let samples = engines.iter().filter_map(|(_, group)| group.sample.as_ref());
        let sample = samples.min_by(|a, b| a.values[3..].cmp(&b.values[3..]).then_with(|| a.cmp(b)));
        Disagreement {
            instruction: key.instruction.clone(),
            form: key.form.clone(),
            claimed: if key.rules.is_empty() { "valid" } else { "invalid" },
            says: key.rules.iter().map(says).collect(),
            rules: key.rules.clone(),
            outcome: key.outcome,
            code_generation: key.generate,
            message: key.message.clone(),
            divergence: key.divergence.clone().filter(|_| key.listed),
            contradicts: key.divergence.clone().filter(|_| !key.listed),
            counts: engines.iter().map(|(name, group)| ((*name).to_owned(), group.count)).collect(),
            example: sample.map_or_else(|| unreachable!("a heap has a sample"), case),
        }
    });
    heaps.collect()
}

fn case(sample: &crate::run::Sample) -> Case {
    let environment = &sample.environment;
    Case {
        id: case::id(&sample.module),
        line: sample.line.clone(),
        ptx: environment.ptx.to_string(),
        target: environment.target.to_string(),
        address_size: environment.address_size.bits(),
        message: sample.message.clone(),
        module: sample.module.clone(),
        command: sample.command.clone(),
    }
}

fn met(divergences: &Divergences, results: &Results) -> Vec<DivergenceReport> {
    let report = |divergence: &crate::divergence::Divergence| DivergenceReport {
        id: divergence.id.clone(),
        because: divergence.because.clone(),
        section: divergence.section.clone(),
        link: divergence.link.clone(),
        stale: results
            .engines
            .iter()
            .flat_map(|engine| engine.stale.iter().map(move |stale| (engine.name.clone(), stale)))
            .chain(
                results
                    .executed
                    .iter()
                    .flat_map(|engine| engine.stale.iter().map(move |stale| (engine.name.clone(), stale))),
            )
            .filter(|(_, stale)| stale.id == divergence.id)
            .map(|(name, stale)| (name, stale.problem))
            .collect(),
        counts: results
            .engines
            .iter()
            .filter_map(|engine| {
                let (did, not) = engine.tally.listed.get(&divergence.id)?;
                Some((engine.name.clone(), [*did, *not]))
            })
            .chain(
                results
                    .executed
                    .iter()
                    .filter_map(|engine| Some((engine.name.clone(), *engine.listed.get(&divergence.id)?))),
            )
            .collect(),
    };
    divergences
        .all
        .iter()
        .map(report)
        .filter(|divergence| !divergence.counts.is_empty() || !divergence.stale.is_empty())
        .collect()
}

fn examples(instructions: &[&Instruction], results: &Results) -> Vec<ExampleReport> {
    let mut reports = Vec::new();
    for instruction in instructions {
        for (at, example) in instruction.examples.iter().enumerate() {
            let mut engines = BTreeMap::new();
            let mut agreed = example.spec != Verdict::Invalid;
            for engine in &results.engines {
                let outcome =
                    engine.examples.iter().find(|(name, number, _)| *name == instruction.name && *number == at);
                let Some((.., outcome)) = outcome else { continue };
                agreed &= matches!(outcome, Outcome::Accepted | Outcome::Skipped(_));
                let words = match outcome {
                    Outcome::Rejected(message) | Outcome::Skipped(message) | Outcome::Crashed(message) => {
                        format!("{}: {}", outcome.word(), message.lines().next().unwrap_or_default())
                    }
                    other => other.word().to_owned(),
                };
                engines.insert(engine.name.clone(), words);
            }
            reports.push(ExampleReport {
                instruction: instruction.name.clone(),
                line: example.line.clone(),
                specification: example.spec,
                rules: example.rules.clone(),
                why: example.why.clone(),
                engines,
                agreed,
            });
        }
    }
    reports
}
