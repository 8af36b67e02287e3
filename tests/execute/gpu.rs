//! The `gpu` engine without a GPU, over the engine protocol: with drivers that do not start (`tests/gpu/status.c`), and
//! with one that simulates a device (`tests/gpu/driver.c`).
//!
//! Both are built with `cc`. Without a C compiler, the tests that need a driver print SKIPPED and do nothing.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use ptx_conform::campaign::{self, Options, Progress, RowSource, Subject};
use ptx_conform::causes;
use ptx_conform::divergences::Divergences;
use ptx_conform::engine::external::External;
use ptx_conform::engine::protocol::{
    Ability, About, ExecuteRequest, Executed, Hello, JudgeRequest, LineOutcome, PROTOCOL, Request, Response, SentCase,
};
use ptx_conform::engine::{CaseExecutor as _, Engine as _};
use ptx_conform::environment::Version;
use ptx_conform::kernel::{Bound, Kernel, Parameter, Place};
use ptx_conform::line_case::{Answer, Holds, Input, LineCase, Output as Register, Returned, Rows};
use ptx_conform::model::{self, Allowed};
use ptx_conform::object::{Format, Geometry, Surface};

use crate::shipped::SPEC;

// The operations of `tests/gpu/driver.c`, one for each row.
const RETURN: u32 = 0;
const TRAP: u32 = 1;
const HANG: u32 = 2;
const OVERRUN: u32 = 3;
const STORE: u32 = 4;
const LOAD: u32 = 5;
const UNFINISHED: u32 = 6;
const TRAP_BEFORE: u32 = 7;
const TRAP_TOGETHER: u32 = 8;
const STATUS: u32 = 9;
const STORE_VARIABLE: u32 = 10;
const DIE: u32 = 11;

/// The driver adds this to every value.
const SALT: u64 = 0x1_0000_0000;

/// Builds a `libcuda.so.1` from a source file and returns its folder; `None` if there is no compiler.
fn library(source: &str) -> Option<PathBuf> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("gpu-{source}"));
    std::fs::create_dir_all(&directory).expect("a directory can be made");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gpu").join(source);
    let mut command = Command::new("cc");
    command.args(["-shared", "-fPIC", "-O1", "-o"]).arg(directory.join("libcuda.so.1")).arg(source);
    match command.status() {
        Ok(status) => {
            assert!(status.success(), "cc cannot compile the driver");
            Some(directory)
        }
        Err(error) => {
            eprintln!("SKIPPED: there is no C compiler `cc` to build a driver with: {error}");
            None
        }
    }
}

fn status_library() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT.get_or_init(|| library("status.c")).as_deref()
}

fn driver_library() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT.get_or_init(|| library("driver.c")).as_deref()
}

/// Sends these lines to a new server; returns what it prints.
fn converse(library: &Path, environment: &[(&str, &str)], arguments: &[&str], lines: &[String]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptx-conform"));
    command.args(["engine", "serve", "gpu"]).args(arguments);
    command.env("LD_LIBRARY_PATH", library).envs(environment.iter().copied());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    let input = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    // A server that ends early closes the pipe.
    let feed = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().expect("the binary ends");
    feed.join().expect("the input is written");
    output
}

fn hello() -> Request {
    Request::Hello(Hello { protocol: PROTOCOL, tool: "tests".to_owned() })
}

fn line(request: &Request) -> String {
    serde_json::to_string(request).expect("a request can be written")
}

/// A conversation with a server on the simulated device.
struct Conversation {
    environment: Vec<(&'static str, String)>,
    timeout: &'static str,
    /// The assembler of `sass-gpu`.
    ptxas: Option<String>,
    log: PathBuf,
}

/// The responses of the server, and the calls of its driver.
struct Reply {
    about: About,
    responses: Vec<Response>,
    stderr: String,
    /// The calls that the driver logged.
    log: Vec<String>,
    rc: Option<i32>,
}

impl Conversation {
    /// A conversation with a log of its own.
    fn new(name: &str) -> Self {
        let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("gpu-{name}.log"));
        Self { environment: Vec::new(), timeout: "20", ptxas: None, log }
    }

    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.environment.push((name, value.to_owned()));
        self
    }

    fn ask(&self, requests: &[Request]) -> Option<Reply> {
        let library = driver_library()?;
        // There may be no log of an earlier run.
        let _ = std::fs::remove_file(&self.log);
        let log = self.log.to_str().expect("a path of text");
        let mut environment: Vec<(&str, &str)> = vec![("FAKE_LOG", log)];
        environment.extend(self.environment.iter().map(|(name, value)| (*name, value.as_str())));
        let lines: Vec<String> = [hello()].iter().chain(requests).map(line).collect();
        let mut arguments = vec!["--timeout", self.timeout];
        arguments.extend(self.ptxas.iter().flat_map(|path| ["--ptxas", path]));
        let output = converse(library, &environment, &arguments, &lines);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let stdout = String::from_utf8(output.stdout).expect("responses are text");
        let mut responses = stdout.lines().map(|line| serde_json::from_str(line).expect("a response"));
        let Some(Response::Hello(about)) = responses.next() else { panic!("no hello: {stderr}") };
        let log = std::fs::read_to_string(&self.log).expect("the driver writes its log");
        let log = log.lines().map(str::to_owned).collect();
        Some(Reply { about, responses: responses.collect(), stderr, log, rc: output.status.code() })
    }

    /// The answers to one case, and the whole reply.
    fn execute(&self, case: SentCase) -> Option<(Vec<Answer>, Reply)> {
        let mut reply = self.ask(&[execute(vec![case])])?;
        assert_eq!((reply.rc, reply.responses.len()), (Some(0), 1), "{:?} {}", reply.responses, reply.stderr);
        assert_eq!(reply.log.iter().find(|line| line.starts_with("refused")), None);
        match reply.responses.pop() {
            Some(Response::Executed(Executed { id: 7, mut answers })) if answers.len() == 1 => {
                Some((answers.remove(0), reply))
            }
            other => panic!("{other:?}"),
        }
    }
}

impl Reply {
    fn launches(&self) -> Vec<&str> {
        self.log.iter().filter_map(|line| line.strip_prefix("launch ")).collect()
    }

    fn count(&self, asked: &str) -> usize {
        self.log.iter().filter(|line| line.starts_with(asked)).count()
    }
}

fn execute(cases: Vec<SentCase>) -> Request {
    let module = ".version 9.0\n.target sm_90\n.address_size 64\n.entry case0() { ret; }\n";
    Request::Execute(ExecuteRequest { id: 7, module: Some(module.to_owned()), cases })
}

/// A case whose rows are these operations and values.
fn case(rows: &[(u32, u32)], alone: &[usize]) -> SentCase {
    let mut values = Rows::new(1);
    let mut records = Vec::new();
    for (operation, value) in rows {
        values.push(&[u128::from(*value)]);
        records.extend(operation.to_le_bytes());
        records.extend(value.to_le_bytes());
        records.extend([0; 8]);
    }
    let case = LineCase {
        ptx: Version { major: 9, minor: 0 },
        target: "sm_90".parse().expect("a target"),
        declarations: ".reg .b32 %r<3>;".to_owned(),
        line: "mov.b32 %r1, %r2;".to_owned(),
        surface: None,
        variables: Vec::new(),
        inputs: vec![Input { register: "%r2".to_owned(), bits: 32, holds: Holds::Bits }],
        outputs: [64, 128].map(|bits| Register { register: format!("%r{bits}"), bits }).to_vec(),
        rows: values,
        writes: Some(Vec::new()),
        own_launches: alone.to_vec(),
    };
    let kernel = Kernel {
        entry: "case0".to_owned(),
        parameters: vec![
            Parameter::Rows,
            Parameter::Results,
            Parameter::Marks,
            Parameter::First,
            Parameter::Count,
            Parameter::Bytes(SALT.to_le_bytes().to_vec()),
        ],
        row_bytes: 16,
        rows: records,
        result_bytes: 24,
        results: vec![Place { at: 0, bytes: 8 }, Place { at: 8, bytes: 16 }],
        variables: Vec::new(),
        single: false,
        surface: None,
    };
    SentCase { case, kernel: Some(kernel) }
}

/// The same case with a surface.
fn on_surface(mut case: SentCase, surface: Surface, private: bool, variable: Option<&str>) -> SentCase {
    case.case.surface = Some(surface);
    let kernel = case.kernel.as_mut().expect("a kernel");
    kernel.surface = Some(Bound { private, handle_at: Some(8), variable: variable.map(str::to_owned) });
    case
}

fn surface(geometry: Geometry, format: Format) -> Surface {
    let mut surface = Surface { geometry, format, width: 5, height: 0, depth: 0, layers: 0, data: Vec::new() };
    if geometry.dimensions() >= 2 {
        surface.height = 3;
    }
    if geometry == Geometry::D3 {
        surface.depth = 2;
    }
    if geometry.layered() {
        surface.layers = 4;
    }
    surface.data = (0..surface.size()).map(|at| u8::try_from(at % 251).unwrap_or(0)).collect();
    surface
}

/// The answer to a row with this value.
fn returned(value: u32) -> Answer {
    let bytes = u128::from_le_bytes([value.to_le_bytes()[0]; 16]);
    Answer::Returned(Returned { registers: vec![u128::from(u64::from(value) + SALT), bytes], ..Returned::default() })
}

fn trapped() -> Answer {
    Answer::Trapped("CUDA_ERROR_LAUNCH_FAILED (719)".to_owned())
}

fn failed(why: &str) -> Answer {
    Answer::Failed(why.to_owned())
}

#[test]
fn a_missing_driver_is_reported_in_one_line() {
    let said = |library: &Path, environment: &[(&str, &str)]| {
        let output = converse(library, environment, &[], &[line(&hello())]);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(output.stdout, b"");
        let said = String::from_utf8(output.stderr).expect("text");
        assert_eq!(said.lines().count(), 1, "{said}");
        said
    };
    let empty = Path::new(env!("CARGO_TARGET_TMPDIR"));
    if ptx_conform::engine::gpu::probe(&SPEC.isa).is_err() {
        assert!(said(empty, &[]).contains("no CUDA driver: libcuda.so.1 is not found"));
    }
    let Some(library) = status_library() else { return };
    for (variable, value, words) in [
        ("FAKE_INIT", "100", "CUDA_ERROR_NO_DEVICE"),
        ("FAKE_INIT", "34", "toolkit's stub"),
        ("FAKE_INIT", "999", "CUDA_ERROR_UNKNOWN"),
        ("FAKE_INIT", "12345", "status 12345"),
        ("FAKE_VERSION", "10020", "too old (CUDA 10.2)"),
        ("FAKE_VERSION", "13000", "the CUDA driver lacks cuGetErrorName"),
    ] {
        let said = said(library, &[(variable, value)]);
        assert!(said.starts_with("error: gpu: ") && said.contains(words), "{said}");
    }
}

#[test]
fn it_describes_its_device() {
    let Some(reply) = Conversation::new("about").ask(&[]) else { return };
    assert_eq!((reply.about.name.as_str(), reply.about.version.as_str(), reply.rc), ("gpu", "13.0", Some(0)));
    assert_eq!(reply.about.ptx.last().map(ToString::to_string).as_deref(), Some("9.0"));
    let detail = |name: &str| reply.about.details.get(name).map(String::as_str);
    // The name of this device contains the environment variables that the driver sees.
    assert_eq!(detail("device"), Some("Fake (cache: its own, loading: EAGER)"));
    assert_eq!(detail("compute_capability"), Some("9.0"));
    assert_eq!(reply.stderr, "");
}

#[test]
fn lines_are_judged_by_the_compiler_in_the_driver() {
    let judge = |target: &str, lines: &[&str]| {
        Request::Judge(JudgeRequest {
            id: 3,
            ptx: Version { major: 9, minor: 0 },
            target: target.parse().expect("a target"),
            address_size: 64,
            generate: false,
            declarations: ".reg .b32 %r<3>;".to_owned(),
            lines: lines.iter().map(|&line| line.to_owned()).collect(),
            module: None,
        })
    };
    let lines = ["mov.b32 %r1, %r2;", "mov.bogus %r1, %r2;", "unsupported;"];
    let requests = [judge("sm_90", &lines), judge("sm_100", &lines[..1]), judge("sm_90a", &[])];
    let Some(reply) = Conversation::new("judge").ask(&requests) else { return };
    let outcomes: Vec<&[LineOutcome]> = reply
        .responses
        .iter()
        .map(|response| match response {
            Response::Judged(judged) if judged.id == 3 => judged.outcomes.as_slice(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        outcomes[0],
        [
            LineOutcome::Accepted,
            LineOutcome::Rejected("Unknown modifier '.bogus'".to_owned()),
            LineOutcome::Skipped("CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)".to_owned()),
        ]
    );
    assert!(matches!(outcomes[1], [LineOutcome::Skipped(why)] if why.contains("sm_100")), "{:?}", outcomes[1]);
    assert_eq!(outcomes[2], []);
    // If the compiler dies, the server ends.
    let requests = [judge("sm_90", &["mov.b32 %r1, %r2;", "abort;"]), judge("sm_90", &[])];
    let Some(reply) = Conversation::new("judge-dies").ask(&requests) else { return };
    assert_eq!((reply.responses.len(), reply.rc), (0, Some(2)));
    assert!(reply.stderr.contains("the driver died on line 1: signal: 6"), "{}", reply.stderr);
}

#[test]
fn rows_are_launched_together_and_decoded() {
    let rows: Vec<(u32, u32)> = (0..300).map(|value| (RETURN, value * 7)).collect();
    for (name, addresses) in [("together", true), ("zones", false)] {
        let mut conversation = Conversation::new(name);
        if !addresses {
            conversation = conversation.with("FAKE_NO_ADDRESSES", "1");
        }
        let Some((answers, reply)) = conversation.execute(case(&rows, &[])) else { return };
        let expected: Vec<Answer> = rows.iter().map(|(_, value)| returned(*value)).collect();
        assert_eq!(answers, expected);
        assert_eq!(reply.launches(), ["0 300"]);
    }
}

#[test]
fn a_trap_alone_costs_only_a_worker() {
    let rows = [(RETURN, 1), (TRAP, 2), (RETURN, 3), (RETURN, 4), (TRAP, 5), (TRAP_BEFORE, 6), (RETURN, 7)];
    let Some((answers, reply)) = Conversation::new("alone").execute(case(&rows, &[1, 4, 5, 6])) else { return };
    let before = failed("CUDA_ERROR_LAUNCH_FAILED (719) before the line");
    let expected = [returned(1), trapped(), returned(3), returned(4), trapped(), before, returned(7)];
    assert_eq!(answers, expected);
    assert_eq!(reply.launches(), ["0 1", "2 2", "1 1", "4 1", "5 1", "6 1"]);
    assert_eq!(reply.count("load"), 4, "each trap must cost one worker");
}

#[test]
fn an_unexpected_trap_is_found_among_many() {
    let mut rows: Vec<(u32, u32)> = (0..40).map(|value| (RETURN, value)).collect();
    rows[17] = (TRAP, 17);
    rows[30] = (STATUS, 700);
    let Some((answers, reply)) = Conversation::new("unexpected").execute(case(&rows, &[])) else { return };
    for (at, answer) in answers.iter().enumerate() {
        match at {
            17 => assert_eq!(*answer, trapped()),
            30 => assert_eq!(*answer, Answer::Trapped("CUDA_ERROR_ILLEGAL_ADDRESS (700)".to_owned())),
            _ => assert_eq!(*answer, returned(u32::try_from(at).unwrap_or(0))),
        }
    }
    // The row that had begun is launched again first.
    assert_eq!(reply.launches()[..3], ["0 40", "17 1", "0 1"]);
}

#[test]
fn rows_that_only_trap_together_return_alone() {
    let rows = [(RETURN, 1), (TRAP_TOGETHER, 2), (RETURN, 3)];
    let Some((answers, _)) = Conversation::new("apart").execute(case(&rows, &[])) else { return };
    assert_eq!(answers, [returned(1), returned(2), returned(3)]);
}

#[test]
fn a_case_whose_rows_all_trap_is_abandoned() {
    let rows: Vec<(u32, u32)> = (0..40).map(|value| (TRAP, value)).collect();
    let Some((answers, _)) = Conversation::new("strikes").execute(case(&rows, &[])) else { return };
    assert_eq!(answers[..32], vec![trapped(); 32]);
    assert_eq!(answers[32..], vec![Answer::Skipped("too many rows of its case ended the kernel".to_owned()); 8]);
}

#[test]
fn a_kernel_that_hangs_is_killed() {
    let mut conversation = Conversation::new("hang");
    conversation.timeout = "0.3";
    let rows = [(RETURN, 1), (HANG, 2), (RETURN, 3)];
    let started = Instant::now();
    let Some((answers, _)) = conversation.execute(case(&rows, &[1])) else { return };
    assert_eq!(answers, [returned(1), failed("timed out"), returned(3)]);
    let Some((answers, _)) = conversation.execute(case(&rows, &[])) else { return };
    assert_eq!(answers, [returned(1), failed("timed out"), returned(3)]);
    assert!(started.elapsed() < Duration::from_secs(15));
}

#[test]
fn a_worker_ends_with_its_server() {
    let Some(library) = driver_library() else { return };
    let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gpu-orphan.log");
    let _ = std::fs::remove_file(&log);
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptx-conform"));
    command.args(["engine", "serve", "gpu"]).env("LD_LIBRARY_PATH", library).env("FAKE_LOG", &log);
    let mut server = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("the binary starts");
    let requests = format!("{}\n{}\n", line(&hello()), line(&execute(vec![case(&[(HANG, 1)], &[])])));
    server.stdin.as_mut().expect("stdin is a pipe").write_all(requests.as_bytes()).expect("it is read");
    let within = |done: &mut dyn FnMut() -> bool| {
        let started = Instant::now();
        while !done() {
            assert!(started.elapsed() < Duration::from_secs(20), "it did not happen in time");
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    let said = || std::fs::read_to_string(&log).unwrap_or_default();
    within(&mut || said().contains("launch"));
    let worker = said().lines().find_map(|line| line.strip_prefix("init ").map(str::to_owned)).expect("a worker");
    let process = Path::new("/proc").join(worker);
    assert!(process.exists() || !Path::new("/proc/self").exists());
    server.kill().expect("the server can be killed");
    server.wait().expect("the server ends");
    // A worker that has ended may stay in the list of processes, but without memory.
    within(&mut || std::fs::read(process.join("maps")).map_or(true, |maps| maps.is_empty()));
}

#[test]
fn unusual_ends_of_a_launch_are_failures() {
    let rows = [(STATUS, 999), (STATUS, 12345), (DIE, 3), (UNFINISHED, 4), (RETURN, 5)];
    let Some((answers, _)) = Conversation::new("ends").execute(case(&rows, &[0, 1, 2])) else { return };
    let expected = [
        failed("an unknown status (999)"),
        failed("an unknown status (12345)"),
        failed("the worker died: exit status: 7"),
        failed("the kernel returned, but its thread did not (mark 1)"),
        returned(5),
    ];
    assert_eq!(answers, expected);
}

#[test]
fn writes_past_the_end_of_a_buffer_are_noticed() {
    let rows = [(RETURN, 1), (RETURN, 2), (OVERRUN, 3)];
    let zones = Conversation::new("overrun-zones").with("FAKE_NO_ADDRESSES", "1");
    let Some((answers, _)) = zones.execute(case(&rows, &[0])) else { return };
    let outside = failed("wrote outside its buffer");
    assert_eq!(answers, [returned(1), outside.clone(), outside]);
    // An access to an unmapped address stops the kernel; with this driver, it kills the process.
    let Some((answers, _)) = Conversation::new("overrun").execute(case(&rows, &[2])) else { return };
    assert_eq!(answers[..2], [returned(1), returned(2)]);
    assert!(matches!(&answers[2], Answer::Failed(why) if why.contains("signal: 11")), "{:?}", answers[2]);
}

#[test]
fn every_geometry_and_format_becomes_an_array() {
    let mut cases = Vec::new();
    for geometry in Geometry::ALL {
        for format in Format::all() {
            let surface = surface(geometry, format);
            let last = u32::try_from(surface.data.len() - 1).unwrap_or(0);
            cases.push(on_surface(case(&[(LOAD, 1), (LOAD, last)], &[]), surface, false, None));
        }
    }
    let expected: Vec<[u8; 2]> = cases
        .iter()
        .map(|case| {
            let data = &case.case.surface.as_ref().expect("a surface").data;
            [data[1], data[data.len() - 1]]
        })
        .collect();
    let Some(reply) = Conversation::new("formats").ask(&[execute(cases)]) else { return };
    assert_eq!(reply.log.iter().find(|line| line.starts_with("refused")), None);
    let [Response::Executed(executed)] = reply.responses.as_slice() else { panic!("{:?}", reply.responses) };
    let loaded = |answer: &Answer| match answer {
        Answer::Returned(returned) if returned.surface.is_none() => returned.registers[0],
        other => panic!("{other:?}"),
    };
    for (answers, expected) in executed.answers.iter().zip(&expected) {
        assert_eq!(answers.iter().map(loaded).collect::<Vec<_>>(), expected.map(u128::from));
    }
    assert_eq!(executed.answers.len(), expected.len());
    // The extents and flags that each geometry is created with.
    for created in ["5x0x0 ", "5x3x0 ", "5x3x2 ", "5x0x4 ", "5x3x4 "] {
        assert_eq!(reply.count(&format!("array {created}")), 36, "{created}");
    }
    assert!(reply.log.iter().any(|line| line == "array 5x0x4 format 203 channels 4 flags 3"), "{:?}", reply.log);
}

#[test]
fn each_row_changes_a_copy_of_its_surface() {
    let format = Format::all().next().expect("a format");
    let surface = surface(Geometry::A2d, format);
    let changed = |at: usize| {
        let mut data = surface.data.clone();
        data[at] ^= 0xff;
        data
    };
    let rows = [(STORE, 3), (RETURN, 0), (STORE, 4), (TRAP, 0)];
    let private = on_surface(case(&rows, &[3]), surface.clone(), true, None);
    let Some((answers, reply)) = Conversation::new("private").execute(private) else { return };
    let held = |answer: &Answer| match answer {
        Answer::Returned(returned) => returned.surface.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(answers[..3].iter().map(held).collect::<Vec<_>>(), [Some(changed(3)), None, Some(changed(4))]);
    assert_eq!(answers[3], trapped());
    assert_eq!(reply.launches(), ["0 3", "3 1"]);

    // All rows use the same variable, so each is launched alone.
    let rows = [(STORE_VARIABLE, 3), (STORE_VARIABLE, 5)];
    let variable = on_surface(case(&rows, &[]), surface.clone(), true, Some("surf"));
    let Some((answers, reply)) = Conversation::new("variable").execute(variable) else { return };
    assert_eq!(answers.iter().map(held).collect::<Vec<_>>(), [Some(changed(3)), Some(changed(5))]);
    assert_eq!(reply.launches(), ["0 1", "1 1"]);

    // A shared surface is not read back.
    let rows = [(LOAD, 3), (LOAD, 5)];
    let shared = on_surface(case(&rows, &[]), surface.clone(), false, Some("surf"));
    let Some((answers, reply)) = Conversation::new("shared").execute(shared) else { return };
    assert_eq!(answers.iter().map(held).collect::<Vec<_>>(), [None, None]);
    assert_eq!((reply.launches(), reply.count("array")), (vec!["0 2"], 1));
}

#[test]
fn faulty_requests_are_answered() {
    let refused = ExecuteRequest {
        id: 11,
        module: Some(".version 9.0\nbogus".to_owned()),
        cases: vec![case(&[(RETURN, 1)], &[])],
    };
    let mut none = case(&[(RETURN, 1)], &[]);
    none.kernel = None;
    let mut other = case(&[(RETURN, 1)], &[]);
    other.kernel.as_mut().expect("a kernel").entry = "other".to_owned();
    let mut short = case(&[(RETURN, 1)], &[]);
    short.kernel.as_mut().expect("a kernel").rows.pop();
    let mut wild = case(&[(RETURN, 1)], &[]);
    wild.kernel.as_mut().expect("a kernel").results[1].at = usize::MAX;
    let mut odd = surface(Geometry::D1, Format::all().next().expect("a format"));
    odd.width = u32::MAX;
    let odd = on_surface(case(&[(RETURN, 1)], &[]), odd, false, None);
    let requests = [
        Request::Execute(refused),
        execute(vec![none, other, short, wild, odd, case(&[], &[]), case(&[(RETURN, 1)], &[0, 0, 99])]),
        Request::Execute(ExecuteRequest { id: 12, module: None, cases: vec![case(&[(RETURN, 1)], &[])] }),
    ];
    let Some(reply) = Conversation::new("faults").ask(&requests) else { return };
    let [Response::Error(refused), Response::Executed(executed), Response::Error(missing)] = reply.responses.as_slice()
    else {
        panic!("{:?}", reply.responses)
    };
    assert_eq!(refused.id, 11);
    assert_eq!(refused.message, "the module is rejected: CUDA_ERROR_INVALID_PTX (218): Unknown modifier '.bogus'");
    assert_eq!((missing.id, missing.message.as_str()), (12, "the request has kernels but no module"));
    let starts = [
        "gpu only executes kernels, and the case has none",
        "the module's entry `other`: CUDA_ERROR_NOT_FOUND (500)",
        "1 rows need 16 bytes each, but there are 15",
        "an output is beyond the end of the results",
        "the surface has 17179869180 bytes, but its data has 20",
    ];
    for (answers, start) in executed.answers.iter().zip(starts) {
        match answers.as_slice() {
            [Answer::Failed(why) | Answer::Skipped(why)] => assert_eq!(why, start),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(executed.answers[5..], [vec![], vec![returned(1)]]);
}

#[test]
fn a_conversation_begins_with_hello_and_survives_garbage() {
    let Some(library) = driver_library() else { return };
    let garbage_lines = [line(&hello()), r#"{"execute":{"id":5,"cases":3}}"#.to_owned(), "x".to_owned(), String::new()];
    let output = converse(library, &[], &[], &garbage_lines);
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let ids: Vec<u64> = stdout
        .lines()
        .filter_map(|line| match serde_json::from_str(line) {
            Ok(Response::Error(failure)) => Some(failure.id),
            _ => None,
        })
        .collect();
    assert_eq!((ids, output.status.code()), (vec![5, 0], Some(0)), "{stdout}");
    let output = converse(library, &[], &[], &[line(&execute(Vec::new()))]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && stderr.contains("not `hello`"), "{stderr}");
    assert_eq!(converse(library, &[], &[], &[]).status.code(), Some(0));
}

#[test]
fn the_machine_code_of_a_ptxas_is_executed_and_no_other() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    // A stand-in that says what it is, and then assembles in this way.
    let script = |name: &str, assemble: &str| {
        let path = directory.join(name);
        let text = format!(
            "#!/bin/sh\ncase \"$*\" in\n*--version*) echo 'ptxas: NVIDIA (R) Ptx optimizing assembler'; echo 'Cuda compilation tools, \
             release 13.5, V13.5.37';;\n*--help*) echo \"Allowed values: 'compute_90','sm_90'\";;\n\
             */dev/null*) echo \"Unsupported .version 99.0; current version is '9.5'\"; exit 1;;\n*) {assemble};;\nesac\n"
        );
        std::fs::write(&path, text).expect("a script is written");
        let mut permissions = std::fs::metadata(&path).expect("it is there").permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
        std::fs::set_permissions(&path, permissions).expect("it can be run");
        path.to_str().expect("text").to_owned()
    };
    let with = |name: &'static str, assemble: &str| Conversation {
        ptxas: Some(script(&format!("ptxas-{name}"), assemble)),
        ..Conversation::new(name)
    };
    let rows = [(TRAP, 1), (RETURN, 2)];
    let good = with("assembled", "echo \"$*\" | grep -q 'arch sm_90' && echo cubin case0 > code.cubin");
    let Some((answers, reply)) = good.execute(case(&rows, &[0])) else { return };
    assert_eq!((reply.about.name.as_str(), reply.about.version.as_str()), ("sass-gpu", "13.5.37"));
    assert_eq!(reply.about.abilities, [Ability::Kernels, Ability::Modules]);
    assert_eq!(answers, [trapped(), returned(2)]);
    assert_eq!((reply.count("load binary"), reply.count("load ptx")), (1, 0));

    // The driver's compiler never takes the place of the assembler.
    let broken = with("broken", "echo 'ptxas fatal : no'; exit 1");
    let Some((answers, reply)) = broken.execute(case(&rows[1..], &[])) else { return };
    assert!(matches!(&answers[..], [Answer::Failed(why)] if why == "ptxas rejects it: no"), "{answers:?}");
    assert_eq!(reply.count("load"), 0);
    let refused = with("refused-binary", "echo cubin bad > code.cubin");
    let Some(reply) = refused.ask(&[execute(vec![case(&rows[1..], &[])])]) else { return };
    assert!(
        matches!(&reply.responses[..], [Response::Error(failure)] if failure.message.contains("CUDA_ERROR_NO_BINARY_FOR_GPU (209)")),
        "{:?}",
        reply.responses
    );
    assert_eq!(reply.count("load ptx"), 0);
}

/// Opens the engine as a run does, with these variables in its environment.
fn opened(log: &Path, environment: &str) -> Option<External> {
    let library = driver_library()?;
    // There may be no log of an earlier run.
    let _ = std::fs::remove_file(log);
    let of = |path: &Path| path.to_str().expect("text").to_owned();
    let program = of(Path::new(env!("CARGO_BIN_EXE_ptx-conform")));
    let command = format!(
        "env 'LD_LIBRARY_PATH={}' 'FAKE_LOG={}' {environment} '{program}' engine serve gpu",
        of(library),
        of(log)
    );
    Some(External::open(&command).expect("it speaks the protocol"))
}

fn log_of(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("gpu-{name}.log"))
}

#[test]
fn it_passes_the_check_of_the_protocol() {
    let Some(library) = driver_library() else { return };
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptx-conform"));
    command.args(["engine", "check", "gpu"]).env("LD_LIBRARY_PATH", library);
    let output = command.output().expect("the binary starts");
    let said = String::from_utf8(output.stdout).expect("text");
    // This compiler accepts everything, and a driver is not asked about directives.
    let wrong: Vec<&str> = said.lines().filter(|line| !line.starts_with("ok ")).collect();
    let expected = ["FAIL  accepts no line that is not PTX: ", "skip  judges directives"];
    let as_expected =
        wrong.len() == expected.len() && wrong.iter().zip(expected).all(|(of, begin)| of.starts_with(begin));
    assert!(as_expected, "{said}");
    assert!(said.lines().count() > 15, "{said}");
}

#[test]
fn a_run_makes_kernels_and_gets_answers() {
    let log = log_of("run");
    let Some(engine) = opened(&log, "") else { return };
    let options = Options { instructions: vec!["suq".to_owned()], ..Options::default() };
    let progress = Progress::default();
    let subjects = [Subject::executing(&engine, *SPEC.isa.versions.last().expect("versions"))];
    let results = campaign::run(&SPEC, &Divergences::default(), &subjects, &options, &progress);
    let [result] = results.engines.as_slice() else { panic!("{:?} {:?}", results.absent, results.internal_errors) };
    assert_eq!((result.name.as_str(), &results.absent), ("gpu@13.0", &Vec::new()));
    let Some(RowSource::Executed(environment)) = result.rows_from else { panic!("{result:?}") };
    assert_eq!(environment.to_string(), "PTX 9.0, sm_90, 64 bit");
    // The driver returns the same garbage for every query, also when asked again.
    assert!(result.tally.failed_rows() > 100, "{result:?}");
    assert_eq!(result.tally.skipped_rows, BTreeMap::new());
    let findings = causes::find(&SPEC, &Divergences::default(), &subjects, &results, &progress)
        .expect("our own texts can be read");
    let actual = |of: &causes::Finding| of.case.row.as_ref().map(|row| row.actual.clone());
    let garbage = |of: &causes::Finding| actual(of).as_deref() == Some("a5a5a5a5");
    assert!(!findings.all.is_empty() && findings.all.iter().all(garbage), "{findings:#?}");
    assert_eq!(engine.notes(), Vec::<String>::new());
    let log = std::fs::read_to_string(log).expect("the driver writes its log");
    let refused: Vec<&str> = log.lines().filter(|line| line.starts_with("refused")).collect();
    assert_eq!(refused, Vec::<&str>::new());
}

#[test]
fn rows_that_may_trap_are_alone_and_few() {
    for instruction in ["suld", "sust", "ld"] {
        let Some(engine) = opened(&log_of(&format!("traps-{instruction}")), "FAKE_TRAPS=1") else { return };
        let options = Options { instructions: vec![instruction.to_owned()], cases: Some(12), ..Options::default() };
        let (mut traps, mut returned) = (BTreeMap::<String, usize>::new(), 0);
        let recorded = campaign::record(&SPEC, &engine, &options, &Progress::default(), &mut |program, answers| {
            let prepared = model::prepare(&SPEC, program).expect("our own case is read");
            for (row, (expectation, answer)) in prepared.all(&program.rows).zip(answers).enumerate() {
                let alone = program.own_launches.binary_search(&row).is_ok();
                assert_eq!(alone, expectation.may_trap(), "{} row {row}: {expectation:?}", program.line);
                match answer {
                    Answer::Trapped(_) if alone => {
                        let must = matches!(expectation.allowed, Allowed::Only(_));
                        *traps.entry(format!("{} {must}", prepared.form())).or_default() += 1;
                    }
                    Answer::Returned(_) if !alone => returned += 1,
                    Answer::Skipped(_) => {}
                    // The driver traps every row that is launched alone, even one that may not trap.
                    Answer::Trapped(_) => {}
                    other => panic!("{} row {row}: {other:?}", program.line),
                }
            }
        });
        assert_eq!(recorded, Ok(()));
        assert!(returned > 50, "{instruction}: {returned} rows returned");
        assert!(!traps.is_empty() && traps.values().all(|count| *count <= 24), "{instruction}: {traps:?}");
    }
}

/// A case of a line with `%r1` and `%r2`.
fn case_of(line: &str, rows: u128) -> LineCase {
    let mut values = Rows::new(1);
    (0..rows).for_each(|row| values.push(&[row]));
    LineCase {
        declarations: ".entry k { .reg .b32 %r<3>;".to_owned(),
        line: line.to_owned(),
        outputs: vec![Register { register: "%r1".to_owned(), bits: 32 }],
        ..case(&[], &[]).case
    }
    .with_rows(values, Vec::new())
}

#[test]
fn a_rejected_module_is_attributed_to_its_cases() {
    let log = log_of("refused");
    let Some(engine) = opened(&log, "") else { return };
    for (cases, guilty, most) in [(100, vec![41], 17), (64, (0..64).step_by(3).collect(), 128), (3, vec![0, 1, 2], 5)] {
        let cases: Vec<LineCase> = (0..cases)
            .map(|at| case_of(if guilty.contains(&at) { "mov.bogus %r1, %r2;" } else { "mov.b32 %r1, %r2;" }, 16))
            .collect();
        let _ = std::fs::remove_file(&log);
        for (at, answers) in engine.execute(&cases).iter().enumerate() {
            let is_guilty = |answer: &Answer| match answer {
                Answer::Returned(_) => false,
                Answer::Skipped(why) => {
                    why == "gpu@13.0: the module is rejected: CUDA_ERROR_INVALID_PTX (218): Unknown modifier '.bogus'"
                }
                other => panic!("{other:?}"),
            };
            assert_eq!(answers.len(), 16);
            assert!(answers.iter().all(|answer| is_guilty(answer) == guilty.contains(&at)), "case {at}: {answers:?}");
        }
        let loads = std::fs::read_to_string(&log).expect("the driver writes its log");
        let loads = loads.lines().filter(|line| *line == "load ptx").count();
        assert!(loads <= most, "{loads} modules");
    }
    assert_eq!(engine.notes(), Vec::<String>::new());
}

#[test]
fn a_module_that_kills_the_driver_fails_its_case() {
    let Some(engine) = opened(&log_of("deadly"), "") else { return };
    let lines = ["mov.b32 %r1, %r2;", "mov.abort %r1, %r2;", "mov.obsolete %r1, %r2;", "mov.b32 %r1, %r2;"];
    let answers = engine.execute(&lines.map(|line| case_of(line, 1))).concat();
    let died = "the module cannot be loaded: the worker died: signal: 6 (SIGABRT)";
    assert!(
        matches!(&answers[..], [Answer::Returned(_), Answer::Failed(how), Answer::Skipped(why), Answer::Returned(_)]
            if how.starts_with(died) && why.contains("CUDA_ERROR_NOT_SUPPORTED")),
        "{answers:?}"
    );
    assert_eq!(engine.losses(), BTreeMap::new());
}

/// Needs a device: `cargo test --release --test gpu -- --ignored --nocapture`.
#[test]
#[ignore = "needs a GPU"]
fn a_real_device_does_what_the_simulated_one_does() {
    let ask = |requests: &[Request]| -> Vec<Response> {
        let lines: Vec<String> = [hello()].iter().chain(requests).map(line).collect();
        let path = std::env::var("LD_LIBRARY_PATH").unwrap_or_default();
        let output = converse(Path::new(&path), &[], &["--timeout", "5"], &lines);
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
        let stdout = String::from_utf8(output.stdout).expect("responses are text");
        stdout.lines().map(|line| serde_json::from_str(line).expect("a response")).collect()
    };
    let run_all = |cases: Vec<SentCase>| {
        let module = Some(include_str!("../gpu/device.ptx").to_owned());
        match ask(&[Request::Execute(ExecuteRequest { id: 1, module, cases })]).pop() {
            Some(Response::Executed(executed)) => executed.answers,
            other => panic!("{other:?}"),
        }
    };
    let run = |case: SentCase| run_all(vec![case]).remove(0);
    eprintln!("{:?}", ask(&[]));
    let rows: Vec<(u32, u32)> = (0..300).map(|value| (RETURN, value * 7)).collect();
    let expected: Vec<Answer> = rows.iter().map(|(_, value)| returned(*value)).collect();
    assert_eq!(run(case(&rows, &[])), expected);

    // A trap alone, a trap among other rows, and one that does not happen alone.
    let rows = [(RETURN, 1), (TRAP, 2), (RETURN, 3), (TRAP_BEFORE, 4), (UNFINISHED, 5), (TRAP_TOGETHER, 6)];
    let unfinished = failed("the kernel returned, but its thread did not (mark 1)");
    for alone in [&[1, 3, 5][..], &[]] {
        let answers = run(case(&rows, alone));
        eprintln!("{answers:?}");
        assert_eq!([&answers[0], &answers[2], &answers[5]], [&returned(1), &returned(3), &returned(6)]);
        assert!(matches!(&answers[1], Answer::Trapped(_)), "{:?}", answers[1]);
        assert!(matches!(&answers[3], Answer::Failed(why) if why.ends_with("before the line")), "{:?}", answers[3]);
        assert_eq!(answers[4], unfinished);
    }

    // A kernel that hangs, and a write past the end of the results.
    let answers = run(case(&[(HANG, 1), (RETURN, 2), (OVERRUN, 3)], &[0, 2]));
    eprintln!("{answers:?}");
    assert_eq!(answers[..2], [failed("timed out"), returned(2)]);
    assert!(matches!(&answers[2], Answer::Trapped(_) | Answer::Failed(_)), "{:?}", answers[2]);

    // Surfaces: shared, private, and bound to a variable; the last byte is in range, the next is not.
    let surface = surface(Geometry::D1, "u8".parse().expect("a format"));
    let (last, beyond) = (4, 5);
    let loads = [(LOAD, 0), (LOAD, last), (LOAD, beyond)];
    let answers = run(on_surface(case(&loads, &[2]), surface.clone(), false, None));
    eprintln!("{answers:?}");
    let number = |answer: &Answer| match answer {
        Answer::Returned(returned) => returned.registers[0],
        other => panic!("{other:?}"),
    };
    assert_eq!(answers[..2].iter().map(number).collect::<Vec<_>>(), [0, 4]);
    assert!(matches!(&answers[2], Answer::Trapped(_)), "{:?}", answers[2]);
    for (operation, variable) in [(STORE, None), (STORE_VARIABLE, Some("surf"))] {
        let stores = [(operation, 1), (operation, last)];
        let answers = run(on_surface(case(&stores, &[]), surface.clone(), true, variable));
        let held = |answer: &Answer| match answer {
            Answer::Returned(returned) => returned.surface.clone(),
            other => panic!("{other:?}"),
        };
        let changed = [vec![0, 1 ^ 0xff, 2, 3, 4], vec![0, 1, 2, 3, 4 ^ 0xff]];
        assert_eq!(answers.iter().map(held).collect::<Vec<_>>(), changed.map(Some), "{variable:?}");
    }

    // Every geometry and format can be created.
    let all = Geometry::ALL.into_iter().flat_map(|geometry| Format::all().map(move |format| (geometry, format)));
    let all: Vec<Surface> = all.map(|(geometry, format)| self::surface(geometry, format)).collect();
    let cases = all.iter().map(|surface| on_surface(case(&[(RETURN, 1)], &[]), surface.clone(), true, None));
    for (answers, surface) in run_all(cases.collect()).iter().zip(&all) {
        assert_eq!(*answers, [returned(1)], "{} of {}", surface.geometry.name(), surface.format);
    }
}
