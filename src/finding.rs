//! Findings: mismatches reduced to their causes.
//!
//! A run leaves heaps of mismatches. For each heap the causes are searched for: the smallest cubes
//! of choices that explain which variants fail; then where each cause shows: in which environments,
//! in which forms, in which engines. What is one cause becomes one finding, with the simplest case
//! that shows it, a fingerprint, and the YAML that would list it as a divergence.

mod blame;
mod cubes;
mod executed;
mod extent;
mod generalise;
mod group;
mod search;
mod words;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use serde::Serialize;

use crate::case::{self, Asked, Case};
use crate::divergence::{Divergences, Does, EngineVersion};
use crate::engine::{Depth, LineJudge};
use crate::run::{Key, Progress, Results, Subject, first_message, without_quotes};
use crate::space::{Draw, Values, environment};
use crate::spec::{Form, Instruction, Spec};

use extent::Extent;
use group::Cause;
use search::{Effort, Search, Seen};

pub use blame::{Blame, Suspect};
pub use executed::{ExecutedEvidence, ExecutedFinding, ExecutedMinimal, describe, expected, find_executed, got};
pub use words::{Condition, Values as Named};

/// Mismatches reduced to one simplest case and the combination of choices that explains them.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// From the family of engines, the kind of mismatch and the combination: the same in every run.
    pub fingerprint: String,
    /// In one sentence: who does what, where.
    pub title: String,
    /// The family of engines.
    pub family: String,
    /// What the engine does.
    pub does: Does,
    /// The rules of which one is broken; with `valid`, or without any, lines that are claimed valid.
    pub rules: Vec<String>,
    /// Whether lines that are claimed valid are concerned.
    pub valid: bool,
    /// What the rules say.
    pub says: Vec<String>,
    /// The manual's page and headings.
    pub manual: Vec<String>,
    /// Whether it takes code generation to see it.
    pub code_generation: bool,
    /// The divergence that lists otherwise.
    pub contradicts: Option<String>,
    /// The forms in which it shows.
    pub forms: Vec<String>,
    /// When it shows; always where this is empty.
    pub when: Condition,
    /// In each form and engine, what was asked.
    pub evidence: Vec<Evidence>,
    /// What each engine does with the simplest case.
    pub engines: BTreeMap<String, Vote>,
    /// Since when and until when, as far as the engines at hand show it.
    pub versions: String,
    /// Mismatches of the run that are of this kind, in these forms.
    pub mismatches: u64,
    /// Who is suspected.
    pub blame: Blame,
    /// The simplest case.
    pub case: Minimal,
    /// The YAML that would list it.
    pub yaml: String,
}

/// What was asked about a finding in one form, of one engine, in one environment.
#[derive(Clone, Debug, Serialize)]
pub struct Evidence {
    /// The form.
    pub form: String,
    /// The engine.
    pub engine: String,
    /// PTX version, target and address size.
    pub environment: String,
    /// Variants in the combination there. Text, as JSON numbers end at 2^53.
    pub variants: String,
    /// How many of them were asked about, and how many showed it. The others showed nothing, as
    /// something else stopped the engine.
    pub asked: usize,
    /// See `asked`.
    pub failed: usize,
}

/// What an engine did with the simplest case of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Vote {
    /// It shows the finding.
    Shows,
    /// It does as it should.
    DoesNot,
    /// It does something else, in its words.
    Other(String),
}

/// The simplest case of a finding.
#[derive(Clone, Debug, Serialize)]
pub struct Minimal {
    /// A hash of its module.
    pub id: String,
    /// The line.
    pub line: String,
    /// PTX version.
    pub ptx: String,
    /// Target.
    pub target: String,
    /// Address size in bits.
    pub address_size: u32,
    /// What the engine said.
    pub message: String,
    /// A module of it alone.
    pub module: String,
    /// How to see it with nothing but the engine.
    pub command: String,
    /// Variants that differ from it in one choice, were asked about, and are free of it.
    pub neighbours_without: usize,
    /// Its choices.
    #[serde(skip)]
    pub values: Values,
}

/// A kind of mismatch: two of different kinds are never taken for one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    does: Does,
    /// The rules broken; none where the line is claimed valid.
    rules: Vec<String>,
    depth: Depth,
    message: String,
    /// The divergence that says otherwise: the engine does as the specification claims.
    contradicts: Option<String>,
}

impl Kind {
    fn of(key: &Key) -> Self {
        Self {
            does: key.does,
            rules: key.rules.clone(),
            depth: if key.generate { Depth::Generate } else { Depth::Check },
            message: key.message.clone(),
            contradicts: key.divergence.clone(),
        }
    }

    /// An assembler that dies takes its process with it, and where code is generated one error ends
    /// it: each failing case costs a process.
    fn effort(&self) -> Effort {
        let costly = self.does == Does::Crashes || self.depth == Depth::Generate;
        if costly { Effort::LEAN } else { Effort::FULL }
    }
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The findings: those of most mismatches first.
    pub all: Vec<Finding>,
    /// Heaps of which no case failed again.
    pub vanished: Vec<String>,
    /// Heaps that were left alone: of lines with several faults, or too many.
    pub left: usize,
}

/// Heaps of an engine that are looked into.
const HEAPS: usize = 400;
/// Times that mismatches which no cause explains yet are looked into.
const WAVES: usize = 6;
/// Lines of one module.
const BATCH: usize = 10_000;

/// Reduces the unlisted mismatches of a run to findings.
///
/// # Errors
/// Where a text of ours cannot be read.
pub fn find(
    spec: &Spec,
    divergences: &Divergences,
    subjects: &[Subject<'_>],
    results: &Results,
    progress: &Progress,
) -> Result<Findings, case::Confused> {
    let mut findings = Findings::default();
    let mut causes: Vec<Cause<'_>> = Vec::new();
    let inquiries = Inquiry::of_all(spec, divergences, subjects, progress);
    for (at, (inquiry, result)) in inquiries.iter().zip(&results.engines).enumerate() {
        let mut heaps: Vec<Heap<'_>> = Vec::new();
        for (key, group) in result.tally.groups.iter().filter(|(key, _)| !key.listed) {
            let Some(heap) = Heap::new(spec, key, group) else {
                findings.left += 1;
                continue;
            };
            match heaps.iter_mut().find(|known| known.is_like(&heap)) {
                Some(known) => known.join(heap),
                None => heaps.push(heap),
            }
        }
        findings.left += heaps.len().saturating_sub(HEAPS);
        heaps.truncate(HEAPS);
        causes.extend(inquiry.causes(at, &mut heaps)?);
        findings.vanished.extend(heaps.iter().filter(|heap| heap.vanished).map(Heap::describe));
    }
    conclude(causes, &inquiries, &mut findings)?;
    Ok(findings)
}

/// Reduces one case: what is listed is reduced as well. No finding where every engine does as the
/// specification claims.
///
/// # Errors
/// Where the case is not one that could be generated, such as one with several faults.
pub fn minimize(
    spec: &Spec,
    subjects: &[Subject<'_>],
    case: &Case<'_>,
    depth: Depth,
    progress: &Progress,
) -> Result<Findings, case::Confused> {
    let none = Divergences::default();
    let mut findings = Findings::default();
    let mut causes: Vec<Cause<'_>> = Vec::new();
    let inquiries = Inquiry::of_all(spec, &none, subjects, progress);
    for (at, inquiry) in inquiries.iter().enumerate() {
        if !inquiry.supports(case.form(), case.values, depth) {
            continue;
        }
        for asked in inquiry.ask(depth, std::slice::from_ref(case))? {
            let Some(did) = Does::of(&asked.outcome) else { continue };
            if did == none.compare(None, case.instruction, &asked.reading, depth, did).claimed {
                continue;
            }
            let kind = Kind {
                does: did,
                rules: asked.reading.rules(case.instruction).map(|rule| rule.id.clone()).collect(),
                depth,
                message: without_quotes(&first_message(&asked.outcome)),
                contradicts: None,
            };
            let mut heaps = [Heap {
                kind,
                instruction: case.instruction,
                form: case.form,
                rule: asked.reading.broken.first().copied(),
                count: 1,
                open: vec![case.values.to_vec()],
                vanished: false,
            }];
            causes.extend(inquiry.causes(at, &mut heaps)?);
            findings.vanished.extend(heaps.iter().filter(|heap| heap.vanished).map(Heap::describe));
        }
    }
    conclude(causes, &inquiries, &mut findings)?;
    Ok(findings)
}

/// Makes findings of causes.
fn conclude(causes: Vec<Cause<'_>>, inquiries: &[Inquiry<'_>], findings: &mut Findings) -> Result<(), case::Confused> {
    let groups = group::merge(causes);
    for poll in words::poll(&groups, inquiries)? {
        findings.all.push(poll.finding(inquiries)?);
    }
    findings.all.sort_by(|a, b| (b.mismatches, &a.fingerprint).cmp(&(a.mismatches, &b.fingerprint)));
    Ok(())
}

impl Finding {
    /// Its simplest case as a file for `corpus/findings/`.
    pub fn stored(&self) -> String {
        let depth = if self.code_generation { Depth::Generate } else { Depth::Check };
        let known = [
            ("finding", format!("{} {}", self.fingerprint, self.title)),
            ("seen in", self.versions.clone()),
            ("message", self.case.message.clone()),
            ("see it with", self.case.command.clone()),
        ];
        let known: Vec<(&str, String)> = known.into_iter().filter(|(_, words)| !words.is_empty()).collect();
        case::Stored::print(&self.case.module, depth, &known)
    }
}

/// The mismatches of one kind in one form.
struct Heap<'s> {
    kind: Kind,
    instruction: &'s Instruction,
    form: usize,
    /// The rule broken; none where the line is claimed valid.
    rule: Option<usize>,
    count: u64,
    /// Cases that failed and that no cause explains yet.
    open: Vec<Values>,
    vanished: bool,
}

impl<'s> Heap<'s> {
    fn new(spec: &'s Spec, key: &Key, group: &crate::run::Group) -> Option<Self> {
        let instruction = spec.instruction(&key.instruction)?;
        let form = instruction.forms.iter().position(|form| form.id == key.form)?;
        let rules = &instruction.forms[form].rules;
        let rule = match key.rules.as_slice() {
            [] => None,
            [rule] => Some(rules.iter().position(|known| known.id == *rule)?),
            // There is no space of variants with two faults.
            _ => return None,
        };
        let sample = group.sample.iter().map(|sample| sample.values.clone());
        let mut open: Vec<Values> = group.kept.values().cloned().chain(sample).collect();
        open.sort();
        open.dedup();
        Some(Self { kind: Kind::of(key), instruction, form, rule, count: group.count, open, vanished: false })
    }

    fn is_like(&self, other: &Self) -> bool {
        self.kind == other.kind && self.instruction.name == other.instruction.name && self.form == other.form
    }

    fn join(&mut self, other: Self) {
        self.count += other.count;
        self.open.extend(other.open);
    }

    fn form(&self) -> &'s Form {
        &self.instruction.forms[self.form]
    }

    fn describe(&self) -> String {
        let rules = if self.kind.rules.is_empty() { "claimed valid".to_owned() } else { self.kind.rules.join(", ") };
        format!("{}: {rules}: {:?}, {} mismatches", self.form().id, self.kind.does, self.count)
    }

    /// A search for the causes of what is open, in the environment that has most of it.
    fn search(&self) -> Option<Search<'s>> {
        let mut environments: BTreeMap<[u8; 3], usize> = BTreeMap::new();
        for values in &self.open {
            *environments.entry([values[0], values[1], values[2]]).or_default() += 1;
        }
        let (&most, _) = environments.iter().rev().max_by_key(|(_, count)| **count)?;
        let seeds = self.open.iter().filter(|values| values[..3] == most).cloned().collect();
        let words = format!("{:?} {}", self.kind, self.form().id);
        let draw = Draw::named(&words, 0);
        Some(Search::new(self.instruction, self.form, self.rule, most, seeds, self.kind.effort(), draw))
    }
}

/// Asks one engine, and says what its answers mean.
pub(crate) struct Inquiry<'a> {
    spec: &'a Spec,
    divergences: &'a Divergences,
    subject: &'a Subject<'a>,
    version: Option<EngineVersion>,
    progress: &'a Progress,
}

impl<'a> Inquiry<'a> {
    /// One for each engine, in their order.
    fn of_all(
        spec: &'a Spec,
        divergences: &'a Divergences,
        subjects: &'a [Subject<'a>],
        progress: &'a Progress,
    ) -> Vec<Self> {
        let inquiry = |subject: &'a Subject<'a>| {
            let version = EngineVersion::of(subject.engine.id());
            Self { spec, divergences, subject, version, progress }
        };
        subjects.iter().map(inquiry).collect()
    }

    fn engine(&self) -> &'a dyn LineJudge {
        self.subject.engine
    }

    fn ask(&self, depth: Depth, cases: &[Case<'_>]) -> Result<Vec<Asked>, case::Confused> {
        case::ask(self.spec, self.engine(), depth, cases, BATCH)
    }

    /// Whether the engine takes the environment of these choices.
    fn supports(&self, form: &Form, values: &[u8], depth: Depth) -> bool {
        environment(form, values).is_some_and(|environment| self.subject.takes(&environment, depth))
    }

    /// What an answer says of a kind of mismatch.
    fn seen(&self, kind: &Kind, instruction: &Instruction, asked: &Asked) -> Seen {
        let Some(did) = Does::of(&asked.outcome) else { return Seen::Masked };
        if !asked.reading.rules(instruction).map(|rule| &rule.id).eq(&kind.rules) {
            return Seen::Masked;
        }
        let version = self.version.as_ref();
        let compared = self.divergences.compare(version, instruction, &asked.reading, kind.depth, did);
        if let Some(contradicts) = &kind.contradicts {
            return match compared.divergence {
                Some(id) if id == contradicts && compared.as_expected => Seen::Passes,
                Some(id) if id == contradicts && did == kind.does => Seen::Fails,
                _ => Seen::Masked,
            };
        }
        let same = || without_quotes(&first_message(&asked.outcome)) == kind.message;
        match did == kind.does {
            _ if did == compared.claimed => Seen::Passes,
            true if !compared.as_expected && same() => Seen::Fails,
            _ => Seen::Masked,
        }
    }

    /// The causes of all heaps of the engine at a position.
    fn causes<'s>(&self, engine: usize, heaps: &mut [Heap<'s>]) -> Result<Vec<Cause<'s>>, case::Confused> {
        let mut causes: Vec<Cause<'s>> = Vec::new();
        for wave in 0..WAVES {
            let opened = heaps.iter().enumerate().filter(|(_, heap)| !heap.open.is_empty());
            let mut searches: Vec<(usize, Search<'s>)> =
                opened.filter_map(|(at, heap)| Some((at, heap.search()?))).collect();
            if searches.is_empty() || self.progress.stop.load(Ordering::Relaxed) {
                break;
            }
            self.search(heaps, &mut searches)?;
            let mut found: Vec<Cause<'s>> = Vec::new();
            for (at, search) in &searches {
                let heap = &mut heaps[*at];
                heap.vanished |= wave == 0 && !search.failed();
                if !search.failed() {
                    // Nothing more to be learned from what fails no more.
                    heap.open.retain(|values| values[..3] != search.environment);
                }
                found.extend(search.causes().into_iter().map(|local| Cause::new(engine, heap, search, local)));
            }
            self.extents(&mut found)?;
            for heap in heaps.iter_mut() {
                let of_heap = |cause: &&Cause<'_>| cause.is_of(&heap.kind, heap.instruction, heap.form);
                let explaining: Vec<&Cause<'_>> = found.iter().filter(of_heap).collect();
                heap.open.retain(|values| !explaining.iter().any(|cause| cause.explains(values)));
            }
            causes.extend(found);
        }
        Ok(causes)
    }

    /// Rounds of questions, those of all searches together, until none has any left.
    fn search(&self, heaps: &[Heap<'_>], searches: &mut [(usize, Search<'_>)]) -> Result<(), case::Confused> {
        loop {
            let questions: Vec<Vec<Values>> = searches.iter_mut().map(|(_, search)| search.questions()).collect();
            if questions.iter().all(Vec::is_empty) || self.progress.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            for depth in [Depth::Check, Depth::Generate] {
                let of_depth = |search: usize| heaps[searches[search].0].kind.depth == depth;
                let rows: Vec<(usize, &Values)> = questions
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| of_depth(*at))
                    .flat_map(|(at, values)| values.iter().map(move |values| (at, values)))
                    .collect();
                let cases: Vec<Case<'_>> = rows.iter().map(|(at, values)| searches[*at].1.case(values)).collect();
                let answers = self.ask(depth, &cases)?;
                for ((at, values), asked) in rows.into_iter().zip(&answers) {
                    let (heap, search) = &mut searches[at];
                    let seen = self.seen(&heaps[*heap].kind, search.instruction, asked);
                    search.tell(values.clone(), seen);
                }
            }
        }
    }

    /// Finds out in which environments causes show.
    fn extents(&self, causes: &mut [Cause<'_>]) -> Result<(), case::Confused> {
        let mut extents: Vec<(usize, Extent<'_>)> = Vec::new();
        for (at, cause) in causes.iter().enumerate() {
            extents.extend(Extent::new(cause.form(), &cause.fails, self.fits(cause)).map(|extent| (at, extent)));
        }
        self.look_around(causes, &mut extents)?;
        // What shows in an old version may not be claimed the same there for the newest target.
        let oldest = extents.iter().filter_map(|(at, extent)| Some((*at, extent.oldest(self.fits(&causes[*at]))?)));
        let mut oldest: Vec<(usize, Extent<'_>)> = oldest.collect();
        self.look_around(causes, &mut oldest)?;
        for (at, older) in &oldest {
            extents.iter_mut().filter(|(of, _)| of == at).for_each(|(_, extent)| extent.take(older));
        }
        for (at, extent) in extents {
            causes[at].settle(&extent);
        }
        Ok(())
    }

    /// Whether a variant can be asked about, with the claim of a cause.
    fn fits<'c>(&'c self, cause: &'c Cause<'_>) -> impl Fn(&[u8]) -> bool + 'c {
        let form = cause.form();
        move |values| {
            form.broken(values).iter().copied().eq(cause.rule) && self.supports(form, values, cause.kind.depth)
        }
    }

    /// Rounds of questions about environments, those of all causes together.
    fn look_around(&self, causes: &[Cause<'_>], extents: &mut [(usize, Extent<'_>)]) -> Result<(), case::Confused> {
        loop {
            let mut questions: Vec<(usize, usize, u8, Vec<Values>)> = Vec::new();
            for (at, (_, extent)) in extents.iter().enumerate() {
                for (axis, value) in extent.questions() {
                    questions.push((at, axis, value, extent.elsewhere(axis, value).collect()));
                }
            }
            if questions.is_empty() {
                break;
            }
            let mut seen: Vec<Vec<Seen>> = vec![Vec::new(); questions.len()];
            for depth in [Depth::Check, Depth::Generate] {
                let mut rows: Vec<(usize, usize, &Values)> = Vec::new();
                for (question, (extent, _, _, witnesses)) in questions.iter().enumerate() {
                    let (at, _) = extents[*extent];
                    let cause = &causes[at];
                    let fits = |values: &&Values| cause.form().broken(values).iter().copied().eq(cause.rule);
                    if cause.kind.depth == depth {
                        rows.extend(witnesses.iter().filter(fits).map(|values| (question, at, values)));
                    }
                }
                let cases: Vec<Case<'_>> = rows.iter().map(|(_, at, values)| causes[*at].case(values)).collect();
                let answers = self.ask(depth, &cases)?;
                for ((question, at, _), asked) in rows.iter().zip(&answers) {
                    seen[*question].push(self.seen(&causes[*at].kind, causes[*at].instruction, asked));
                }
            }
            for ((extent, axis, value, _), seen) in questions.iter().zip(&seen) {
                extents[*extent].1.tell(*axis, *value, seen);
            }
        }
        Ok(())
    }
}
