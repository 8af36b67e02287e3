//! Engines in words: `ptxas 12.0 to 13.5` instead of fifteen names.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::divergences::EngineVersion;

/// The engines of a run, each family in the order of its versions.
#[derive(Clone, Debug, Default)]
pub(super) struct EngineNames {
    families: BTreeMap<String, Vec<(EngineVersion, String)>>,
}

/// Engines with the same result, and what it is: of so many cases, so many did.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct EngineCount {
    pub(super) engines: String,
    pub(super) did: u64,
    pub(super) of: u64,
}

impl EngineNames {
    pub(super) fn new<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let mut families: BTreeMap<String, Vec<(EngineVersion, String)>> = BTreeMap::new();
        for name in names {
            if let Ok(version) = EngineVersion::parse(name) {
                families.entry(version.family.clone()).or_default().push((version, name.to_owned()));
            }
        }
        families.values_mut().for_each(|known| known.sort());
        Self { families }
    }

    /// Some of the engines in words.
    pub(super) fn words(&self, names: &[&str]) -> String {
        let mut words = Vec::new();
        for (family, known) in &self.families {
            let named: Vec<bool> = known.iter().map(|(_, name)| names.contains(&name.as_str())).collect();
            if known.len() > 2 && named.iter().all(|&named| named) {
                words.push(format!("all {} {family}", known.len()));
                continue;
            }
            let mut at = 0;
            let mut of_family = Vec::new();
            while at < named.len() {
                let run = named[at..].iter().take_while(|&&named| named).count();
                let short = |at: usize| known[at].0.short();
                match run {
                    0 => {}
                    1 => of_family.push(short(at)),
                    2 => of_family.extend([short(at), short(at + 1)]),
                    _ => of_family.push(format!("{} to {}", short(at), short(at + run - 1))),
                }
                at += run + 1;
            }
            if !of_family.is_empty() {
                words.push(format!("{family} {}", of_family.join(", ")));
            }
        }
        let is_known = |name: &&&str| self.families.values().flatten().any(|(_, known)| known == **name);
        words.extend(names.iter().filter(|name| !is_known(name)).map(|name| (*name).to_owned()));
        words.join("; ")
    }

    /// The facts of each engine, with those engines together of which they are alike.
    pub(super) fn alike<'t, T>(
        &self,
        all: impl Iterator<Item = (&'t str, &'t T)>,
        alike: impl Fn(&T, &T) -> bool,
    ) -> Vec<(String, &'t T)> {
        let mut together: Vec<(Vec<&str>, &T)> = Vec::new();
        for (engine, of) in all {
            match together.iter_mut().find(|(_, known)| alike(known, of)) {
                Some((engines, _)) => engines.push(engine),
                None => together.push((vec![engine], of)),
            }
        }
        together.into_iter().map(|(engines, of)| (self.words(&engines), of)).collect()
    }

    /// Counts by engine (cases, and how many of them did). Engines with the same count are together, and so are those of
    /// which no case did, and those of which all did: their cases are added.
    pub(super) fn together<'c>(&self, counts: impl Iterator<Item = (&'c String, [u64; 2])>) -> Vec<EngineCount> {
        let mut shares: BTreeMap<Share, (Vec<&str>, [u64; 2])> = BTreeMap::new();
        for (engine, [of, did]) in counts {
            let share = match did {
                _ if did == of => Share::All,
                0 => Share::None,
                _ => Share::Some { of, did },
            };
            let (engines, sums) = shares.entry(share).or_default();
            engines.push(engine);
            *sums = if let Share::Some { .. } = share { [of, did] } else { [sums[0] + of, sums[1] + did] };
        }
        let count =
            |(engines, [of, did]): (Vec<&str>, [u64; 2])| EngineCount { engines: self.words(&engines), did, of };
        shares.into_values().map(count).collect()
    }
}

/// How many of an engine's cases did something; the order of the page.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Share {
    None,
    Some { of: u64, did: u64 },
    All,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_versions_are_a_range() {
        let all = ["ptxas@11.8.89", "ptxas@9.0", "ptxas@12.0.1", "ptxas@13.5.37", "sass@13.5.37", "mine"];
        let names = EngineNames::new(all.into_iter());
        for (some, words) in [
            (&["ptxas@11.8.89"][..], "ptxas 11.8"),
            (&["ptxas@9.0", "ptxas@11.8.89", "ptxas@12.0.1", "sass@13.5.37"], "ptxas 9.0 to 12.0; sass 13.5"),
            (&["ptxas@9.0", "ptxas@13.5.37", "mine"], "ptxas 9.0, 13.5; mine"),
            (&all[..4], "all 4 ptxas"),
        ] {
            assert_eq!(names.words(some), words);
        }
    }

    #[test]
    fn engines_with_the_same_share_are_together() {
        let all: Vec<String> = ["a@1", "a@2", "a@3", "b@1", "b@2"].map(str::to_owned).into();
        let names = EngineNames::new(all.iter().map(String::as_str));
        let counts = names.together(all.iter().zip([[3, 3], [5, 4], [2, 2], [7, 0], [9, 0]]));
        let expected = [("b 1, 2", 0, 16), ("a 2", 4, 5), ("a 1, 3", 5, 5)];
        let found: Vec<(&str, u64, u64)> = counts.iter().map(|of| (of.engines.as_str(), of.did, of.of)).collect();
        assert_eq!(found, expected);
    }
}
