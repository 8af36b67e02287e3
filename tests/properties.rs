//! The properties of `src/properties.rs`, on random bytes.

use ptx_conform::properties;
use ptx_conform::spec::Spec;

fn spec() -> Spec {
    Spec::shipped().unwrap_or_else(|errors| panic!("{}", errors.iter().map(|e| e.render(false)).collect::<Vec<_>>().join("\n")))
}

#[test]
fn a_valid_variant_is_judged_valid() {
    let spec = spec();
    let spaces = properties::valid_spaces(&spec);
    arbtest::arbtest(|u| properties::valid_is_judged_valid(&spec, &spaces, u)).budget_ms(10_000);
}

#[test]
fn a_breach_is_judged_invalid_for_its_rule() {
    let spec = spec();
    let spaces = properties::breach_spaces(&spec);
    for (at, form, rule, diagram) in &spaces {
        let form = &spec.instructions[*at].forms[*form];
        println!("{} {}: {} ({} nodes)", form.id, form.rules[*rule].id, diagram.count(), diagram.nodes());
    }
    arbtest::arbtest(|u| properties::breach_is_judged_invalid(&spec, &spaces, u)).budget_ms(10_000);
}
