//! Values that only a mistake in this program can be without.
//!
//! A default in place of such a value would turn the mistake into a wrong answer that nobody sees. [`Must::must`] ends
//! the program instead, with the reason why the value has to be there and the place that relied on it.

use std::fmt::Display;

/// A value that has to be there, whatever the input is.
pub trait Must {
    /// The type of the value.
    type Value;

    /// The value. `why` says why it has to be there: "every form has the axes of the environment".
    ///
    /// # Panics
    /// If it is missing, which is a mistake in this program. Input from outside gets an error with its place instead.
    #[track_caller]
    fn must(self, why: &str) -> Self::Value;
}

impl<T> Must for Option<T> {
    type Value = T;

    fn must(self, why: &str) -> T {
        match self {
            Some(value) => value,
            None => panic!("a mistake in ptx-conform: {why}"),
        }
    }
}

impl<T, E: Display> Must for Result<T, E> {
    type Value = T;

    fn must(self, why: &str) -> T {
        match self {
            Ok(value) => value,
            Err(error) => panic!("a mistake in ptx-conform: {why}: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    #[test]
    fn what_is_missing_ends_the_program_with_its_reason() {
        let said =
            |missing: fn() -> u8| *catch_unwind(missing).expect_err("a panic").downcast::<String>().expect("text");
        assert_eq!(said(|| None.must("there is one")), "a mistake in ptx-conform: there is one");
        assert_eq!(
            said(|| u8::try_from(300).must("it is small")),
            "a mistake in ptx-conform: it is small: out of range integral type conversion attempted"
        );
        assert_eq!(Some(1).must("there is one"), 1);
    }
}
