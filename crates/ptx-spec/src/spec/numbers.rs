//! The numbers that an immediate may be, and the choices that they leave.

use super::words::NONE;

/// The numbers that an integer immediate may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedNumbers {
    /// The multiples of a number in a range, of which either end may be open.
    Range {
        /// The least.
        from: Option<i64>,
        /// The greatest.
        to: Option<i64>,
        /// 1, or what each must be a multiple of.
        multiple: i64,
    },
    /// These only.
    Listed(Vec<i64>),
}

/// A number that may be there and is not at an end of the range.
const INSIDE: &str = "in";
const LEAST: &str = "least";
const GREATEST: &str = "greatest";
const BELOW: &str = "below";
const ABOVE: &str = "above";
/// A number in the range that is not a multiple.
const BETWEEN: &str = "between";
/// A number that is not listed.
const UNLISTED: &str = "other";

impl AllowedNumbers {
    /// The values of the axis: first none, for what is not an immediate, then what is claimed, then probes;
    /// each with a number that it stands for.
    pub(crate) fn values(&self) -> Vec<(String, i64)> {
        let named = |name: &str, number| (name.to_owned(), number);
        let mut values = vec![named(NONE, 0)];
        match self {
            Self::Listed(numbers) => {
                values.extend(numbers.iter().map(|number| (number.to_string(), *number)));
                let unlisted = (1..).find(|number| !numbers.contains(number));
                values.extend(unlisted.map(|number| named(UNLISTED, number)));
            }
            Self::Range { from, to, multiple } => {
                // A range without ends is tried around 0.
                let least = from.unwrap_or_else(|| to.unwrap_or(0) - 4 * multiple);
                let greatest = to.unwrap_or(least + 4 * multiple);
                let inside = (least + multiple).max(*multiple).min(greatest);
                let has = |number: i64| *from != Some(number) && *to != Some(number);
                values.extend(has(inside).then(|| named(INSIDE, inside)));
                values.extend(from.map(|from| named(LEAST, from)));
                values.extend(to.filter(|to| *from != Some(*to)).map(|to| named(GREATEST, to)));
                values.extend(from.map(|from| named(BELOW, from - multiple)));
                values.extend(to.map(|to| named(ABOVE, to + multiple)));
                values.extend((*multiple > 1).then(|| named(BETWEEN, inside + 1)));
            }
        }
        values
    }

    /// True if a value of the axis is claimed.
    pub(crate) fn claims(&self, value: &str) -> bool {
        ![BELOW, ABOVE, BETWEEN, UNLISTED].contains(&value)
    }

    /// The value of the axis for a number.
    pub(crate) fn value(&self, number: i128) -> String {
        let word = match self {
            Self::Listed(numbers) if numbers.iter().any(|known| i128::from(*known) == number) => {
                return number.to_string();
            }
            Self::Listed(_) => UNLISTED,
            Self::Range { from, to, multiple } => {
                let (from, to) = (from.map(i128::from), to.map(i128::from));
                match () {
                    () if from.is_some_and(|from| number < from) => BELOW,
                    () if to.is_some_and(|to| number > to) => ABOVE,
                    () if number % i128::from(*multiple) != 0 => BETWEEN,
                    () if from == Some(number) => LEAST,
                    () if to == Some(number) => GREATEST,
                    () => INSIDE,
                }
            }
        };
        word.to_owned()
    }

    /// An allowed number, in words.
    pub(crate) fn says(&self) -> String {
        match self {
            Self::Listed(numbers) => match numbers.iter().map(ToString::to_string).collect::<Vec<_>>().as_slice() {
                [several @ .., last] if !several.is_empty() => format!("{} or {last}", several.join(", ")),
                numbers => numbers.concat(),
            },
            Self::Range { from, to, multiple } => {
                let of = if *multiple == 1 { String::new() } else { format!("a multiple of {multiple} ") };
                match (from, to) {
                    (Some(from), Some(to)) => format!("{of}from {from} to {to}"),
                    (Some(from), None) => format!("{of}from {from} on"),
                    (None, Some(to)) => format!("{of}up to {to}"),
                    (None, None) => format!("{of}of any size"),
                }
            }
        }
    }
}
