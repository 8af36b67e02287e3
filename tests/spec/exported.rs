//! The exported specification says of any choices what the specification says of them.

use std::collections::{BTreeMap, BTreeSet};

use ptx_conform::export::{ExportedForm, ExportedRule, ExportedRuleKind, ExportedSpec};
use ptx_conform::space::Draw;
use ptx_conform::spec::{Form, Instruction, RuleKind};

use crate::shipped::SPEC;

/// How many choices are drawn for each form.
const DRAWN: usize = 40;

/// Choices near the simplest ones: some axes have any of their values.
fn drawn(form: &Form, draw: &mut Draw) -> Vec<u8> {
    let mut below = |count: usize| usize::try_from(draw.below(count as u128).expect("a count")).expect("below a count");
    let mut values = vec![0; form.axes.len()];
    for _ in 0..below(7) {
        let axis = below(form.axes.len());
        values[axis] = u8::try_from(below(form.axes[axis].values.len())).expect("an axis has at most 255 values");
    }
    values
}

/// The rules that the export says are broken, without canonical ones unless they are asked for.
fn told<'e>(rules: &[&'e ExportedRule], choices: &BTreeMap<&str, &str>, canonical: bool) -> BTreeSet<&'e str> {
    let holds = |(axis, values): (&String, &Vec<String>)| values.iter().any(|value| value == choices[axis.as_str()]);
    let broken = rules.iter().filter(|rule| rule.forbids.iter().any(|combination| combination.iter().all(holds)));
    broken.filter(|rule| canonical || rule.kind != ExportedRuleKind::Canonical).map(|rule| rule.id.as_str()).collect()
}

/// Compares the rules that drawn choices break; returns how often they broke some, and how often none.
fn compare(form: &Form, exported: &ExportedForm, of_modules: &[ExportedRule]) -> (usize, usize) {
    let rules: Vec<&ExportedRule> = of_modules.iter().chain(&exported.rules).collect();
    let mut draw = Draw::named(&form.id, 1);
    let (mut some, mut none) = (0, 0);
    for _ in 0..DRAWN {
        let values = drawn(form, &mut draw);
        // Of canonical rules, those are not exported that choose which faults of writing are generated.
        let canonical = values[form.writing()] == 0;
        let broken = form.broken(&values).into_iter().map(|rule| &form.rules[rule]);
        let broken: BTreeSet<&str> =
            broken.filter(|rule| canonical || rule.kind != RuleKind::Canonical).map(|rule| rule.id.as_str()).collect();
        let choices: BTreeMap<&str, &str> =
            form.axes.iter().enumerate().map(|(at, axis)| (axis.name.as_str(), form.value(&values, at))).collect();
        assert_eq!(told(&rules, &choices, canonical), broken, "{} with {choices:?}", form.id);
        if broken.is_empty() { none += 1 } else { some += 1 }
    }
    (some, none)
}

#[test]
fn an_exported_form_forbids_what_the_form_forbids() {
    let all: Vec<&Instruction> = SPEC.all().collect();
    let written = SPEC.export(&all);
    let text = serde_json::to_string(&written).expect("JSON");
    let read: ExportedSpec = serde_json::from_str(&text).expect("what was written");
    assert!(read == written, "what is read is not what was written");
    let (mut some, mut none) = (0, 0);
    let told: Vec<_> = read.instructions.iter().chain(&read.directives).collect();
    assert_eq!(told.len(), all.len());
    for (instruction, exported) in all.into_iter().zip(told) {
        assert_eq!((&exported.name, exported.forms.len()), (&instruction.name, instruction.forms.len()));
        for (form, exported) in instruction.forms.iter().zip(&exported.forms) {
            let axes = read.isa.axes.iter().chain(&exported.axes).map(|axis| axis.values.len() + axis.probes.len());
            assert_eq!(
                axes.sum::<usize>(),
                form.axes.iter().map(|axis| axis.values.len()).sum::<usize>(),
                "{}",
                form.id
            );
            let (broke_some, broke_none) = compare(form, exported, &read.isa.rules);
            some += broke_some;
            none += broke_none;
        }
    }
    assert!(some > 1000 && none > 1000, "{some} choices broke rules, {none} broke none");
}
