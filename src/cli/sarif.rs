//! Diagnostics of files and findings of runs as SARIF 2.1.0, for code scanning.
//!
//! Only the few objects that are needed; the crate `serde-sarif` generates all of the standard from its schema, with
//! converters for other tools.

use std::collections::BTreeMap;

use serde::Serialize;

use ptx_conform::causes::Finding;
use ptx_conform::check::{Details, Diagnostic, DiagnosticSeverity, SourcePart};
use ptx_conform::divergences::Does;
use ptx_conform::engine::words::{cut, visible};
use ptx_conform::plural::counted;
use ptx_conform::report::{ChainFinding, JoinedChainFinding};

use super::place::{Lines, SourcePlace};

/// A SARIF document, without the parts that are always alike.
#[derive(Default)]
pub(super) struct Document {
    results: Vec<RuleResult>,
    notifications: Vec<NotificationObject>,
}

/// The bytes of a text of a finding that are kept.
const TEXT: usize = 4_000;

/// A diagnostic or a finding.
pub(super) struct RuleResult {
    rule: String,
    level: DiagnosticSeverity,
    text: String,
    file: String,
    /// Where it begins and ends; the whole file if that is not known.
    region: Option<(SourcePlace, SourcePlace)>,
    /// Other parts of the file that have to do with it.
    related: Vec<(SourcePlace, SourcePlace)>,
    page: Option<String>,
    /// The sentence of a rule that is not one of the specification.
    title: Option<String>,
    /// The fingerprint of the result, which is the same in every run.
    fingerprint: Option<String>,
}

impl RuleResult {
    pub(super) fn new(file: &str, lines: &Lines<'_>, diagnostic: &Diagnostic<'_>, details: &Details) -> Self {
        let parts = || details.parts.iter().filter(|part| diagnostic.has(part)).map(|part| &part.at);
        let place = |part: &SourcePart| (lines.place(part.at.start), lines.place(part.at.end));
        let related = details.parts.iter().filter(|part| !diagnostic.has(part)).map(place).collect();
        let start = parts().map(|at| at.start).min().unwrap_or(diagnostic.at.start);
        let end = parts().map(|at| at.end).max().unwrap_or(diagnostic.at.end);
        let said = details.notes.iter().chain(&details.help);
        let text = std::iter::once(&diagnostic.message).chain(said).cloned().collect::<Vec<_>>().join("\n");
        Self {
            rule: diagnostic.rule.clone(),
            level: diagnostic.severity,
            text,
            file: file.to_owned(),
            region: Some((lines.place(start), lines.place(end))),
            related,
            page: details.page.clone(),
            title: None,
            fingerprint: None,
        }
    }

    /// A finding, at its line in the file of its case: `cases/ID.ptx` beside the report.
    pub(super) fn of_finding(finding: &Finding) -> Self {
        let shown = |text: &str| visible(&cut(text, TEXT)).into_owned();
        let case = &finding.case;
        let region = finding.stored().and_then(|text| {
            let line = text.rfind(&case.line).filter(|_| !case.line.is_empty())?;
            let parts = || case.marks.iter().filter(|mark| mark.from <= mark.to && mark.to <= case.line.len());
            let from = parts().map(|mark| mark.from).min().unwrap_or(0);
            let to = parts().map(|mark| mark.to).max().unwrap_or(case.line.len());
            let lines = Lines::new(&text);
            Some((lines.place(line + from), lines.place(line + to)))
        });
        let extension = if case.row.is_some() { "json" } else { "ptx" };
        let said = [
            format!("{} ({} in {})", finding.title, counted(finding.mismatches, "mismatch"), finding.versions),
            format!("line: {}", case.line),
            format!("message: {}", case.message),
            format!("see it: {}", case.command),
        ];
        Self {
            rule: shown(&finding.fingerprint),
            level: if finding.does == Does::Accepts { DiagnosticSeverity::Warning } else { DiagnosticSeverity::Error },
            text: said.iter().map(|words| shown(words)).collect::<Vec<_>>().join("\n"),
            file: format!("cases/{}.{extension}", case.id),
            region,
            related: Vec::new(),
            // `PAGE: heading`
            page: finding
                .manual
                .first()
                .and_then(|page| Some(page.split_once(": ")?.0.to_owned()))
                .filter(|page| page.starts_with("https://")),
            title: Some(shown(&finding.title)),
            fingerprint: Some(shown(&finding.fingerprint)),
        }
    }
}

impl RuleResult {
    /// A finding of chains, which is in the file of the report.
    pub(super) fn of_chain(of: &JoinedChainFinding<'_>) -> Self {
        let shown = |text: &str| visible(&cut(text, TEXT)).into_owned();
        let ChainFinding { fingerprint, title, chain, expected, actual, .. } = of.finding;
        let chains = format!("{title} ({} in {})", counted(of.chains, "chain"), of.engines.join(", "));
        let lines = chain.lines.iter().map(|line| format!("line: {line}"));
        let results = [("expected", expected), ("actual", actual)].into_iter().filter(|(_, value)| !value.is_empty());
        let results = results.map(|(what, value)| format!("{what}: {value}"));
        let said: Vec<String> =
            std::iter::once(chains).chain(lines).chain(results).map(|words| shown(&words)).collect();
        Self {
            rule: shown(fingerprint),
            level: DiagnosticSeverity::Error,
            text: said.join("\n"),
            file: "report.json".to_owned(),
            region: None,
            related: Vec::new(),
            page: None,
            title: Some(shown(title)),
            fingerprint: Some(shown(fingerprint)),
        }
    }
}

impl Document {
    pub(super) fn add(&mut self, results: Vec<RuleResult>, notification: Option<(String, String)>) {
        self.results.extend(results);
        self.notifications.extend(notification.map(|(file, why)| NotificationObject::new("error", &file, &why)));
    }

    /// Adds something to know about a file, which is no error.
    pub(super) fn note(&mut self, file: &str, what: &str) {
        self.notifications.push(NotificationObject::new("note", file, what));
    }

    /// The document; `successful` if all could be judged.
    pub(super) fn print(&self, successful: bool) -> anyhow::Result<String> {
        let mut rules: BTreeMap<&str, &RuleResult> = BTreeMap::new();
        for result in &self.results {
            rules.entry(&result.rule).or_insert(result);
        }
        let positions: BTreeMap<&str, usize> = rules.keys().enumerate().map(|(at, rule)| (*rule, at)).collect();
        let driver = Driver {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            rules: rules.values().map(|result| RuleObject::new(result)).collect(),
        };
        let run = RunObject {
            tool: Tool { driver },
            invocations: [InvocationObject {
                execution_successful: successful,
                tool_execution_notifications: &self.notifications,
            }],
            column_kind: "unicodeCodePoints",
            results: self.results.iter().map(|result| ResultObject::new(result, &positions)).collect(),
        };
        let log = LogObject { schema: SCHEMA, version: "2.1.0", runs: [run] };
        Ok(serde_json::to_string_pretty(&log)? + "\n")
    }
}

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

#[derive(Serialize)]
struct LogObject<'d> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [RunObject<'d>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RunObject<'d> {
    tool: Tool<'d>,
    invocations: [InvocationObject<'d>; 1],
    column_kind: &'static str,
    results: Vec<ResultObject<'d>>,
}

#[derive(Serialize)]
struct Tool<'d> {
    driver: Driver<'d>,
}

#[derive(Serialize)]
struct Driver<'d> {
    name: &'static str,
    version: &'static str,
    rules: Vec<RuleObject<'d>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RuleObject<'d> {
    id: &'d str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help_uri: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    short_description: Option<MessageObject>,
}

impl<'d> RuleObject<'d> {
    fn new(result: &'d RuleResult) -> Self {
        let short_description = result.title.clone().map(|text| MessageObject { text });
        Self { id: &result.rule, help_uri: result.page.as_deref(), short_description }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InvocationObject<'d> {
    execution_successful: bool,
    tool_execution_notifications: &'d [NotificationObject],
}

#[derive(Serialize)]
struct NotificationObject {
    level: &'static str,
    message: MessageObject,
}

impl NotificationObject {
    fn new(level: &'static str, file: &str, what: &str) -> Self {
        Self { level, message: MessageObject { text: format!("{file}: {what}") } }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultObject<'d> {
    rule_id: &'d str,
    rule_index: usize,
    level: DiagnosticSeverity,
    message: MessageObject,
    locations: [LocationObject; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<LocationObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    partial_fingerprints: Option<FingerprintObject<'d>>,
}

#[derive(Serialize)]
struct FingerprintObject<'d> {
    #[serde(rename = "ptxConformFinding/v1")]
    finding: &'d str,
}

impl<'d> ResultObject<'d> {
    fn new(result: &'d RuleResult, positions: &BTreeMap<&str, usize>) -> Self {
        let location = |region: Option<(SourcePlace, SourcePlace)>| LocationObject {
            physical_location: PhysicalLocation {
                artifact_location: ArtifactObject { uri: uri(&result.file) },
                region: region.map(RegionObject::from),
            },
        };
        Self {
            rule_id: &result.rule,
            rule_index: positions[result.rule.as_str()],
            level: result.level,
            message: MessageObject { text: result.text.clone() },
            locations: [location(result.region)],
            related_locations: result.related.iter().map(|region| location(Some(*region))).collect(),
            partial_fingerprints: result.fingerprint.as_deref().map(|finding| FingerprintObject { finding }),
        }
    }
}

#[derive(Serialize)]
struct MessageObject {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LocationObject {
    physical_location: PhysicalLocation,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactObject,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<RegionObject>,
}

#[derive(Serialize)]
struct ArtifactObject {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RegionObject {
    start_line: usize,
    start_column: usize,
    end_line: usize,
    end_column: usize,
}

impl From<(SourcePlace, SourcePlace)> for RegionObject {
    fn from((start, end): (SourcePlace, SourcePlace)) -> Self {
        Self { start_line: start.line, start_column: start.column, end_line: end.line, end_column: end.column }
    }
}

/// A path as a relative or absolute URI reference: what is not allowed there is encoded.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'\\' => uri.push('/'),
            _ if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    if path.starts_with('/') { format!("file://{uri}") } else { uri }
}
