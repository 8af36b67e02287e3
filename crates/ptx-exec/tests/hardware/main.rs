//! The model on the inputs that a GPU was given: `corpus/floats/` has what an H100 computed of 65,536 rows for each of nine
//! hundred lines of float instructions, as hashes, and some results of approximate ones.

mod inputs;
mod measured;

use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use ptx_exec::model::{self, Allowed, Ending, ExpectedValue, Prepared};
use ptx_spec::spec::Spec;

use inputs::{mix, sampled, word};
use measured::{MeasuredLine, canonical};

/// The rows of a line, and of a hash.
const ROWS: (u64, u64) = (1 << 16, 1 << 13);
/// The hashes of a line.
const CHUNKS: u64 = ROWS.0 / ROWS.1;

static SPEC: LazyLock<Spec> = LazyLock::new(|| {
    Spec::load(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs"))).expect("the specification is sound")
});

fn corpus(name: &str) -> String {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/floats")).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// What the model expects of the result of a row.
fn expected(prepared: &Prepared<'_>, row: &[u128]) -> ExpectedValue {
    match prepared.expect(row).allowed {
        Allowed::Only(Ending::Returns(effect)) => effect.registers()[0],
        other => panic!("{other:?}"),
    }
}

/// The inputs of a row.
fn inputs(line: &MeasuredLine<'_>, row: u64) -> Vec<u128> {
    let input = |(source, of): (usize, &&str)| match line.is_unary() {
        true => sampled(row, of).into(),
        false => word(row, source as u64, of).into(),
    };
    line.from.iter().enumerate().map(input).collect()
}

/// The first chunk of rows whose hash differs, if one does. Of several allowed results, one is compared, with the canonical
/// NaN for each NaN.
fn first_difference(line: &MeasuredLine<'_>, prepared: &Prepared<'_>, mut chunks: Range<u64>) -> Option<u64> {
    chunks.find(|chunk| {
        let hash = (chunk * ROWS.1..(chunk + 1) * ROWS.1).fold(0_u64, |hash, row| {
            let result = canonical(expected(prepared, &inputs(line, row)).example(), line.to);
            hash.wrapping_add(mix(row.wrapping_mul(0xd6e8_feb8_6659_fd93).wrapping_add(result)))
        });
        hash != line.results[*chunk as usize]
    })
}

/// Calls a function for each of some items, in several threads, and collects what it complains about.
fn each<T: Sync>(items: &[T], check: impl Fn(&T) -> Option<String> + Sync) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut complaints = Vec::new();
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            complaints.extend(check(item));
        }
        complaints
    };
    thread::scope(|scope| {
        let threads: Vec<_> =
            (0..thread::available_parallelism().map_or(1, usize::from)).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    })
}

/// One hash of each line, another one of the next.
#[test]
fn exact_lines_are_what_an_h100_computes() {
    compare_exact(|at| at % CHUNKS..at % CHUNKS + 1);
}

/// All hashes.
#[test]
#[ignore = "60 million rows take a minute"]
fn exact_lines_are_what_an_h100_computes_in_all_rows() {
    compare_exact(|_| 0..CHUNKS);
}

fn compare_exact(chunks: impl Fn(u64) -> Range<u64> + Sync) {
    let text = corpus("h100-hashes.txt");
    let lines: Vec<(u64, MeasuredLine<'_>)> = (0..).zip(MeasuredLine::all(&text)).collect();
    let wrong = each(&lines, |(at, line)| {
        let case = line.case();
        let prepared = match model::prepare(&SPEC, &case) {
            Ok(prepared) => prepared,
            Err(why) => return Some(format!("{}: {why}", line.instruction)),
        };
        let chunk = first_difference(line, &prepared, chunks(*at))?;
        let row = chunk * ROWS.1;
        let given = inputs(line, row);
        Some(format!(
            "{}: a row from {row} to {} differs; the first has {given:x?} and is {:x} here",
            line.instruction,
            row + ROWS.1 - 1,
            expected(&prepared, &given).example()
        ))
    });
    assert!(lines.len() > 850, "only {} lines", lines.len());
    assert!(wrong.is_empty(), "{} of {} lines differ:\n{}", wrong.len(), lines.len(), wrong.join("\n"));
}

#[test]
fn approximate_results_of_an_h100_are_within_the_bounds() {
    let text = corpus("h100-approximate.txt");
    let lines = MeasuredLine::all(&text);
    let wrong = each(&lines, |line| {
        let case = line.case();
        let prepared = match model::prepare(&SPEC, &case) {
            Ok(prepared) => prepared,
            Err(why) => return Some(format!("{}: {why}", line.instruction)),
        };
        line.results.iter().enumerate().find_map(|(at, result)| {
            // Every 64th row was kept.
            let given = inputs(line, at as u64 * 64);
            let expected = expected(&prepared, &given);
            let is_wrong = expected.wrong(u128::from(*result)) != 0;
            is_wrong.then(|| format!("{} of {given:x?}: {result:x}, but {expected:x?}", line.instruction))
        })
    });
    assert!(lines.len() >= 30, "only {} lines", lines.len());
    assert!(wrong.is_empty(), "{} of {} lines differ:\n{}", wrong.len(), lines.len(), wrong.join("\n"));
}
