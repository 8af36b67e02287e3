//! The model on the inputs that a GPU was given, compared with what it computed.

mod inputs;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use ptx_exec::line_case::LineCase;
use ptx_exec::model::{self, Allowed, Ending, ExpectedValue};
use ptx_spec::spec::Spec;

use inputs::{mix, word};

/// An instruction that was measured.
struct Measured<'t> {
    instruction: &'t str,
    to: &'t str,
    from: Vec<&'t str>,
    results: Vec<u64>,
}

fn measured(text: &str) -> Vec<Measured<'_>> {
    let one = |line: &'_ str| -> Option<Measured<'_>> { None };
    let _ = one;
    text.lines()
        .map(|line| {
            let mut parts = line.split('|');
            let mut next = || parts.next().expect("four parts");
            let (instruction, to, from) = (next(), next(), next().split(',').collect());
            let results = next().split(';').map(|hex| u64::from_str_radix(hex, 16).expect("a number")).collect();
            Measured { instruction, to, from, results }
        })
        .collect()
}

/// The type of the register that holds a type, and its size.
fn register(of: &str) -> (String, u32) {
    match of {
        "f16" | "bf16" | "e4m3x2" | "e5m2x2" => ("b16".to_owned(), 16),
        "f16x2" | "bf16x2" | "tf32" => ("b32".to_owned(), 32),
        "u8" => ("u16".to_owned(), 16),
        "s8" => ("s16".to_owned(), 16),
        "pred" => ("pred".to_owned(), 1),
        of => (of.to_owned(), of[1..].parse().expect("a size")),
    }
}

impl Measured<'_> {
    fn case(&self) -> LineCase {
        let mut declarations = format!(".entry k() {{ .reg .{} %d;", register(self.to).0);
        let (mut inputs, mut line) = (Vec::new(), format!("{} %d", self.instruction));
        for (at, of) in self.from.iter().enumerate() {
            let (name, bits) = register(of);
            declarations += &format!(" .reg .{name} %s{at};");
            line += &format!(", %s{at}");
            inputs.push(format!(r#"{{ "register": "%s{at}", "bits": {bits}, "holds": "bits" }}"#));
        }
        let json = format!(
            r#"{{ "ptx": "8.6", "target": "sm_90", "declarations": "{declarations}", "line": "{line};", "inputs": [{}],
                 "outputs": [{{ "register": "%d", "bits": {} }}], "rows": [] }}"#,
            inputs.join(","),
            register(self.to).1
        );
        serde_json::from_str(&json).expect("a case")
    }
}

fn spec() -> Spec {
    Spec::load(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs"))).expect("the specification is sound")
}

fn expected(prepared: &model::Prepared<'_>, row: &[u128]) -> ExpectedValue {
    match prepared.expect(row).allowed {
        Allowed::Only(Ending::Returns(effect)) => effect.registers()[0],
        other => panic!("{other:?}"),
    }
}

#[test]
#[ignore = "development"]
fn rows() {
    let spec = spec();
    let text = std::fs::read_to_string("/work/gpu2/rows.txt").expect("the file");
    let (mut fine, mut lacking) = (0, 0);
    for of in measured(&text) {
        let case = of.case();
        let prepared = match model::prepare(&spec, &case) {
            Ok(prepared) => prepared,
            Err(why) => {
                println!("LACKS {}: {why}", of.instruction);
                lacking += 1;
                continue;
            }
        };
        let mut wrong = Vec::new();
        for (row, result) in of.results.iter().enumerate() {
            let sources: Vec<u128> =
                of.from.iter().enumerate().map(|(at, of)| word(row as u64, at as u64, of).into()).collect();
            let expected = expected(&prepared, &sources);
            if expected.wrong(u128::from(*result)) != 0 {
                wrong.push((sources, expected.example(), *result));
            }
        }
        if wrong.is_empty() {
            fine += 1;
            continue;
        }
        println!("WRONG {}: {} of {}", of.instruction, wrong.len(), of.results.len());
        for (sources, expected, result) in wrong.iter().take(4) {
            println!("   {sources:x?}: {expected:x}, but the GPU {result:x}");
        }
    }
    println!("{fine} agree, {lacking} lack semantics");
}

#[test]
#[ignore = "development"]
fn walks() {
    let spec = spec();
    let text = std::fs::read_to_string("/work/gpu2/walks.txt").expect("the file");
    let only = std::env::var("ONLY").unwrap_or_default();
    let blocks: Vec<usize> = std::env::var("BLOCKS").map_or(vec![0, 127, 150, 255, 370], |blocks| {
        blocks.split(',').map(|block| block.parse().expect("a number")).collect()
    });
    let fine = AtomicUsize::new(0);
    for of in measured(&text).iter().filter(|of| of.instruction.contains(&only)) {
        let case = of.case();
        let prepared = match model::prepare(&spec, &case) {
            Ok(prepared) => prepared,
            Err(why) => {
                println!("LACKS {}: {why}", of.instruction);
                continue;
            }
        };
        let bits = register(of.from[0]).1;
        let per: u64 = if bits == 32 { 1 << 23 } else { 1 << 7 };
        let blocks = if bits == 32 { blocks.clone() } else { (0..512).collect() };
        let (mut wrong, mut inexact) = (Vec::new(), 0_u64);
        for block in blocks {
            let mut hash = 0_u64;
            let mut open = false;
            for x in block as u64 * per..(block as u64 + 1) * per {
                let expected = expected(&prepared, &[x.into()]);
                open |= expected.only().is_none();
                hash = hash
                    .wrapping_add(mix(x.wrapping_mul(0xd6e8_feb8_6659_fd93).wrapping_add(expected.example() as u64)));
            }
            if hash != of.results[block] {
                if open { inexact += 1 } else { wrong.push(block) }
            }
        }
        match wrong.is_empty() {
            true => {
                fine.fetch_add(1, Ordering::Relaxed);
                if inexact > 0 {
                    println!("open {}: {inexact} blocks with several allowed values", of.instruction);
                }
            }
            false => println!("WRONG {}: blocks {wrong:x?}", of.instruction),
        }
    }
    println!("{} agree", fine.into_inner());
}
