//! The words of a check that finds something wrong.

use super::super::process::quoted;

/// How much of what was sent is shown.
const SENT: usize = 400;

/// The result of a check: the fault, if there is one.
pub(super) type Checked = Result<(), String>;

/// A fault in the words of a check.
pub(super) fn wrong(sent: &[u8], came: &str, should: &str) -> String {
    let (sent, came) = (quoted(sent, SENT), came.replace('\n', "; "));
    format!("sent {sent}; got: {came}; expected: {should}")
}

/// Checks that an engine answered the same twice.
pub(super) fn same(what: &str, first: &[&str], second: &[&str], should: &str) -> Checked {
    if first == second {
        return Ok(());
    }
    Err(wrong(what.as_bytes(), &format!("{first:?}, then {second:?}"), should))
}
