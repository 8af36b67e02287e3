//! Names of components of vectors: `%v.x`, `%tid.x`.

use std::borrow::Cow;

/// True for white space. The mark of old systems for the end of a file is white space as well, as ptxas has it. So is NUL;
/// the check of whole files warns of it.
pub(crate) fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, 0x1a | 0)
}

/// A vector's name and that of its component, if a name has a dot. Blanks and comments between them, which ptxas allows,
/// are left out.
pub fn split_component(name: &str) -> Option<(&str, &str)> {
    let (vector, component) = name.rsplit_once('.')?;
    Some((&vector[..end(vector)], component))
}

/// A name without the blanks and comments that may stand before its component.
pub fn without_blanks(name: &str) -> Cow<'_, str> {
    match split_component(name) {
        Some((vector, component)) if vector.len() + 1 + component.len() < name.len() => {
            Cow::Owned(format!("{vector}.{component}"))
        }
        _ => Cow::Borrowed(name),
    }
}

/// Where a vector's name ends.
fn end(vector: &str) -> usize {
    vector.bytes().position(|byte| is_blank(byte) || byte == b'/').unwrap_or(vector.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_before_a_component_are_left_out() {
        for (name, parts, printed) in [
            ("%tid.x", Some(("%tid", "x")), "%tid.x"),
            ("%tid \t.x", Some(("%tid", "x")), "%tid.x"),
            ("$\u{1a}.b", Some(("$", "b")), "$.b"),
            ("%v/* .y, */.x", Some(("%v", "x")), "%v.x"),
            ("%v// .y\n.x", Some(("%v", "x")), "%v.x"),
            ("%r1", None, "%r1"),
        ] {
            assert_eq!(split_component(name), parts, "{name}");
            assert_eq!(without_blanks(name), printed, "{name}");
        }
    }
}
