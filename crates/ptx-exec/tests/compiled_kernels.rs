//! The interpreter of PTX computes what the host does, for kernels of one thread as compilers write them.

#[path = "../../../tests/kernels/one_thread.rs"]
mod one_thread;

use std::path::Path;

use ptx_exec::interpret::Interpreter;
use ptx_spec::spec::Spec;

/// Modules that are not executed, and a part of the answer.
const NOT_EXECUTED: [(&str, &str); 1] = [
    // A parameter of 12 bytes is loaded as four words behind `.pragma "used_bytes_mask 0xfff"`; the manual does not say whether
    // a load may reach beyond a variable with bytes that are not used.
    ("ray_sphere/clang_22_O2.ptx", "`ld.param.v4.b32"),
];

#[test]
fn compiled_kernels_compute_what_the_host_does() {
    let spec = Spec::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs"));
    let spec = spec.unwrap_or_else(|errors| panic!("{}", errors[0].render(false)));
    let interpreter = Interpreter::new(&spec);
    let wrong = one_thread::all().into_iter().chain(one_thread::with_floats()).filter_map(|program| {
        let known = NOT_EXECUTED.iter().find(|(name, _)| *name == program.name);
        let why = match (program.wrong(&interpreter.execute(&program.case)), known) {
            (None, None) => return None,
            (Some(why), Some((_, part))) if why.contains(part) => return None,
            (None, Some(_)) => "it is executed now; remove its row".to_owned(),
            (Some(why), _) => why,
        };
        Some(format!("{}: {why}", program.name))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
