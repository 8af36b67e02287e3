//! The properties of `ptx_exec::properties`, on random bytes, and for every variant of some small spaces.

use arbtest::arbtest;
use ptx_conform::environment::{AddressSize, Environment};
use ptx_conform::properties::{self, Shipped};

/// The time for each property. `cargo fuzz` can test them for longer.
const BUDGET_MS: u64 = 1_500;

#[test]
fn a_valid_variant_is_judged_valid() {
    arbtest(properties::valid_is_judged_valid).budget_ms(BUDGET_MS);
}

#[test]
fn a_breach_is_judged_invalid_for_its_rule() {
    arbtest(properties::breach_is_judged_invalid).budget_ms(BUDGET_MS);
}

#[test]
fn a_mutant_is_judged_stably() {
    arbtest(properties::mutant_is_judged_stably).budget_ms(BUDGET_MS);
}

#[test]
fn any_line_is_judged_stably() {
    arbtest(properties::any_line_is_judged_stably).budget_ms(BUDGET_MS);
}

#[test]
fn the_loader_survives_any_file() {
    arbtest(properties::loader_survives).budget_ms(BUDGET_MS);
}

#[test]
fn an_execution_is_sound() {
    arbtest(properties::execution_is_sound).budget_ms(BUDGET_MS);
}

#[test]
fn every_variant_of_suq_is_judged_as_intended() {
    let spec = &Shipped::get().spec;
    let instruction = spec.instruction("suq").expect("suq is covered");
    for (ptx, target, address_size) in [
        ("9.0", "sm_90", AddressSize::Bits64),
        ("3.0", "sm_30", AddressSize::Bits32),
        ("1.5", "sm_13", AddressSize::Bits32),
    ] {
        let environment = Environment {
            ptx: ptx.parse().expect("a version"),
            target: target.parse().expect("a target"),
            address_size,
        };
        let (valid, breaches) = properties::check_every_variant(spec, instruction, 0, &environment);
        assert!(valid > 0 && breaches > valid, "{valid} valid variants and {breaches} breaches in {environment}");
    }
}
