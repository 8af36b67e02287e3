//! A batch of items that an engine is asked about: lines, rows, or launches.

use std::ops::Range;

use super::process::EngineFault;
use crate::protocol::Response;

/// Items to ask about, and their answers.
pub(super) trait Work {
    /// The answers to the whole batch.
    type Answers;
    /// `line`, `row` or `case`
    const ITEM: &'static str;
    /// How many lines or rows take as long as an item.
    fn weight(&self) -> u32 {
        1
    }
    /// The initial requests, each of at most `most` items, in order.
    fn requests(&self, most: usize) -> Vec<Range<usize>>;
    /// The line to send; none if nothing is left to ask about these items.
    fn send(&mut self, id: u64, items: &Range<usize>) -> Option<Vec<u8>>;
    /// Where to split items that the engine answered with an error; none if they cannot be split.
    fn part(&self, items: &Range<usize>) -> Option<usize>;
    /// Stores the answers to the last request.
    fn take(&mut self, response: Response) -> Result<(), String>;
    /// An item failed alone.
    fn blame(&mut self, item: usize, fault: &EngineFault);
    /// Marks items as skipped, with the reason; returns how many of them had no answer yet.
    fn skip(&mut self, items: Range<usize>, why: &str) -> usize;
    fn answers(self) -> Self::Answers;
}

/// The middle of a range.
pub(super) fn middle(items: &Range<usize>) -> usize {
    items.start + items.len() / 2
}
