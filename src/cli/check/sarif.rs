//! Diagnostics as SARIF 2.1.0, for code scanning.
//!
//! Only the few objects that are needed; the crate `serde-sarif` generates all of the standard from its schema, with
//! converters for other tools.

use std::collections::BTreeMap;

use serde::Serialize;

use ptx_conform::check::{Details, Diagnostic, DiagnosticSeverity};

use super::place::{Lines, SourcePlace};

/// What is printed, without the parts that are always alike.
#[derive(Default)]
pub(super) struct Document {
    results: Vec<RuleResult>,
    notifications: Vec<(String, String)>,
}

/// A diagnostic.
pub(super) struct RuleResult {
    rule: String,
    level: DiagnosticSeverity,
    text: String,
    file: String,
    start: SourcePlace,
    end: SourcePlace,
    page: Option<String>,
}

impl RuleResult {
    pub(super) fn new(file: &str, lines: &Lines<'_>, diagnostic: &Diagnostic<'_>, details: &Details) -> Self {
        let parts = || details.parts.iter().map(|part| &part.at);
        let start = parts().map(|at| at.start).min().unwrap_or(diagnostic.at.start);
        let end = parts().map(|at| at.end).max().unwrap_or(diagnostic.at.end);
        let said = details.notes.iter().chain(&details.help);
        let text = std::iter::once(&diagnostic.message).chain(said).cloned().collect::<Vec<_>>().join("\n");
        Self {
            rule: diagnostic.rule.clone(),
            level: diagnostic.severity,
            text,
            file: file.to_owned(),
            start: lines.place(start),
            end: lines.place(end),
            page: details.page.clone(),
        }
    }
}

impl Document {
    pub(super) fn add(&mut self, results: Vec<RuleResult>, notification: Option<(String, String)>) {
        self.results.extend(results);
        self.notifications.extend(notification);
    }

    /// The document; `successful` if all could be judged.
    pub(super) fn print(&self, successful: bool) -> anyhow::Result<String> {
        let mut rules: BTreeMap<&str, Option<&str>> = BTreeMap::new();
        for result in &self.results {
            rules.entry(&result.rule).or_insert(result.page.as_deref());
        }
        let positions: BTreeMap<&str, usize> = rules.keys().enumerate().map(|(at, rule)| (*rule, at)).collect();
        let driver = Driver {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            rules: rules.iter().map(|(id, help_uri)| RuleObject { id, help_uri: *help_uri }).collect(),
        };
        let notify = |(file, why): &'_ (String, String)| NotificationObject {
            level: DiagnosticSeverity::Error,
            message: MessageObject { text: format!("{file}: {why}") },
        };
        let run = RunObject {
            tool: Tool { driver },
            invocations: [InvocationObject {
                execution_successful: successful,
                tool_execution_notifications: self.notifications.iter().map(notify).collect(),
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
    invocations: [InvocationObject; 1],
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
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InvocationObject {
    execution_successful: bool,
    tool_execution_notifications: Vec<NotificationObject>,
}

#[derive(Serialize)]
struct NotificationObject {
    level: DiagnosticSeverity,
    message: MessageObject,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultObject<'d> {
    rule_id: &'d str,
    rule_index: usize,
    level: DiagnosticSeverity,
    message: MessageObject,
    locations: [LocationObject; 1],
}

impl<'d> ResultObject<'d> {
    fn new(result: &'d RuleResult, positions: &BTreeMap<&str, usize>) -> Self {
        let region = RegionObject {
            start_line: result.start.line,
            start_column: result.start.column,
            end_line: result.end.line,
            end_column: result.end.column,
        };
        let artifact_location = ArtifactObject { uri: uri(&result.file) };
        Self {
            rule_id: &result.rule,
            rule_index: positions.get(result.rule.as_str()).copied().unwrap_or(0),
            level: result.level,
            message: MessageObject { text: result.text.clone() },
            locations: [LocationObject { physical_location: PhysicalLocation { artifact_location, region } }],
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
    region: RegionObject,
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
