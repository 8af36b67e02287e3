//! What engines did with chains of lines.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use ptx_kernels::{CauseChoice, CauseLine, ChainAnswer, ChainCause, ChainKernels, ChainRows, ChainText, Reduced};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::borders::Borders;
use crate::campaign::{ChainTally, EngineResult, Results};
use crate::divergences::Does;
use crate::environment::Environment;
use crate::plural::counted;

/// The chains that one engine executed.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ChainReport {
    /// The engine.
    pub engine: String,
    /// PTX version, target and address size.
    pub environment: String,
    /// How many chains it was given.
    pub chains: u64,
    /// Rows of each.
    pub rows: usize,
    /// How many gave the results of the reference.
    pub agreed: u64,
    /// How many failed as divergences list it, by the name of the divergence.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub listed: BTreeMap<String, u64>,
    /// How many failed for other reasons.
    pub failed: u64,
    /// How many of these were not reduced, so that their causes are unknown.
    pub not_reduced: u64,
    /// The chains whose causes were searched for and not found: the lines, a row that shows it, and what it shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
    /// How many the reference does not define, by reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub undefined: BTreeMap<String, u64>,
    /// How many the engine did not execute, by reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub skipped: BTreeMap<String, u64>,
    /// The causes of those that failed for other reasons, those of most chains first.
    pub findings: Vec<ChainFinding>,
}

/// A cause why chains fail: the fewest and simplest lines that do.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChainFinding {
    /// Made from the lines, so that it is the same in every run.
    pub fingerprint: String,
    /// One sentence.
    pub title: String,
    /// The engine's behaviour.
    pub does: Does,
    /// How many of the chains that were reduced have this cause.
    pub chains: u64,
    /// The instructions, each with what of it may be different.
    pub lines: Vec<ChainFindingLine>,
    /// The chain.
    pub chain: ChainText,
    /// The values of its inputs that show it, as hexadecimal digits.
    pub row: Vec<String>,
    /// The value that the reference computes; empty if the engine has no result.
    pub expected: String,
    /// The value that the engine computes, or how it fails.
    pub actual: String,
    /// A module with only this chain. A thread reads its inputs from a buffer, and writes its outputs to another.
    pub module: String,
    /// The YAML that would list it.
    pub yaml: String,
}

/// A finding with all engines that have it: the same lines, reduced.
#[derive(Clone, Debug, Serialize)]
pub struct JoinedChainFinding<'r> {
    /// The finding, as the first of the engines has it.
    pub finding: &'r ChainFinding,
    /// The engines, in the order of the report.
    pub engines: Vec<&'r str>,
    /// How many of the chains that were reduced have this cause, of all engines.
    pub chains: u64,
    /// Where it happens among the installed builds, in words.
    pub builds: Vec<String>,
}

/// The findings of all engines, each once.
pub(super) fn joined<'r>(
    reports: &'r [ChainReport],
    borders: &BTreeMap<String, Borders>,
) -> Vec<JoinedChainFinding<'r>> {
    let mut found: Vec<JoinedChainFinding<'_>> = Vec::new();
    for report in reports {
        for finding in &report.findings {
            let engine = report.engine.as_str();
            match found.iter_mut().find(|known| known.finding.fingerprint == finding.fingerprint) {
                Some(known) => {
                    known.engines.push(engine);
                    known.chains += finding.chains;
                }
                None => {
                    let (engines, chains) = (vec![engine], finding.chains);
                    let builds = borders.get(&finding.fingerprint).map(Borders::words).unwrap_or_default();
                    found.push(JoinedChainFinding { finding, engines, chains, builds });
                }
            }
        }
    }
    found
}

impl JoinedChainFinding<'_> {
    /// The first engine, and how many others there are.
    pub fn engines_in_short(&self) -> String {
        match self.engines.split_first() {
            Some((first, [])) => (*first).to_owned(),
            Some((first, others)) => format!("{first} and {}", counted(others.len(), "other engine")),
            None => String::new(),
        }
    }

    /// All that is known of it, for a terminal.
    pub(super) fn write(&self, to: &mut String) -> fmt::Result {
        let finding = self.finding;
        writeln!(to, "\nfinding {}: {}: {}", finding.fingerprint, self.engines_in_short(), finding.title)?;
        writeln!(to, "  where    {} of those that were reduced", counted(self.chains, "chain"))?;
        if self.engines.len() > 1 {
            writeln!(to, "  engines  {}", self.engines.join(", "))?;
        }
        self.builds.iter().try_for_each(|words| writeln!(to, "  builds   {words}"))?;
        let shown: Vec<&str> = finding.lines.iter().map(|line| line.text.as_str()).collect();
        for line in &finding.chain.lines {
            writeln!(to, "  line     {line}")?;
            if let Some(of) = shown.iter().position(|text| text == line) {
                finding.lines[of].borders.iter().try_for_each(|border| writeln!(to, "             {border}"))?;
            }
        }
        let inputs: Vec<String> = finding
            .chain
            .inputs
            .iter()
            .zip(&finding.row)
            .map(|(register, value)| format!("%x{register} = {value}"))
            .collect();
        writeln!(to, "  row      {}", inputs.join(", "))?;
        if !finding.expected.is_empty() {
            writeln!(to, "  expected {}", finding.expected)?;
        }
        writeln!(to, "  actual   {}", finding.actual)?;
        writeln!(to, "  module")?;
        finding.module.lines().try_for_each(|line| writeln!(to, "    {line}"))?;
        writeln!(to, "  list it in specs/divergences/")?;
        finding.yaml.lines().try_for_each(|line| writeln!(to, "    {line}"))
    }
}

/// An instruction of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChainFindingLine {
    /// Its text.
    pub text: String,
    /// The choices that may be different, and those that may not, in words.
    pub borders: Vec<String>,
}

/// Values that a list of words names; of more, it says how many.
const NAMED: usize = 12;

impl ChainReport {
    fn new(engine: &EngineResult, environment: &Environment) -> Self {
        let ChainTally { chains, rows, agreed, listed, failed, not_reduced, open, undefined, skipped, .. } =
            &engine.chains;
        let finding = |cause: &ChainCause| ChainFinding::new(environment, cause);
        Self {
            engine: engine.name.clone(),
            environment: environment.to_string(),
            chains: *chains,
            rows: *rows,
            agreed: *agreed,
            listed: listed.clone(),
            failed: *failed,
            not_reduced: *not_reduced,
            open: open.iter().map(open_chain).collect(),
            undefined: undefined.clone(),
            skipped: skipped.clone(),
            findings: engine.chains.causes.iter().map(finding).collect(),
        }
    }

    /// True if each chain that failed has a cause that a divergence lists.
    pub fn agreed(&self) -> bool {
        self.failed == 0
    }

    /// The counts in one line.
    pub fn words(&self) -> String {
        let sum = |of: &BTreeMap<String, u64>| of.values().sum::<u64>();
        format!(
            "{} of lines, {} each ({}); {} agreed, {} failed as listed, {} failed, {} undefined, {} skipped",
            counted(self.chains, "chain"),
            counted(self.rows, "row"),
            self.environment,
            self.agreed,
            sum(&self.listed),
            self.failed,
            sum(&self.undefined),
            sum(&self.skipped)
        )
    }

    /// The counts and the new findings for a terminal.
    pub(super) fn write(&self, to: &mut String) -> fmt::Result {
        writeln!(to, "{}: {}", self.engine, self.words())?;
        for (what, counts) in [("undefined", &self.undefined), ("skipped", &self.skipped)] {
            let mut counts: Vec<(&String, &u64)> = counts.iter().collect();
            counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
            counts.iter().take(NAMED).try_for_each(|(reason, count)| writeln!(to, "  {what} {count}: {reason}"))?;
            let more = counts.len().saturating_sub(NAMED);
            if more > 0 {
                writeln!(to, "  {what} for {}, listed in report.json", counted(more, "other reason"))?;
            }
        }
        if self.not_reduced > 0 {
            writeln!(to, "  not analysed: {} that failed as well", counted(self.not_reduced, "chain"))?;
        }
        for text in self.open.iter().take(NAMED) {
            writeln!(to, "  not analysed: {}", text.trim_end().replace('\n', " "))?;
        }
        Ok(())
    }
}

/// The behaviour of an engine with a chain, the value that an output must have, and the one that it has, or how the engine
/// failed.
fn observed(chain: &ChainText, answer: &ChainAnswer) -> (Does, String, String) {
    match answer {
        ChainAnswer::Differs(of) => {
            let register = chain.outputs.get(of.output).copied().unwrap_or_default();
            let undefined = match of.undefined {
                0 => String::new(),
                bits => format!(", of which the bits {bits:x} depend on what nothing wrote"),
            };
            let (expected, actual) = (of.expected, of.actual);
            (Does::Computes, format!("%x{register} = {expected:x}"), format!("%x{register} = {actual:x}{undefined}"))
        }
        ChainAnswer::Failed(how) => (Does::Crashes, String::new(), how.clone()),
        _ => (Does::Computes, String::new(), String::new()),
    }
}

/// A chain whose cause was not found: its lines, a row that shows it, and what the row shows.
fn open_chain(of: &Reduced) -> String {
    let chain = ChainText::from(&of.chain);
    let (_, expected, actual) = observed(&chain, &of.answer);
    let row = match &of.answer {
        ChainAnswer::Differs(difference) => of.rows.rows.get(difference.row),
        _ => of.rows.rows.first(),
    };
    let values = chain.inputs.iter().zip(row.into_iter().flatten()).map(|(of, value)| format!("%x{of} = {value:x}"));
    let values: Vec<String> = values.collect();
    let shown = if expected.is_empty() { actual } else { format!("{actual} instead of {expected}") };
    format!("{}with {}: {shown}", of.chain.text(), values.join(", "))
}

impl ChainFinding {
    /// The row that shows it; none if it is not of numbers.
    pub fn rows(&self) -> Option<ChainRows> {
        let row = self.row.iter().map(|value| u64::from_str_radix(value, 16).ok()).collect::<Option<_>>()?;
        Some(ChainRows { rows: vec![row] })
    }

    fn new(environment: &Environment, cause: &ChainCause) -> Self {
        let chain = ChainText::from(&cause.reduced.chain);
        let row = cause.reduced.rows.rows.first().cloned().unwrap_or_default();
        let module = ChainKernels::new(environment, &[&[(&chain, &ChainRows { rows: vec![row.clone()] })]])
            .cases
            .remove(0)
            .module;
        let (does, expected, actual) = observed(&chain, &cause.reduced.answer);
        let operations: Vec<&str> = cause.lines.iter().map(|line| operation(&line.text)).collect();
        let title = match does {
            Does::Crashes => format!("{} fails: {actual}", operations.join("; ")),
            _ => format!("{} computes a wrong result", operations.join("; ")),
        };
        let row: Vec<String> = row.iter().map(|value| format!("{value:x}")).collect();
        let mut finding = Self {
            fingerprint: cause.fingerprint(),
            title,
            does,
            chains: cause.chains as u64,
            lines: cause.lines.iter().map(ChainFindingLine::new).collect(),
            chain,
            row,
            expected,
            actual,
            module: module.to_string(),
            yaml: String::new(),
        };
        finding.yaml = finding.listing(cause);
        finding
    }

    /// The entry of a file of divergences that would list it.
    fn listing(&self, cause: &ChainCause) -> String {
        let quoted = |text: &String| format!("'{text}'");
        let list = |texts: &[String]| texts.iter().map(quoted).collect::<Vec<_>>().join(", ");
        let patterns: Vec<String> = cause.lines.iter().map(CauseLine::pattern).collect();
        let numbers = |of: &[usize]| of.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let registers: Vec<&str> = self.chain.registers.iter().map(|kind| kind.name()).collect();
        let lines: Vec<String> = self.chain.lines.iter().map(|line| format!("        - '{line}'\n")).collect();
        format!(
            "- id: chain-{}\n  lines: [{}]\n  does: {}\n  shows:\n    registers: [{}]\n    inputs: [{}]\n    lines:\n{}    outputs: [{}]\n    row: [{}]\n  because: >-\n    say why\n",
            self.fingerprint,
            list(&patterns),
            self.does.word(),
            registers.join(", "),
            numbers(&self.chain.inputs),
            lines.concat(),
            numbers(&self.chain.outputs),
            list(&self.row),
        )
    }
}

impl ChainFindingLine {
    fn new(line: &CauseLine) -> Self {
        let choices = line.choices.iter().map(|(axis, of)| (axis.as_str(), of));
        let numbers = line.numbers.iter().map(|of| ("number", of));
        let borders = choices.chain(numbers).filter_map(|(axis, of)| border(axis, of));
        Self { text: line.text.clone(), borders: borders.collect() }
    }
}

/// The values of a choice that show a finding and those that do not, in words; none if there is no other.
fn border(axis: &str, of: &CauseChoice) -> Option<String> {
    let named = |values: &std::collections::BTreeSet<String>| {
        let more = values.len().saturating_sub(NAMED);
        let mut words = values.iter().take(NAMED).cloned().collect::<Vec<_>>().join(" ");
        if more > 0 {
            words.push_str(&format!(" and {more} more"));
        }
        words
    };
    match (of.others.is_empty(), of.without.is_empty()) {
        (true, true) => None,
        (false, true) => Some(format!("{axis} {}: any ({})", of.value, named(&of.others))),
        (true, false) => Some(format!("{axis} {}: not with {}", of.value, named(&of.without))),
        (false, false) => {
            Some(format!("{axis} {}: also {}; not with {}", of.value, named(&of.others), named(&of.without)))
        }
    }
}

/// The guard, opcode and modifiers of a line.
fn operation(line: &str) -> &str {
    let from = if line.starts_with('@') { line.find(' ').map_or(0, |at| at + 1) } else { 0 };
    line[from..].find(' ').map_or(line, |at| &line[..from + at])
}

/// The chains of each engine that was given some.
pub(super) fn chains(results: &Results) -> Vec<ChainReport> {
    let of = |engine: &EngineResult| {
        let environment = engine.chains.environment.as_ref().filter(|_| engine.chains.chains > 0)?;
        Some(ChainReport::new(engine, environment))
    };
    results.engines.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(engine: &str, fingerprints: &[&str]) -> ChainReport {
        let finding = |fingerprint: &&str| -> ChainFinding {
            serde_json::from_value(serde_json::json!({
                "fingerprint": fingerprint, "title": "min.s32 computes a wrong result", "does": "computes", "chains": 2,
                "lines": [{ "text": "min.s32 %x0, %x0, %x1;", "borders": [] }],
                "chain": { "registers": ["b32", "b32"], "inputs": [0, 1], "lines": ["min.s32 %x0, %x0, %x1;"], "outputs": [0] },
                "row": ["1", "2"], "expected": "%x0 = 1", "actual": "%x0 = 2", "module": "", "yaml": "",
            }))
            .expect("a finding")
        };
        let findings = fingerprints.iter().map(finding).collect();
        ChainReport { engine: engine.to_owned(), findings, ..ChainReport::default() }
    }

    #[test]
    fn a_cause_of_several_engines_is_one_finding() {
        let reports = [report("sass@13.5", &["a", "b"]), report("sass-O0@13.5", &["b"]), report("sass@13.3", &["b"])];
        let found: Vec<(&str, String, u64)> = joined(&reports, &BTreeMap::new())
            .iter()
            .map(|of| (of.finding.fingerprint.as_str(), of.engines_in_short(), of.chains))
            .collect();
        let expected = [("a", "sass@13.5".to_owned(), 2), ("b", "sass@13.5 and 2 other engines".to_owned(), 6)];
        assert_eq!(found, expected);
    }
}
