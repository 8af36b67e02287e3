//! The report as one HTML page.

use minijinja::value::{Serde, Value};
use minijinja::{Environment, context};

use super::Report;

pub(super) fn render(report: &Report) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    // The extension `.html` turns escaping on.
    environment.add_template("page.html", include_str!("page.html"))?;
    environment.get_template("page.html")?.render(context! { report => Value::from(Serde(report)) })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::campaign::{Options, Problem};
    use crate::causes::{Blame, Evidence, Finding, MinimalCase, Suspect, Vote};
    use crate::divergences::{AxisValues, Condition, Does};
    use crate::report::{DivergenceReport, ReportOptions, RunVerdict};

    /// Tries to break out of whatever HTML it is put into.
    const EVIL: &str = "</pre>\"'><script>alert(1)</script>";

    fn finding() -> Finding {
        let evil = || EVIL.to_owned();
        Finding {
            fingerprint: "0123456789ab".to_owned(),
            title: "judge accepts what breaks some-rule".to_owned(),
            family: "judge".to_owned(),
            listed_family: "judge".to_owned(),
            does: Does::Accepts,
            rules: vec!["some-rule".to_owned()],
            valid: false,
            says: vec![evil()],
            manual: vec![
                "https://example.org/manual/#a-page: A heading".to_owned(),
                "javascript:alert(2): Another".to_owned(),
            ],
            code_generation: false,
            contradicts: Some(evil()),
            forms: vec!["form.b".to_owned()],
            when: Condition(vec![("axis".to_owned(), AxisValues { not: true, values: vec![evil()] })]),
            sometimes: false,
            inputs: evil(),
            slots: vec![evil()],
            inferred: Vec::new(),
            evidence: vec![Evidence {
                form: "form.b".to_owned(),
                engine: evil(),
                environment: evil(),
                rules: Vec::new(),
                variants: "77".to_owned(),
                asked: 8,
                failed: 7,
            }],
            engines: BTreeMap::from([
                ("judge@1.0".to_owned(), Vote::Shows),
                ("judge@2.0".to_owned(), Vote::DoesNot),
                (evil(), Vote::Other(evil())),
            ]),
            versions: evil(),
            mismatches: 1,
            blame: Blame { suspect: Suspect::Manual, because: evil() },
            case: MinimalCase {
                id: evil(),
                line: evil(),
                marks: Vec::new(),
                ptx: "9.5".to_owned(),
                target: "sm_121".to_owned(),
                address_size: 64,
                message: evil(),
                module: evil(),
                command: evil(),
                neighbours_without: 2,
                row: None,
                values: Vec::new(),
            },
            yaml: "  - id: judge-accepts-some-rule\n    does: accepts\n".to_owned(),
        }
    }

    fn report(findings: Vec<Finding>) -> Report {
        Report {
            format: 1,
            verdict: RunVerdict::Disagreed,
            date: None,
            news: None,
            parts: Vec::new(),
            tool: "0".to_owned(),
            specification: String::new(),
            options: ReportOptions::new(&Options::default()),
            absent: Vec::new(),
            lost: Vec::new(),
            inferences: Vec::new(),
            engines: Vec::new(),
            forms: Vec::new(),
            rules: Vec::new(),
            findings,
            not_reproduced: vec![EVIL.to_owned()],
            not_analysed: vec!["several faults".to_owned(); 5],
            groups: Vec::new(),
            modifiers: Vec::new(),
            divergences: vec![DivergenceReport {
                id: EVIL.to_owned(),
                because: EVIL.to_owned(),
                section: None,
                link: None,
                steady: true,
                counts: BTreeMap::new(),
                cases: Vec::new(),
                stale: BTreeMap::from([(EVIL.to_owned(), Problem::Expired)]),
            }],
            examples: Vec::new(),
            internal_errors: vec![EVIL.to_owned()],
        }
    }

    #[test]
    fn a_finding_is_shown_and_escaped() {
        let page = report(vec![finding()]).html().expect("a page");
        for part in [
            "id=\"0123456789ab\"",
            "href=\"#0123456789ab\"",
            "judge accepts what breaks some-rule",
            "<span class=\"suspect manual\">manual</span>",
            "<li>judge@1.0<br><span class=\"bad\">shows it</span>",
            "<li>judge@2.0<br><span class=\"good\">does not show it</span>",
            "<code>axis</code><td>none of <code>",
            "<a href=\"https://example.org/manual/#a-page\">#a-page</a>: A heading",
            "7 of 8 tested variants show it",
            "  - id: judge-accepts-some-rule\n    does: accepts\n",
            "5 more mismatch groups",
            "has expired",
        ] {
            // `/` is escaped too if it comes from a value.
            assert!(page.replace("&#x2f;", "/").contains(part), "{part} is not in {page}");
        }
        assert!(page.contains("&lt;script&gt;alert(1)"), "the message is not in {page}");
        for evil in ["<script", "'>", "href=\"javascript:"] {
            assert!(!page.contains(evil), "{evil} is in {page}");
        }
    }

    #[test]
    fn a_report_without_findings_says_so() {
        let page = report(Vec::new()).html().expect("a page");
        assert!(page.contains("<p class=\"good\">None.</p>") && !page.contains("<article"), "{page}");
    }
}
