//! The properties of `ptx_exec::properties`, on random bytes, and for every variant of some small spaces.

use ptx_conform::environment::{AddressSize, Environment};
use ptx_conform::properties::{self, Shipped};

use crate::series::holds;

/// How often each property is tried.
const CASES: u32 = 2_000;

#[test]
fn a_valid_variant_is_judged_valid() {
    holds(properties::valid_is_judged_valid, CASES);
}

#[test]
fn a_breach_is_judged_invalid_for_its_rule() {
    holds(properties::breach_is_judged_invalid, CASES);
}

#[test]
fn a_mutant_is_judged_stably() {
    holds(properties::mutant_is_judged_stably, CASES);
}

#[test]
fn any_line_is_judged_stably() {
    holds(properties::any_line_is_judged_stably, CASES);
}

#[test]
fn the_loader_survives_any_file() {
    // Each loads a specification.
    holds(properties::loader_survives, CASES / 5);
}

#[test]
fn an_execution_is_sound() {
    holds(properties::execution_is_sound, CASES);
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
