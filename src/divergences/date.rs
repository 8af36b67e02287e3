//! Calendar days, for the expiry of divergences.

/// A calendar day: `2027-06-30`. Days compare like their texts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date(String);

impl std::str::FromStr for Date {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split('-').collect();
        let number = |part: &str, length: usize| part.parse::<u32>().ok().filter(|_| part.len() == length);
        let day = match parts.as_slice() {
            [year, month, day] => number(year, 4).zip(number(month, 2)).zip(number(day, 2)),
            _ => None,
        };
        let valid = day.is_some_and(|((_, month), day)| (1..=12).contains(&month) && (1..=31).contains(&day));
        if valid { Ok(Self(text.to_owned())) } else { Err(format!("`{text}` is not a date: write it as 2027-06-30")) }
    }
}

impl std::fmt::Display for Date {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Date {
    /// The day of a time, in UTC.
    pub fn of(time: std::time::SystemTime) -> Self {
        let since = time.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        // Days since 1 March of the year 0, in eras of 400 years: leap days come last in a year.
        let days = since.as_secs() / 86_400 + 719_468;
        let (era, of_era) = (days / 146_097, days % 146_097);
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
        Self(format!("{:04}-{month:02}-{day:02}", year + era * 400))
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
        }
        assert!("2027-6-30".parse::<Date>().is_err() && "2027-13-01".parse::<Date>().is_err());
    }
}
