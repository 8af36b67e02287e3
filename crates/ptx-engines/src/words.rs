//! Text from engines is made safe here, where it enters: it is shown on terminals and in pages, and stored
//! in files. Whoever shows text of other origin, such as that of a stored report, makes it safe with the same functions.

use std::borrow::Cow;

/// The text, with everything escaped (`\u{1b}`) that a terminal or a page would interpret: control
/// characters except line feeds and tabs, characters that change the direction of text or are
/// invisible, and those that XML forbids.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(acts) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if acts(c) { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

/// The same for JSON, which stays the same data: everything that acts is within strings, but for indentation and line ends.
pub fn visible_in_json(json: &str) -> Cow<'_, str> {
    if !json.chars().any(acts) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if acts(c) {
            shown.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// The beginning of a text, at most this many bytes and whole characters; a note at its end says how many bytes are missing.
pub fn cut(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let kept = &text[..text.floor_char_boundary(most)];
    Cow::Owned(format!("{kept} ... ({} more bytes)", text.len() - kept.len()))
}

/// The same as [`visible`] for an owned text.
pub(crate) fn shown(text: String) -> String {
    match visible(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(shown) => shown,
    }
}

/// True for a character that would act on a terminal or a page instead of being shown.
pub fn acts(c: char) -> bool {
    let control = c.is_control() && !matches!(c, '\n' | '\t');
    // Marks, embeddings, overrides and isolates of direction; separators; what has no width.
    let hidden = matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    control || hidden || matches!(c, '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        for (text, shown) in [
            ("plain 'ä' 🦀\n\tnext", "plain 'ä' 🦀\n\tnext"),
            ("\u{1b}[31mred\u{7}", "\\u{1b}[31mred\\u{7}"),
            ("a\u{202e}b\u{2066}c\r\u{85}", "a\\u{202e}b\\u{2066}c\\u{d}\\u{85}"),
            ("\u{fffe}x\u{ad}\u{e0041}", "\\u{fffe}x\\u{ad}\\u{e0041}"),
        ] {
            assert_eq!(visible(text), shown);
        }
    }

    #[test]
    fn json_stays_the_same_data() {
        let text = "a\u{202e}\u{85}\u{e0041}\n";
        let json = serde_json::to_string(text).expect("JSON");
        let shown = visible_in_json(&json);
        assert_eq!(shown, r#""a\u202e\u0085\udb40\udc41\n""#);
        assert_eq!(serde_json::from_str::<String>(&shown).expect("JSON"), text);
    }

    #[test]
    fn long_texts_end_with_a_note() {
        for (text, most, kept) in
            [("abc", 3, "abc"), ("abcd", 3, "abc ... (1 more bytes)"), ("aää", 2, "a ... (4 more bytes)")]
        {
            assert_eq!(cut(text, most), kept);
        }
    }
}
