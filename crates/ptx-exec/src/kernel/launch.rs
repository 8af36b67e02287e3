//! Launches of kernels: parameters, grids, and the meaning of results.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::hex;
use crate::line_case::{LineCase, Output, Returned, UndefinedBits};
use ptx_spec::must::Must as _;

/// A kernel: the entry of a module that executes the rows of one case, and what it works on.
///
/// Each launch executes the rows `first..first + count`, one thread each: thread `i` of the launch
/// (counted over blocks of one dimension) executes row `first + i`, and does nothing from `count` on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// The name of the entry.
    pub entry: String,
    /// The parameters of the entry, in order.
    pub parameters: Vec<Parameter>,
    /// The size of a row's record in bytes.
    pub row_bytes: usize,
    /// The records of all rows, aligned to 16 bytes.
    #[serde(with = "hex")]
    pub rows: Vec<u8>,
    /// The size of a row's results in bytes.
    pub result_bytes: usize,
    /// The position of each output of the case in a row's results, little-endian.
    pub results: Vec<Place>,
    /// The variables that the line may write, as they are after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<Observed>,
    /// True if rows change what others see, so that each is launched by itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub single: bool,
    /// How the line accesses the surface, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<Bound>,
}

/// A parameter of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parameter {
    /// These bytes.
    Bytes(#[serde(with = "hex")] Vec<u8>),
    /// The address of the records of all rows, 64 bits.
    Rows,
    /// The address of the results of all rows, 64 bits: a multiple of 16. Their initial contents do not
    /// matter.
    Results,
    /// The address of the marks, 64 bits: for each row 32 bits, which are 0 before; the thread stores 1
    /// before the line and 2 after it.
    Marks,
    /// The first row of the launch, 32 bits.
    First,
    /// The number of rows of the launch, 32 bits.
    Count,
}

/// A position in a record or in results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The first byte.
    pub at: usize,
    /// The number of bytes: 1, 2, 4, 8 or 16.
    pub bytes: usize,
}

/// A variable that is read back.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observed {
    /// Its name in the case.
    pub name: String,
    /// The position of its bytes in a row's results.
    pub at: usize,
    /// The number of them.
    pub bytes: usize,
}

/// How a line accesses the surface of its case.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// True if the line can change the surface. If so, each row has its own copy, which is read back.
    pub private: bool,
    /// Where to store the 64-bit handle in a row's record. The entry gets it as a surface object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle_at: Option<usize>,
    /// The `.surfref` variable to bind it to. With private copies, each row is launched alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
}

/// The outputs of a row, read from the results of all rows. Empty if the results end before that row's.
pub fn decode(kernel: &Kernel, case: &LineCase, results: &[u8], row: usize) -> Vec<u128> {
    let start = row.saturating_mul(kernel.result_bytes);
    let Some(results) = results.get(start..start.saturating_add(kernel.result_bytes)) else { return Vec::new() };
    let number = |(place, output): (&Place, &Output)| {
        let number = place.number(results)?;
        Some(if output.bits == 1 { number & 1 } else { number })
    };
    // An answer without registers is refused where it is checked.
    kernel.results.iter().zip(&case.outputs).map(number).collect::<Option<_>>().unwrap_or_default()
}

/// The variables that a row changed, read from the results of all rows.
pub fn changed(kernel: &Kernel, case: &LineCase, results: &[u8], row: usize) -> BTreeMap<String, Vec<u8>> {
    let start = row.saturating_mul(kernel.result_bytes);
    let Some(results) = results.get(start..start.saturating_add(kernel.result_bytes)) else { return BTreeMap::new() };
    let held = |observed: &Observed| {
        let after = results.get(observed.at..observed.at.checked_add(observed.bytes)?)?;
        let before = &case.variable(&observed.name)?.data;
        (after != *before).then(|| (observed.name.clone(), after.to_vec()))
    };
    kernel.variables.iter().filter_map(held).collect()
}

/// The reason why results have all places of their kernel.
const PLACES: &str = "the results of a row have the size that its kernel says";

/// The result of a row but for its surface, from the row's own results and their undefined bits, each of `result_bytes` bytes.
pub fn returned(kernel: &Kernel, case: &LineCase, results: &[u8], undefined: &[u8]) -> Returned {
    let mut bits = UndefinedBits { registers: decode(kernel, case, undefined, 0), ..UndefinedBits::default() };
    for observed in &kernel.variables {
        let of_variable = undefined.get(observed.at..observed.at.saturating_add(observed.bytes)).must(PLACES);
        if of_variable.iter().any(|bits| *bits != 0) {
            bits.variables.insert(observed.name.clone(), of_variable.to_vec());
        }
    }
    let none = bits.registers.iter().all(|bits| *bits == 0) && bits.variables.is_empty();
    Returned {
        registers: decode(kernel, case, results, 0),
        surface: None,
        variables: changed(kernel, case, results, 0),
        undefined: (!none).then(|| Box::new(bits)),
    }
}

impl Place {
    /// The number at a position, little-endian; none if the results end before it.
    fn number(self, results: &[u8]) -> Option<u128> {
        let bytes = results.get(self.at..self.at.checked_add(self.bytes)?)?;
        Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u128::from(*byte)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_little_endian() {
        let results = [1, 2, 3, 4, 5, 6, 7, 8];
        assert_eq!(Place { at: 2, bytes: 4 }.number(&results), Some(0x0605_0403));
        assert_eq!(Place { at: 0, bytes: 16 }.number(&results), None);
    }
}
