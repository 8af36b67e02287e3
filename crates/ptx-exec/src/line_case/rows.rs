//! The values of the inputs of a line case.

use serde::{Deserialize, Serialize};

use crate::hex;

/// The values of the inputs, row by row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rows {
    /// The number of inputs.
    width: usize,
    count: usize,
    values: Vec<u128>,
}

impl Rows {
    /// No rows yet, each with this many inputs.
    pub fn new(width: usize) -> Self {
        Self { width, ..Self::default() }
    }

    /// Adds a row: a value for each input.
    #[track_caller]
    pub fn push(&mut self, row: &[u128]) {
        assert_eq!(row.len(), self.width, "a row has a value for each input");
        self.values.extend(row);
        self.count += 1;
    }

    /// The number of them.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True if it is empty.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The number of inputs.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The row at a position that there is.
    #[track_caller]
    #[inline]
    pub fn row(&self, at: usize) -> &[u128] {
        assert!(at < self.count, "row {at} of {}", self.count);
        &self.values[at * self.width..(at + 1) * self.width]
    }

    /// All rows in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u128]> {
        (0..self.count).map(|at| self.row(at))
    }
}

/// Rows are lists of hexadecimal numbers.
impl Serialize for Rows {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter().map(hex::Numbers))
    }
}

impl<'de> Deserialize<'de> for Rows {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let rows: Vec<hex::Owned> = Vec::deserialize(from)?;
        let mut read = Self::new(rows.first().map_or(0, |row| row.0.len()));
        for (at, row) in rows.iter().enumerate() {
            if row.0.len() != read.width {
                let message = format!("row {at} has {} values, but the first row has {}", row.0.len(), read.width);
                return Err(serde::de::Error::custom(message));
            }
            read.push(&row.0);
        }
        Ok(read)
    }
}
