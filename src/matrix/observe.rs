//! Asks an engine about the lines of features in every environment that it takes, and compares.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::SurveyPart;
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
use crate::ptx::print_variant;
use crate::space::{EnvironmentValues, Values};
use crate::spec::{Instruction, Spec};

/// Cases, each with its position.
type NumberedCases<'c> = Vec<(usize, Case<'c>)>;

/// Lines of one module.
const BATCH: usize = 10_000;

/// The answer of an engine to a line in an environment.
#[derive(Clone, Debug)]
enum SeenLine {
    Accepts,
    Rejects,
    Crashes,
    /// No verdict, with the reason.
    Nothing(String),
}

impl SeenLine {
    /// The reason why there is no answer.
    fn without_answer(self) -> Option<String> {
        match self {
            Self::Nothing(why) => Some(why),
            Self::Accepts | Self::Rejects | Self::Crashes => None,
        }
    }
}

/// The answer about a line, and the divergence that lists it if it is not what the manual says.
#[derive(Clone, Debug)]
struct AskedLine {
    answer: SeenLine,
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
    /// The environments that are asked about, if the engine takes them.
    pub(super) among: &'a PairSet,
    pub(super) lines: &'a SurveyedLines<'a>,
    pub(super) progress: &'a Progress,
}

/// The lines of all features, each once.
#[derive(Debug)]
pub(super) struct SurveyedLines<'s> {
    lines: Vec<Asked<'s>>,
    /// For each feature the positions of its own.
    of_feature: Vec<Vec<usize>>,
}

/// The lines of a part, or a few more.
const PART: usize = 2000;

/// A line that several features may share.
#[derive(Debug)]
struct Asked<'s> {
    instruction: &'s Instruction,
    witness: Witness,
    /// The kinds of what it declares besides registers: one that is refused refuses all lines of its module.
    declares: BTreeSet<String>,
}

/// The probable answer to a line. Lines of one prospect are asked about together: a process that complains about some
/// must be asked again about the others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Prospect {
    /// It is valid and accepted.
    Accepted,
    /// It is invalid, and listed as accepted.
    Lenient,
    /// It is refused.
    Refused,
    /// The environment may not have the registers or variables that it declares, so it gets a module of its own.
    Undeclarable,
}

impl<'s> Asked<'s> {
    fn new(instruction: &'s Instruction, witness: &Witness) -> Self {
        let (_, declarations) = print_variant(&instruction.forms[witness.form], &witness.values);
        let statements = declarations.split([';', '{', '}', ':']).map(str::trim);
        let others = statements.filter(|statement| !statement.starts_with(".reg") && !statement.starts_with(".entry"));
        let words = others.flat_map(str::split_whitespace).filter(|word| word.starts_with('.'));
        Self { instruction, witness: witness.clone(), declares: words.map(str::to_owned).collect() }
    }
}

/// The answers about the lines, by environment. A line without an answer was not asked about there.
type LinesSeen = BTreeMap<ModulePair, Vec<Option<AskedLine>>>;

impl EngineAsker<'_> {
    /// Asks about the lines of each feature, and returns the engine's behaviour.
    pub(super) fn ask(&self, surveyed: &[Surveyed<'_>]) -> Result<(AskedEngine, Vec<Observation>), InternalError> {
        let SurveyedLines { lines, of_feature } = self.lines;
        let domain = self.domain();
        let mut answers = LinesSeen::new();
        self.ask_all(first(lines, &domain), &mut answers)?;
        self.ask_all(further(lines, &domain, &answers), &mut answers)?;
        let observation = |(surveyed, lines_of): (&Surveyed<'_>, &Vec<usize>)| {
            let own: Vec<(usize, &PairSet)> = lines_of.iter().map(|&at| (at, &lines[at].witness.valid)).collect();
            self.observation(&surveyed.region, &own, &domain, &answers)
        };
        let observations = surveyed.iter().zip(of_feature).map(observation).collect();
        let mut unanswered: BTreeMap<String, usize> = BTreeMap::new();
        for answered in answers.values().flatten().flatten() {
            if let SeenLine::Nothing(why) = &answered.answer {
                *unanswered.entry(why.clone()).or_default() += 1;
            }
        }
        let engine = AskedEngine {
            id: self.judge.id().to_string(),
            newest_ptx: self.subject.newest,
            environments: domain.len(),
            asked_environments: answers.len(),
            lines: answers.values().flatten().flatten().count(),
            unanswered,
        };
        Ok((engine, observations))
    }

    /// The first questions, in parts.
    pub(super) fn parts(&self) -> Vec<SurveyPart> {
        let words = |pair: ModulePair| format!("PTX {}, {}", self.grid.version(pair), self.grid.target(pair));
        let (mut parts, mut questions, mut size): (Vec<SurveyPart>, BTreeMap<_, _>, usize) = Default::default();
        let mut all = first(&self.lines.lines, &self.domain()).into_iter().peekable();
        while let Some((pair, lines)) = all.next() {
            size += lines.len();
            questions.insert(pair, lines);
            if size >= PART || all.peek().is_none() {
                let from = questions.keys().next().map_or_else(String::new, |first| words(*first));
                let words = format!("{from} to {}", words(pair));
                parts.push(SurveyPart { questions: std::mem::take(&mut questions), words, size: size as u64 });
                size = 0;
            }
        }
        parts
    }

    /// Asks a part, and forgets the answers.
    pub(super) fn ask_part(&self, part: &SurveyPart) -> Result<(), InternalError> {
        self.ask_all(part.questions.clone(), &mut LinesSeen::new())
    }

    /// Asks about lines, by environment, and adds the answers.
    fn ask_all(
        &self,
        questions: BTreeMap<ModulePair, Vec<usize>>,
        answers: &mut LinesSeen,
    ) -> Result<(), InternalError> {
        let lines = &self.lines.lines;
        self.progress.planned.fetch_add(u64::try_from(questions.len()).unwrap_or(u64::MAX), Ordering::Relaxed);
        let ask = |(pair, which): (&ModulePair, &Vec<usize>)| Ok((*pair, self.ask_in(*pair, which, lines)?));
        let found: Vec<(ModulePair, Vec<(usize, AskedLine)>)> =
            questions.par_iter().map(ask).collect::<Result<_, InternalError>>()?;
        for (pair, found) in found.into_iter().filter(|(_, found)| !found.is_empty()) {
            let of_pair = answers.entry(pair).or_insert_with(|| vec![None; lines.len()]);
            found.into_iter().for_each(|(at, answered)| of_pair[at] = Some(answered));
        }
        Ok(())
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
        let all: Vec<ModulePair> = self.among.iter().collect();
        let taken: Vec<ModulePair> = all.into_par_iter().filter(takes).collect();
        taken.into_iter().for_each(|pair| domain.insert(pair));
        domain
    }

    /// The answers about some lines in one environment; none if the search was stopped before.
    fn ask_in(
        &self,
        pair: ModulePair,
        which: &[usize],
        lines: &[Asked<'_>],
    ) -> Result<Vec<(usize, AskedLine)>, InternalError> {
        if self.progress.stopped() {
            return Ok(Vec::new());
        }
        let there = |&at: &usize| (at, lines[at].witness.at(pair, self.grid, lines[at].instruction));
        let values: Vec<(usize, Values)> = which.iter().map(there).collect();
        let mut groups: BTreeMap<(Prospect, &BTreeSet<String>), NumberedCases<'_>> = BTreeMap::new();
        for (at, values) in &values {
            let asked = &lines[*at];
            let case = Case { instruction: asked.instruction, form: asked.witness.form, values };
            groups.entry((self.prospect(&case), &asked.declares)).or_default().push((*at, case));
        }
        let mut answers = Vec::with_capacity(values.len());
        for ((prospect, _), group) in groups {
            let (at, cases): (Vec<usize>, Vec<Case<'_>>) = group.into_iter().unzip();
            let batch = if prospect == Prospect::Undeclarable { 1 } else { BATCH };
            let results = case::ask(self.spec, self.judge, Depth::Check, &cases, batch)?;
            for ((at, case), result) in at.into_iter().zip(&cases).zip(&results) {
                answers.push((at, self.answered(case, result)?));
            }
        }
        self.progress.done.fetch_add(1, Ordering::Relaxed);
        self.progress.cases.fetch_add(u64::try_from(answers.len()).unwrap_or(u64::MAX), Ordering::Relaxed);
        Ok(answers)
    }

    /// The probable answer to a line.
    fn prospect(&self, case: &Case<'_>) -> Prospect {
        let form = case.form();
        let broken = form.broken(case.values);
        if broken.iter().any(|&rule| !form.rules[rule].kind.breakable()) {
            return Prospect::Undeclarable;
        }
        let version = self.version.as_ref();
        let foreseen = self.divergences.foresee(version, &form.id, case.values, broken.first().copied(), Depth::Check);
        match (broken.is_empty(), foreseen.outcome) {
            (true, Does::Accepts) => Prospect::Accepted,
            (false, Does::Accepts) => Prospect::Lenient,
            _ => Prospect::Refused,
        }
    }

    /// The answer in a result. The judge must read the line as the diagrams have it.
    fn answered(&self, case: &Case<'_>, result: &CaseResult) -> Result<AskedLine, InternalError> {
        let valid = case.form().broken(case.values).is_empty();
        let (Some(reading), Some(outcome)) = (result.reading(), result.outcome()) else {
            return Ok(AskedLine { answer: SeenLine::Nothing(NOT_READ.to_owned()), listed: None });
        };
        if reading.valid() != valid {
            let word = |valid| if valid { "valid" } else { "invalid" };
            let environment = case.environment();
            return Err(InternalError(format!(
                "{} is {} by the diagrams and read as {} in {environment}; `spec lint` says more",
                case.line(),
                word(valid),
                word(reading.valid())
            )));
        }
        let answer = match outcome {
            Outcome::Accepted => SeenLine::Accepts,
            Outcome::Rejected(_) => SeenLine::Rejects,
            Outcome::Skipped(why) => SeenLine::Nothing(format!("skipped: {why}")),
            Outcome::Crashed(_) => SeenLine::Crashes,
            Outcome::TimedOut => SeenLine::Nothing(outcome.word().to_owned()),
        };
        let did = Does::of(outcome).filter(|did| (*did == Does::Accepts) != valid);
        let listed = did.and_then(|did| {
            let version = self.version.as_ref();
            let compared = self.divergences.compare(version, case.instruction, reading, Depth::Check, did);
            compared.divergence.filter(|_| compared.as_expected).map(str::to_owned)
        });
        Ok(AskedLine { answer, listed })
    }

    /// Compares the answers about the lines of a feature with where the manual has it.
    fn observation(
        &self,
        region: &PairSet,
        lines: &[(usize, &PairSet)],
        domain: &PairSet,
        answers: &LinesSeen,
    ) -> Observation {
        let [mut accepts, mut crashes, mut open] = [self.grid.none(), self.grid.none(), self.grid.none()];
        let mut undecided: BTreeMap<String, usize> = BTreeMap::new();
        for pair in domain.iter() {
            let of_line = |(line, valid): &(usize, &PairSet)| {
                let answered = answers.get(&pair).and_then(|all| all[*line].as_ref());
                match (answered, valid.contains(pair)) {
                    (Some(answered), _) => answered.answer.clone(),
                    (None, _) if self.progress.stopped() => SeenLine::Nothing(STOPPED.to_owned()),
                    // Between environments that are as the manual says.
                    (None, true) => SeenLine::Accepts,
                    (None, false) => SeenLine::Rejects,
                }
            };
            let mut of_lines: Vec<SeenLine> = lines.iter().map(of_line).collect();
            if of_lines.is_empty() {
                of_lines.push(SeenLine::Nothing(NO_LINE.to_owned()));
            }
            if of_lines.iter().any(|answer| matches!(answer, SeenLine::Accepts)) {
                accepts.insert(pair);
            } else if of_lines.iter().any(|answer| matches!(answer, SeenLine::Crashes)) {
                crashes.insert(pair);
            } else if let Some(why) = of_lines.into_iter().find_map(SeenLine::without_answer) {
                open.insert(pair);
                *undecided.entry(why).or_default() += 1;
            }
        }
        let expected = region.and(domain);
        let also = accepts.without(region);
        let not = expected.without(&accepts).without(&open);
        let verdict = match () {
            () if domain.is_empty() => Standing::NotAsked,
            () if !not.is_empty() && accepts.is_empty() && open.is_empty() => Standing::Never,
            () if !also.is_empty() || !not.is_empty() || !crashes.is_empty() => Standing::Differs,
            () if !open.is_empty() => Standing::Undecided,
            () if expected.is_empty() => Standing::Beyond,
            () => Standing::Same,
        };
        let (divergences, unlisted) = listed(&also.or(&not).or(&crashes), lines, answers);
        Observation {
            engine: self.judge.id().to_string(),
            verdict,
            accepts: Availability::of(self.grid, &accepts.or(&open.and(region)), domain),
            also: self.deviation(&also),
            not: self.deviation(&not),
            crashes: self.deviation(&crashes),
            undecided,
            divergences,
            unlisted,
        }
    }

    fn deviation(&self, set: &PairSet) -> Deviation {
        Deviation { environments: set.len(), smallest: Availability::of(self.grid, set, set).from }
    }
}

const NOT_READ: &str = "it was not judged";
const NO_LINE: &str = "no line has it";
const STOPPED: &str = "the search was stopped";

/// The pairs of a domain in which to ask about a line that is valid in some of them: of each target, the first version, the
/// last one, and each on either side of a change.
fn edges(valid: &PairSet, domain: &PairSet) -> PairSet {
    let mut edges = domain.clone();
    for target in 0..domain.targets() {
        let pairs: Vec<ModulePair> = domain.versions(target).map(|version| ModulePair { version, target }).collect();
        for neighbours in pairs.windows(3) {
            let is = |at: usize| valid.contains(neighbours[at]);
            if is(0) == is(1) && is(1) == is(2) {
                edges.remove(neighbours[1]);
            }
        }
    }
    edges
}

/// Where to ask about each line first.
fn first(lines: &[Asked<'_>], domain: &PairSet) -> BTreeMap<ModulePair, Vec<usize>> {
    let mut first: BTreeMap<ModulePair, Vec<usize>> = BTreeMap::new();
    for (at, asked) in lines.iter().enumerate() {
        edges(&asked.witness.valid, domain).iter().for_each(|pair| first.entry(pair).or_default().push(at));
    }
    first
}

/// Where else to ask: about each line for all versions of a target with an answer that is not as the manual says.
fn further(lines: &[Asked<'_>], domain: &PairSet, answers: &LinesSeen) -> BTreeMap<ModulePair, Vec<usize>> {
    let mut odd: BTreeSet<(usize, usize)> = BTreeSet::new();
    for (pair, all) in answers {
        for (at, answered) in all.iter().enumerate() {
            let as_manual = answered.as_ref().is_none_or(|answered| match answered.answer {
                SeenLine::Accepts => lines[at].witness.valid.contains(*pair),
                SeenLine::Rejects => !lines[at].witness.valid.contains(*pair),
                SeenLine::Crashes | SeenLine::Nothing(_) => false,
            });
            if !as_manual {
                odd.insert((pair.target, at));
            }
        }
    }
    let mut further: BTreeMap<ModulePair, Vec<usize>> = BTreeMap::new();
    for (target, line) in odd {
        for pair in domain.versions(target).map(|version| ModulePair { version, target }) {
            if answers.get(&pair).is_none_or(|all| all[line].is_none()) {
                further.entry(pair).or_default().push(line);
            }
        }
    }
    further
}

impl<'s> SurveyedLines<'s> {
    /// The lines of features.
    pub(super) fn of(surveyed: &[Surveyed<'s>]) -> Self {
        let mut lines: Vec<Asked<'s>> = Vec::new();
        let mut known: FxHashMap<(&str, usize, &[u8]), usize> = FxHashMap::default();
        let mut of_feature = Vec::with_capacity(surveyed.len());
        for surveyed in surveyed {
            let mut own = Vec::new();
            for witness in &surveyed.witnesses {
                // The environment is not part of the line.
                let key =
                    (surveyed.instruction.name.as_str(), witness.form, EnvironmentValues::split(&witness.values).1);
                let at = *known.entry(key).or_insert(lines.len());
                if at == lines.len() {
                    lines.push(Asked::new(surveyed.instruction, witness));
                }
                own.push(at);
            }
            of_feature.push(own);
        }
        Self { lines, of_feature }
    }
}

/// The divergences that list what some lines do in these environments, and in how many of them none does.
fn listed(pairs: &PairSet, lines: &[(usize, &PairSet)], answers: &LinesSeen) -> (Vec<String>, usize) {
    let mut divergences: BTreeSet<&str> = BTreeSet::new();
    let mut unlisted = 0;
    for pair in pairs.iter() {
        let all = answers.get(&pair);
        let of_lines = lines.iter().filter_map(|&(line, _)| all?[line].as_ref()?.listed.as_deref());
        let before = of_lines.clone().next();
        unlisted += usize::from(before.is_none());
        divergences.extend(of_lines);
    }
    (divergences.into_iter().map(str::to_owned).collect(), unlisted)
}
