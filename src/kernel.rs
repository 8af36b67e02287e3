//! Kernels: executed cases as PTX modules, with all that an engine must know to launch them.
//!
//! A module has one entry for each case. A thread of it executes the line once, for one row: it
//! loads the row's inputs from a record, marks that it begins, executes the line, stores every
//! register that the line writes, and marks that it ended.

mod declared;
mod record;
mod thread;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::environment::{AddressSize, Target, Version};
use crate::execution::{Execution, Output, hex};
use crate::ptx::Scaffold;

use thread::Names;

/// A kernel: the entry of a module that executes the rows of one case, and what it works on.
///
/// Each launch executes the rows `first..first + count`, one thread each: thread `i` of the launch
/// (counted over blocks of one dimension) executes row `first + i`, and does nothing from `count` on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// The name of the entry.
    pub entry: String,
    /// What the parameters of the entry are, in order.
    pub parameters: Vec<Parameter>,
    /// The size of a row's record in bytes.
    pub row_bytes: usize,
    /// The records of all rows.
    #[serde(with = "hex")]
    pub rows: Vec<u8>,
    /// The size of a row's results in bytes.
    pub result_bytes: usize,
    /// Where in a row's results each output of the case stands, little-endian.
    pub results: Vec<Place>,
    /// How the line gets at the surface; none where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<Bound>,
}

/// What a parameter of an entry is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parameter {
    /// These bytes.
    Bytes(#[serde(with = "hex")] Vec<u8>),
    /// The address of the records of all rows, 64 bits.
    Rows,
    /// The address of the results of all rows, 64 bits. They hold anything before.
    Results,
    /// The address of the marks, 64 bits: for each row 32 bits, which are 0 before; the thread
    /// stores 1 before the line and 2 behind it.
    Marks,
    /// The first row of the launch, 32 bits.
    First,
    /// The number of rows of the launch, 32 bits.
    Count,
}

/// Where something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The first byte.
    pub at: usize,
    /// How many there are: 1, 2, 4, 8 or 16.
    pub bytes: usize,
}

/// How a line gets at the surface of its case.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// Whether the line can change the surface: each row then has a copy of its own, which is read
    /// back.
    pub private: bool,
    /// Where in a row's record the handle is to be put, 64 bits. The entry gets it as a surface object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle_at: Option<usize>,
    /// The `.surfref` variable that it is to be bound to. With private copies each row is launched
    /// alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
}

/// How many entries a module has at most.
const ENTRIES: usize = 128;

/// One module with an entry for each case: its text, and for each case its kernel, or why it cannot
/// be executed. The entries are `k0`, `k1` and so on, unless a case has such names itself.
///
/// The cases share their environment and what their declarations have at module scope, contents
/// included, as those of one of the [`batches`] do. A case that does not share them with those
/// before it has no entry.
///
/// A line names one surface at most, so an entry never has more than the 32 of them that `ptxas`
/// allows it.
pub fn module(cases: &[&Execution]) -> (String, Vec<Result<Kernel, String>>) {
    let names = names(cases);
    let mut text = String::new();
    let mut first: Option<Shared> = None;
    let mut kernels = Vec::with_capacity(cases.len());
    for (at, case) in cases.iter().enumerate() {
        let scaffold = scaffold(case);
        let kernel = shared(case, &scaffold).and_then(|shared| {
            if first.as_ref().is_some_and(|first| *first != shared) {
                return Err("its environment or module scope is another than that of the module".to_owned());
            }
            let (entry, kernel) = thread::entry(case, &scaffold, at, &names)?;
            if first.is_none() {
                text = start(&shared, &names);
                first = Some(shared);
            }
            text.push_str(&entry);
            Ok(kernel)
        });
        kernels.push(kernel);
    }
    (text, kernels)
}

/// Groups the positions of cases such that each group can share a module.
pub fn batches(cases: &[Execution]) -> Vec<Vec<usize>> {
    let mut groups: FxHashMap<Option<Shared>, Vec<usize>> = FxHashMap::default();
    for (at, case) in cases.iter().enumerate() {
        // Those without an entry do not mind where they are.
        groups.entry(shared(case, &scaffold(case)).ok()).or_default().push(at);
    }
    let mut batches: Vec<Vec<usize>> = groups
        .into_values()
        .flat_map(|group| group.chunks(ENTRIES).map(<[usize]>::to_vec).collect::<Vec<_>>())
        .collect();
    batches.sort_unstable();
    batches
}

/// What the outputs of a row hold, out of the results of all rows. Empty where the results do not
/// reach as far as that row's.
pub fn decode(kernel: &Kernel, case: &Execution, results: &[u8], row: usize) -> Vec<u128> {
    let start = row.saturating_mul(kernel.result_bytes);
    let Some(results) = results.get(start..start.saturating_add(kernel.result_bytes)) else { return Vec::new() };
    let number = |(place, output): (&Place, &Output)| {
        let bytes = results.get(place.at..place.at.checked_add(place.bytes)?)?;
        let number = bytes.iter().rev().fold(0, |number, byte| number << 8 | u128::from(*byte));
        Some(if output.bits == 1 { number & 1 } else { number })
    };
    kernel.results.iter().zip(&case.outputs).map(number).collect::<Option<_>>().unwrap_or_default()
}

/// What the cases of a module have in common: PTX version, target, and the text at module scope.
type Shared = (Version, Target, String);

fn shared(case: &Execution, scaffold: &Scaffold) -> Result<Shared, String> {
    if case.ptx < AddressSize::SINCE {
        return Err(format!("addresses of PTX {} have 32 bits", case.ptx));
    }
    thread::globals(case, scaffold).map(|globals| (case.ptx, case.target, globals))
}

fn scaffold(case: &Execution) -> Scaffold {
    Scaffold::from_declarations(&declared::without_comments(&case.declarations))
}

/// Directives, and what the entries have in common.
fn start((ptx, target, globals): &Shared, names: &Names) -> String {
    let size = AddressSize::Bits64;
    let own = &names.own;
    // The outputs are set from it: it may be changed from outside, as far as an assembler knows.
    let zero = format!(".visible .global .align 16 .b8 {own}zero[16];");
    format!(".version {ptx}\n.target {target}\n.address_size {size}\n{globals}{zero}\n")
}

/// Names that no case has.
fn names(cases: &[&Execution]) -> Names {
    let texts = cases.iter().flat_map(|case| [&case.declarations, &case.line]);
    let words: FxHashSet<&str> =
        texts.flat_map(|text| text.split(|c: char| !u8::try_from(c).is_ok_and(declared::in_name))).collect();
    let numbered = |name: &str| {
        let digits = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
        words.iter().any(|word| word.strip_prefix(name).is_some_and(digits))
    };
    let begun = |name: &str| words.iter().any(|word| word.trim_start_matches('%').starts_with(name));
    let (mut entry, mut own) = ("k".to_owned(), "conform_".to_owned());
    while numbered(&entry) {
        entry.push('k');
    }
    while begun(&own) {
        own.push('_');
    }
    Names { entry, own }
}
