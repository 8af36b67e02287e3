//! What the interpreter costs, and what it knows: `cargo test --release -p ptx-exec --test interpret_figures -- --ignored --nocapture`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use ptx_exec::interpret::{Interpreter, Limits};
use ptx_exec::kernel_case::{KernelAnswer, KernelArgument, KernelBuffer, KernelCase, KernelLaunch};
use ptx_spec::spec::Spec;

/// Lines as chains have them.
const LINES: [&str; 8] = [
    "add.s32 %r1, %r2, %r3;",
    "mad.lo.u32 %r4, %r1, 77, %r3;",
    "shf.l.wrap.b32 %r2, %r4, %r1, %r3;",
    "setp.lt.s32 %p1, %r2, %r4;",
    "selp.b32 %r3, %r1, %r2, %p1;",
    "cvt.s64.s32 %rd2, %r3;",
    "and.b64 %rd3, %rd2, 0xffff;",
    "@%p1 xor.b32 %r1, %r3, %r4;",
];

fn case(lines: usize, loops: u32, threads: u32) -> KernelCase {
    let mut body = String::new();
    for at in 0..lines {
        writeln!(body, "    {}", LINES[at % LINES.len()]).expect("a text");
    }
    let module = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .b64 out) {{\n\
         .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n\
         ld.param.b64 %rd1, [out]; mov.u32 %r5, %tid.x; mul.wide.u32 %rd4, %r5, 16; add.u64 %rd1, %rd1, %rd4;\n\
         ld.global.v2.b32 {{%r2, %r3}}, [%rd1]; mov.b32 %r1, 1; mov.b32 %r4, 3; mov.b32 %r7, 0;\n\
         L: {body} add.u32 %r7, %r7, 1; setp.ne.u32 %p2, %r7, {loops}; @%p2 bra L;\n\
         st.global.b32 [%rd1], %r1; ret; }}"
    );
    KernelCase {
        module: module.into(),
        buffers: vec![KernelBuffer { name: "out".to_owned(), data: vec![1; 16 * threads as usize] }],
        launches: vec![KernelLaunch {
            entry: "k".to_owned(),
            grid: [1; 3],
            block: [threads, 1, 1],
            arguments: vec![KernelArgument::Address("out".to_owned())],
        }],
    }
}

#[test]
#[ignore = "figures, for people"]
fn lines_are_read_and_executed_fast() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
    let spec = Spec::load(&path).unwrap_or_else(|errors| panic!("{}", errors[0].render(false)));
    let interpreter = Interpreter::new(&spec).with_limits(Limits { steps: 1 << 40, ..Limits::default() });
    let timed = |case: &KernelCase| {
        let start = Instant::now();
        let answer = interpreter.execute(case);
        assert!(matches!(answer, KernelAnswer::Returned(_)), "{answer:?}");
        start.elapsed().as_secs_f64()
    };
    let long = case(10_000, 1, 1);
    let (first, again) = (timed(&long), timed(&long));
    println!("reading: {:.2} us a line, {:.2} again", first * 1e6 / 10_000.0, again * 1e6 / 10_000.0);
    let short = case(5, 1, 1);
    let start = Instant::now();
    for _ in 0..1000 {
        timed(&short);
    }
    println!("a module of 5 lines: {:.1} us", start.elapsed().as_secs_f64() * 1e3);
    let several = case(5, 1, 24);
    let start = Instant::now();
    for _ in 0..1000 {
        timed(&several);
    }
    println!("the same for 24 threads: {:.1} us", start.elapsed().as_secs_f64() * 1e3);
    let steps = f64::from(1_000_000 * 11);
    println!("executing: {:.1} ns a step", timed(&case(8, 1_000_000, 1)) * 1e9 / steps);
}

/// Every module below a folder, by the ends of their names.
fn modules(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.extension() {
            _ if path.is_dir() => modules(&path, found),
            Some(extension) if extension == "ptx" => found.push(path),
            _ => {}
        }
    }
}

#[test]
#[ignore = "figures, for people"]
fn lines_of_stored_modules_have_semantics() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let spec = Spec::load(&root.join("specs")).unwrap_or_else(|errors| panic!("{}", errors[0].render(false)));
    let interpreter = Interpreter::new(&spec);
    let mut paths = Vec::new();
    modules(&root.join("corpus"), &mut paths);
    paths.sort();
    let (mut reasons, mut refused, mut without): (BTreeMap<String, usize>, BTreeMap<String, usize>, usize) =
        Default::default();
    for path in &paths {
        let text = std::fs::read_to_string(path).expect("a module");
        match interpreter.unmodelled(&text) {
            Ok(lines) => {
                without += usize::from(lines.is_empty());
                lines.into_iter().for_each(|(_, why)| *reasons.entry(why).or_default() += 1);
            }
            Err(why) => *refused.entry(why).or_default() += 1,
        }
    }
    println!("{} modules, {without} of which have semantics", paths.len());
    for (all, what) in [(refused, "refused"), (reasons, "lines")] {
        let mut all: Vec<(usize, String)> = all.into_iter().map(|(why, count)| (count, why)).collect();
        all.sort_by(|one, other| other.cmp(one));
        all.iter().take(40).for_each(|(count, why)| println!("{what}: {count:6} {why}"));
    }
}
