//! Text from engines is made safe here, where it enters: it is shown on terminals and in pages, and stored
//! in files.

use std::borrow::Cow;

/// The text, with everything escaped (`\u{1b}`) that a terminal or a page would interpret: control
/// characters except line feeds and tabs, and characters that change the direction of text or are
/// invisible.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(acts) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if acts(c) { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

/// The same for an owned text.
pub(crate) fn shown(text: String) -> String {
    match visible(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(shown) => shown,
    }
}

fn acts(c: char) -> bool {
    let control = c.is_control() && !matches!(c, '\n' | '\t');
    // Marks, embeddings, overrides and isolates of direction; separators; what has no width.
    let hidden = matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    control || hidden
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
        ] {
            assert_eq!(visible(text), shown);
        }
    }
}
