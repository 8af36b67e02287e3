//! Calendar days, for the expiry of divergences and the dates of recordings.

use chrono::{DateTime, NaiveDate, Utc};

/// A calendar day: `2027-06-30`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date(NaiveDate);

/// The reason why a text is not a [`Date`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a date: write it as 2027-06-30")]
pub struct DateError(String);

impl std::str::FromStr for Date {
    type Err = DateError;

    fn from_str(text: &str) -> Result<Self, DateError> {
        let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok();
        // A day has one spelling; the parser takes `2027-6-30` as well.
        day.map(Self).filter(|day| day.to_string() == text).ok_or_else(|| DateError(text.to_owned()))
    }
}

impl std::fmt::Display for Date {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Date {
    /// The day of a time, in UTC.
    pub fn of(time: std::time::SystemTime) -> Self {
        Self(DateTime::<Utc>::from(time).date_naive())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, day) in [
            (0, "1970-01-01"),
            (951_782_399, "2000-02-28"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_798_761_599, "2026-12-31"),
        ] {
            assert_eq!(Date::of(UNIX_EPOCH + Duration::from_secs(seconds)).to_string(), day);
            assert_eq!(day.parse::<Date>().map(|day| day.to_string()), Ok(day.to_owned()));
        }
        let bad =
            ["", "2027-6-30", "2027-13-01", "2027-02-31", "2027-02-29", "2027-00-01", "+2027-01-01", "2027-01-01 "];
        for text in bad {
            assert!(text.parse::<Date>().is_err(), "{text}");
        }
    }
}
