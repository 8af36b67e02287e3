//! What the assembler prints: `ptxas FILE, line N; error   : TEXT` or `ptxas fatal   : TEXT`.

/// An error or fatal message; warnings and infos do not reject and are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// File number and line (from 1), where the message names them.
    pub(super) place: Option<(usize, usize)>,
    /// Whether the pass over the file ended here.
    pub(super) fatal: bool,
    /// The words, without the place.
    pub(super) text: String,
}

/// The name of the file with this number; relative, so that it is short on the command line.
pub(super) fn file_name(number: usize) -> String {
    format!("{number}.ptx")
}

/// What the functions of file `number` are called. Messages may contain it.
pub(super) fn function_name(number: usize) -> String {
    format!("{FUNCTION}{number}")
}

const FUNCTION: &str = "conform_";

/// The errors in what was printed, in order. The closing remark that there were errors is none.
pub(super) fn parse(printed: &[u8]) -> Vec<Message> {
    printed.split(|&byte| byte == b'\n').filter_map(message).collect()
}

fn message(line: &[u8]) -> Option<Message> {
    let line = line.strip_prefix(b"ptxas ")?;
    let (place, rest) = match placed(line) {
        Some((place, rest)) => (Some(place), rest),
        None => (None, line),
    };
    let (fatal, rest) = match rest.strip_prefix(b"error") {
        Some(rest) => (false, rest),
        None => (true, rest.strip_prefix(b"fatal")?),
    };
    let text = rest.trim_ascii_start().strip_prefix(b":")?.trim_ascii();
    if place.is_none() && text == b"Ptx assembly aborted due to errors" {
        return None;
    }
    Some(Message { place, fatal, text: normalised(&String::from_utf8_lossy(text)) })
}

/// Splits `12.ptx, line 5; rest`.
fn placed(line: &[u8]) -> Option<((usize, usize), &[u8])> {
    let (file, rest) = number(line)?;
    let (line, rest) = number(rest.strip_prefix(b".ptx, line ")?)?;
    Some(((file, line), rest.strip_prefix(b"; ")?))
}

/// Splits off the digits at the start.
fn number(text: &[u8]) -> Option<(usize, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = text.split_at(digits);
    Some((std::str::from_utf8(number).ok()?.parse().ok()?, rest))
}

/// The text without what differs from one asking to the next: the number in our function's name.
fn normalised(text: &str) -> String {
    let mut parts = text.split(FUNCTION);
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        result.push_str(FUNCTION);
        result.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_a_place_and_a_text() {
        let printed = b"ptxas 3.ptx, line 17; error   : Unknown modifier '.x'\n\
            ptxas 0.ptx, line 2; warning : odd\n\
            ptxas info    : 4 bytes gmem\n\
            noise\n\
            ptxas 12.ptx, line 5; fatal   : Parsing error near ';': syntax error\n\
            ptxas fatal   : Entry 'conform_12' is too large\n\
            ptxas other.ptx, line 5; error   : elsewhere\n\
            ptxas fatal   : Ptx assembly aborted due to errors\n";
        let message = |place, fatal, text: &str| Message { place, fatal, text: text.to_owned() };
        assert_eq!(
            parse(printed),
            [
                message(Some((3, 17)), false, "Unknown modifier '.x'"),
                message(Some((12, 5)), true, "Parsing error near ';': syntax error"),
                message(None, true, "Entry 'conform_' is too large"),
            ]
        );
    }

    #[test]
    fn rubbish_is_no_message() {
        for bad in ["", "ptxas", "ptxas ", "ptxas 1.ptx, line ; error : x", "ptxas error", "\u{0}", "error: x"] {
            assert_eq!(parse(bad.as_bytes()), [], "{bad}");
        }
        assert_eq!(parse(b"ptxas 99999999999999999999999.ptx, line 1; error : x"), []);
        assert_eq!(parse(b"ptxas error : \xff")[0].text, "\u{fffd}");
    }
}
