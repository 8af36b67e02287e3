//! What a run is: everything on which its report depends.

use std::collections::BTreeMap;

use crate::must::Must as _;

/// Everything on which the report of a run depends. Ledgers with equal headers can be united.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunHeader {
    /// A hash of this program.
    pub program: String,
    /// A hash of the specification's files.
    pub specification: String,
    /// A hash of the files of divergences.
    pub divergences: String,
    /// The day of the run, on which divergences expire.
    pub day: String,
    /// The options that choose what is asked.
    pub options: String,
    /// The number of parts of the plan: 1 if it is not shared.
    pub parts: u64,
    /// The part that the ledger is of, from 1 on; 0 if it is of the whole.
    pub shard: u64,
    /// The command line that asks the same again: its arguments after `run`.
    pub arguments: Vec<String>,
    /// By name, a hash of what each engine is: its program and how it is used.
    pub engines: BTreeMap<String, String>,
}

/// A difference between two headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderDifference {
    /// The name of what differs.
    pub what: String,
    /// The value of the ledger.
    pub kept: String,
    /// The other value.
    pub other: String,
}

/// The beginning of the keys of engines.
const ENGINE: &str = "engine ";
/// The keys of the other rows, and the words for what they hold.
const KEYS: [(&str, &str); 5] = [
    ("program", "the build of this program"),
    ("specification", "the specification"),
    ("divergences", "the list of divergences"),
    ("day", "the day (--today)"),
    ("options", "the options"),
];
const ARGUMENTS: &str = "arguments";
const PARTS: &str = "parts";
const SHARD: &str = "shard";

impl RunHeader {
    fn values(&self) -> [&String; KEYS.len()] {
        [&self.program, &self.specification, &self.divergences, &self.day, &self.options]
    }

    /// The rows of the table.
    pub(super) fn rows(&self) -> Vec<(String, String)> {
        let own = KEYS.iter().zip(self.values()).map(|((key, _), value)| ((*key).to_owned(), value.clone()));
        let engines = self.engines.iter().map(|(name, hash)| (format!("{ENGINE}{name}"), hash.clone()));
        let number = |key: &str, value: u64| (key.to_owned(), value.to_string());
        let words = shlex::try_join(self.arguments.iter().map(String::as_str));
        let arguments = (ARGUMENTS.to_owned(), words.must("no argument of a command line has a zero byte"));
        own.chain(engines).chain([arguments, number(PARTS, self.parts), number(SHARD, self.shard)]).collect()
    }

    /// The header with these rows; none if one is missing.
    pub(super) fn from_rows(rows: &BTreeMap<String, String>) -> Option<Self> {
        let engine = |(key, hash): (&String, &String)| Some((key.strip_prefix(ENGINE)?.to_owned(), hash.clone()));
        let arguments = rows.get(ARGUMENTS)?;
        Some(Self {
            program: rows.get("program")?.clone(),
            specification: rows.get("specification")?.clone(),
            divergences: rows.get("divergences")?.clone(),
            day: rows.get("day")?.clone(),
            options: rows.get("options")?.clone(),
            parts: rows.get(PARTS)?.parse().ok()?,
            shard: rows.get(SHARD)?.parse().ok()?,
            arguments: shlex::split(arguments)?,
            engines: rows.iter().filter_map(engine).collect(),
        })
    }

    /// The differences from another header; the command line and the part do not count.
    pub fn differences(&self, other: &Self) -> Vec<HeaderDifference> {
        let own = KEYS.iter().zip(self.values().into_iter().zip(other.values()));
        let own = own.map(|((_, what), (kept, other))| ((*what).to_owned(), kept.clone(), other.clone()));
        let names = self.engines.keys().chain(other.engines.keys().filter(|name| !self.engines.contains_key(*name)));
        let hash =
            |header: &Self, name: &String| header.engines.get(name).map_or("not asked", String::as_str).to_owned();
        let engines = names.map(|name| (format!("the engine {name}"), hash(self, name), hash(other, name)));
        let parts = ("the number of parts (--shard)".to_owned(), self.parts.to_string(), other.parts.to_string());
        own.chain(engines)
            .chain([parts])
            .filter(|(_, kept, other)| kept != other)
            .map(|(what, kept, other)| HeaderDifference { what, kept, other })
            .collect()
    }
}

impl std::fmt::Display for HeaderDifference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} differs: the ledger has `{}`, and this is `{}`", self.what, self.kept, self.other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named() {
        let header = |seed: &str, engine: &str| RunHeader {
            options: format!("seed {seed}"),
            arguments: vec!["--seed".to_owned(), format!("{seed} '")],
            engines: [(engine.to_owned(), "1234".to_owned())].into(),
            ..RunHeader::default()
        };
        let one = header("1", "ptxas@13.5.37");
        let rows: BTreeMap<String, String> = one.rows().into_iter().collect();
        assert_eq!(RunHeader::from_rows(&rows), Some(one.clone()));
        let words = |other: &RunHeader| one.differences(other).iter().map(|of| of.what.clone()).collect::<Vec<_>>();
        assert!(words(&one).is_empty());
        assert_eq!(words(&header("2", "ptxas@13.5.37")), ["the options"]);
        assert_eq!(words(&header("1", "ptxas@12.4.99")), ["the engine ptxas@13.5.37", "the engine ptxas@12.4.99"]);
        let RunHeader { options, .. } = RunHeader::from_rows(&rows).expect("a header");
        assert_eq!(options, "seed 1");
    }
}
