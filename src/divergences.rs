//! Divergences: where an engine is known not to do what the specification says, and why.
//!
//! They stand in `specs/divergences/*.yaml`; `docs/divergences.md` explains the format.

mod condition;
mod date;
mod expect;
mod load;
mod proposal;
mod version;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Depth, Outcome};
use crate::environment::Version;
use crate::judge::Reading;
use crate::spec::{Cube, Instruction};

pub use condition::{AxisValues, Condition};
pub use date::Date;
pub use expect::{Comparison, ExpectedOutcome};
pub use load::schema;
pub use proposal::Proposal;
pub use version::EngineVersion;
use version::VersionRange;

/// What an engine does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Does {
    /// It accepts.
    Accepts,
    /// It rejects.
    Rejects,
    /// It dies, or gives up with an internal error.
    Crashes,
    /// It executes a line and yields something else than expected: `when` may name the axes of the setup as well.
    Computes,
}

impl Does {
    /// As YAML and fingerprints spell it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Accepts => "accepts",
            Self::Rejects => "rejects",
            Self::Crashes => "crashes",
            Self::Computes => "computes",
        }
    }

    /// What an outcome amounts to; `None` where the engine did not judge.
    pub fn of(outcome: &Outcome) -> Option<Self> {
        match outcome {
            Outcome::Accepted => Some(Self::Accepts),
            Outcome::Rejected(_) => Some(Self::Rejects),
            Outcome::Crashed(_) | Outcome::TimedOut => Some(Self::Crashes),
            Outcome::Skipped(_) => None,
        }
    }
}

/// A known divergence.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// Its name.
    pub id: String,
    /// The family of engines.
    pub engine: String,
    /// What the engine does.
    pub does: Does,
    /// The rules that are not enforced, as the ids of the specification have them behind the `/`.
    pub rules: Vec<String>,
    /// Whether it does so with some of these lines only.
    pub sometimes: bool,
    /// How deep the engine must be taken.
    pub depth: Depth,
    /// Why.
    pub because: String,
    /// The heading of the manual's page.
    pub section: Option<String>,
    /// Where more is said of it.
    pub link: Option<String>,
    /// The last day on which it is believed.
    pub expires: Option<Date>,
    /// The versions of the engine that do it.
    versions: VersionRange,
    /// The forms it is about, by id, with the cube in each.
    cubes: Vec<(String, Cube)>,
}

impl Divergence {
    /// The forms it is about, by id, and the combinations in each.
    pub fn cubes(&self) -> &[(String, Cube)] {
        &self.cubes
    }

    /// Whether it is about such a line as a whole: a valid one where it names no rules, otherwise
    /// one all of whose broken rules it names.
    fn concerns(&self, instruction: &Instruction, reading: &Reading) -> bool {
        self.rules.is_empty() == reading.valid() && reading.rules(instruction).all(|rule| self.names(&rule.id))
    }

    /// Whether it is about this version of an engine.
    pub fn applies(&self, engine: &EngineVersion) -> bool {
        self.engine == engine.family && self.versions.contains(engine)
    }

    /// Whether a rule is among those that are not enforced.
    pub fn names(&self, rule: &str) -> bool {
        let short = rule.rsplit('/').next().unwrap_or(rule);
        self.rules.iter().any(|known| known == short || known == rule)
    }
}

/// All known divergences.
#[derive(Clone, Debug, Default)]
pub struct Divergences {
    /// In the order of the files.
    pub all: Vec<Divergence>,
    /// The newest PTX version that a version of a family takes.
    newest: Vec<NewestPtx>,
    /// Those about how lines are judged.
    judged: CubesByForm,
    /// Those about how lines are executed, with their cubes in the executed form.
    executed: CubesByForm,
}

/// An index of cubes: by form, the positions of the divergences about it, with their cubes there.
type CubesByForm = FxHashMap<String, Vec<(usize, Vec<Cube>)>>;

/// The newest PTX version that a version of a family of engines takes.
#[derive(Clone, Debug)]
struct NewestPtx {
    family: String,
    version: Vec<u32>,
    ptx: Version,
}

impl Divergences {
    fn new(all: Vec<Divergence>, newest: Vec<NewestPtx>) -> Self {
        let (mut judged, mut executed) = (CubesByForm::default(), CubesByForm::default());
        for (at, divergence) in all.iter().enumerate() {
            let forms = if divergence.does == Does::Computes { &mut executed } else { &mut judged };
            for (form, cube) in &divergence.cubes {
                let of_form = forms.entry(form.clone()).or_default();
                match of_form.last_mut() {
                    Some((last, cubes)) if *last == at => cubes.push(cube.clone()),
                    _ => of_form.push((at, vec![cube.clone()])),
                }
            }
        }
        Self { all, newest, judged, executed }
    }
}
