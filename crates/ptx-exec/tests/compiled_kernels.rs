//! Kernels of one thread, as compilers write them: `corpus/kernels_of_one_thread/`. Each has a buffer of input and one of
//! output, which holds 0xa5 before; what it must hold afterwards was computed by the same source on the host.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ptx_exec::interpret::Interpreter;
use ptx_exec::kernel_case::{KernelAnswer, KernelArgument, KernelBuffer, KernelCase, KernelLaunch};
use ptx_spec::spec::Spec;

/// A kernel with its input and output.
#[derive(serde::Deserialize)]
struct Kernel {
    name: String,
    #[serde(with = "ptx_exec::hex")]
    input: Vec<u8>,
    #[serde(with = "ptx_exec::hex")]
    output: Vec<u8>,
}

/// The size of the output in bytes.
const OUTPUT: usize = 1024;
/// The fewest kernels, so that none gets lost.
const KERNELS: usize = 32;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/kernels_of_one_thread")
}

fn case(kernel: &Kernel, module: String) -> KernelCase {
    let buffer = |name: &str, data: Vec<u8>| KernelBuffer { name: name.to_owned(), data };
    let count = u32::try_from(kernel.input.len() / 4).expect("a small input");
    KernelCase {
        module: module.into(),
        buffers: vec![buffer("out", vec![0xa5; OUTPUT]), buffer("in", kernel.input.clone())],
        launches: vec![KernelLaunch {
            entry: kernel.name.clone(),
            grid: [1; 3],
            block: [1; 3],
            arguments: vec![
                KernelArgument::Address("out".to_owned()),
                KernelArgument::Address("in".to_owned()),
                KernelArgument::Bytes(count.to_le_bytes().to_vec()),
            ],
        }],
    }
}

#[test]
fn compiled_kernels_compute_what_the_host_does() {
    let spec = Spec::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs"));
    let spec = spec.unwrap_or_else(|errors| panic!("{}", errors[0].render(false)));
    let text = std::fs::read_to_string(folder().join("cases.json")).expect("the cases");
    let kernels: Vec<Kernel> = serde_json::from_str(&text).expect("cases");
    assert!(kernels.len() >= KERNELS, "{} kernels", kernels.len());
    let (interpreter, mut wrong) = (Interpreter::new(&spec), String::new());
    for kernel in &kernels {
        let files = std::fs::read_dir(folder().join(&kernel.name)).expect("a folder for each kernel");
        let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
        files.sort();
        assert!(files.len() >= 2, "{}: several compilers", kernel.name);
        let mut expected = kernel.output.clone();
        expected.resize(OUTPUT, 0xa5);
        for file in files {
            let module = std::fs::read_to_string(&file).expect("a module");
            let shown = match interpreter.execute(&case(kernel, module)) {
                KernelAnswer::Returned(result) if !result.undefined.is_empty() => "undefined bits".to_owned(),
                KernelAnswer::Returned(result) => match result.buffers.get("out") {
                    Some(out) if *out == expected => continue,
                    Some(out) => {
                        let at = out.iter().zip(&expected).position(|(out, expected)| out != expected);
                        format!("byte {at:?} of the output")
                    }
                    None => "no output".to_owned(),
                },
                other => format!("{other:?}"),
            };
            let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            writeln!(wrong, "{}/{name}: {shown}", kernel.name).expect("a text");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
