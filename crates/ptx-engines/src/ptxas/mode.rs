//! How a process is asked about lines, and the statements of our own that this takes.

/// A valid statement that causes a warning in every PTX version and for every target: the vector size is in the wrong
/// place. The warning shows how far the pass came. (An error would not do: after the first one, macros are no longer
/// expanded, so their errors would be missed.)
pub(super) const MARK: &str = "st.v2.local.b32 [0], {0, 0};";
/// Our own first statement of a module. After a fatal error, pending modifiers are added to the first statement of the
/// next file, and this one absorbs them. It is a conversion because others die of some: a statement without operands
/// (`ret`) of `.cc`, and every opcode but `cvt` of `.scaled::n1::ue8m0`.
pub(super) const ABSORBER: &str = ".reg .b32 conform_absorber; cvt.u32.u32 conform_absorber, conform_absorber;";

/// How a process is asked about lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AskMode {
    /// Only checks the lines. Each module starts with a statement of our own.
    Check,
    /// The same in one module, with a mark before the first line and after every line.
    Marked,
    /// The same with one line per module, and a module of our own with a mark after each. The order of the messages
    /// tells which line caused a message without a usable position, and the rest of a macro, which such an error leaves
    /// pending, is used up by our module.
    Spaced,
    /// Generates code. There are no statements of our own, which could interfere.
    Generate,
}

impl AskMode {
    /// The statements of a module for `lines`.
    pub(super) fn fill<'a>(self, text: &mut Vec<&'a str>, lines: impl Iterator<Item = &'a str>) {
        if self != Self::Generate {
            text.push(ABSORBER);
        }
        if self == Self::Marked {
            text.push(MARK);
        }
        for line in lines {
            text.push(line);
            if self == Self::Marked {
                text.push(MARK);
            }
        }
    }
}
