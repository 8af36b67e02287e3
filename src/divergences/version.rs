//! Versions of engines.

use crate::engine::EngineId;

/// A version of an engine: `ptxas@13.5` or `ptxas@13.5.37`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EngineVersion {
    /// The family: `ptxas`.
    pub family: String,
    pub(super) parts: Vec<u32>,
}

/// The reason why a text is not an [`EngineVersion`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an engine with its version: write `ptxas@13.5` or `ptxas@13.5.37`")]
pub struct EngineVersionError(String);

impl EngineVersion {
    /// True if it is a later version than another of the family; `13.5` is not later than `13.5.37`.
    pub(crate) fn is_after(&self, other: &Self) -> bool {
        self.parts > other.parts
    }

    /// Reads `family@version`.
    ///
    /// # Errors
    /// If the text does not have that form.
    pub fn parse(text: &str) -> Result<Self, EngineVersionError> {
        let error = || EngineVersionError(text.to_owned());
        let (family, version) = text.split_once('@').ok_or_else(error)?;
        let parts = parts(version).ok_or_else(error)?;
        if family.is_empty() { Err(error()) } else { Ok(Self { family: family.to_owned(), parts }) }
    }

    /// The version of an engine; none if it is not made of numbers.
    pub fn of(id: &EngineId) -> Option<Self> {
        Some(Self { family: id.family().to_owned(), parts: parts(id.version())? })
    }

    /// The first two parts of the version: `13.5`.
    pub fn short(&self) -> String {
        self.parts.iter().take(2).map(u32::to_string).collect::<Vec<_>>().join(".")
    }
}

/// The numbers of a version: `13.5.37`.
pub(super) fn parts(version: &str) -> Option<Vec<u32>> {
    version.split('.').map(|part| part.parse().ok()).collect()
}

/// A version from its numbers: `13.5.37`.
pub(super) fn dotted(parts: &[u32]) -> String {
    parts.iter().map(u32::to_string).collect::<Vec<_>>().join(".")
}

/// A range of versions of an engine, open where no bound is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionRange {
    from: Option<Vec<u32>>,
    to: Option<Vec<u32>>,
}

/// The ranges of versions of an engine, the oldest first; all versions if there are none.
#[derive(Clone, Debug, Default)]
pub(super) struct VersionRanges(Vec<VersionRange>);

impl VersionRange {
    /// The range between two versions.
    ///
    /// # Errors
    /// If one is not a version, or the last is before the first.
    pub(super) fn new(from: Option<&str>, to: Option<&str>) -> Result<Self, String> {
        let parsed = |text: &str| parts(text).ok_or_else(|| format!("`{text}` is not a version of an engine"));
        let range = Self { from: from.map(parsed).transpose()?, to: to.map(parsed).transpose()? };
        match (&range.from, &range.to) {
            (Some(first), Some(last)) if order(first, last).is_gt() => {
                Err(format!("{} is before {}", dotted(last), dotted(first)))
            }
            _ => Ok(range),
        }
    }

    /// A range in words: `12.4 to 12.8.61`, `from 13.1`, `up to 12.4`, or one version.
    fn parse(text: &str) -> Result<Self, String> {
        match (text.strip_prefix("from "), text.strip_prefix("up to "), text.split_once(" to ")) {
            (Some(from), ..) => Self::new(Some(from), None),
            (_, Some(to), _) => Self::new(None, Some(to)),
            (.., Some((from, to))) => Self::new(Some(from), Some(to)),
            _ => Self::new(Some(text), Some(text)),
        }
    }

    /// The first version and the last one; none where the range is open.
    pub fn bounds(&self) -> [Option<String>; 2] {
        [&self.from, &self.to].map(|bound| bound.as_deref().map(dotted))
    }

    /// `12.4 to 12.9`; empty if it has no bounds.
    fn words(&self) -> String {
        match self.bounds() {
            [None, None] => String::new(),
            [Some(from), None] => format!("from {from}"),
            [None, Some(to)] => format!("up to {to}"),
            [Some(from), Some(to)] if from == to => from,
            [Some(from), Some(to)] => format!("{from} to {to}"),
        }
    }

    /// True if it contains a version; `13.5` as a bound means every `13.5.x`.
    fn contains(&self, parts: &[u32]) -> bool {
        self.from.as_ref().is_none_or(|from| order(from, parts).is_le())
            && self.to.as_ref().is_none_or(|to| order(parts, to).is_le())
    }
}

impl VersionRanges {
    /// The ranges between which there are holes, oldest first.
    ///
    /// # Errors
    /// If one is no range, or not after the one before it.
    pub(super) fn parse(texts: &[&str]) -> Result<Self, String> {
        let ranges: Vec<VersionRange> = texts.iter().map(|text| VersionRange::parse(text)).collect::<Result<_, _>>()?;
        for (range, next) in ranges.iter().zip(ranges.iter().skip(1)) {
            let ends = range.to.as_ref().zip(next.from.as_ref());
            if !ends.is_some_and(|(to, from)| order(to, from).is_lt()) {
                return Err(format!("`{}` is not after `{}`", next.words(), range.words()));
            }
        }
        Ok(Self(ranges))
    }

    /// The one range.
    pub(super) fn one(range: VersionRange) -> Self {
        Self(Vec::from_iter((range != VersionRange::default()).then_some(range)))
    }

    /// The ranges.
    pub(super) fn all(&self) -> &[VersionRange] {
        &self.0
    }

    /// `12.4 to 12.9, from 13.1`; empty for all.
    pub(super) fn words(&self) -> String {
        self.0.iter().map(VersionRange::words).collect::<Vec<_>>().join(", ")
    }

    /// True if one of them contains a version.
    pub(super) fn contains(&self, engine: &EngineVersion) -> bool {
        self.0.is_empty() || self.0.iter().any(|range| range.contains(&engine.parts))
    }
}

/// The order of two versions by the numbers that both have: `13.5` is neither before nor after `13.5.37`.
fn order(one: &[u32], other: &[u32]) -> std::cmp::Ordering {
    let common = one.len().min(other.len());
    one[..common].cmp(&other[..common])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_may_have_holes() {
        let words = ["12.4 to 12.8.61", "12.9", "from 13.1.115"];
        let ranges = VersionRanges::parse(&words).expect("ranges");
        assert_eq!(ranges.words(), words.join(", "));
        for (version, expected) in [
            ("12.3", false),
            ("12.4.99", true),
            ("12.8.61", true),
            ("12.8.93", false),
            ("12.9.86", true),
            ("13.1.80", false),
            ("13.1.115", true),
            ("13.5", true),
        ] {
            let engine = EngineVersion::parse(&format!("sass@{version}")).expect("a version");
            assert_eq!(ranges.contains(&engine), expected, "{version}");
        }
        for bad in [&["x"][..], &["13.1 to 12.9"], &["from 12.4", "13.1"], &["12.9", "12.4"], &["12.9", "12.9.86"]] {
            assert!(VersionRanges::parse(bad).is_err(), "{bad:?}");
        }
    }
}
