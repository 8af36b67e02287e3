//! The hand-written cases of `corpus/`: judged lines, odd lines, executed rows, and these as kernels. Each case is a test.

#[path = "../planted/cases.rs"]
mod cases;
#[path = "../planted/engine.rs"]
mod engine;
mod executed;
mod interpreted;
mod judged;
mod odd;

use std::sync::Arc;

use libtest_mimic::Arguments;

fn main() -> anyhow::Result<()> {
    let spec = Arc::new(ptx_conform::shipped::spec().map_err(|errors| anyhow::anyhow!("{}", errors[0].render(false)))?);
    let of_modules = [
        ("judged", judged::trials(&spec)?),
        ("executed", executed::trials(&spec)?),
        ("interpreted", interpreted::trials(&spec)?),
        ("odd", odd::trials()?),
    ];
    let trials = of_modules
        .into_iter()
        .flat_map(|(module, trials)| trials.into_iter().map(move |trial| trial.with_kind(module)));
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit()
}
