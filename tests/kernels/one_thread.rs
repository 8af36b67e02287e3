//! The kernels of `corpus/kernels_of_one_thread/` and `corpus/kernels_of_floats/`, as compilers write them. Each has a buffer of
//! input and one of output, which holds 0xa5 before; what it must hold afterwards was computed by the same source on the host.

use std::path::{Path, PathBuf};

use ptx_exec::kernel_case::{KernelAnswer, KernelArgument, KernelBuffer, KernelCase, KernelLaunch};

/// A program with its input and output.
#[derive(serde::Deserialize)]
struct Program {
    name: String,
    #[serde(with = "ptx_exec::hex")]
    input: Vec<u8>,
    #[serde(with = "ptx_exec::hex")]
    output: Vec<u8>,
}

/// What a compiler made of a program.
#[derive(Clone)]
pub(crate) struct CompiledProgram {
    /// The program and the file: `quicksort/clang_22_O2.ptx`.
    pub(crate) name: String,
    /// One launch of one thread.
    pub(crate) case: KernelCase,
    /// The output that the host computed.
    expected: Vec<u8>,
}

/// The size of the output in bytes.
const OUTPUT: usize = 1024;
/// The fewest programs without floats and with them, so that none gets lost.
const PROGRAMS: usize = 32;
const FLOAT_PROGRAMS: usize = 27;

/// All modules without floats, in the order of their names.
pub(crate) fn all() -> Vec<CompiledProgram> {
    of("corpus/kernels_of_one_thread", PROGRAMS)
}

/// All modules with floats.
pub(crate) fn with_floats() -> Vec<CompiledProgram> {
    of("corpus/kernels_of_floats", FLOAT_PROGRAMS)
}

/// The modules of a folder that has so many programs at least.
fn of(folder: &str, fewest: usize) -> Vec<CompiledProgram> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = own.ancestors().map(|above| above.join(folder)).find(|folder| folder.is_dir());
    let folder = folder.expect("the corpus");
    let text = std::fs::read_to_string(folder.join("cases.json")).expect("the cases");
    let programs: Vec<Program> = serde_json::from_str(&text).expect("cases");
    assert!(programs.len() >= fewest, "{} programs", programs.len());
    programs.iter().flat_map(|program| modules(&folder, program)).collect()
}

/// The modules of a program.
fn modules(folder: &Path, program: &Program) -> Vec<CompiledProgram> {
    let files = std::fs::read_dir(folder.join(&program.name)).expect("a folder for each program");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    assert!(files.len() >= 2, "{}: several compilers", program.name);
    let mut expected = program.output.clone();
    expected.resize(OUTPUT, 0xa5);
    let module = |file: PathBuf| CompiledProgram {
        name: file.strip_prefix(folder).expect("a file of the folder").display().to_string(),
        case: case(program, std::fs::read_to_string(&file).expect("a module")),
        expected: expected.clone(),
    };
    files.into_iter().map(module).collect()
}

fn case(program: &Program, module: String) -> KernelCase {
    let buffer = |name: &str, data: Vec<u8>| KernelBuffer { name: name.to_owned(), data };
    let count = u32::try_from(program.input.len() / 4).expect("a small input");
    KernelCase {
        module: module.into(),
        buffers: vec![buffer("out", vec![0xa5; OUTPUT]), buffer("in", program.input.clone())],
        launches: vec![KernelLaunch {
            entry: program.name.clone(),
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

impl CompiledProgram {
    /// What is wrong with an answer; `None` if it is what the host computed.
    pub(crate) fn wrong(&self, answer: &KernelAnswer) -> Option<String> {
        match answer {
            KernelAnswer::Returned(result) if !result.undefined.is_empty() => Some("undefined bits".to_owned()),
            KernelAnswer::Returned(result) => match result.buffers.get("out") {
                Some(out) => {
                    let at = out.iter().zip(&self.expected).position(|(out, expected)| out != expected)?;
                    Some(format!("byte {at} of the output is 0x{:02x}, not 0x{:02x}", out[at], self.expected[at]))
                }
                None => Some("no output".to_owned()),
            },
            other => Some(format!("{other:?}")),
        }
    }
}
