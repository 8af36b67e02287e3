//! Counts in sentences: `1 mismatch`, `2 mismatches`.

use std::fmt::Display;

/// A count and what is counted, in one number or the other. `what` is its name for one; its last word is counted.
///
/// ```
/// use ptx_spec::plural::counted;
///
/// assert_eq!(counted(1_u64, "mismatch"), "1 mismatch");
/// assert_eq!(counted(0_usize, "listed divergence"), "0 listed divergences");
/// ```
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    let what = noun(&count, what);
    format!("{count} {what}")
}

/// The name of what is counted, as it follows this count.
pub fn noun<N: PartialEq + From<u8>>(count: &N, what: &str) -> String {
    let ending = match what {
        _ if *count == N::from(1) => "",
        what if what.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{what}{ending}")
}
