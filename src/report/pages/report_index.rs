//! The parts of a report by the form that they are about.

use std::collections::{BTreeMap, BTreeSet};

use crate::report::coverage::{ExampleReport, FormReport, FormTested, RuleReport};
use crate::report::data::Report;
use crate::report::engines::{EngineReport, RowReport, UndefinedReport};
use crate::report::groups::GroupReport;

/// A report, and its parts by form.
#[derive(Debug)]
pub(super) struct ReportIndex<'r> {
    pub(super) report: &'r Report,
    pub(super) forms: BTreeMap<&'r str, &'r FormReport>,
    pub(super) rules: BTreeMap<&'r str, Vec<&'r RuleReport>>,
    pub(super) groups: BTreeMap<&'r str, Vec<&'r GroupReport>>,
    /// The positions of divergences.
    pub(super) divergences: BTreeMap<&'r str, Vec<usize>>,
    /// By instruction.
    pub(super) examples: BTreeMap<&'r str, Vec<&'r ExampleReport>>,
    /// Forms and rules that new mismatches are about.
    new: BTreeSet<(&'r str, &'r str)>,
}

impl<'r> ReportIndex<'r> {
    pub(super) fn new(report: &'r Report) -> Self {
        let mut index = Self {
            report,
            forms: report.forms.iter().map(|form| (form.form.as_str(), form)).collect(),
            rules: BTreeMap::new(),
            groups: BTreeMap::new(),
            divergences: BTreeMap::new(),
            examples: BTreeMap::new(),
            new: BTreeSet::new(),
        };
        report.rules.iter().for_each(|rule| index.rules.entry(&rule.form).or_default().push(rule));
        report.examples.iter().for_each(|of| index.examples.entry(&of.instruction).or_default().push(of));
        for group in &report.groups {
            index.groups.entry(&group.form).or_default().push(group);
            if group.divergence.is_none() {
                index.new.extend(group.rules.iter().map(|rule| (group.form.as_str(), rule.as_str())));
            }
        }
        for (at, divergence) in report.divergences.iter().enumerate() {
            divergence.forms.iter().for_each(|form| index.divergences.entry(form).or_default().push(at));
        }
        index
    }

    /// How much of a form was tested, by engine.
    pub(super) fn tested(&self, form: &str) -> &'r [FormTested] {
        self.forms.get(form).map_or(&[], |report| &report.tested)
    }

    /// The executed rows of some forms, by engine.
    pub(super) fn rows(&self, forms: &BTreeSet<&str>) -> impl Iterator<Item = (&'r EngineReport, &'r RowReport)> {
        let of_engine = |engine: &'r EngineReport| engine.rows.iter().map(move |of| (engine, of));
        self.report.engines.iter().flat_map(of_engine).filter(|(_, of)| forms.contains(of.form.as_str()))
    }

    /// True if a new mismatch is about a rule of a form.
    pub(super) fn is_new(&self, form: &str, rule: &str) -> bool {
        self.new.contains(&(form, rule))
    }

    /// The reasons for undefined rows, each once.
    pub(super) fn undefined(&self) -> impl Iterator<Item = &'r UndefinedReport> {
        let mut seen = BTreeSet::new();
        let all = self.report.engines.iter().flat_map(|engine| &engine.undefined);
        all.filter(move |undefined| seen.insert(undefined.id.as_str()))
    }
}
