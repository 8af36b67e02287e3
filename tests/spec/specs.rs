//! The shipped specification: it is sound, and gives the verdicts that it states for the manual's examples.

use ptx_conform::environment::{AddressSize, Environment};
use ptx_conform::judge::Judge;
use ptx_conform::ptx::{Declarations, Line};
use ptx_conform::review;
use ptx_conform::space::{Diagram, lint};
use ptx_conform::spec::{Instruction, RuleKind, Verdict};

use crate::shipped::SPEC;

#[test]
fn the_manuals_examples_are_judged_as_stated() {
    for instruction in &SPEC.instructions {
        // A page of several opcodes has examples of some of them.
        let of_page = |other: &&Instruction| other.manual == instruction.manual;
        let examples = SPEC.instructions.iter().filter(of_page).map(|other| other.examples.len()).sum::<usize>();
        assert!(examples > 0, "{} has no examples", instruction.name);
        let mistakes = review::examples(&SPEC, instruction);
        let mistakes: Vec<String> = mistakes.iter().map(|mistake| format!("{}: {mistake}", instruction.name)).collect();
        assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
    }
}

#[test]
fn no_form_is_empty_and_every_rule_can_be_broken() {
    for form in SPEC.instructions.iter().flat_map(|instruction| &instruction.forms) {
        assert!(Diagram::valid(form).count() > 0, "{}", form.id);
        for (rule, isolation) in lint::isolation(form) {
            if let lint::Isolation::Subsumed(by) = isolation {
                println!("{} {} is subsumed by {by:?}", form.id, form.rules[rule].id);
                // Faults of writing that would be lines of another form, or of other operands, are not made.
                let made = !form.is_of_writing(&form.rules[rule]);
                assert!(!by.is_empty() || !made, "{}: nothing breaks {}", form.id, form.rules[rule].id);
            }
        }
    }
}

#[test]
fn variants_are_read_as_they_were_made() {
    let misread = |instruction: &Instruction| {
        let mistakes = review::misread(&SPEC, instruction);
        mistakes.iter().map(|mistake| format!("{}: {mistake}", instruction.name)).collect::<Vec<_>>()
    };
    let mistakes: Vec<String> = SPEC.instructions.iter().flat_map(misread).collect();
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

/// Rules that keep valid lines out of what is generated would hide them from every engine.
#[test]
fn the_manuals_valid_examples_can_be_generated() {
    let (newest, _) = *SPEC.isa.targets.last().expect("targets");
    let ptx = *SPEC.isa.versions.last().expect("versions");
    let mut kept_out = Vec::new();
    let examples = SPEC.instructions.iter().flat_map(|instruction| &instruction.examples);
    for example in examples.filter(|example| example.spec == Verdict::Valid) {
        let environment =
            Environment { ptx, target: example.target.unwrap_or(newest), address_size: AddressSize::Bits64 };
        let judge = Judge::new(&SPEC, &environment).expect("a known environment");
        let declarations = Declarations::parse(&example.declarations, &SPEC.isa).expect("declarations");
        let line = Line::parse(&example.line).expect("a line");
        let Some((instruction, reading)) = judge.read(&line, &declarations) else { continue };
        let rules = &instruction.forms[reading.form].rules;
        let canonical = rules.iter().filter(|rule| rule.kind == RuleKind::Canonical);
        let in_the_way = canonical.filter(|rule| rule.forbids.iter().any(|cube| cube.contains(&reading.values)));
        kept_out.extend(in_the_way.map(|rule| format!("{}: {}", rule.id, example.line)));
    }
    assert!(kept_out.is_empty(), "{}", kept_out.join("\n"));
}
