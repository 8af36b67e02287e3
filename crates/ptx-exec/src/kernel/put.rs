//! How lines of text are appended.

/// Appends a line; writing to a String cannot fail.
macro_rules! put {
    ($to:expr, $($text:tt)*) => {{
        use std::fmt::Write as _;
        let _ = writeln!($to, $($text)*);
    }};
}
pub(super) use put;
