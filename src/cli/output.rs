//! The output of commands: results to stdout, everything else to stderr.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

/// Writes to stdout. A closed pipe is not an error: the reader may have seen enough.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// For commands that only write: they succeed if the reader closes the pipe.
pub(crate) fn until_closed(written: io::Result<()>) -> anyhow::Result<ExitCode> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Writes a line to stderr. Errors are ignored: there is nowhere else to report them.
pub(crate) fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// True if a stream takes colours.
pub(crate) fn color(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty())
}

/// A text from a file without the characters that control a terminal.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}
