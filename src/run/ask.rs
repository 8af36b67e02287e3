//! Asks an engine about the variants of a task, and compares.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher as _;

use rustc_hash::FxBuildHasher;

use super::plan::{FormPlan, Purpose, Row, Task, Variants};
use super::{Generate, Options, Problem, Stale, Subject, depth, probe};
use crate::case::{self, Asked, Case};
use crate::divergence::{Divergences, Does, EngineVersion};
use crate::engine::{Batch, Depth, LineJudge, Outcome};
use crate::environment::{AddressSize, Environment, Suffix};
use crate::judge::{Judge, needs};
use crate::ptx::{Declarations, Line, Scaffold, uncommented};
use crate::space::Values;
use crate::spec::{Example, Instruction, Spec, Verdict};

/// What a heap of disagreements has in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The instruction.
    pub instruction: String,
    /// The form.
    pub form: String,
    /// The rules broken; none where the line is claimed valid.
    pub rules: Vec<String>,
    /// What the engine did: `accepted`, `rejected`, `crashed`, `timed out`.
    pub outcome: &'static str,
    /// Whether it was taken through code generation.
    pub generate: bool,
    /// The engine's first message, what it quotes left out.
    pub message: String,
    /// What that amounts to.
    pub does: Does,
    /// The divergence that lists it, or that it contradicts.
    pub divergence: Option<String>,
    /// Whether the divergence lists it.
    pub listed: bool,
}

/// The simplest of the cases of a heap.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sample {
    /// Its choices.
    pub values: Values,
    /// Its line.
    pub line: String,
    /// A module of it alone.
    pub module: String,
    /// Where.
    pub environment: Environment,
    /// What the engine said.
    pub message: String,
    /// How to see it with nothing but the engine.
    pub command: String,
}

/// A heap of disagreements.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// How many.
    pub count: u64,
    /// The simplest.
    pub sample: Option<Sample>,
    /// Some of them, by a hash: which ones does not depend on the order they came in.
    pub kept: BTreeMap<u64, Values>,
}

/// Cases of a heap that are kept.
const KEPT: usize = 256;

impl Group {
    fn keep(&mut self, values: Values) {
        let hash = FxBuildHasher.hash_one(&values);
        if self.kept.len() >= KEPT && self.kept.last_key_value().is_some_and(|(last, _)| *last < hash) {
            return;
        }
        self.kept.insert(hash, values);
        if self.kept.len() > KEPT {
            self.kept.pop_last();
        }
    }

    fn merge(&mut self, other: Self) {
        self.count += other.count;
        other.kept.into_values().for_each(|values| self.keep(values));
        let simpler = |sample: &Sample| (simplicity(&sample.values).0.to_vec(), sample.values.clone());
        if let Some(sample) = other.sample
            && self.sample.as_ref().is_none_or(|known| simpler(&sample) < simpler(known))
        {
            self.sample = Some(sample);
        }
    }
}

/// What variants are compared by to find the simplest: the environment decides last.
fn simplicity(values: &[u8]) -> (&[u8], &[u8]) {
    let (environment, choices) = values.split_at(3.min(values.len()));
    (choices, environment)
}

/// Cases of one claim: tried, and how many the engine did as the specification says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Cases judged.
    pub cases: u64,
    /// Cases in which engine and specification agree.
    pub agreed: u64,
}

/// The comparison of one engine.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// By form: cases claimed valid.
    pub valid: BTreeMap<String, Count>,
    /// By form: cases that were taken through code generation.
    pub code: BTreeMap<String, Count>,
    /// By form and rule: cases that break it alone.
    pub breaches: BTreeMap<(String, String), Count>,
    /// Not asked, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Disagreements.
    pub groups: BTreeMap<Key, Group>,
    /// Listed divergences by id: cases that did as listed, and cases that did not.
    pub listed: BTreeMap<String, (u64, u64)>,
    /// Variants whose text is judged other than the generator meant: a bug of ours.
    pub confused: BTreeSet<String>,
}

impl Tally {
    /// How many cases were judged.
    pub fn cases(&self) -> u64 {
        let counts = self.valid.values().chain(self.code.values()).chain(self.breaches.values());
        counts.map(|count| count.cases).sum()
    }

    /// Adds another tally.
    pub fn merge(&mut self, other: Self) {
        fn add<K: Ord>(to: &mut BTreeMap<K, Count>, from: BTreeMap<K, Count>) {
            for (key, count) in from {
                let sum = to.entry(key).or_default();
                sum.cases += count.cases;
                sum.agreed += count.agreed;
            }
        }
        add(&mut self.valid, other.valid);
        add(&mut self.code, other.code);
        add(&mut self.breaches, other.breaches);
        other.skipped.into_iter().for_each(|(reason, count)| *self.skipped.entry(reason).or_default() += count);
        for (id, (did, not)) in other.listed {
            let sum = self.listed.entry(id).or_default();
            *sum = (sum.0 + did, sum.1 + not);
        }
        for (key, group) in other.groups {
            self.groups.entry(key).or_default().merge(group);
        }
        other.confused.into_iter().for_each(|confused| self.confuse(confused));
    }

    /// Notes a contradiction of ours; the first few in the order of their texts are kept.
    pub(super) fn confuse(&mut self, confused: String) {
        self.confused.insert(confused);
        while self.confused.len() > 20 {
            self.confused.pop_last();
        }
    }
}

pub(super) struct Asker<'a> {
    spec: &'a Spec,
    divergences: &'a Divergences,
    engine: &'a dyn LineJudge,
    version: Option<EngineVersion>,
}

impl<'a> Asker<'a> {
    pub(super) fn new(spec: &'a Spec, divergences: &'a Divergences, engine: &'a dyn LineJudge) -> Self {
        Self { spec, divergences, engine, version: EngineVersion::of(engine.id()) }
    }

    /// Asks about the variants of a task.
    pub(super) fn ask(&self, instruction: &Instruction, task: Task, options: &Options) -> Tally {
        let mut tally = Tally::default();
        let (environment, purpose) = (task.environment, task.purpose);
        let depth = depth(purpose);
        let rows = task.rows();
        if let Err(reason) = self.engine.supports(&environment, depth) {
            *tally.skipped.entry(reason).or_default() += u64::try_from(rows.len()).unwrap_or(0);
            return tally;
        }
        let cases: Vec<Case<'_>> =
            rows.iter().map(|row| Case { instruction, form: row.form, values: &row.values }).collect();
        match case::ask(self.spec, self.engine, depth, &cases, options.batch) {
            Ok(answers) => {
                for ((row, case), asked) in rows.iter().zip(&cases).zip(&answers) {
                    self.compare(case, row, purpose, environment, asked, &mut tally);
                }
            }
            Err(confused) => tally.confuse(confused.to_string()),
        }
        tally
    }

    fn compare(
        &self,
        case: &Case<'_>,
        row: &Row,
        purpose: Purpose,
        environment: Environment,
        asked: &Asked,
        tally: &mut Tally,
    ) {
        let (instruction, form, reading) = (case.instruction, case.form(), &asked.reading);
        let rules: Vec<&str> = reading.rules(instruction).map(|rule| rule.id.as_str()).collect();
        let meant = row.meant.map(|rule| form.rules[rule].id.as_str());
        let as_meant =
            if row.loose { meant.is_none_or(|meant| rules.contains(&meant)) } else { rules.iter().copied().eq(meant) };
        if !as_meant {
            tally.confuse(format!("{}: meant {meant:?}, judged {rules:?}", asked.line));
        }
        let Some(did) = Does::of(&asked.outcome) else {
            if let Outcome::Skipped(reason) = &asked.outcome {
                *tally.skipped.entry(reason.clone()).or_default() += 1;
            }
            return;
        };
        let depth = depth(purpose);
        let compared = self.divergences.compare(self.version.as_ref(), instruction, reading, depth, did);
        let agreed = did == compared.claimed;
        let count = match (purpose, rules.first()) {
            (Purpose::Code, _) => tally.code.entry(form.id.clone()).or_default(),
            (_, None) => tally.valid.entry(form.id.clone()).or_default(),
            (_, Some(rule)) => tally.breaches.entry((form.id.clone(), (*rule).to_owned())).or_default(),
        };
        count.cases += 1;
        count.agreed += u64::from(agreed);
        let several = self.version.as_ref().filter(|_| reading.broken.len() > 1 && compared.divergence.is_some());
        let met = match several {
            Some(version) => self.divergences.met(version, instruction, reading, depth),
            None => compared.divergence.into_iter().collect(),
        };
        for id in met {
            let counts = tally.listed.entry(id.to_owned()).or_default();
            if compared.as_expected { counts.0 += 1 } else { counts.1 += 1 }
        }
        // What is listed and does as the specification says is as worth knowing as the reverse.
        if agreed && compared.as_expected {
            return;
        }
        let message = first_message(&asked.outcome);
        let key = Key {
            instruction: instruction.name.clone(),
            form: form.id.clone(),
            rules: rules.iter().map(|&rule| rule.to_owned()).collect(),
            outcome: asked.outcome.word(),
            generate: depth == Depth::Generate,
            message: without_quotes(&message),
            does: did,
            divergence: compared.divergence.map(str::to_owned),
            listed: compared.as_expected,
        };
        let group = tally.groups.entry(key).or_default();
        group.count += 1;
        group.keep(case.values.to_vec());
        let sample = || {
            let module = case.module(depth).unwrap_or_default();
            let command = case::command(self.engine, &module, &environment, depth);
            Sample { values: case.values.to_vec(), line: asked.line.clone(), module, environment, message, command }
        };
        if group.sample.as_ref().is_none_or(|known| simplicity(case.values) < simplicity(&known.values)) {
            group.sample = Some(sample());
        }
    }

    /// The divergences of the engine that no longer say what it does. Those that no case was about
    /// are drawn from first.
    pub(super) fn stale(
        &self,
        instructions: &[&Instruction],
        subject: &Subject<'_>,
        forms: &[FormPlan],
        options: &Options,
        tally: &mut Tally,
    ) -> Vec<Stale> {
        let Some(version) = &self.version else { return Vec::new() };
        let prober = probe::Prober { divergences: self.divergences, version, subject, options };
        let mut stale = Vec::new();
        let judged = |divergence: &&crate::divergence::Divergence| {
            divergence.does != Does::Computes && divergence.applies(version)
        };
        for divergence in self.divergences.all.iter().filter(judged) {
            let of = |instruction: &&&Instruction| {
                instruction.forms.iter().any(|form| divergence.cubes().iter().any(|(id, _)| *id == form.id))
            };
            let concerned: Vec<&&Instruction> = instructions.iter().filter(of).collect();
            let unseen = divergence.depth == Depth::Generate && options.generate == Generate::Nothing;
            if concerned.is_empty() || unseen {
                continue;
            }
            let problem = |problem| Stale { id: divergence.id.clone(), problem };
            if options.today.as_ref().zip(divergence.expires.as_ref()).is_some_and(|(today, last)| today > last) {
                stale.push(problem(Problem::Expired));
            }
            let met = |tally: &Tally| tally.listed.get(&divergence.id).copied().unwrap_or_default();
            let mut asked = met(tally) != (0, 0);
            // In one environment alone nothing can be said of what is not met there.
            if !asked && options.environment.is_none() {
                for instruction in concerned {
                    let home = forms.iter().find(|plan| instruction.forms.iter().any(|form| form.id == plan.form));
                    for probe in prober.probes(instruction, divergence, home.map(|plan| plan.home)) {
                        let row = |values| Row { form: probe.form, values, meant: probe.rule, loose: true };
                        let variants = Variants::Listed(probe.variants.into_iter().map(row).collect());
                        let task = Task { environment: probe.environment, purpose: probe.purpose, variants };
                        tally.merge(self.ask(instruction, task, options));
                        asked = true;
                    }
                }
                if !asked {
                    stale.push(problem(Problem::Unmatched));
                }
            }
            // What was skipped says nothing.
            if asked && met(tally).0 == 0 && met(tally).1 > 0 {
                stale.push(problem(Problem::Fixed));
            }
        }
        stale
    }

    /// What an example that is valid elsewhere needs and an environment does not have.
    fn needed(&self, instruction: &Instruction, example: &Example, environment: &Environment) -> Option<String> {
        if example.spec != Verdict::Valid {
            return None;
        }
        let declarations = Declarations::parse(&example.declarations, &self.spec.isa).ok()?;
        let line = Line::parse(&example.line).ok()?;
        let reading = Judge::new(self.spec, environment).ok()?.read_as(instruction, &line, &declarations);
        let needs = needs(&self.spec.isa, &instruction.forms[reading.form], &reading.values)?;
        (!reading.valid()).then(|| format!("needs PTX {} and {}", needs.ptx, needs.target))
    }

    /// The manual's own examples, each alone in the newest environment that the engine takes.
    pub(super) fn examples(
        &self,
        instructions: &[&Instruction],
        subject: &Subject<'_>,
    ) -> Vec<(String, usize, Outcome)> {
        let isa = &self.spec.isa;
        let Some(&ptx) = isa.versions.iter().rev().find(|version| **version <= subject.newest) else {
            return Vec::new();
        };
        let environments = isa.targets.iter().rev().filter(|(t, since)| t.suffix == Suffix::Plain && *since <= ptx);
        let mut environments =
            environments.map(|(target, _)| Environment { ptx, target: *target, address_size: AddressSize::Bits64 });
        let Some(newest) = environments.find(|env| self.engine.supports(env, Depth::Check).is_ok()) else {
            return Vec::new();
        };
        let mut outcomes = Vec::new();
        for instruction in instructions {
            for (at, example) in instruction.examples.iter().enumerate() {
                let environment = Environment { target: example.target.unwrap_or(newest.target), ..newest };
                if let Some(needs) = self.needed(instruction, example, &environment) {
                    outcomes.push((instruction.name.clone(), at, Outcome::Skipped(needs)));
                    continue;
                }
                let scaffold = Scaffold::from_declarations(&example.declarations);
                let line = uncommented(&example.line);
                let batch = Batch { environment, scaffold, lines: vec![line.trim()] };
                let outcome = self.engine.judge(&batch, Depth::Check).into_iter().next();
                outcomes.push((instruction.name.clone(), at, outcome.unwrap_or(Outcome::TimedOut)));
            }
        }
        outcomes
    }
}

/// The first message of an outcome.
pub(crate) fn first_message(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Accepted | Outcome::TimedOut => String::new(),
        Outcome::Rejected(text) | Outcome::Skipped(text) | Outcome::Crashed(text) => {
            text.lines().next().unwrap_or_default().to_owned()
        }
    }
}

/// A message without what it quotes: names differ from line to line.
pub(crate) fn without_quotes(message: &str) -> String {
    let parts = message.split('\'').enumerate();
    parts.map(|(at, part)| if at % 2 == 0 { part } else { "'…'" }).collect()
}
