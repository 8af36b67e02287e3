//! Directives and declarations: every rule can be broken, and what is generated is read as it was made.

use ptx_conform::review;
use ptx_conform::space::{Diagram, lint};

use crate::shipped::SPEC;

#[test]
fn no_form_is_empty_and_every_rule_can_be_broken() {
    assert!(!SPEC.directives.is_empty());
    for form in SPEC.directives.iter().flat_map(|directive| &directive.forms) {
        assert!(Diagram::valid(form).count() > 0, "{}: nothing is valid", form.id);
        for (rule, isolation) in lint::isolation(form) {
            let rule = form.rules[rule].id.as_str();
            let dead = isolation == lint::Isolation::Subsumed(Vec::new());
            assert!(!dead, "{}: nothing breaks {rule}", form.id);
        }
    }
}

#[test]
fn directives_are_read_as_they_were_made() {
    let mistakes: Vec<String> = SPEC
        .directives
        .iter()
        .flat_map(|directive| review::misread(&SPEC, directive))
        .map(|mistake| mistake.to_string())
        .collect();
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}
