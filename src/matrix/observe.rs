//! Asks an engine about the lines of features in every environment that it takes, and compares.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::availability::Availability;
use super::features::Surveyed;
use super::format::{AskedEngine, Deviation, Observation, Standing};
use super::pairs::{Grid, ModulePair, PairSet};
use super::witness::Witness;
use crate::campaign::{Progress, Subject};
use crate::case::{self, Case, CaseResult, InternalError};
use crate::divergences::{Divergences, Does, EngineVersion};
use crate::engine::{Depth, LineJudge, Outcome};
use crate::environment::{AddressSize, Environment};
use crate::space::Values;
use crate::spec::{Instruction, Spec};

/// Lines of one module.
const BATCH: usize = 10_000;

/// What an engine did with a line in an environment.
#[derive(Clone, Debug)]
enum Answer {
    Accepts,
    Rejects,
    /// Neither: says why.
    Nothing(String),
}

/// The answer about a line, and the divergence that lists it if it is not what the manual says.
#[derive(Clone, Debug)]
struct Answered {
    answer: Answer,
    listed: Option<String>,
}

/// Asks one engine.
pub(super) struct EngineAsker<'a> {
    pub(super) spec: &'a Spec,
    pub(super) divergences: &'a Divergences,
    pub(super) subject: &'a Subject<'a>,
    pub(super) judge: &'a dyn LineJudge,
    pub(super) version: Option<EngineVersion>,
    pub(super) grid: &'a Grid,
    pub(super) progress: &'a Progress,
}

/// A line that several features may share.
struct Asked<'s> {
    instruction: &'s Instruction,
    witness: Witness,
}

/// The answers about all lines, by environment; none for an environment about which nothing was asked.
type Answers = BTreeMap<ModulePair, Vec<Answered>>;

impl EngineAsker<'_> {
    /// What the engine did with the lines of each feature.
    pub(super) fn ask(&self, surveyed: &[Surveyed<'_>]) -> Result<(AskedEngine, Vec<Observation>), InternalError> {
        let (lines, of_feature) = lines(surveyed);
        let domain = self.domain();
        let pairs: Vec<ModulePair> = domain.iter().collect();
        self.progress.planned.fetch_add(u64::try_from(pairs.len()).unwrap_or(u64::MAX), Ordering::Relaxed);
        let answers: Vec<Option<Vec<Answered>>> =
            pairs.par_iter().map(|pair| self.ask_in(*pair, &lines)).collect::<Result<_, _>>()?;
        let found = pairs.into_iter().zip(answers).filter_map(|(pair, answers)| Some((pair, answers?)));
        let answers: Answers = found.collect();
        let observation = |(surveyed, lines): (&Surveyed<'_>, &Vec<usize>)| {
            self.observation(&surveyed.region, lines, &domain, &answers)
        };
        let observations = surveyed.iter().zip(&of_feature).map(observation).collect();
        let mut unanswered: BTreeMap<String, usize> = BTreeMap::new();
        for answered in answers.values().flatten() {
            if let Answer::Nothing(why) = &answered.answer {
                *unanswered.entry(why.clone()).or_default() += 1;
            }
        }
        let engine = AskedEngine {
            id: self.judge.id().to_string(),
            newest_ptx: self.subject.newest,
            environments: domain.len(),
            lines: answers.values().map(Vec::len).sum(),
            unanswered,
        };
        Ok((engine, observations))
    }

    /// The pairs of a version and a target that the engine takes.
    fn domain(&self) -> PairSet {
        let mut domain = self.grid.none();
        let takes = |pair: &ModulePair| {
            let (ptx, target) = (self.grid.version(*pair), self.grid.target(*pair));
            let wide = ptx >= AddressSize::SINCE;
            let address_size = if wide { AddressSize::Bits64 } else { AddressSize::Bits32 };
            self.subject.takes(&Environment { ptx, target, address_size }, Depth::Check)
        };
        self.grid.all().iter().filter(takes).for_each(|pair| domain.insert(pair));
        domain
    }

    /// The answers about all lines in one environment; none if the search was stopped before.
    fn ask_in(&self, pair: ModulePair, lines: &[Asked<'_>]) -> Result<Option<Vec<Answered>>, InternalError> {
        if self.progress.stopped() {
            return Ok(None);
        }
        let there = |asked: &Asked<'_>| asked.witness.at(pair, self.grid, asked.instruction);
        let values: Vec<Option<Values>> = lines.iter().map(there).collect();
        // A process that complains about some lines must be asked again about the others; and a declaration that is
        // refused must not refuse other lines.
        let mut groups: [Vec<usize>; 3] = Default::default();
        for (at, values) in values.iter().enumerate() {
            if let Some(values) = values {
                groups[self.group(&lines[at], values)].push(at);
            }
        }
        let unknown = Answered { answer: Answer::Nothing(NOT_KNOWN.to_owned()), listed: None };
        let mut answers = vec![unknown; lines.len()];
        for (group, batch) in groups.iter().zip([BATCH, BATCH, 1]) {
            let case = |&at: &usize| {
                let (asked, values) = (&lines[at], values[at].as_deref()?);
                Some((at, Case { instruction: asked.instruction, form: asked.witness.form, values }))
            };
            let (at, cases): (Vec<usize>, Vec<Case<'_>>) = group.iter().filter_map(case).unzip();
            let results = case::ask(self.spec, self.judge, Depth::Check, &cases, batch)?;
            for ((at, case), result) in at.into_iter().zip(&cases).zip(results) {
                answers[at] = self.answered(case, &result, lines[at].witness.valid.contains(pair))?;
            }
        }
        self.progress.done.fetch_add(1, Ordering::Relaxed);
        self.progress.cases.fetch_add(u64::try_from(lines.len()).unwrap_or(u64::MAX), Ordering::Relaxed);
        Ok(Some(answers))
    }

    /// With which others a line is asked about: those that are probably accepted, those that are not, and those whose
    /// declarations the environment may not have, each alone.
    fn group(&self, asked: &Asked<'_>, values: &[u8]) -> usize {
        let form = &asked.instruction.forms[asked.witness.form];
        let broken = form.broken(values);
        if broken.iter().any(|&rule| !form.rules[rule].kind.breakable()) {
            return 2;
        }
        let version = self.version.as_ref();
        let foreseen = self.divergences.foresee(version, &form.id, values, broken.first().copied(), Depth::Check);
        usize::from(foreseen.outcome != Does::Accepts)
    }

    /// What a result says. The judge must read the line as the diagrams have it.
    fn answered(&self, case: &Case<'_>, result: &CaseResult, valid: bool) -> Result<Answered, InternalError> {
        let (Some(reading), Some(outcome)) = (result.reading(), result.outcome()) else {
            return Ok(Answered { answer: Answer::Nothing(NOT_KNOWN.to_owned()), listed: None });
        };
        if reading.valid() != valid {
            let word = |valid| if valid { "valid" } else { "invalid" };
            let environment = case.environment()?;
            return Err(InternalError(format!(
                "{} is {} by the diagrams and read as {} in {environment}; `spec lint` says more",
                case.line(),
                word(valid),
                word(reading.valid())
            )));
        }
        let answer = match outcome {
            Outcome::Accepted => Answer::Accepts,
            Outcome::Rejected(_) => Answer::Rejects,
            Outcome::Skipped(why) => Answer::Nothing(format!("skipped: {why}")),
            Outcome::Crashed(_) | Outcome::TimedOut => Answer::Nothing(outcome.word().to_owned()),
        };
        let did = Does::of(outcome).filter(|did| (*did == Does::Accepts) != valid);
        let listed = did.and_then(|did| {
            let version = self.version.as_ref();
            let compared = self.divergences.compare(version, case.instruction, reading, Depth::Check, did);
            compared.divergence.filter(|_| compared.as_expected).map(str::to_owned)
        });
        Ok(Answered { answer, listed })
    }

    /// Compares the answers about the lines of a feature with where the manual has it.
    fn observation(&self, region: &PairSet, lines: &[usize], domain: &PairSet, answers: &Answers) -> Observation {
        let (mut accepts, mut open) = (self.grid.none(), self.grid.none());
        let mut undecided: BTreeMap<String, usize> = BTreeMap::new();
        for pair in domain.iter() {
            let of_lines = answers.get(&pair).map(|all| lines.iter().map(|&line| &all[line].answer));
            let mut of_lines: Vec<&Answer> = of_lines.into_iter().flatten().collect();
            // With no line at all there is no answer either.
            let stopped = Answer::Nothing(STOPPED.to_owned());
            of_lines.extend(of_lines.is_empty().then_some(&stopped));
            if of_lines.iter().any(|answer| matches!(answer, Answer::Accepts)) {
                accepts.insert(pair);
            } else if let Some(why) = of_lines.iter().find_map(|answer| match answer {
                Answer::Nothing(why) => Some(why),
                _ => None,
            }) {
                open.insert(pair);
                *undecided.entry(why.clone()).or_default() += 1;
            }
        }
        let expected = region.and(domain);
        let also = accepts.without(region);
        let not = expected.without(&accepts).without(&open);
        let verdict = match () {
            () if domain.is_empty() => Standing::NotAsked,
            () if !not.is_empty() && accepts.is_empty() && open.is_empty() => Standing::Never,
            () if !also.is_empty() || !not.is_empty() => Standing::Differs,
            () if !open.is_empty() => Standing::Undecided,
            () if expected.is_empty() => Standing::Beyond,
            () => Standing::Same,
        };
        let (divergences, unlisted) = listed(&also.or(&not), lines, answers);
        Observation {
            engine: self.judge.id().to_string(),
            verdict,
            accepts: Availability::of(self.grid, &accepts.or(&open.and(region)), domain),
            also: self.deviation(&also),
            not: self.deviation(&not),
            undecided,
            divergences,
            unlisted,
        }
    }

    fn deviation(&self, set: &PairSet) -> Deviation {
        Deviation { environments: set.len(), smallest: Availability::of(self.grid, set, set).from }
    }
}

const NOT_KNOWN: &str = "the form does not know the environment";
const STOPPED: &str = "the search was stopped";

/// The lines of all features, each once, and for each feature the positions of its own.
fn lines<'s>(surveyed: &[Surveyed<'s>]) -> (Vec<Asked<'s>>, Vec<Vec<usize>>) {
    let mut lines: Vec<Asked<'s>> = Vec::new();
    let mut known: FxHashMap<(&str, usize, &[u8]), usize> = FxHashMap::default();
    let mut of_feature = Vec::with_capacity(surveyed.len());
    for surveyed in surveyed {
        let mut own = Vec::new();
        for witness in &surveyed.witnesses {
            // The environment is not part of the line.
            let key = (surveyed.instruction.name.as_str(), witness.form, &witness.values[3..]);
            let at = *known.entry(key).or_insert(lines.len());
            if at == lines.len() {
                lines.push(Asked { instruction: surveyed.instruction, witness: witness.clone() });
            }
            own.push(at);
        }
        of_feature.push(own);
    }
    (lines, of_feature)
}

/// The divergences that list what some lines do in these environments, and in how many of them none does.
fn listed(pairs: &PairSet, lines: &[usize], answers: &Answers) -> (Vec<String>, usize) {
    let mut divergences: BTreeSet<&str> = BTreeSet::new();
    let mut unlisted = 0;
    for pair in pairs.iter() {
        let all = answers.get(&pair);
        let of_lines = lines.iter().filter_map(|&line| all?[line].listed.as_deref());
        let before = of_lines.clone().next();
        unlisted += usize::from(before.is_none());
        divergences.extend(of_lines);
    }
    (divergences.into_iter().map(str::to_owned).collect(), unlisted)
}
