//! The rules of the JUnit schema of Jenkins (junit-10.xsd of its xUnit plugin, after surefire's), as far as they concern what
//! elements and attributes there may be and must be, and that the counts are right.

use std::collections::BTreeSet;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// What a document sums up to.
#[derive(Default)]
pub(crate) struct Sums {
    pub(crate) failures: usize,
    pub(crate) errors: usize,
    /// Suite, class and name of each test.
    pub(crate) names: BTreeSet<String>,
}

/// An element: its name, its attributes (those with `!` are required), and what it may contain.
const ELEMENTS: [(&str, &[&str], &[&str]); 11] = [
    ("testsuites", &["name", "time", "tests", "failures", "errors"], &["testsuite"]),
    (
        "testsuite",
        &[
            "name!",
            "tests!",
            "failures!",
            "errors!",
            "group",
            "time",
            "skipped",
            "timestamp",
            "hostname",
            "id",
            "package",
        ],
        &["testsuite", "properties", "testcase", "system-out", "system-err"],
    ),
    ("properties", &[], &["property"]),
    ("property", &["name!", "value!"], &[]),
    (
        "testcase",
        &["name!", "time", "classname", "group"],
        &["skipped", "error", "failure", "flakyFailure", "flakyError", "system-out", "system-err"],
    ),
    ("skipped", &["type", "message"], &["text"]),
    ("error", &["type", "message"], &["text"]),
    ("failure", &["type", "message"], &["text"]),
    ("flakyFailure", &["type!", "message"], &["text"]),
    ("system-out", &[], &["text"]),
    ("system-err", &[], &["text"]),
];

/// Checks a document.
pub(crate) fn check(text: &str) -> Result<Sums, String> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut open: Vec<String> = Vec::new();
    let mut sums = Sums::default();
    let (mut suite, mut of_suite) = (String::new(), [0_usize; 4]);
    let mut claimed = [0_usize; 4];
    loop {
        match reader.read_event().map_err(|error| format!("{error} at {}", reader.error_position()))? {
            Event::Eof if open.is_empty() => return Ok(sums),
            Event::Eof => return Err(format!("{open:?} is not closed")),
            Event::Start(tag) => {
                let name = String::from_utf8_lossy(tag.name().as_ref()).into_owned();
                let attributes = attributes(&name, &tag)?;
                let of = |key: &str| attributes.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone());
                allowed(open.last().map(String::as_str), &name)?;
                match name.as_str() {
                    "testsuite" => {
                        suite = of("name").unwrap_or_default();
                        of_suite = [0; 4];
                        claimed = ["tests", "failures", "errors", "skipped"]
                            .map(|key| of(key).and_then(|count| count.parse().ok()).unwrap_or(usize::MAX));
                    }
                    "testcase" => {
                        of_suite[0] += 1;
                        let test = format!(
                            "{suite}/{}/{}",
                            of("classname").unwrap_or_default(),
                            of("name").unwrap_or_default()
                        );
                        if !sums.names.insert(test.clone()) {
                            return Err(format!("there are two tests {test}"));
                        }
                    }
                    "failure" => (sums.failures, of_suite[1]) = (sums.failures + 1, of_suite[1] + 1),
                    "error" => (sums.errors, of_suite[2]) = (sums.errors + 1, of_suite[2] + 1),
                    "skipped" => of_suite[3] += 1,
                    _ => {}
                }
                open.push(name);
            }
            Event::End(_) => {
                let ended = open.pop();
                if ended.as_deref() == Some("testsuite") && of_suite != claimed {
                    return Err(format!("suite {suite} has {of_suite:?} and says {claimed:?}"));
                }
            }
            Event::Text(text) if !String::from_utf8_lossy(&text).trim().is_empty() => {
                allowed(open.last().map(String::as_str), "text")?;
            }
            _ => {}
        }
    }
}

fn allowed(parent: Option<&str>, name: &str) -> Result<(), String> {
    let Some(parent) = parent else {
        return if name == "testsuites" { Ok(()) } else { Err(format!("the document is a {name}")) };
    };
    let inside = ELEMENTS.iter().find(|(known, ..)| *known == parent).map(|(.., inside)| *inside);
    if inside.is_some_and(|inside| inside.contains(&name)) { Ok(()) } else { Err(format!("{name} within {parent}")) }
}

fn attributes(name: &str, tag: &BytesStart<'_>) -> Result<Vec<(String, String)>, String> {
    let known = ELEMENTS.iter().find(|(known, ..)| *known == name).map(|(_, attributes, _)| *attributes);
    let known = known.ok_or_else(|| format!("there is an element {name}"))?;
    let mut found = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        let key = String::from_utf8_lossy(attribute.key.as_ref()).into_owned();
        if !known.iter().any(|known| known.trim_end_matches('!') == key) {
            return Err(format!("{name} has an attribute {key}"));
        }
        found.push((key, String::from_utf8_lossy(&attribute.value).into_owned()));
    }
    for required in known.iter().filter_map(|known| known.strip_suffix('!')) {
        if !found.iter().any(|(key, _)| key == required) {
            return Err(format!("{name} has no {required}"));
        }
    }
    Ok(found)
}
