//! Engines: programs that speak the protocol, the real `ptxas` with its machine code, and runs of both as users start them.
//!
//! Without a real `ptxas` (`ptx-conform toolchain install 13.5 11.8`) the tests that need one are ignored, and named on
//! standard error; with PTX_CONFORM_REQUIRE_PTXAS=1 they fail instead.

mod blame;
#[path = "../planted/cases.rs"]
mod cases;
#[path = "../defects/pages.rs"]
mod defect_pages;
mod ended;
mod faults;
mod installed;
mod kernels;
mod modules;
mod nightly;
#[path = "../kernels/one_thread.rs"]
mod one_thread;
mod one_thread_as_code;
mod planted_sass;
mod protocol;
mod ptxas;
mod run;
mod sass;
mod slurm;
mod tables;
#[allow(dead_code, reason = "each program uses a part of it")]
#[path = "../transcript/mod.rs"]
mod transcript;
#[path = "../planted/wrong_code.rs"]
mod wrong_code;
mod wrong_lines;

use libtest_mimic::Arguments;

fn main() {
    if ptxas::toolchains::is_child() {
        ptxas::toolchains::child();
        return;
    }
    let of_modules = [
        ("blame", blame::trials()),
        ("protocol", protocol::trials()),
        ("ended", ended::trials()),
        ("faults", faults::trials()),
        ("modules", modules::trials()),
        ("ptxas", ptxas::trials()),
        ("kernels", kernels::trials()),
        ("tables", tables::trials()),
        ("run", run::trials()),
        ("sass", sass::trials()),
        ("planted_sass", planted_sass::trials()),
        ("nightly", nightly::trials()),
        ("slurm", slurm::trials()),
        ("one_thread_as_code", one_thread_as_code::trials()),
        ("wrong_lines", wrong_lines::trials()),
    ];
    let trials = of_modules
        .into_iter()
        .flat_map(|(module, trials)| trials.into_iter().map(move |trial| trial.with_kind(module)));
    let mut arguments = Arguments::from_args();
    // Many wait for a process, or for one that hangs.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    arguments.test_threads.get_or_insert(3 * cores);
    libtest_mimic::run(&arguments, trials.collect()).exit();
}
