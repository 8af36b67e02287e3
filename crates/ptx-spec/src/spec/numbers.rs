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
        /// Numbers in the range, ascending, up to which some lines allow it only.
        limits: Vec<i64>,
    },
    /// Floating-point numbers above 0 and up to 1; no axis tells them apart.
    Fraction,
    /// These only.
    Listed(Vec<i64>),
    /// These only. Among the others, multiples of a number have a class of their own.
    Multiples {
        /// The numbers.
        listed: Vec<i64>,
        /// The number that each is a multiple of.
        of: i64,
    },
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
/// A number that is not listed, but a multiple as those that are: in 32 bits, and not 0.
const MULTIPLE: &str = "multiple";

/// The value of the axis for a number that is larger than this one.
fn over(limit: i64) -> String {
    format!("over {limit}")
}

impl AllowedNumbers {
    /// The values of the axis: first none, for what is not an immediate, then what is claimed, then probes;
    /// each with a number that it stands for.
    pub(crate) fn values(&self) -> Vec<(String, i64)> {
        let named = |name: &str, number| (name.to_owned(), number);
        let mut values = vec![named(NONE, 0)];
        match self {
            Self::Multiples { listed, of } => {
                values.extend(listed.iter().map(|number| (number.to_string(), *number)));
                values.push(named(UNLISTED, 1));
                values.push(named(MULTIPLE, listed.iter().max().map_or(*of, |most| most + of)));
            }
            Self::Listed(numbers) => {
                values.extend(numbers.iter().map(|number| (number.to_string(), *number)));
                let unlisted = (1..).find(|number| !numbers.contains(number));
                values.extend(unlisted.map(|number| named(UNLISTED, number)));
            }
            Self::Fraction => {}
            Self::Range { from, to, multiple, limits } => {
                // A range without ends is tried around 0.
                let least = from.unwrap_or_else(|| to.unwrap_or(0) - 4 * multiple);
                let greatest = to.unwrap_or(least + 4 * multiple);
                let inside = (least + multiple).max(*multiple).min(greatest);
                let has = |number: i64| *from != Some(number) && *to != Some(number);
                values.extend(has(inside).then(|| named(INSIDE, inside)));
                values.extend(from.map(|from| named(LEAST, from)));
                values.extend(to.filter(|to| *from != Some(*to)).map(|to| named(GREATEST, to)));
                values.extend(limits.iter().map(|limit| (over(*limit), limit + multiple)));
                values.extend(from.map(|from| named(BELOW, from - multiple)));
                values.extend(to.map(|to| named(ABOVE, to + multiple)));
                values.extend((*multiple > 1).then(|| named(BETWEEN, inside + 1)));
            }
        }
        values
    }

    /// True if a value of the axis is claimed.
    pub(crate) fn claims(&self, value: &str) -> bool {
        ![BELOW, ABOVE, BETWEEN, UNLISTED, MULTIPLE].contains(&value)
    }

    /// The value of the axis for a number.
    pub(crate) fn value(&self, number: i128) -> String {
        let word = match self {
            Self::Listed(listed) | Self::Multiples { listed, .. }
                if listed.iter().any(|known| i128::from(*known) == number) =>
            {
                return number.to_string();
            }
            Self::Multiples { of, .. } if number % i128::from(*of) == 0 && number % (1 << 32) != 0 => MULTIPLE,
            Self::Listed(_) | Self::Multiples { .. } => UNLISTED,
            Self::Fraction => INSIDE,
            Self::Range { from, to, multiple, limits } => {
                let (from, to) = (from.map(i128::from), to.map(i128::from));
                let limit = limits.iter().rev().find(|limit| number > i128::from(**limit));
                match () {
                    () if number % i128::from(*multiple) != 0 => BETWEEN,
                    () if from.is_some_and(|from| number < from) => BELOW,
                    () if to.is_some_and(|to| number > to) => ABOVE,
                    () if from == Some(number) => LEAST,
                    () if to == Some(number) => GREATEST,
                    () => return limit.map_or_else(|| INSIDE.to_owned(), |limit| over(*limit)),
                }
            }
        };
        word.to_owned()
    }

    /// An allowed number, in words.
    pub(crate) fn says(&self) -> String {
        match self {
            Self::Listed(numbers) | Self::Multiples { listed: numbers, .. } => {
                match numbers.iter().map(ToString::to_string).collect::<Vec<_>>().as_slice() {
                    [several @ .., last] if !several.is_empty() => format!("{} or {last}", several.join(", ")),
                    numbers => numbers.concat(),
                }
            }
            Self::Fraction => "above 0.0 and up to 1.0".to_owned(),
            Self::Range { from, to, multiple, .. } => {
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
