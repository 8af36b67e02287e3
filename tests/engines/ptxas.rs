//! `ptxas` as an engine: tests with programs that misbehave in every way, and with the real one.
//!
//! Without a real `ptxas` (`ptx-conform toolchain install 13.5`) its tests are ignored; with
//! PTX_CONFORM_REQUIRE_PTXAS=1 they fail instead.

mod fake;
mod front_end;
mod matrix;
mod real;
pub(crate) mod toolchains;

use libtest_mimic::{Failed, Trial};
use ptx_conform::engine::Batch;
use ptx_conform::environment::Environment;
use ptx_conform::ptx::Scaffold;

/// What a test returns.
type Tested = Result<(), Failed>;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = fake::trials();
    trials.extend(toolchains::trials());
    trials.extend(real::trials());
    trials.extend(front_end::trials());
    trials.extend(matrix::trials());
    trials
}

/// An environment from PTX version, target and address size.
fn environment(ptx: &str, target: &str, bits: &str) -> Environment {
    let part = "an environment's part";
    Environment {
        ptx: ptx.parse().expect(part),
        target: target.parse().expect(part),
        address_size: bits.parse().expect(part),
    }
}

fn batch<'a>(environment: Environment, scaffold: &Scaffold, lines: &[&'a str]) -> Batch<'a> {
    Batch { environment, scaffold: scaffold.clone(), lines: lines.to_vec(), mostly_invalid: false }
}

/// Fails with both values if they differ.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, actual: T, expected: T) -> Tested {
    if actual == expected {
        return Ok(());
    }
    Err(format!("{what}\n   actual {actual:?}\n expected {expected:?}").into())
}

/// A trial with this name and function.
fn trial(name: &str, test: fn() -> Tested) -> Trial {
    Trial::test(name, test)
}
