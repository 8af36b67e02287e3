//! Rows per second that an engine in another process answers.
//!
//! The engines only answer: one is this program itself, the other `tests/protocol/zeros.py`.
//! `cargo bench --bench protocol`

use std::io::{BufRead, Write};
use std::time::Instant;

use ptx_conform::engine::CaseExecutor;
use ptx_conform::engine::external::{EngineLimits, External};
use ptx_conform::engine::protocol::{Executed, Request, Response};
use ptx_conform::line_case::{Answer, LineCase, Returned};

/// Rows executed in one measurement.
const ROWS: u64 = 200_000;

fn main() {
    if std::env::args().any(|argument| argument == "serve") {
        return serve();
    }
    let this = std::env::current_exe().expect("the path of this program");
    let python = format!("python3 '{}/tests/protocol/zeros.py'", env!("CARGO_MANIFEST_DIR"));
    for (name, command) in [("Rust", format!("'{}' serve", this.display())), ("Python", python)] {
        for items in [256, 1024, 2048, 4096] {
            let engine = External::with_limits(&command, EngineLimits { items, ..EngineLimits::default() });
            let engine = engine.unwrap_or_else(|error| panic!("{error}"));
            let case = case();
            let started = Instant::now();
            let answers = engine.execute(std::slice::from_ref(&case));
            let seconds = started.elapsed().as_secs_f64();
            let returned = answers.concat().iter().filter(|answer| matches!(answer, Answer::Returned(_))).count();
            assert_eq!(returned, case.rows.len(), "every row is answered");
            let speed = f64::from(u32::try_from(ROWS).expect("a small number")) / seconds;
            println!("{name} engine, {items} rows per request: {speed:.0} rows/s");
        }
    }
}

/// A load of two registers from a surface.
fn case() -> LineCase {
    let text = r#"{
        "ptx": "7.0", "target": "sm_80",
        "declarations": ".global .surfref s; .entry k() { .reg .b32 %r<9>;",
        "line": "suld.b.2d.v2.b32.zero {%r1, %r2}, [s, {%r3, %r4}];",
        "surface": {"geometry": "2d", "format": "u32", "width": 2, "height": 1, "data": "0001020304050607"},
        "inputs": [{"register": "%r3", "bits": 32, "holds": "bits"}, {"register": "%r4", "bits": 32, "holds": "bits"}],
        "outputs": [{"register": "%r1", "bits": 32}, {"register": "%r2", "bits": 32}],
        "rows": [["0", "0"]]
    }"#;
    let mut case: LineCase = serde_json::from_str(text).expect("a case");
    (1..ROWS).for_each(|row| case.rows.push(&[row.into(), u128::from(u32::MAX)]));
    case
}

fn serve() {
    for line in std::io::stdin().lock().lines() {
        let response = match serde_json::from_str(&line.expect("text")).expect("a request") {
            Request::Execute(execute) => {
                let answer = || Answer::Returned(Returned { registers: vec![0, 0], ..Returned::default() });
                let rows = |rows: usize| std::iter::repeat_with(answer).take(rows).collect();
                let answers = execute.cases.iter().map(|case| rows(case.case.rows.len())).collect();
                Response::Executed(Executed { id: execute.id, answers })
            }
            _ => {
                let about = r#"{"hello": {"protocol": 1, "name": "zeros", "version": "1.0", "abilities": ["cases"]}}"#;
                serde_json::from_str(about).expect("a hello")
            }
        };
        let mut text = serde_json::to_vec(&response).expect("JSON");
        text.push(b'\n');
        std::io::stdout().write_all(&text).expect("someone reads");
    }
}
