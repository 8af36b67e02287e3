//! The shipped specification: it is sound, and gives the verdicts that it states for the manual's examples.

use ptx_conform::environment::{AddressSize, Environment};
use ptx_conform::judge::Judge;
use ptx_conform::ptx::{Declarations, Line};
use ptx_conform::space::{Diagram, lint};
use ptx_conform::spec::{Spec, Verdict};

fn shipped() -> Spec {
    let rendered =
        |errors: Vec<ptx_conform::yaml::Error>| errors.iter().map(|e| e.render(false)).collect::<Vec<_>>().join("\n");
    ptx_conform::shipped::spec().map_err(rendered).unwrap_or_else(|errors| panic!("{errors}"))
}

#[test]
fn the_manuals_examples_are_judged_as_stated() {
    let spec = shipped();
    let (&newest, &(target, _)) =
        (spec.isa.versions.last().expect("versions"), spec.isa.targets.last().expect("targets"));
    for instruction in &spec.instructions {
        assert!(!instruction.examples.is_empty(), "{} has no examples", instruction.name);
        for example in &instruction.examples {
            let environment = Environment {
                ptx: newest,
                target: example.target.unwrap_or(target),
                address_size: AddressSize::Bits64,
            };
            let judge = Judge::new(&spec, &environment).expect("a known environment");
            let declarations = Declarations::parse(&example.declarations, &spec.isa).expect("declarations");
            let line = Line::parse(&example.line).expect("a line");
            let (verdict, rules) = match judge.read(&line, &declarations) {
                None => (Verdict::Unknown, Vec::new()),
                Some((instruction, reading)) => {
                    let rules: Vec<String> = reading.rules(instruction).map(|rule| rule.id.clone()).collect();
                    (if reading.valid() { Verdict::Valid } else { Verdict::Invalid }, rules)
                }
            };
            assert_eq!((verdict, rules), (example.spec, example.rules.clone()), "{}", example.line);
        }
    }
}

#[test]
fn no_form_is_empty_and_every_rule_can_be_broken() {
    let spec = shipped();
    for form in spec.instructions.iter().flat_map(|instruction| &instruction.forms) {
        assert!(Diagram::valid(form).count() > 0, "{}", form.id);
        for (rule, isolation) in lint::isolation(form) {
            if let lint::Isolation::Subsumed(by) = isolation {
                println!("{} {} is subsumed by {by:?}", form.id, form.rules[rule].id);
                assert!(!by.is_empty(), "{}: nothing breaks {}", form.id, form.rules[rule].id);
            }
        }
    }
}
