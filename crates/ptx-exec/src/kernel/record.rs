//! The layout of inputs in a row's record, and of outputs in its results.

use super::filled::WIDEST;
use super::launch::{Observed, Place};
use crate::line_case::{Holds, LineCase};

/// Positions one after another, each at a multiple of its size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct RecordLayout {
    used: usize,
    /// The size of the largest.
    largest: usize,
}

impl RecordLayout {
    fn place(&mut self, bytes: usize) -> Place {
        let at = self.used.next_multiple_of(bytes);
        self.used = at + bytes;
        self.largest = self.largest.max(bytes);
        Place { at, bytes }
    }

    /// Bytes that are copied word by word.
    fn bytes(&mut self, count: usize) -> usize {
        let at = self.used.next_multiple_of(WIDEST);
        self.used = at + count;
        at
    }

    /// The total size: a multiple of each size and of 8, and never 0.
    fn size(&self) -> usize {
        self.used.max(1).next_multiple_of(self.largest.max(8))
    }
}

/// How many bytes a register takes.
fn bytes(register: &str, bits: u16) -> Result<usize, String> {
    match bits {
        1 | 8 => Ok(1),
        16 | 32 | 64 | 128 => Ok(usize::from(bits / 8)),
        _ => Err(format!("`{register}` has {bits} bits, which no register has")),
    }
}

/// The results of a row.
pub(super) struct ResultLayout {
    /// The position of each output.
    pub(super) outputs: Vec<Place>,
    /// The variables that are read back.
    pub(super) variables: Vec<Observed>,
    /// The size of a row's results.
    pub(super) size: usize,
}

/// The layout of the outputs and of the variables that are read back.
///
/// # Errors
/// If an output is not a register.
pub(super) fn results(case: &LineCase, observed: &[&str]) -> Result<ResultLayout, String> {
    let mut layout = RecordLayout::default();
    let mut place = |bits, register: &str| bytes(register, bits).map(|bytes| layout.place(bytes));
    let places: Result<Vec<Place>, String> =
        case.outputs.iter().map(|output| place(output.bits, &output.register)).collect();
    let outputs = places?;
    let variable = |name: &&str| {
        let bytes = case.variable(name).map_or(0, |variable| variable.data.len());
        Observed { name: (*name).to_owned(), at: layout.bytes(bytes), bytes }
    };
    let variables = observed.iter().map(variable).collect();
    Ok(ResultLayout { outputs, variables, size: layout.size() })
}

/// The records of all rows.
pub(super) struct Records {
    /// The position of each input; none for the cache policy, which the thread makes.
    pub(super) places: Vec<Option<Place>>,
    /// The position of the surface's handle.
    pub(super) handle_at: Option<usize>,
    pub(super) row_bytes: usize,
    pub(super) rows: Vec<u8>,
}

/// Lays out the inputs. Those that hold the surface share one position; that of an address has its 64-bit
/// offset.
///
/// # Errors
/// If an input is not a register, or the rows have other inputs.
pub(super) fn records(case: &LineCase) -> Result<Records, String> {
    let (inputs, width) = (case.inputs.len(), case.rows.width());
    if inputs != width {
        return Err(format!("the rows have {width} values, but there are {inputs} inputs"));
    }
    let mut layout = RecordLayout::default();
    let mut handle = None;
    let mut places = Vec::with_capacity(inputs);
    for input in &case.inputs {
        let bytes = bytes(&input.register, input.bits)?;
        places.push(match input.holds {
            Holds::Policy => None,
            Holds::Bits => Some(layout.place(bytes)),
            Holds::Surface if bytes == 8 => Some(*handle.get_or_insert_with(|| layout.place(8))),
            Holds::Surface => return Err(format!("`{}` has no 64 bits for the surface", input.register)),
            Holds::Address { .. } if bytes == 8 || bytes == 4 => Some(layout.place(8)),
            Holds::Address { .. } => return Err(format!("`{}` has no 32 or 64 bits for an address", input.register)),
        });
    }
    let row_bytes = layout.size();
    let mut rows = vec![0; row_bytes * case.rows.len()];
    for (record, values) in rows.chunks_exact_mut(row_bytes).zip(case.rows.iter()) {
        for ((place, input), value) in places.iter().zip(&case.inputs).zip(values) {
            if let Some(place) = place.filter(|_| input.holds != Holds::Surface) {
                let value = if input.bits == 1 { value & 1 } else { *value };
                record[place.at..place.at + place.bytes].copy_from_slice(&value.to_le_bytes()[..place.bytes]);
            }
        }
    }
    Ok(Records { places, handle_at: handle.map(|place| place.at), row_bytes, rows })
}
