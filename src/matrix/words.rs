//! What engines were observed to do with a feature, in words.

use serde::Serialize;

use super::{Deviation, Feature, Matrix, Observation, Standing};
use crate::divergences::EngineVersion;
use crate::plural::counted;

/// The behaviour of some engines with a feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FeatureAnswer {
    /// The engines: `ptxas 11.8 to 13.5`.
    pub engines: String,
    /// How that compares with the manual.
    pub standing: Standing,
    /// The same in words, with where they have it.
    pub says: String,
}

impl Standing {
    /// True if nothing that the engine did differs from the manual, and nothing is open.
    pub fn agrees(self) -> bool {
        matches!(self, Self::Same | Self::Beyond)
    }
}

const AS_MANUAL: &str = "as the manual";
const BEYOND: &str = "needs a later version than it takes, and accepts it nowhere";

/// The observed behaviour of an engine in words, compared with the manual.
pub(super) fn answer(observed: &Observation) -> String {
    let open: Vec<String> =
        observed.undecided.iter().map(|(why, count)| format!("{why} in {}", counted(*count, "environment"))).collect();
    let open = if open.is_empty() { String::new() } else { format!("; undecided: {}", open.join(", ")) };
    let listed = match (observed.divergences.as_slice(), observed.unlisted) {
        ([], _) => "no divergence lists it".to_owned(),
        (ids, 0) => format!("listed as {}", ids.join(", ")),
        (ids, _) => format!("partly listed as {}", ids.join(", ")),
    };
    match observed.verdict {
        Standing::Same => AS_MANUAL.to_owned(),
        Standing::Beyond => BEYOND.to_owned(),
        Standing::NotAsked => "not asked: it takes no environment".to_owned(),
        Standing::Undecided => format!("not decided{open}"),
        Standing::Never if observed.crashes.is_none() => format!("DIFFERS: never accepted ({listed})"),
        Standing::Never => format!("DIFFERS: never accepted; {} ({listed})", differing(observed)),
        Standing::Differs => format!("DIFFERS: {} ({listed}){open}", differing(observed)),
    }
}

/// Where an engine has something, if that can be said in short, otherwise where it differs; and where it crashes.
fn differing(observed: &Observation) -> String {
    let Observation { accepts, also, not, crashes, .. } = observed;
    let short = accepts.ranges.is_empty();
    let has = short && !accepts.from.is_empty() && !(also.is_none() && not.is_none());
    let deviations = [(also, "also"), (not, "not"), (crashes, "crashes")];
    let shown = deviations.into_iter().filter(|(of, word)| !of.is_none() && (!short || *word == "crashes"));
    let place = |(of, word): (&Deviation, &str)| {
        let smallest: Vec<String> = of.smallest.iter().map(ToString::to_string).collect();
        format!("{word} in {} from {}", counted(of.environments, "environment"), smallest.join(" and "))
    };
    has.then(|| accepts.to_string()).into_iter().chain(shown.map(place)).collect::<Vec<_>>().join("; ")
}

impl Feature {
    /// The behaviour of the engines of the matrix, with neighbouring ones together that do the same.
    pub fn answers(&self, matrix: &Matrix) -> Vec<FeatureAnswer> {
        let mut groups: Vec<(Vec<&str>, Standing, String)> = Vec::new();
        for (engine, observed) in matrix.engines.iter().zip(&self.observed) {
            let says = answer(observed);
            match groups.last_mut().filter(|(engines, _, known)| *known == says && same_family(engines[0], &engine.id))
            {
                Some((engines, ..)) => engines.push(&engine.id),
                None => groups.push((vec![&engine.id], observed.verdict, says)),
            }
        }
        let answer = |(engines, standing, says): (Vec<&str>, Standing, String)| FeatureAnswer {
            engines: span(&engines),
            standing,
            says,
        };
        groups.into_iter().map(answer).collect()
    }
}

fn same_family(a: &str, b: &str) -> bool {
    a.split('@').next() == b.split('@').next()
}

/// `ptxas 11.8 to 13.5`
fn span(engines: &[&str]) -> String {
    let version = |id: &str| EngineVersion::parse(id).map_or_else(|_| id.to_owned(), |version| version.short());
    let (first, last) = (engines.first().copied().unwrap_or_default(), engines.last().copied().unwrap_or_default());
    let family = first.split('@').next().unwrap_or_default();
    match engines.len() {
        1 => format!("{family} {}", version(first)),
        _ => format!("{family} {} to {}", version(first), version(last)),
    }
}
