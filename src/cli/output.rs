//! What commands write: results to stdout, everything else to stderr.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

/// Writes to stdout. Whoever reads it may have seen enough: the exit code does not depend on that.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// For commands that only write: they end where nobody reads any more.
pub(crate) fn until_closed(written: io::Result<()>) -> anyhow::Result<ExitCode> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Writes a line to stderr. Where that is closed there is nobody to tell.
pub(crate) fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Whether colours are wanted on a stream.
pub(crate) fn color(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty())
}

/// `1 error`, `2 errors`
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
