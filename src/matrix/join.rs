//! One matrix of several: of other engines, or of other instructions.

use std::collections::BTreeMap;

use super::{AskedEngine, Availability, Deviation, Feature, Matrix, Observation, Standing};

/// A feature without its observations, and these by engine.
type ObservedFeature = (Feature, BTreeMap<String, Observation>);

impl Matrix {
    /// One matrix of several of the same specification, in whatever order they come; none of none. An engine that was not
    /// asked about a feature stands there as not asked.
    pub fn joined(matrices: Vec<Self>) -> Option<Self> {
        let mut engines: BTreeMap<String, AskedEngine> = BTreeMap::new();
        let mut instructions: BTreeMap<String, Vec<ObservedFeature>> = BTreeMap::new();
        let mut joined =
            Self { engines: Vec::new(), features: Vec::new(), never: Vec::new(), ..matrices.first()?.clone() };
        for matrix in matrices {
            for engine in matrix.engines {
                match engines.get_mut(&engine.id) {
                    Some(known) => known.add(engine),
                    None => drop(engines.insert(engine.id.clone(), engine)),
                }
            }
            for mut feature in matrix.features {
                let observed = std::mem::take(&mut feature.observed).into_iter().map(|of| (of.engine.clone(), of));
                let of_instruction = instructions.entry(feature.instruction.clone()).or_default();
                match of_instruction.iter_mut().find(|(known, _)| known.name == feature.name) {
                    Some((_, known)) => known.extend(observed),
                    None => of_instruction.push((feature, observed.collect())),
                }
            }
        }
        let ids: Vec<String> = engines.keys().cloned().collect();
        for (mut feature, mut observed) in instructions.into_values().flatten() {
            let of = |id: &String| observed.remove(id).unwrap_or_else(|| Observation::not_asked(id));
            feature.observed = ids.iter().map(of).collect();
            joined.features.push(feature);
        }
        joined.engines = engines.into_values().collect();
        Some(joined)
    }
}

impl AskedEngine {
    fn add(&mut self, other: Self) {
        self.environments = self.environments.max(other.environments);
        self.asked_environments = self.asked_environments.max(other.asked_environments);
        self.lines += other.lines;
        for (why, count) in other.unanswered {
            *self.unanswered.entry(why).or_default() += count;
        }
    }
}

impl Observation {
    fn not_asked(engine: &str) -> Self {
        Self {
            engine: engine.to_owned(),
            verdict: Standing::NotAsked,
            accepts: Availability::default(),
            also: Deviation::default(),
            not: Deviation::default(),
            crashes: Deviation::default(),
            undecided: BTreeMap::new(),
            divergences: Vec::new(),
            unlisted: 0,
        }
    }
}
