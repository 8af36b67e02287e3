//! The releases as tables: for reading, as Markdown, and for spreadsheets.

use super::{CudaRelease, ReleaseSource, ReleaseTable};
use crate::environment::{Suffix, Target};

/// The columns.
const COLUMNS: [&str; 8] =
    ["CUDA", "PTX", "driver", "new in .target", "ptxas", "code for", "code now also for", "code no longer for"];

/// The text that stands where nothing is known, as opposed to none.
const UNKNOWN: &str = "?";

impl ReleaseTable {
    /// The header, and a row of cells for each release, newest first.
    pub fn cells(&self) -> Vec<[String; 8]> {
        let rows = self.releases.iter().rev().map(CudaRelease::cells);
        std::iter::once(COLUMNS.map(str::to_owned)).chain(rows).collect()
    }

    /// The table in Markdown.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let mut rows = self.cells().into_iter();
        let header = rows.next().unwrap_or_default();
        let ruler = COLUMNS.map(|_| "---".to_owned());
        let body: String = rows.map(|row| line(&row)).collect();
        line(&header) + &line(&ruler) + &body
    }

    /// The table for spreadsheets: RFC 4180. No cell needs quotes.
    pub fn csv(&self) -> String {
        self.cells().iter().map(|row| format!("{}\r\n", row.join(","))).collect()
    }
}

impl CudaRelease {
    fn cells(&self) -> [String; 8] {
        let newest = self.builds.last();
        let observed = |text: String| if newest.is_some() { text } else { UNKNOWN.to_owned() };
        let ptx = match self.ptx_by {
            ReleaseSource::Manual => self.ptx.to_string(),
            ReleaseSource::Observed => format!("{} (observed)", self.ptx),
        };
        let builds: Vec<&str> = self.builds.iter().map(|build| build.ptxas.as_str()).collect();
        [
            self.cuda.clone().unwrap_or_default(),
            ptx,
            self.driver.map_or_else(|| UNKNOWN.to_owned(), |driver| format!("r{driver}")),
            shortened(&self.new_targets),
            observed(builds.join(" ")),
            observed(newest.map(|build| span(&build.code)).unwrap_or_default()),
            observed(shortened(&self.code_added)),
            observed(shortened(&self.code_removed)),
        ]
    }
}

/// The first and the last target by number, and how many there are.
fn span(targets: &[Target]) -> String {
    let plain = || targets.iter().filter(|target| target.suffix == Suffix::Plain);
    match (plain().min_by_key(|target| target.sm), plain().max_by_key(|target| target.sm)) {
        (Some(first), Some(last)) => format!("{first} to {last} ({})", targets.len()),
        _ => shortened(targets),
    }
}

/// Targets with those of one number together: `sm_100 (a f)`.
fn shortened(targets: &[Target]) -> String {
    let mut numbers: Vec<u16> = targets.iter().map(|target| target.sm).collect();
    numbers.dedup();
    let of_number = |number: u16| {
        let of = |suffix: Suffix| targets.iter().find(|target| target.sm == number && target.suffix == suffix);
        let suffixed: Vec<&Target> = [Suffix::Exact, Suffix::Family].into_iter().filter_map(of).collect();
        match of(Suffix::Plain) {
            Some(plain) if suffixed.is_empty() => plain.to_string(),
            Some(plain) => {
                let letters = suffixed.iter().map(|target| target.number().replace(char::is_numeric, ""));
                format!("{plain} ({})", letters.collect::<Vec<_>>().join(" "))
            }
            None => suffixed.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        }
    };
    numbers.into_iter().map(of_number).collect::<Vec<_>>().join(" ")
}
