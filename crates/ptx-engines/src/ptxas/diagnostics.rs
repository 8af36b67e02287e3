//! Reads the messages of the assembler: `ptxas FILE, line N; error   : TEXT` or `ptxas fatal   : TEXT`.

/// A warning or an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// The position that it names.
    pub(super) place: MessagePlace,
    /// How severe it is.
    pub(super) severity: Severity,
    /// The text, without the position.
    pub(super) text: String,
}

/// How severe a message is. Infos are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Severity {
    /// The line is not refused.
    Warning,
    /// The line is refused, but the pass continues.
    Error,
    /// The line is refused, and the pass over the file ends.
    Fatal,
}

/// The position that a message names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessagePlace {
    /// The number of a file, and a line in it, counted from 1.
    At(usize, usize),
    /// A line, counted from 1, of a file that is not named, with another address size (in bits) than the module.
    AddressSize {
        /// The size.
        bits: usize,
        /// The line.
        line: usize,
    },
    /// Another file, such as `<builtin>` for the assembler's own macros.
    Elsewhere,
    /// No position.
    Unknown,
}

/// The name of a file with an error, which prevents code generation. Errors in it are ignored.
pub(super) const STOP: &str = "stop.ptx";

/// The name of the file with this number; relative, so that it is short on the command line.
pub(super) fn file_name(number: usize) -> String {
    format!("{number}.ptx")
}

/// The name of the functions of file `number`. Messages may contain it.
pub(super) fn function_name(number: usize) -> String {
    format!("{FUNCTION}{number}")
}

const FUNCTION: &str = "conform_";

/// The end of the names that file `number` declares, if its process has several files. Messages may contain it.
pub(super) fn name_suffix(number: usize) -> String {
    format!("{SUFFIX}{number}_")
}

const SUFFIX: &str = "_conform_";

/// The errors in the output, in order, without the closing remark that there were errors.
pub(super) fn errors(printed: &[u8]) -> Vec<Message> {
    messages(printed).filter(|message| message.severity != Severity::Warning).collect()
}

/// The errors and warnings in the output, in order.
pub(super) fn warnings_and_errors(printed: &[u8]) -> Vec<Message> {
    messages(printed).collect()
}

/// The messages about what was asked. After the file that prevents code generation, `ptxas` complains about its own `<uft-stub>` too if
/// there are unified functions.
fn messages(printed: &[u8]) -> impl Iterator<Item = Message> {
    let mut stopped = false;
    printed.split(|&byte| byte == b'\n').filter_map(move |line| {
        stopped |= line.strip_prefix(b"ptxas ").is_some_and(|line| line.starts_with(STOP.as_bytes()));
        message(line).filter(|message| !stopped || message.place != MessagePlace::Elsewhere)
    })
}

fn message(line: &[u8]) -> Option<Message> {
    let line = line.strip_prefix(b"ptxas ")?;
    let (place, rest) = placed(line).unwrap_or((MessagePlace::Unknown, line));
    let kinds: [(&[u8], _); 3] =
        [(b"error", Severity::Error), (b"fatal", Severity::Fatal), (b"warning", Severity::Warning)];
    let (rest, severity) = kinds.iter().find_map(|(word, kind)| Some((rest.strip_prefix(*word)?, *kind)))?;
    let text = rest.trim_ascii_start().strip_prefix(b":")?.trim_ascii();
    let place = if place == MessagePlace::Unknown { other_address_size(text).unwrap_or(place) } else { place };
    let remark = place == MessagePlace::Unknown && text == b"Ptx assembly aborted due to errors";
    if remark {
        return None;
    }
    Some(Message { place, severity, text: numberless(&suffixless(&String::from_utf8_lossy(text))) })
}

/// The line in `Program uses 16-bit address on line '6' which is conflicting with .address_size 64`.
fn other_address_size(text: &[u8]) -> Option<MessagePlace> {
    const LINE: &[u8] = b"-bit address on line '";
    let at = text.windows(LINE.len()).position(|window| window == LINE)?;
    let start = text[..at].iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |before| before + 1);
    let (bits, _) = number(&text[start..at])?;
    number(&text[at + LINE.len()..]).map(|(line, _)| MessagePlace::AddressSize { bits, line })
}

/// Splits `12.ptx, line 5; rest`.
fn placed(message: &[u8]) -> Option<(MessagePlace, &[u8])> {
    const LINE: &[u8] = b", line ";
    if let Some((file, rest)) = number(message)
        && let Some(rest) = rest.strip_prefix(b".ptx").and_then(|rest| rest.strip_prefix(LINE))
    {
        let (line, rest) = number(rest)?;
        return Some((MessagePlace::At(file, line), rest.strip_prefix(b"; ")?));
    }
    if message.starts_with(b"error") || message.starts_with(b"fatal") {
        return None;
    }
    let at = message.windows(LINE.len()).position(|window| window == LINE)?;
    let (_, rest) = number(&message[at + LINE.len()..])?;
    Some((MessagePlace::Elsewhere, rest.strip_prefix(b"; ")?))
}

/// Splits off the digits at the start.
fn number(text: &[u8]) -> Option<(usize, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = text.split_at(digits);
    Some((std::str::from_utf8(number).ok()?.parse().ok()?, rest))
}

/// The text without the number in our function's name, which differs between modules.
fn numberless(text: &str) -> String {
    let Some((before, after)) = text.split_once(FUNCTION) else { return text.to_owned() };
    let after = after.trim_start_matches(|c: char| c.is_ascii_digit());
    format!("{before}{FUNCTION}{}", numberless(after))
}

/// The text with the names as they are without the suffix of their file.
fn suffixless(text: &str) -> String {
    let mut to = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(SUFFIX) {
        to.push_str(before);
        let end = after.trim_start_matches(|c: char| c.is_ascii_digit());
        rest = end.strip_prefix('_').filter(|_| end.len() < after.len()).unwrap_or_else(|| {
            to.push_str(SUFFIX);
            after
        });
    }
    to + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_a_position_and_a_text() {
        let printed = b"ptxas 3.ptx, line 17; error   : Unknown modifier '.x'\n\
            ptxas 0.ptx, line 2; warning : odd\n\
            ptxas info    : 4 bytes gmem\n\
            noise\n\
            ptxas 12.ptx, line 5; fatal   : Parsing error near ';': syntax error\n\
            ptxas fatal   : Entry 'conform_12' is too large\n\
            ptxas 4.ptx, line 6; error   : Unknown symbol 'a_conform_4_12' in 'b_conform_4_' and 'x_conform_y'\n\
            ptxas <builtin>, line 29; fatal   : Parsing error near ','\n\
            ptxas stop.ptx, line 1; fatal   : Missing .version\n\
            ptxas <uft-stub>, line 2; fatal   : Parsing error near '(': syntax error\n\
            ptxas warning : Program uses 16-bit address on line '6' which is conflicting with .address_size 64\n\
            ptxas fatal   : Ptx assembly aborted due to errors\n";
        let message = |place, fatal, text: &str| Message {
            place,
            severity: if fatal { Severity::Fatal } else { Severity::Error },
            text: text.to_owned(),
        };
        assert_eq!(warnings_and_errors(printed).len(), 7);
        assert_eq!(warnings_and_errors(printed)[6].place, MessagePlace::AddressSize { bits: 16, line: 6 });
        assert_eq!(
            errors(printed),
            [
                message(MessagePlace::At(3, 17), false, "Unknown modifier '.x'"),
                message(MessagePlace::At(12, 5), true, "Parsing error near ';': syntax error"),
                message(MessagePlace::Unknown, true, "Entry 'conform_' is too large"),
                message(MessagePlace::At(4, 6), false, "Unknown symbol 'a12' in 'b' and 'x_conform_y'"),
                message(MessagePlace::Elsewhere, true, "Parsing error near ','"),
            ]
        );
    }

    #[test]
    fn garbage_is_not_a_message() {
        for bad in ["", "ptxas", "ptxas ", "ptxas 1.ptx, line ; error : x", "ptxas error", "\u{0}", "error: x"] {
            assert_eq!(errors(bad.as_bytes()), [], "{bad}");
        }
        let overflow = errors(b"ptxas 99999999999999999999999.ptx, line 1; error : x");
        assert_eq!(overflow[0].place, MessagePlace::Elsewhere);
        assert_eq!(errors(b"ptxas error : \xff")[0].text, "\u{fffd}");
    }
}
