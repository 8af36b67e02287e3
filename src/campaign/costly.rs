//! Lines that cost processes of their own, because a divergence lists them as killing the engine, or as refused only
//! when code is generated. A few of each task are asked about.

use std::collections::BTreeMap;

use super::tally::Tally;

/// The most lines of a task that are asked about for each divergence.
const ASKED: usize = 4;

/// How many costly lines of a task are asked about, by divergence.
#[derive(Default)]
pub(super) struct CostlyLines<'a> {
    asked: BTreeMap<&'a str, usize>,
}

impl<'a> CostlyLines<'a> {
    /// Counts a line that this divergence lists.
    ///
    /// # Errors
    /// With the reason, if enough of them are asked about; the line is then counted as skipped.
    pub(super) fn admit(&mut self, divergence: &'a str, tally: &mut Tally) -> Result<(), String> {
        let asked = self.asked.entry(divergence).or_default();
        if *asked == ASKED {
            let reason = format!("listed as `{divergence}`: only {ASKED} such lines of each task are asked about");
            *tally.skipped.entry(reason.clone()).or_default() += 1;
            return Err(reason);
        }
        *asked += 1;
        Ok(())
    }
}
