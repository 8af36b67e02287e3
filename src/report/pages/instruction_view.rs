//! An instruction's page: its manual page as data, with how each part of it fared.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::engine_names::{EngineCount, EngineNames};
use super::finding_view::FindingKind;
use super::report_index::ReportIndex;
use crate::report::coverage::{ExampleAnswer, ExampleReport, FormTested, RuleExample, RuleReport};
use crate::report::engines::{InferenceReport, RowReport, UndefinedReport};
use crate::report::groups::GroupReport;
use crate::report::listed::DivergenceReport;
use crate::report::modifiers::CodeChanges;
use crate::spec::{Axis, Choice, Form, Instruction, Note, Role, Source};

/// How something fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum TestedStatus {
    /// A mismatch that nothing lists.
    New,
    /// Not tested at all.
    Untested,
    /// It differs as divergences list.
    Known,
    /// Every engine does what the specification says.
    Agrees,
}

/// An instruction's page.
#[derive(Debug, Serialize)]
pub(super) struct InstructionView<'r> {
    pub(super) name: &'r str,
    pub(super) summary: &'r str,
    page: String,
    read: String,
    pub(super) status: TestedStatus,
    pub(super) counts: InstructionCounts,
    forms: Vec<FormView<'r>>,
    pub(super) slots: Vec<SlotView<'r>>,
    operands: Vec<OperandView<'r>>,
    pub(super) rules: Vec<RuleView<'r>>,
    notes: Vec<NoteView<'r>>,
    divergences: Vec<DivergenceView<'r>>,
    examples: Vec<ExampleView<'r>>,
    new_groups: Vec<&'r GroupReport>,
    findings: Vec<(&'r str, &'r str)>,
    code: Vec<CodeView<'r>>,
    inferences: Vec<&'r InferenceReport>,
    undefined: Vec<&'r UndefinedReport>,
    rows: Vec<RowsView<'r>>,
}

/// The sums of an instruction.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct InstructionCounts {
    forms: usize,
    rules: usize,
    /// Rules that no line broke alone.
    pub(super) untested: usize,
    lines: u128,
    rows: u64,
    /// Mismatches.
    known: u64,
    new: u64,
}

/// A form, and how much of it was tested.
#[derive(Debug, Serialize)]
struct FormView<'r> {
    id: &'r str,
    syntax: &'r str,
    page: String,
    status: TestedStatus,
    /// How much was tested, with the engines for which it was the same.
    tested: Vec<(String, &'r FormTested)>,
}

/// A modifier slot.
#[derive(Debug, Serialize)]
pub(super) struct SlotView<'r> {
    pub(super) name: &'r str,
    optional: bool,
    /// The values that are valid somewhere.
    pub(super) values: Vec<&'r str>,
    /// The forms that have it; empty for all.
    forms: Vec<&'r str>,
}

/// An operand.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct OperandView<'r> {
    name: &'r str,
    role: &'static str,
    optional: bool,
    /// The choices of the operand: each aspect and its values.
    choices: Vec<(&'r str, Vec<&'r str>)>,
    forms: Vec<&'r str>,
}

/// A rule, in all forms that have it.
#[derive(Debug, Serialize)]
pub(super) struct RuleView<'r> {
    pub(super) id: &'r str,
    /// The part of the id that is unique on the page.
    pub(super) anchor: String,
    pub(super) says: &'r str,
    section: Option<&'r str>,
    source: Source,
    page: String,
    pub(super) status: TestedStatus,
    forms: Vec<&'r str>,
    example: Option<&'r RuleExample>,
    pub(super) along_with: Vec<&'r str>,
    pub(super) tested: Vec<EngineCount>,
    /// The number of lines that broke it alone.
    pub(super) lines: u64,
}

/// A sentence of the manual that is no rule.
#[derive(Debug, Serialize)]
struct NoteView<'r> {
    section: &'r str,
    says: &'r str,
    because: &'r str,
}

/// A known divergence, and who shows it.
#[derive(Debug, Serialize)]
pub(super) struct DivergenceView<'r> {
    divergence: &'r DivergenceReport,
    counts: Vec<EngineCount>,
}

/// An example of the manual, with what engines did that did the same.
#[derive(Debug, Serialize)]
struct ExampleView<'r> {
    example: &'r ExampleReport,
    engines: Vec<(String, &'r ExampleAnswer)>,
}

/// A modifier, and the machine instructions that it adds and removes.
#[derive(Debug, Serialize)]
struct CodeView<'r> {
    slot: &'r str,
    modifier: &'r str,
    line: &'r str,
    other: &'r str,
    engines: Vec<(String, &'r CodeChanges)>,
}

/// The executed rows of a form, with the engines on which they are the same.
#[derive(Debug, Serialize)]
struct RowsView<'r> {
    of: &'r RowReport,
    engines: String,
    environment: &'r str,
}

impl<'r> DivergenceView<'r> {
    /// The views of divergences by weight: wrong results, crashes, what is rejected, what is accepted.
    pub(super) fn all(divergences: impl Iterator<Item = &'r DivergenceReport>, names: &EngineNames) -> Vec<Self> {
        let mut all: Vec<Self> = divergences.map(|divergence| Self::new(divergence, names)).collect();
        all.sort_by_key(|view| FindingKind::of(view.divergence.does));
        all
    }

    fn new(divergence: &'r DivergenceReport, names: &EngineNames) -> Self {
        let counts = divergence.counts.iter().map(|(engine, [did, did_not])| (engine, [did + did_not, *did]));
        Self { divergence, counts: names.together(counts) }
    }
}

impl<'r> InstructionView<'r> {
    pub(super) fn new(instruction: &'r Instruction, index: &ReportIndex<'r>, names: &EngineNames) -> Self {
        let ids: BTreeSet<&str> = instruction.forms.iter().map(|form| form.id.as_str()).collect();
        let groups = || ids.iter().flat_map(|id| index.groups.get(id)).flatten().copied();
        let of_forms = |forms: &[String]| forms.iter().any(|form| ids.contains(form.as_str()));
        let rules = rules(instruction, index, names);
        let forms: Vec<FormView<'_>> = instruction.forms.iter().map(|form| FormView::new(form, index, names)).collect();
        let new_groups: Vec<&GroupReport> = groups().filter(|group| group.divergence.is_none()).collect();
        let examples = index.examples.get(instruction.name.as_str()).cloned().unwrap_or_default();
        let unexpected = examples.iter().any(|example| example.is_unexpected());
        let rows = rows(&ids, index, names);
        let counts = InstructionCounts {
            forms: forms.len(),
            rules: rules.len(),
            untested: rules.iter().filter(|rule| rule.status == TestedStatus::Untested).count(),
            lines: instruction.forms.iter().flat_map(|form| index.tested(&form.id)).map(lines).sum(),
            rows: index.rows(&ids).map(|(_, row)| row.rows).sum(),
            known: groups().filter(|group| group.divergence.is_some()).map(mismatches).sum(),
            new: new_groups.iter().copied().map(mismatches).sum(),
        };
        let status = match () {
            () if counts.new > 0 || unexpected => TestedStatus::New,
            () if counts.lines == 0 && counts.rows == 0 => TestedStatus::Untested,
            () if counts.known > 0 => TestedStatus::Known,
            () => TestedStatus::Agrees,
        };
        let findings = index.report.findings.iter().filter(|finding| of_forms(&finding.forms));
        let known: BTreeSet<usize> = ids.iter().flat_map(|id| index.divergences.get(id)).flatten().copied().collect();
        Self {
            name: &instruction.name,
            summary: &instruction.summary,
            page: instruction.page(),
            read: instruction.read.to_string(),
            status,
            counts,
            slots: slots(instruction),
            operands: operands(instruction),
            notes: instruction.notes.iter().map(NoteView::new).collect(),
            divergences: DivergenceView::all(known.into_iter().map(|at| &index.report.divergences[at]), names),
            examples: examples.into_iter().map(|example| ExampleView::new(example, names)).collect(),
            new_groups,
            findings: findings.map(|finding| (finding.fingerprint.as_str(), finding.title.as_str())).collect(),
            code: code(&ids, index, names),
            inferences: index.report.inferences.iter().filter(|of| of_forms(&of.forms)).collect(),
            undefined: index.undefined().filter(|of| of_forms(&of.forms)).collect(),
            rows,
            forms,
            rules,
        }
    }
}

fn mismatches(group: &GroupReport) -> u64 {
    group.counts.values().sum()
}

/// The lines of a form that were asked about in its main environment.
fn lines(tested: &FormTested) -> u128 {
    let count = |text: &str| text.parse::<u128>().unwrap_or_default();
    count(&tested.valid_tested) + count(&tested.breaches_tested)
}

impl<'r> FormView<'r> {
    fn new(form: &'r Form, index: &ReportIndex<'r>, names: &EngineNames) -> Self {
        let groups = || index.groups.get(form.id.as_str()).into_iter().flatten();
        let tested = index.tested(&form.id).iter().map(|tested| (tested.engine.as_str(), tested));
        let tested = names.alike(tested, |a, b| a.is_as_much_as(b));
        Self {
            id: &form.id,
            syntax: &form.syntax,
            page: form.page(),
            status: match () {
                () if groups().any(|group| group.divergence.is_none()) => TestedStatus::New,
                () if tested.is_empty() => TestedStatus::Untested,
                () if groups().next().is_some() => TestedStatus::Known,
                () => TestedStatus::Agrees,
            },
            tested,
        }
    }
}

impl<'r> ExampleView<'r> {
    fn new(example: &'r ExampleReport, names: &EngineNames) -> Self {
        let engines = example.engines.iter().map(|(engine, answer)| (engine.as_str(), answer));
        Self { example, engines: names.alike(engines, PartialEq::eq) }
    }
}

impl<'r> NoteView<'r> {
    fn new(note: &'r Note) -> Self {
        Self { section: &note.section, says: &note.says, because: &note.because }
    }
}

/// The values of an axis that are valid somewhere.
fn claimed(axis: &Axis) -> Vec<&str> {
    let claimed = (0..=u8::MAX).zip(&axis.values).filter(|(at, _)| axis.claimed.contains(*at));
    claimed.map(|(_, value)| value.as_str()).collect()
}

/// The forms that have something; empty if all have it.
fn some_forms(instruction: &Instruction, has: impl Fn(&Form) -> bool) -> Vec<&str> {
    let having: Vec<&str> = instruction.forms.iter().filter(|form| has(form)).map(|form| form.id.as_str()).collect();
    if having.len() == instruction.forms.len() { Vec::new() } else { having }
}

fn slots(instruction: &Instruction) -> Vec<SlotView<'_>> {
    let mut views: Vec<SlotView<'_>> = Vec::new();
    for (form, slot) in instruction.forms.iter().flat_map(|form| form.slots.iter().map(move |slot| (form, slot))) {
        let axis = &form.axes[slot.axis];
        let values: Vec<&str> = claimed(axis).into_iter().filter(|value| *value != "none").collect();
        match views.iter_mut().find(|known| known.name == axis.name) {
            Some(known) => {
                known.optional |= slot.optional;
                let new: Vec<&str> = values.into_iter().filter(|value| !known.values.contains(value)).collect();
                known.values.extend(new);
            }
            None => views.push(SlotView {
                name: &axis.name,
                optional: slot.optional,
                values,
                forms: some_forms(instruction, |form| form.slots.iter().any(|of| form.axes[of.axis].name == axis.name)),
            }),
        }
    }
    views
}

fn operands(instruction: &Instruction) -> Vec<OperandView<'_>> {
    let mut views: Vec<OperandView<'_>> = Vec::new();
    for (form, operand) in instruction.forms.iter().flat_map(|form| form.operands.iter().map(move |of| (form, of))) {
        let at = form.operands.iter().position(|known| known.name == operand.name);
        let about = form.axes[..form.variant_axes()].iter().filter(|axis| at.is_some() && axis.choice.operand() == at);
        let choices = about.map(|axis| (aspect(axis.choice), claimed(axis))).filter(|(_, values)| values.len() > 1);
        let view = OperandView {
            name: &operand.name,
            role: role(&operand.role),
            optional: operand.optional,
            choices: choices.collect(),
            forms: Vec::new(),
        };
        let same = |known: &&mut OperandView<'_>| {
            (known.name, known.role, known.optional, &known.choices)
                == (view.name, view.role, view.optional, &view.choices)
        };
        match views.iter_mut().find(same) {
            Some(known) => known.forms.push(&form.id),
            None => views.push(OperandView { forms: vec![&form.id], ..view }),
        }
    }
    let all = instruction.forms.len();
    views.iter_mut().filter(|view| view.forms.len() == all).for_each(|view| view.forms.clear());
    views
}

/// The aspect of an operand that a choice is about.
fn aspect(choice: Choice) -> &'static str {
    match choice {
        Choice::Shape(_) => "shape",
        Choice::Type(_) => "type",
        Choice::Sinks(_) => "sinks",
        Choice::Sign(_) => "sign",
        Choice::First(_) => "first element",
        Choice::Number(_) => "number",
        Choice::Special(_) => "special register",
        Choice::Base(_) => "base",
        Choice::Offset(_) => "offset",
        _ => "suffix",
    }
}

fn role(role: &Role) -> &'static str {
    match role {
        Role::Destination => "destination",
        Role::Source => "source",
        Role::Coordinate { .. } => "coordinates",
        Role::Policy => "cache policy",
        Role::Surface { .. } => "surface",
        Role::Object(kind) => kind,
        Role::Arguments => "arguments",
        Role::Address { .. } => "address",
    }
}

/// The rules of an instruction, each once.
fn rules<'r>(instruction: &'r Instruction, index: &ReportIndex<'r>, names: &EngineNames) -> Vec<RuleView<'r>> {
    let mut together: Vec<Vec<&RuleReport>> = Vec::new();
    for rule in instruction.forms.iter().filter_map(|form| index.rules.get(form.id.as_str())).flatten() {
        let same = |known: &&mut Vec<&RuleReport>| known[0].id == rule.id && known[0].says == rule.says;
        match together.iter_mut().find(same) {
            Some(known) => known.push(rule),
            None => together.push(vec![rule]),
        }
    }
    let mut anchors: BTreeMap<&str, usize> = BTreeMap::new();
    let mut view = |reports: Vec<&'r RuleReport>| {
        let first = reports[0];
        let short = first.id.rsplit('/').next().unwrap_or_default();
        let number = anchors.entry(short).or_default();
        *number += 1;
        let anchor = if *number == 1 { format!("rule-{short}") } else { format!("rule-{short}-{number}") };
        let mut tested: BTreeMap<&String, [u64; 2]> = BTreeMap::new();
        for (engine, [cases, rejected]) in reports.iter().flat_map(|report| &report.tested) {
            let sum = tested.entry(engine).or_default();
            *sum = [sum[0] + cases, sum[1] + rejected];
        }
        let lines = tested.values().map(|[cases, _]| cases).sum();
        let rejected: u64 = tested.values().map(|[_, rejected]| rejected).sum();
        let new = || reports.iter().any(|report| index.is_new(&report.form, &report.id));
        let form = instruction.forms.iter().find(|form| form.id == first.form);
        RuleView {
            id: &first.id,
            anchor,
            says: &first.says,
            section: first.section.as_deref(),
            source: first.source,
            page: form.map_or_else(|| instruction.page(), Form::page),
            status: match () {
                () if new() => TestedStatus::New,
                () if lines == 0 => TestedStatus::Untested,
                () if rejected < lines => TestedStatus::Known,
                () => TestedStatus::Agrees,
            },
            forms: if reports.len() == instruction.forms.len() {
                Vec::new()
            } else {
                reports.iter().map(|report| report.form.as_str()).collect()
            },
            example: reports.iter().find_map(|report| report.example.as_ref()),
            along_with: if lines == 0 { first.along_with.iter().map(String::as_str).collect() } else { Vec::new() },
            tested: names.together(tested.into_iter()),
            lines,
        }
    };
    let mut views: Vec<RuleView<'_>> = together.into_iter().map(&mut view).collect();
    // What the manual says under a heading is what a reader looks for; the rest follows from the syntax lines.
    views.sort_by_key(|view| view.section.is_none());
    views
}

fn code<'r>(ids: &BTreeSet<&str>, index: &ReportIndex<'r>, names: &EngineNames) -> Vec<CodeView<'r>> {
    let of_forms = index.report.modifiers.iter().filter(|modifier| ids.contains(modifier.form.as_str()));
    let view = |of: &'r crate::report::ModifierReport| CodeView {
        slot: &of.slot,
        modifier: &of.modifier,
        line: &of.line,
        other: &of.other,
        engines: names.alike(of.engines.iter().map(|(engine, changes)| (engine.as_str(), changes)), PartialEq::eq),
    };
    of_forms.map(view).collect()
}

fn rows<'r>(ids: &BTreeSet<&str>, index: &ReportIndex<'r>, names: &EngineNames) -> Vec<RowsView<'r>> {
    let mut together: BTreeMap<(&str, &str), Vec<(&str, &RowReport)>> = BTreeMap::new();
    for (engine, of) in index.rows(ids) {
        let environment = engine.environment.as_deref().unwrap_or_default();
        together.entry((&of.form, environment)).or_default().push((&engine.name, of));
    }
    let views = together.into_iter().flat_map(|((_, environment), all)| {
        let alike = names.alike(all.into_iter(), |a, b| (a.rows, a.passed, a.failed) == (b.rows, b.passed, b.failed));
        alike.into_iter().map(move |(engines, of)| RowsView { of, engines, environment })
    });
    views.collect()
}
