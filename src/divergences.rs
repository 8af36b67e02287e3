//! Divergences: where an engine is known to differ from the specification, and why.
//!
//! They are listed in `specs/divergences/*.yaml`; `docs/divergences.md` explains the format.

mod alike;
mod chain;
mod condition;
mod date;
mod expect;
mod foretell;
mod leniency;
mod load;
mod proposal;
mod version;

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Depth, Outcome};
use crate::environment::Version;
use crate::spec::{Cube, Form, Rule};

pub use chain::{ChainLine, KnownChain, ShownChain};
pub use condition::{AxisValues, Condition};
pub use date::Date;
pub use expect::{Comparison, ExpectedOutcome};
pub use foretell::Foretold;
pub use leniency::Leniency;
pub use load::schema;
pub use proposal::Proposal;
use version::VersionRanges;
pub use version::{EngineVersion, EngineVersionError, VersionRange};

/// The behavior of an engine that differs from the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Does {
    /// It accepts.
    Accepts,
    /// It rejects.
    Rejects,
    /// It dies, or reports an internal error.
    Crashes,
    /// It executes a line with a wrong result: `when` may also name axes of the setup.
    Computes,
}

impl Does {
    /// The words of a report for what the engine did.
    pub(crate) fn outcome(self) -> &'static str {
        match self {
            Self::Accepts => "accepted",
            Self::Rejects => "rejected",
            Self::Crashes => "crashed",
            Self::Computes => "computed a wrong result",
        }
    }

    /// The word in YAML and fingerprints.
    pub fn word(self) -> &'static str {
        match self {
            Self::Accepts => "accepts",
            Self::Rejects => "rejects",
            Self::Crashes => "crashes",
            Self::Computes => "computes",
        }
    }

    /// The behavior that an outcome counts as; `None` if the engine did not judge.
    pub fn of(outcome: &Outcome) -> Option<Self> {
        match outcome {
            Outcome::Accepted => Some(Self::Accepts),
            Outcome::Rejected(_) => Some(Self::Rejects),
            Outcome::Crashed(_) | Outcome::TimedOut => Some(Self::Crashes),
            Outcome::Skipped(_) => None,
        }
    }
}

/// The kind of a defect, for those who compile with an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DefectKind {
    /// The machine code computes something else.
    WrongCode,
    /// The engine dies, does not end, or reports an internal error.
    Crash,
}

/// A known divergence.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// Its name.
    pub id: String,
    /// The family of engines: also that of engines whose name continues it after a `-`.
    pub engine: String,
    /// The names of those of them that do it; all if empty.
    pub engines: Vec<String>,
    /// The other families that have the divergences of this one, because they are made of the same program.
    like: Vec<String>,
    /// The families whose files say that they do not do it.
    unlike: Vec<String>,
    /// The instructions that it is about, as in its file; all if empty.
    pub instructions: Vec<String>,
    /// The instructions that it is not about.
    pub except: Vec<String>,
    /// The engine's behavior.
    pub does: Does,
    /// The kind of defect, if it is not the one that the behavior has.
    defect: Option<DefectKind>,
    /// The rules that are not enforced, by the part of their ids after the `/`.
    pub rules: Vec<String>,
    /// True if it does so only with some of these lines.
    pub sometimes: bool,
    /// True if several lines of these instructions do it together, and none of them alone.
    pub together: bool,
    /// The depth at which it shows.
    pub depth: Depth,
    /// The reason, in words.
    pub because: String,
    /// The heading of the manual's page.
    pub section: Option<String>,
    /// A link to more information.
    pub link: Option<String>,
    /// The last day on which it applies without being checked again.
    pub expires: Option<Date>,
    /// The condition, each combination as in its file; always if empty.
    pub when: Vec<String>,
    /// The lines that do it one after the other; none if it is about single lines.
    pub chain: Option<KnownChain>,
    /// The versions of the engine that do it.
    versions: VersionRanges,
    /// The variants that it is about.
    cubes: Vec<ListedCube>,
}

/// Variants of a form that a divergence is about.
#[derive(Clone, Debug)]
pub struct ListedCube {
    /// The form, by its id.
    pub form: String,
    /// The combination.
    pub cube: Cube,
    /// The positions in [`Form::rules`] of the rules that are not enforced there, ascending.
    pub rules: Vec<usize>,
}

impl ListedCube {
    /// Resolves the rules that a divergence names. If it is about some operands that the named rules are about, it says
    /// nothing of the rules that are about others: `{ a.type: .b8 }` is not why an engine would take any type for `d`.
    fn new(form: &Form, cube: Cube, names: impl Fn(&str) -> bool) -> Self {
        let operands = |cube: &Cube| -> BTreeSet<usize> {
            cube.sets().iter().filter_map(|(axis, _)| form.axes[*axis].choice.operand()).collect()
        };
        let of_rule = |rule: &Rule| -> BTreeSet<usize> { rule.forbids.iter().flat_map(operands).collect() };
        let named = form.rules.iter().enumerate().filter(|(_, rule)| names(&rule.id));
        let named: Vec<(usize, BTreeSet<usize>)> = named.map(|(at, rule)| (at, of_rule(rule))).collect();
        let restricted = operands(&cube);
        let chosen = named.iter().any(|(_, of)| !of.is_disjoint(&restricted));
        let about = |of: &BTreeSet<usize>| !chosen || of.is_empty() || !of.is_disjoint(&restricted);
        let rules = named.iter().filter(|(_, of)| about(of)).map(|(at, _)| *at).collect();
        Self { form: form.id.clone(), cube, rules }
    }
}

impl Divergence {
    /// The versions of the engine that do it, such as `12.4 to 12.9, from 13.1`; empty for all.
    pub fn version_words(&self) -> String {
        self.versions.words()
    }

    /// The ranges of versions that do it, the oldest first; all versions if there are none.
    pub fn version_ranges(&self) -> &[VersionRange] {
        self.versions.all()
    }

    /// True if its ranges of versions have this one, whatever the engine is.
    pub fn has_version(&self, version: &EngineVersion) -> bool {
        self.versions.contains(version)
    }

    /// The kind of defect that it is; none if the engine only accepts or rejects what it should not.
    pub fn defect_kind(&self) -> Option<DefectKind> {
        match self.does {
            Does::Accepts | Does::Rejects => None,
            Does::Crashes => Some(self.defect.unwrap_or(DefectKind::Crash)),
            Does::Computes => Some(self.defect.unwrap_or(DefectKind::WrongCode)),
        }
    }

    /// The variants that it is about.
    pub fn cubes(&self) -> &[ListedCube] {
        &self.cubes
    }

    /// The variants of a form that it is about.
    pub fn cubes_in<'d>(&'d self, form: &str) -> impl Iterator<Item = &'d ListedCube> {
        self.cubes.iter().filter(move |listed| listed.form == form)
    }

    /// True if it applies to this version of an engine.
    pub fn applies(&self, engine: &EngineVersion) -> bool {
        let name = self.listed_name(engine);
        self.is_of(engine) && (self.engines.is_empty() || self.engines.contains(name)) && self.versions.contains(engine)
    }

    /// True if it applies to other versions or engines of the family of this one, and not to it.
    pub fn applies_elsewhere(&self, engine: &EngineVersion) -> bool {
        self.is_of(engine) && !self.applies(engine)
    }

    /// True if it is about the family of an engine.
    fn is_of(&self, engine: &EngineVersion) -> bool {
        !self.unlike.contains(&engine.family) && of_family(self.listed_name(engine), &self.engine)
    }

    /// The name under which an engine is listed.
    fn listed_name<'n>(&'n self, engine: &'n EngineVersion) -> &'n String {
        if self.like.iter().any(|like| of_family(&engine.family, like)) { &self.engine } else { &engine.family }
    }

    /// True if it lists a rule as not enforced.
    pub fn names(&self, rule: &str) -> bool {
        self.rules.iter().any(|name| names(name, rule))
    }
}

/// True if a name in a divergence is the name of a rule: its id, or the part after the `/`.
fn names(name: &str, id: &str) -> bool {
    let before = id.strip_suffix(name);
    before.is_some_and(|before| before.is_empty() || (before.ends_with('/') && !name.contains('/')))
}

/// True if the name of an engine is the name of a family, or continues it after a `-`: `sass-sm_80` is of `sass`.
fn of_family(name: &str, family: &str) -> bool {
    name.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// All known divergences.
#[derive(Clone, Debug, Default)]
pub struct Divergences {
    /// In the order of the files.
    pub all: Vec<Divergence>,
    /// The families that the files are about.
    families: BTreeSet<String>,
    /// A hash of the files; empty if there are none.
    pub fingerprint: String,
    /// The newest PTX version that each version of a family accepts.
    newest: Vec<NewestPtx>,
    /// The divergences in judging lines.
    judged: CubesByForm,
    /// The divergences in executing lines, with their cubes in the executed form.
    executed: CubesByForm,
}

/// An index of cubes: for each form, the positions of its divergences, with their cubes there.
type CubesByForm = FxHashMap<String, Vec<(usize, Vec<ListedCube>)>>;

/// The newest PTX version that a version of a family of engines accepts.
#[derive(Clone, Debug)]
struct NewestPtx {
    family: String,
    version: Vec<u32>,
    ptx: Version,
}

impl Divergences {
    /// The family under which divergences of engines with this name are listed: one that the name continues, or else
    /// the name itself.
    pub fn family<'d>(&'d self, name: &'d str) -> &'d str {
        self.families().filter(|known| of_family(name, known)).max_by_key(|known| known.len()).unwrap_or(name)
    }

    /// The divergence that lists that lines of these opcodes kill an engine together, at this depth.
    pub(crate) fn kills_together(
        &self,
        engine: &EngineVersion,
        opcodes: &BTreeSet<String>,
        depth: Depth,
    ) -> Option<&str> {
        let about = |divergence: &Divergence, opcode: &String| {
            let of_form = |listed: &ListedCube| listed.form.rsplit_once('.').is_some_and(|(of, _)| of == opcode);
            divergence.cubes.iter().any(of_form)
        };
        let listed = self.all.iter().filter(|known| known.together && known.depth == depth && known.applies(engine));
        let mut listed = listed.filter(|known| opcodes.iter().all(|opcode| about(known, opcode)));
        listed.next().map(|known| known.id.as_str())
    }

    /// The chains that an engine is known to compute wrong or to die of.
    pub fn chains<'d>(&'d self, engine: &'d EngineVersion) -> impl Iterator<Item = (&'d Divergence, &'d KnownChain)> {
        self.all.iter().filter(|known| known.applies(engine)).filter_map(|known| Some((known, known.chain.as_ref()?)))
    }

    /// The divergence of an engine that lists a chain of these lines, which it computes wrong or dies of.
    pub fn of_chain<'d>(
        &'d self,
        engine: &'d EngineVersion,
        does: Does,
        lines: &[ChainLine<'_>],
    ) -> Option<&'d Divergence> {
        let mut listed = self.chains(engine).filter(|(known, _)| known.does == does);
        listed.find(|(_, chain)| chain.matches(lines)).map(|(known, _)| known)
    }

    fn new(all: Vec<Divergence>, families: BTreeSet<String>, fingerprint: String, newest: Vec<NewestPtx>) -> Self {
        let (mut judged, mut executed) = (CubesByForm::default(), CubesByForm::default());
        // What lines do together is expected of none of them.
        for (at, divergence) in all.iter().enumerate().filter(|(_, divergence)| !divergence.together) {
            let forms = if divergence.does == Does::Computes { &mut executed } else { &mut judged };
            for listed in &divergence.cubes {
                let of_form = forms.entry(listed.form.clone()).or_default();
                match of_form.last_mut() {
                    Some((last, cubes)) if *last == at => cubes.push(listed.clone()),
                    _ => of_form.push((at, vec![listed.clone()])),
                }
            }
        }
        Self { all, families, fingerprint, newest, judged, executed }
    }
}
