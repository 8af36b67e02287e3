//! The interpreter of PTX computes what the host does, for kernels of one thread as compilers write them.

#[path = "../../../tests/kernels/one_thread.rs"]
mod one_thread;

use std::path::Path;

use ptx_exec::interpret::Interpreter;
use ptx_spec::spec::Spec;

#[test]
fn compiled_kernels_compute_what_the_host_does() {
    let spec = Spec::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs"));
    let spec = spec.unwrap_or_else(|errors| panic!("{}", errors[0].render(false)));
    let interpreter = Interpreter::new(&spec);
    let wrong = one_thread::all().into_iter().filter_map(|program| {
        let why = program.wrong(&interpreter.execute(&program.case))?;
        Some(format!("{}: {why}", program.name))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
