//! The report as a folder of pages that open from disk: an index, and a page for each instruction and finding.
//!
//! Every page is complete without scripts; `report.js` adds search, filters and sorting.

mod engine_names;
mod finding_view;
mod index_view;
mod instruction_view;
mod report_index;
mod search;

use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment, Error, context, escape_formatter};
use rayon::prelude::*;
use serde::Serialize;

use super::Report;
use crate::engine::words::{cut, visible};
use crate::spec::{Instruction, Spec};
use engine_names::EngineNames;
use finding_view::FindingView;
use index_view::IndexView;
use instruction_view::{DivergenceView, InstructionView};
use report_index::ReportIndex;

/// A file of the report: its path in the folder, with `/`, and its text.
pub(super) type Page = (String, String);

const TEMPLATES: [(&str, &str); 7] = [
    ("base.html", include_str!("pages/templates/base.html")),
    ("macros.html", include_str!("pages/templates/macros.html")),
    ("index.html", include_str!("pages/templates/index.html")),
    ("instruction.html", include_str!("pages/templates/instruction.html")),
    ("finding.html", include_str!("pages/templates/finding.html")),
    ("known.html", include_str!("pages/templates/known.html")),
    ("run.html", include_str!("pages/templates/run.html")),
];

/// Findings that the index shows in full; it links the others.
const CARDS: usize = 40;
/// Bytes of one text that a page shows.
const LONGEST: usize = 20_000;

/// All pages of a report about this specification.
///
/// # Errors
/// If one of our own templates is broken.
pub(super) fn pages(report: &Report, spec: &Spec) -> Result<Vec<Page>, Error> {
    let environment = environment()?;
    let names = EngineNames::new(report.engines.iter().map(|engine| engine.name.as_str()));
    let index = ReportIndex::new(report);
    let tested = |instruction: &&Instruction| {
        instruction.forms.iter().any(|form| index.forms.contains_key(form.id.as_str()))
            || report.examples.iter().any(|example| example.instruction == instruction.name)
    };
    let instructions: Vec<&Instruction> = spec.instructions.iter().filter(tested).collect();
    let instructions: Vec<InstructionView<'_>> =
        instructions.par_iter().map(|instruction| InstructionView::new(instruction, &index, &names)).collect();
    let mut findings: Vec<FindingView<'_>> =
        report.findings.iter().map(|finding| FindingView::new(finding, &names)).collect();
    // Stable, so that among those of a kind the ones with the most mismatches stay first.
    findings.sort_by_key(|view| view.kind);
    let divergences: Vec<DivergenceView<'_>> =
        report.divergences.iter().map(|divergence| DivergenceView::new(divergence, &names)).collect();
    let view = IndexView::new(report, &instructions, &names);
    let shared = Shared { report: value(report), environment: &environment };

    let mut pages = vec![
        shared.page(
            "index.html",
            "index.html",
            "",
            context! { view => value(&view), findings => value(&findings), cards => CARDS },
        )?,
        shared.page("known.html", "known.html", "", context! { divergences => value(&divergences) })?,
        shared.page("run.html", "run.html", "", context! { view => value(&view) })?,
        ("search.js".to_owned(), search::script(&instructions, report)),
        ("style.css".to_owned(), include_str!("pages/templates/style.css").to_owned()),
        ("report.js".to_owned(), include_str!("pages/templates/report.js").to_owned()),
    ];
    let of_findings = findings.par_iter().map(|view| {
        let path = format!("findings/{}.html", view.finding.fingerprint);
        shared.page("finding.html", &path, "../", context! { view => value(view) })
    });
    pages.extend(of_findings.collect::<Result<Vec<Page>, Error>>()?);
    let of_instructions = instructions.par_iter().map(|view| {
        let path = format!("instructions/{}.html", view.name);
        shared.page("instruction.html", &path, "../", context! { view => value(view) })
    });
    pages.extend(of_instructions.collect::<Result<Vec<Page>, Error>>()?);
    Ok(pages)
}

/// What every page is made with.
struct Shared<'e> {
    report: Value,
    environment: &'e Environment<'e>,
}

impl Shared<'_> {
    /// The page of a template at a path; `root` leads from there to the folder of the report.
    fn page(&self, template: &str, path: &str, root: &str, own: Value) -> Result<Page, Error> {
        let text =
            self.environment.get_template(template)?.render(context! { report => self.report.clone(), root, ..own })?;
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
        if at > 0 && (digits.len() - at) % 3 == 0 {
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
