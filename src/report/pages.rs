//! The report as a folder of pages that open from disk: an index, and a page for each instruction and finding.
//!
//! Every page is complete without scripts; `report.js` adds search, filters and sorting.

mod builds_view;
mod engine_names;
mod feature_view;
mod finding_view;
mod index_view;
mod instruction_view;
mod report_index;
mod run_view;
mod search;
mod trend;

use std::collections::BTreeMap;

use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment, Error, context, escape_formatter};
use rayon::prelude::*;
use serde::Serialize;

use super::data::Report;
use super::folder::ReportFile;
use super::history::HistoryLine;
use crate::divergences::Divergences;
use crate::engine::words::{cut, visible};
use crate::matrix::Matrix;
use crate::plural::noun;
use crate::releases::ReleaseTable;
use crate::spec::{Instruction, Spec};
use builds_view::BuildsView;
use engine_names::EngineNames;
use feature_view::FeatureView;
use finding_view::FindingView;
use index_view::IndexView;
use instruction_view::{DivergenceView, InstructionView};
use report_index::ReportIndex;
use run_view::RunView;

type Page = ReportFile;

const TEMPLATES: [(&str, &str); 10] = [
    ("base.html", include_str!("pages/templates/base.html")),
    ("macros.html", include_str!("pages/templates/macros.html")),
    ("index.html", include_str!("pages/templates/index.html")),
    ("builds.html", include_str!("pages/templates/builds.html")),
    ("instruction.html", include_str!("pages/templates/instruction.html")),
    ("finding.html", include_str!("pages/templates/finding.html")),
    ("known.html", include_str!("pages/templates/known.html")),
    ("matrix.html", include_str!("pages/templates/matrix.html")),
    ("run.html", include_str!("pages/templates/run.html")),
    ("toolchains.html", include_str!("pages/templates/toolchains.html")),
];

/// Findings that the index shows in full; it links the others.
const CARDS: usize = 40;
/// Bytes of one text that a page shows.
const LONGEST: usize = 20_000;

/// The sources that the pages show besides the report itself.
#[derive(Clone, Copy, Debug)]
pub struct PageSources<'a> {
    /// The specification of the run.
    pub spec: &'a Spec,
    /// The divergences of the run.
    pub divergences: &'a Divergences,
    /// The runs until this one, which is the last.
    pub history: &'a [HistoryLine],
    /// The support matrix of the run's instructions, as its engines have it.
    pub matrix: Option<&'a Matrix>,
    /// The releases of CUDA, if the specification has any.
    pub releases: Option<&'a ReleaseTable>,
}

/// All pages of a report.
///
/// # Errors
/// If one of our own templates is broken.
pub(super) fn pages(report: &Report, sources: &PageSources<'_>) -> Result<Vec<Page>, Error> {
    let environment = environment()?;
    let names = EngineNames::new(report.engines.iter().map(|engine| engine.name.as_str()));
    let index = ReportIndex::new(report);
    let tested = |instruction: &&Instruction| {
        instruction.forms.iter().any(|form| index.forms.contains_key(form.id.as_str()))
            || report.examples.iter().any(|example| example.instruction == instruction.name)
    };
    let instructions: Vec<&Instruction> = sources.spec.all().filter(tested).collect();
    let instructions: Vec<InstructionView<'_>> =
        instructions.par_iter().map(|instruction| InstructionView::new(instruction, &index, &names)).collect();
    let mut findings: Vec<FindingView<'_>> =
        report.findings.iter().map(|finding| FindingView::new(finding, &names, report)).collect();
    // Stable, so that among those of a kind the ones with the most mismatches stay first.
    findings.sort_by_key(|view| view.kind);
    let divergences = DivergenceView::all(report.divergences.iter(), &names);
    let view = IndexView::new(report, &instructions, &names);
    let trends = trend::trends(sources.history);
    let features: Vec<FeatureView<'_>> = sources.matrix.map(FeatureView::all).unwrap_or_default();
    let mut of_instruction: BTreeMap<&str, Vec<&FeatureView<'_>>> = BTreeMap::new();
    features.iter().for_each(|feature| of_instruction.entry(feature.instruction).or_default().push(feature));
    let (has_matrix, has_releases) = (sources.matrix.is_some(), sources.releases.is_some());
    let maker = PageMaker { report: value(report), has_matrix, has_releases, environment: &environment };

    let mut pages = vec![
        maker.page(
            "index.html",
            "index.html",
            "",
            context! { view => value(&view), findings => value(&findings), cards => CARDS, trends => value(&trends) },
        )?,
        maker.page(
            "builds.html",
            "builds.html",
            "",
            context! { view => value(&BuildsView::new(sources.divergences, &sources.spec.isa)) },
        )?,
        maker.page("known.html", "known.html", "", context! { divergences => value(&divergences) })?,
        maker.page(
            "run.html",
            "run.html",
            "",
            context! { view => value(&view), run => value(&RunView::new(report, &names)) },
        )?,
        ("search.js".to_owned(), search::script(&instructions, &features, report)),
        ("style.css".to_owned(), include_str!("pages/templates/style.css").to_owned()),
        ("report.js".to_owned(), include_str!("pages/templates/report.js").to_owned()),
    ];
    if let Some(matrix) = sources.matrix {
        let own = context! { features => value(&features), engines => value(&matrix.engines) };
        pages.push(maker.page("matrix.html", "matrix.html", "", own)?);
    }
    pages.extend(sources.releases.map(|releases| maker.of_releases(releases)).transpose()?);
    pages.extend(maker.of_findings(&findings)?);
    pages.extend(maker.of_instructions(&instructions, &of_instruction)?);
    Ok(pages)
}

/// The templates and texts that every page is made with.
struct PageMaker<'e> {
    report: Value,
    has_matrix: bool,
    has_releases: bool,
    environment: &'e Environment<'e>,
}

impl PageMaker<'_> {
    fn of_findings(&self, findings: &[FindingView<'_>]) -> Result<Vec<Page>, Error> {
        let page = |view: &FindingView<'_>| {
            let path = format!("findings/{}.html", view.finding.fingerprint);
            self.page("finding.html", &path, "../", context! { view => value(view) })
        };
        findings.par_iter().map(page).collect()
    }

    fn of_instructions(
        &self,
        instructions: &[InstructionView<'_>],
        features: &BTreeMap<&str, Vec<&FeatureView<'_>>>,
    ) -> Result<Vec<Page>, Error> {
        let page = |view: &InstructionView<'_>| {
            let path = format!("instructions/{}.html", view.name);
            let features = features.get(view.name).map(Vec::as_slice).unwrap_or_default();
            self.page("instruction.html", &path, "../", context! { view => value(view), features => value(&features) })
        };
        instructions.par_iter().map(page).collect()
    }

    fn of_releases(&self, releases: &ReleaseTable) -> Result<Page, Error> {
        let cells = releases.cells();
        let (columns, rows) = cells.split_at(1);
        let own = context! { columns => value(&columns[0]), releases => value(&rows) };
        self.page("toolchains.html", "toolchains.html", "", own)
    }

    /// The page of a template at a path; `root` leads from there to the folder of the report.
    fn page(&self, template: &str, path: &str, root: &str, own: Value) -> Result<Page, Error> {
        let text = self.environment.get_template(template)?.render(context! {
            report => self.report.clone(),
            has_matrix => self.has_matrix,
            has_releases => self.has_releases,
            root,
            ..own
        })?;
        Ok((path.to_owned(), text))
    }
}

fn value<T: Serialize>(of: &T) -> Value {
    Value::from(Serde(of))
}

fn environment() -> Result<Environment<'static>, Error> {
    let mut environment = Environment::new();
    // Everything is escaped, whatever a template is called.
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_undefined_behavior(minijinja::UndefinedBehavior::SemiStrict);
    environment.add_filter("grouped", |number: String| grouped(&number));
    environment.add_filter("counted", |count: u64, what: String| {
        format!("{} {}", grouped(&count.to_string()), noun(&count, &what))
    });
    environment.add_filter("opcode", |form: String| form.rsplit_once('.').map_or(form.clone(), |of| of.0.to_owned()));
    environment.add_filter("sentence", |text: String| format!("{}.", text.trim_end_matches('.')));
    environment.add_filter("anchor", |text: String| anchor(&text));
    environment.set_formatter(|out, state, value| match value.as_str().filter(|_| !value.is_safe()) {
        Some(text) => escape_formatter(out, state, &Value::from(shown(text))),
        None => escape_formatter(out, state, value),
    });
    for (name, text) in TEMPLATES {
        environment.add_template(name, text)?;
    }
    Ok(environment)
}

/// A text as a page shows it: what would act on the page is visible, and a very long text is cut.
fn shown(text: &str) -> String {
    visible(&cut(text, LONGEST)).into_owned()
}

/// A number with its thousands apart: `1,234,567`.
fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A text as a part of an address: letters, digits, `-`, `_` and `.` stay, everything else becomes `_`.
fn anchor(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    text.chars().map(|c| if plain(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::campaign::{Options, Problem};
    use crate::causes::{Blame, Evidence, Finding, Mark, MinimalCase, Suspect, Vote};
    use crate::divergences::{AxisValues, Condition, Does};
    use crate::engine::DeadlyModule;
    use crate::report::{DeathReport, DivergenceReport, ReportOptions, RunVerdict};

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
                marks: vec![Mark { from: 2, to: 5, says: "the rule".to_owned() }],
                ptx: "9.5".to_owned(),
                target: "sm_121".to_owned(),
                address_size: 64,
                message: evil(),
                module: evil(),
                directive: None,
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
            tool: "0".to_owned(),
            specification: String::new(),
            divergence_files: String::new(),
            options: ReportOptions::new(&Options::default()),
            news: None,
            support: None,
            chains: Vec::new(),
            absent: Vec::new(),
            notes: vec![EVIL.to_owned()],
            deeper: None,
            lost: Vec::new(),
            inferences: Vec::new(),
            engines: Vec::new(),
            forms: Vec::new(),
            rules: Vec::new(),
            findings,
            borders: BTreeMap::new(),
            deaths: vec![DeathReport {
                engine: EVIL.to_owned(),
                title: EVIL.to_owned(),
                opcodes: vec![EVIL.to_owned()],
                code_generation: true,
                how: EVIL.to_owned(),
                count: 1,
                environment: EVIL.to_owned(),
                modules: vec![DeadlyModule { lines: vec![EVIL.to_owned()], text: EVIL.to_owned() }],
                command: EVIL.to_owned(),
                divergence: None,
            }],
            not_reproduced: vec![EVIL.to_owned()],
            not_analysed: vec!["several faults".to_owned(); 5],
            groups: Vec::new(),
            modifiers: Vec::new(),
            divergences: vec![DivergenceReport {
                id: EVIL.to_owned(),
                engines: vec!["judge".to_owned()],
                versions: String::new(),
                does: Does::Accepts,
                rules: Vec::new(),
                forms: Vec::new(),
                when: vec![EVIL.to_owned()],
                sometimes: false,
                code_generation: false,
                because: EVIL.to_owned(),
                section: None,
                link: None,
                counts: BTreeMap::new(),
                case: None,
                stale: BTreeMap::from([(EVIL.to_owned(), Problem::Expired)]),
            }],
            examples: Vec::new(),
            internal_errors: vec![EVIL.to_owned()],
        }
    }

    /// The pages of a report with one instruction without results.
    fn pages_of(report: &Report) -> BTreeMap<String, String> {
        let spec = crate::shipped::spec().expect("the specification is sound");
        report
            .pages(&PageSources {
                spec: &spec,
                divergences: &Divergences::default(),
                history: &[],
                matrix: None,
                releases: None,
            })
            .expect("pages")
            .into_iter()
            .collect()
    }

    #[test]
    fn a_finding_is_shown_and_escaped() {
        let pages = pages_of(&report(vec![finding()]));
        let readable = |path: &str| pages[path].replace("&#x2f;", "/").replace("&#x27;", "'");
        for (path, parts) in [
            (
                "index.html",
                &[
                    "id=\"0123456789ab\"",
                    "href=\"findings/0123456789ab.html\"",
                    "judge accepts what breaks some-rule",
                    "shown by <span class=\"new\">judge@1.0</span>",
                    "as specified in <span class=\"agrees\">judge@2.0</span>",
                    "<mark title=\"the rule\">pre</mark>",
                    "<a href=\"https://example.org/manual/#a-page\">a-page</a>: A heading",
                    "Not analysed: 5 more mismatch groups",
                    "</span> 1 mismatch</p>",
                    "has expired",
                ][..],
            ),
            (
                "findings/0123456789ab.html",
                &["7 of 8 tested variants show it", "  - id: judge-accepts-some-rule\n    does: accepts\n"],
            ),
        ] {
            for part in parts {
                assert!(readable(path).contains(part), "{part} is not in {path}: {}", readable(path));
            }
        }
        for (path, page) in pages.iter().filter(|(path, _)| path.ends_with(".html")) {
            for evil in ["<script>", "'>", "href=\"javascript:"] {
                assert!(!page.contains(evil), "{evil} is in {path}");
            }
        }
        assert!(pages["index.html"].contains("&lt;script&gt;alert(1)"));
    }

    #[test]
    fn text_that_acts_is_visible_and_long_text_is_cut() {
        let mut finding = finding();
        finding.case.message = format!("\u{202e}\u{1b}[31m{}", "x".repeat(1_000_000));
        let page = &pages_of(&report(vec![finding]))["findings/0123456789ab.html"];
        assert!(page.contains("\\u{202e}\\u{1b}[31mxxx"), "{}", &page[..9000]);
        assert!(page.len() < 100_000 && page.contains("more bytes"));
    }

    #[test]
    fn a_report_without_findings_says_so() {
        let quiet = Report { divergences: Vec::new(), ..report(Vec::new()) };
        let page = &pages_of(&quiet)["index.html"];
        assert!(page.contains("<p class=\"agrees\">None.</p>") && !page.contains("<article"), "{page}");
    }

    #[test]
    fn releases_have_a_page_if_there_are_any() {
        let spec = crate::shipped::spec().expect("the specification is sound");
        let table = ReleaseTable::load(None, &spec.isa).expect("the table of releases is sound");
        let divergences = Divergences::default();
        let pages_with = |releases| -> BTreeMap<String, String> {
            let sources = PageSources { spec: &spec, divergences: &divergences, history: &[], matrix: None, releases };
            report(Vec::new()).pages(&sources).expect("pages").into_iter().collect()
        };
        let links = |pages: &BTreeMap<String, String>| pages["index.html"].contains("href=\"toolchains.html\"");
        let (pages, without) = (pages_with(Some(&table)), pages_with(None));
        assert!(links(&pages) && !links(&without) && !without.contains_key("toolchains.html"));
        let rows = pages["toolchains.html"].matches("<th scope=\"row\">").count();
        assert_eq!(rows, table.releases.len());
        assert!(pages["toolchains.html"].contains("<td data-label=\"driver\">r"));
    }

    #[test]
    fn thousands_are_apart() {
        for (digits, text) in [("", ""), ("7", "7"), ("123", "123"), ("1234", "1,234"), ("1234567", "1,234,567")] {
            assert_eq!(grouped(digits), text);
        }
    }
}
