//! Modules with something changed: whatever a text is, the interpreter answers, and gives the same answer again.

use std::path::{Path, PathBuf};

use ptx_exec::interpret::{Interpreter, Limits};
use ptx_exec::kernel_case::{KernelAnswer, KernelArgument, KernelBuffer, KernelCase, KernelLaunch};
use ptx_spec::space::Draw;
use ptx_spec::spec::Spec;

/// The number of changed texts of each module.
const CHANGES: usize = 12;
/// The modules that are changed: one of so many.
const MODULES: usize = 3;

/// A position in a list of so many.
fn drawn(draw: &mut Draw, count: usize) -> usize {
    let at = draw.below(u128::try_from(count.max(1)).expect("a count")).expect("a number");
    usize::try_from(at).expect("a position")
}

/// A text with some of its words changed: left out, doubled, or replaced by another word of it or a number.
fn changed(text: &str, draw: &mut Draw) -> String {
    let mut words: Vec<&str> = text.split_inclusive([' ', ',', ';', '\n', '[', ']', '.']).collect();
    for _ in 0..=drawn(draw, 3) {
        let (at, other) = (drawn(draw, words.len()), drawn(draw, words.len()));
        match drawn(draw, 6) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[other]),
            2 => words[at] = "4294967296,",
            3 => words[at] = "-1;",
            _ => words[at] = words[other],
        }
    }
    words.concat()
}

fn modules() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/kernels_of_one_thread");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            found.extend(std::fs::read_dir(entry).expect("a folder").map(|file| file.expect("a file").path()));
        }
    }
    found.retain(|path| path.extension().is_some_and(|extension| extension == "ptx"));
    found.sort();
    found
}

#[test]
fn every_text_has_an_answer() {
    let spec = Spec::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs"));
    let spec = spec.unwrap_or_else(|errors| panic!("{}", errors[0].render(false)));
    let limits = Limits { steps: 5_000, memory: 1 << 20, depth: 50 };
    let interpreter = Interpreter::new(&spec).with_limits(limits);
    let mut draw = Draw::named("interpreted", 0);
    let mut returned = 0;
    for path in modules().iter().step_by(MODULES) {
        let text = std::fs::read_to_string(path).expect("a module");
        let entry = path.parent().and_then(Path::file_name).expect("a folder").to_string_lossy().into_owned();
        let buffer = |name: &str, size: usize| KernelBuffer { name: name.to_owned(), data: vec![3; size] };
        let address = |of: &str| KernelArgument::Address(of.to_owned());
        let mut case = KernelCase {
            module: "".into(),
            buffers: vec![buffer("out", 1024), buffer("in", 64)],
            launches: vec![KernelLaunch {
                entry,
                grid: [1; 3],
                block: [1; 3],
                arguments: vec![address("out"), address("in"), KernelArgument::Bytes(vec![16, 0, 0, 0])],
            }],
        };
        for _ in 0..CHANGES {
            case.module = changed(&text, &mut draw).into();
            let answer = interpreter.execute(&case);
            assert_eq!(answer, interpreter.execute(&case), "{}", case.module);
            returned += usize::from(matches!(answer, KernelAnswer::Returned(_)));
        }
    }
    assert!(returned > 10, "{returned} texts return: the changes are too coarse");
}
