//! The output of commands: results to stdout, everything else to stderr.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use anyhow::Context as _;

use ptx_conform::engine::words::{visible, visible_in_json};

/// Writes to stdout. What would act on a terminal is made visible, wherever the text comes from: a file, an engine, the
/// command line.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    // The line ends of CSV act as others do.
    let lines: Vec<Cow<'_, str>> = text.split("\r\n").map(visible).collect();
    write(&lines.join("\r\n"))
}

/// As [`print`] for JSON, which stays the same data.
pub(crate) fn print_json(json: &str) -> anyhow::Result<()> {
    write(&visible_in_json(json))
}

/// As [`print`] for text with colours, if stdout takes them.
pub(crate) fn print_painted(text: &str) -> anyhow::Result<()> {
    write(&painted(text, color(&io::stdout())))
}

/// A closed pipe is not an error: the reader may have seen enough.
fn write(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("stdout cannot be written to"),
    }
}

/// Prints the help or the version that was asked for, or what is wrong with the command line.
pub(crate) fn print_usage(usage: &clap::Error) -> ExitCode {
    let (text, to_stderr) = (usage.render(), usage.use_stderr());
    let colored = if to_stderr { color(&io::stderr()) } else { color(&io::stdout()) };
    let text = if colored { text.ansi().to_string() } else { text.to_string() };
    if to_stderr {
        say_painted(text.trim_end());
    } else if let Err(error) = print_painted(&text) {
        say(&format!("error: {error:#}"));
        return ExitCode::from(2);
    }
    u8::try_from(usage.exit_code()).map_or(ExitCode::from(2), ExitCode::from)
}

/// For commands that only write: they succeed if the reader closes the pipe.
pub(crate) fn until_closed(written: io::Result<()>) -> anyhow::Result<ExitCode> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Writes a line to stderr, made visible as [`print`] does. Errors are ignored: there is nowhere else to report them.
pub(crate) fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", visible(text));
}

/// As [`say`] for text with colours, if stderr takes them.
pub(crate) fn say_painted(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", painted(text, color(&io::stderr())));
}

/// A text of which nothing acts on a terminal but, if wanted, changes of the colour.
fn painted(text: &str, colored: bool) -> String {
    let mut pieces = text.split('\u{1b}');
    let mut shown = pieces.next().map_or(String::new(), |first| visible(first).into_owned());
    for piece in pieces {
        let colors = piece.strip_prefix('[').and_then(|rest| rest.split_once('m'));
        let is_color = colors.is_some_and(|(codes, _)| codes.chars().all(|c| c.is_ascii_digit() || c == ';'));
        shown.push_str(if colored && is_color { "\u{1b}" } else { "\\u{1b}" });
        shown.push_str(&visible(piece));
    }
    shown
}

/// True if a stream takes colours.
pub(crate) fn color(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty())
}

/// A text as one line of which nothing acts on a terminal.
pub(crate) fn printable(text: &str) -> String {
    visible(text).replace('\n', "\\n").replace('\t', "\\t")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_colors_of_ours_act() {
        let text = "\u{1b}[1;31mred\u{1b}[0m \u{1b}[2J\u{1b}]0;title\u{7}\u{202e}\n";
        let rest = "\\u{1b}[2J\\u{1b}]0;title\\u{7}\\u{202e}\n";
        assert_eq!(painted(text, true), format!("\u{1b}[1;31mred\u{1b}[0m {rest}"));
        assert_eq!(painted(text, false), format!("\\u{{1b}}[1;31mred\\u{{1b}}[0m {rest}"));
        assert_eq!(printable("a\nb\r"), "a\\nb\\u{d}");
    }
}
