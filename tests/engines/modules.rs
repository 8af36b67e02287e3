//! Engines that execute whole modules: a fault is attributed to exactly the case that caused it, rows are launches where an
//! engine executes nothing else, and a run finds what one computes wrong.

use std::path::Path;

use libtest_mimic::{Failed, Trial};
use ptx_conform::campaign::{self, ChainTally, Options, Progress, Subject};
use ptx_conform::divergences::Divergences;
use ptx_conform::engine::external::External;
use ptx_conform::engine::{CaseExecutor as _, Engine as _, KernelExecutor as _};
use ptx_conform::kernel_case::{KernelAnswer, KernelBuffer, KernelCase, KernelResult};
use ptx_conform::line_case::{Answer, LineCase, Returned};
use ptx_conform::spec::Spec;

use crate::protocol::{FAULTS, check, open, python, same};

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = FAULTS
        .iter()
        .map(|(fault, words)| Trial::test(format!("a_fault_on_a_launch::{fault}"), move || a_launch(fault, words)))
        .collect();
    trials.push(Trial::test("buffers_that_a_case_does_not_have_are_no_result", other_buffers));
    trials.push(Trial::test("rows_are_launches_of_modules", rows));
    trials.push(Trial::test("a_run_finds_what_modules_compute_wrong", a_run));
    trials
}

fn case(data: &[u8]) -> KernelCase {
    KernelCase {
        module: "the module".into(),
        buffers: vec![KernelBuffer { name: "b".to_owned(), data: data.to_vec() }],
        launches: Vec::new(),
    }
}

fn a_launch(fault: &str, words: &str) -> Result<(), Failed> {
    let engine = open(fault)?;
    let cases: Vec<KernelCase> = [[0, 1], [0, 2], [0, 3], [0xba, 0xd0], [0, 4]].iter().map(|data| case(data)).collect();
    let fine = KernelAnswer::Returned(KernelResult {
        buffers: [("b".to_owned(), vec![0, 7])].into(),
        ..KernelResult::default()
    });
    for (case, answer) in cases.iter().zip(engine.execute_kernels(&cases)) {
        let bad = case.buffers[0].data == [0xba, 0xd0];
        let found = match &answer {
            answer if *answer == fine && (!bad || fault == "noisy") => continue,
            KernelAnswer::Skipped(why) if bad && fault == "refuses" => why,
            KernelAnswer::Failed(why) if bad => why,
            _ => return Err(format!("{case:?} {answer:?}").into()),
        };
        check(found.starts_with(words), format!("{case:?} {found}"))?;
    }
    let lost: u64 = engine.losses().values().sum();
    same(&lost, &u64::from(fault == "refuses"))
}

fn other_buffers() -> Result<(), Failed> {
    let engine = open("none")?;
    let wide = engine.execute_kernels(&[case(&[1, 2, 3])]);
    let too_few = "it returned 2 bytes of the buffer `b`, which has 3";
    same(&wide, &vec![KernelAnswer::Failed(too_few.to_owned())])?;
    let other = KernelCase { buffers: vec![KernelBuffer { name: "c".to_owned(), data: vec![1, 2] }], ..case(&[]) };
    let no_buffer = "it returned a buffer `b`, which the case does not have";
    same(&engine.execute_kernels(&[other]), &vec![KernelAnswer::Failed(no_buffer.to_owned())])
}

fn rows() -> Result<(), Failed> {
    let engine = External::open(&python("examples/modules.py", ""))?;
    let cases: Vec<LineCase> = serde_json::from_str(
        r#"[{"ptx": "7.0", "target": "sm_80", "declarations": ".entry k() { .reg .b32 %r<9>;", "line": "not.b32 %r1, %r2;",
             "inputs": [{"register": "%r2", "bits": 32, "holds": "bits"}],
             "outputs": [{"register": "%r1", "bits": 32}], "rows": [["1"], ["2"]]},
            {"ptx": "7.0", "target": "sm_80", "declarations": ".entry k() { .reg .b32 %r<9>;", "line": "clz.b32 %r1, %r2;",
             "inputs": [{"register": "%r2", "bits": 32, "holds": "bits"}],
             "outputs": [{"register": "%r1", "bits": 32}], "rows": [["1"]]}]"#,
    )?;
    let answers = engine.execute(&cases);
    let registers = |value| Answer::Returned(Returned::registers(&[value]));
    same(&answers[0], &vec![registers(0xffff_fffe), registers(0xffff_fffd)])?;
    let unknown = "`clz.b32 %r1, %r2;` is not known";
    same(&answers[1], &vec![Answer::Skipped(unknown.to_owned())])
}

/// The chains of a run of the example, of which something was changed.
fn chains(change: impl Fn(&str) -> String) -> Result<ChainTally, Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("engine.py");
    std::fs::write(&file, change(&std::fs::read_to_string(root.join("examples/modules.py"))?))?;
    let engine = External::open(&format!("python3 -ES '{}'", file.display()))?;
    let spec = Spec::load(&root.join("specs")).map_err(|errors| errors[0].render(false))?;
    let newest = *spec.isa.versions.last().ok_or("versions")?;
    let instructions = ["and", "or", "xor"].map(str::to_owned).to_vec();
    let options = Options { instructions, chains: Some(48), cases: Some(1), ..Options::default() };
    let subjects = [Subject::executing(&engine, newest)];
    let mut results = campaign::run(&spec, &Divergences::default(), &subjects, &options, &Progress::default());
    check(!results.contradicts_itself(), format!("{:?}", results.internal_errors))?;
    Ok(std::mem::take(&mut results.engines[0].chains))
}

fn a_run() -> Result<(), Failed> {
    let right = chains(str::to_owned)?;
    check(right.agreed > 20 && right.failed == 0, format!("{right:#?}"))?;
    let wrong = chains(|text| text.replace("a ^ b", "a | b"))?;
    let lines: Vec<usize> = wrong.causes.iter().map(|cause| cause.lines.len()).collect();
    let of_xor = wrong.causes.iter().all(|cause| cause.lines.iter().all(|line| line.text.contains("xor.")));
    // One of each size of registers, which no line can change alone.
    let single = (1..=4).contains(&lines.len()) && lines.iter().all(|lines| *lines == 1);
    check(single && of_xor && wrong.open.is_empty(), format!("{wrong:#?}"))
}
