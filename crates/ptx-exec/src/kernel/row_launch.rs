//! A row as a launch of one thread, which anything that executes whole modules can execute.

use super::launch::{Kernel, Parameter, returned};
use crate::kernel_case::{KernelArgument, KernelBuffer, KernelLaunch, KernelResult};
use crate::line_case::{LineCase, Returned};

/// The names of the buffers.
const ROWS: &str = "rows";
const RESULTS: &str = "results";
const MARKS: &str = "marks";
/// The size of a mark in bytes.
const MARK: usize = 4;
/// The mark of a thread that came to the end of its row.
const ENDED: u8 = 2;

/// A row of a kernel as a launch by itself: the buffers that it needs, and the launch.
///
/// # Errors
/// If it needs more than buffers: says what.
pub fn row_launch(kernel: &Kernel, row: usize) -> Result<(Vec<KernelBuffer>, KernelLaunch), String> {
    if kernel.surface.is_some() {
        return Err("a launch of a whole module has no surfaces".to_owned());
    }
    let start = row.saturating_mul(kernel.row_bytes);
    let record = kernel.rows.get(start..start.saturating_add(kernel.row_bytes));
    let record = record.ok_or_else(|| format!("the kernel has no row {row}"))?;
    let buffer = |name: &str, data: Vec<u8>| KernelBuffer { name: name.to_owned(), data };
    let number = |number: u32| KernelArgument::Bytes(number.to_le_bytes().to_vec());
    let argument = |parameter: &Parameter| match parameter {
        Parameter::Bytes(bytes) => KernelArgument::Bytes(bytes.clone()),
        Parameter::Rows => KernelArgument::Address(ROWS.to_owned()),
        Parameter::Results => KernelArgument::Address(RESULTS.to_owned()),
        Parameter::Marks => KernelArgument::Address(MARKS.to_owned()),
        Parameter::First => number(0),
        Parameter::Count => number(1),
    };
    let launch = KernelLaunch {
        entry: kernel.entry.clone(),
        grid: [1; 3],
        block: [1; 3],
        arguments: kernel.parameters.iter().map(argument).collect(),
    };
    let results = vec![0; kernel.result_bytes];
    Ok((vec![buffer(ROWS, record.to_vec()), buffer(RESULTS, results), buffer(MARKS, vec![0; MARK])], launch))
}

/// The result of a row, from that of its launch.
///
/// # Errors
/// If its thread did not come to its end, or its results have another size.
pub fn row_result(kernel: &Kernel, case: &LineCase, of_launch: &KernelResult) -> Result<Returned, String> {
    // Buffers that did not change are absent, and all of them begin as zeros.
    let mark = of_launch.buffers.get(MARKS).and_then(|marks| marks.first()).unwrap_or(&0);
    if *mark != ENDED {
        return Err(format!("the thread returned before the end of its row (mark {mark})"));
    }
    let zeros = vec![0; kernel.result_bytes];
    let [results, undefined] = [&of_launch.buffers, &of_launch.undefined].map(|of| of.get(RESULTS).unwrap_or(&zeros));
    if [results, undefined].iter().any(|of| of.len() != kernel.result_bytes) {
        return Err(format!("the results of a row have {} bytes", kernel.result_bytes));
    }
    Ok(returned(kernel, case, results, undefined))
}
