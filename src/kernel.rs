//! Kernels: executed cases as PTX modules, with all that an engine must know to launch them.
//!
//! A module has one entry for each case. A thread of it executes the line once, for one row: it
//! loads the row's inputs from a record, marks that it begins, executes the line, stores every
//! register that the line writes, and marks that it ended.

use serde::{Deserialize, Serialize};

use crate::execution::hex;

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
