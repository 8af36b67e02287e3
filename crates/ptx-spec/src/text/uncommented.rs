//! Texts without their comments.

use super::lexer::Lexer;

/// A text with its comments replaced by spaces.
pub fn uncommented(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut lexer = Lexer::new(text);
    let mut end = 0;
    loop {
        lexer.blank();
        let mut gap = &text[end..lexer.at()];
        while let Some(comment) = gap.find('/') {
            clean.push_str(&gap[..comment]);
            clean.push(' ');
            let close = if gap[comment..].starts_with("//") { "\n" } else { "*/" };
            let inside = &gap[comment + 2..];
            let after = inside.find(close).map_or("", |at| &inside[at..]);
            gap = after.strip_prefix("*/").unwrap_or(after);
        }
        clean.push_str(gap);
        let start = lexer.at();
        if lexer.next().is_none() {
            return clean;
        }
        clean.push_str(&text[start..lexer.at()]);
        end = lexer.at();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_left_out() {
        for (text, clean) in [
            ("a // b\nc", "a  \nc"),
            ("a/* ; */b / c", "a b / c"),
            ("a /*/ b", "a  "),
            ("a//", "a "),
            ("\"//\" // b", "\"//\"  "),
            ("a /* // */ /* */\tb", "a    \tb"),
        ] {
            assert_eq!(uncommented(text), clean, "{text}");
        }
    }
}
