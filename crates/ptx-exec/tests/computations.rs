//! What is undefined in a source spoils what depends on it, and nothing else: each computation of the table is tried with
//! drawn variants and numbers, and what it claims is compared with many completions of the undefined bits.

use std::path::Path;

use ptx_exec::semantics::{self, Computation};
use ptx_exec::value::ExpectedValue;
use ptx_spec::space::{Diagram, Draw};
use ptx_spec::spec::Spec;

/// Variants of each form, rows of each variant, completions of each row.
const TRIED: (usize, usize, usize) = (12, 12, 24);

/// A number, often one that is a NaN as a float or as a pair of them.
fn number(draw: &mut Draw) -> u128 {
    let random = |draw: &mut Draw| draw.below(u128::MAX).expect("a number");
    match draw.below(6).expect("a choice") {
        4 | 5 => {
            let nans = [0x7c00_7c00, 0x7c00, 0x7f80_7f80, 0x7f80_0000, 0x7ff0_0000_0000_0000, 0x7f80_0000_7f80_0000];
            let fraction = random(draw) & if draw.below(2) == Some(0) { u128::MAX } else { random(draw) };
            (nans[draw.below(6).expect("a format") as usize] * 0x1_0000_0000_0000_0001) | fraction
        }
        0 => random(draw),
        1 => draw.below(70).expect("a number"),
        2 => u128::MAX - draw.below(3).expect("a number"),
        _ => 1 << draw.below(64).expect("a number"),
    }
}

fn claims_hold(computation: &Computation, draw: &mut Draw) -> Result<usize, String> {
    let (sources, results) = (
        computation.sources().len() + usize::from(computation.reads_carry()),
        computation.results().len() + usize::from(computation.writes_carry()),
    );
    let mut defined_bits = 0;
    for _ in 0..TRIED.1 {
        // Few bits are undefined, mostly in one source.
        let unknown: Vec<u128> =
            (0..sources).map(|_| if draw.below(2) == Some(0) { number(draw) & number(draw) } else { 0 }).collect();
        let values: Vec<u128> = unknown.iter().map(|unknown| number(draw) & !unknown).collect();
        let defined: Vec<u128> = unknown.iter().map(|unknown| !unknown).collect();
        let mut claimed = vec![0; results];
        let Ok(same) = computation.compute_partly(&values, &defined, &mut claimed) else { continue };
        defined_bits += same.iter().map(|bits| bits.count_ones() as usize).sum::<usize>();
        for _ in 0..TRIED.2 {
            let completed: Vec<u128> =
                values.iter().zip(&unknown).map(|(value, unknown)| value | number(draw) & unknown).collect();
            let mut actual = vec![ExpectedValue::exact(0); results];
            // Of a NaN of which only that it is quiet is known, the other bits are claimed by nobody.
            let differs = match computation.expect(&completed, &mut actual) {
                Ok(_) => actual
                    .iter()
                    .zip(&claimed)
                    .zip(&same)
                    .any(|((actual, claimed), same)| same & ((actual.example() ^ claimed) | !actual.known()) != 0),
                Err(_) => same.iter().any(|same| *same != 0),
            };
            if differs {
                return Err(format!(
                    "{values:x?} with {unknown:x?} undefined: {claimed:x?} claims {same:x?}, but {completed:x?} is {actual:x?}"
                ));
            }
        }
    }
    Ok(defined_bits)
}

#[test]
fn nothing_is_claimed_that_depends_on_an_undefined_bit() {
    let spec =
        Spec::load(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs"))).expect("the specification is sound");
    let mut computations = 0;
    for opcode in semantics::opcodes() {
        let instruction = spec.instruction(opcode).expect("the table has opcodes of the specification");
        for form in &instruction.forms {
            let diagram = Diagram::valid(form);
            let mut draw = Draw::named(&form.id, 0);
            for _ in 0..TRIED.0 {
                let Some(values) = draw.variant(&diagram.all()) else { continue };
                if let Some(Ok(computation)) = semantics::computation(&spec.isa, form, &values, None) {
                    claims_hold(&computation, &mut draw).unwrap_or_else(|why| panic!("{}: {why}", form.id));
                    computations += 1;
                }
            }
        }
    }
    assert!(computations > 500, "only {computations} variants have a computation");
}
