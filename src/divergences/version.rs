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
#[derive(Clone, Debug, Default)]
pub(super) struct VersionRange {
    pub(super) from: Option<Vec<u32>>,
    pub(super) to: Option<Vec<u32>>,
}

impl VersionRange {
    /// `12.4 to 12.9`; empty if it has no bounds.
    pub(super) fn words(&self) -> String {
        let words = |bound: &Vec<u32>| dotted(bound);
        match (&self.from, &self.to) {
            (None, None) => String::new(),
            (Some(from), None) => format!("from {}", words(from)),
            (None, Some(to)) => format!("up to {}", words(to)),
            (Some(from), Some(to)) => format!("{} to {}", words(from), words(to)),
        }
    }

    /// True if it contains a version; `13.5` as a bound means every `13.5.x`.
    pub(super) fn contains(&self, engine: &EngineVersion) -> bool {
        let common = |bound: &[u32]| bound.len().min(engine.parts.len());
        let after = |from: &Vec<u32>| engine.parts[..common(from)] >= from[..common(from)];
        let before = |to: &Vec<u32>| engine.parts[..common(to)] <= to[..common(to)];
        self.from.as_ref().is_none_or(after) && self.to.as_ref().is_none_or(before)
    }
}
