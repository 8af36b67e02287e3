//! Questions the listed divergences in judging lines: which no longer happen, and which the run did not ask about.

use super::ask::{Asker, LineQuestion};
use super::main_environment;
use super::options::{Generate, Options, Subject};
use super::plan::{FormPlan, PlannedVariant, Task, TaskVariants};
use super::probes::{Probe, Prober, Probes};
use super::results::{ListedLines, Problem, Questioned};
use super::tally::{GroupKey, MismatchGroup, Tally};
use super::tasks::TaskResult;
use super::together::Together;
use crate::divergences::{Divergence, Does, EngineVersion};
use crate::engine::Depth;
use crate::ledger::TaskCounts;
use crate::space::Values;
use crate::spec::Instruction;

/// How the ids of rules begin that hold for any line.
const TEXT_RULES: &str = "isa/";
/// Lines that must not show a divergence that happens only sometimes before it counts as gone.
const ENOUGH: u64 = 1000;
/// The reason why a run says nothing of divergences whose task is missing, or was interrupted.
pub(super) const NOT_DONE: &str = "the task that asks about it is not done";
/// The most lines of a task that has those of several divergences.
const LINES: u64 = 400;

/// Questions the divergences of an engine.
pub(super) struct StaleSearch<'a> {
    pub(super) asker: &'a Asker<'a>,
    pub(super) version: &'a EngineVersion,
    pub(super) subject: &'a Subject<'a>,
    pub(super) instructions: &'a [&'a Instruction],
    pub(super) forms: &'a [FormPlan],
    pub(super) options: &'a Options,
}

/// Divergences whose lines are asked about by one task.
pub(super) struct ListedTask<'a> {
    divergences: Vec<&'a Divergence>,
    /// How many lines they have, or more.
    pub(super) size: u64,
}

impl ListedTask<'_> {
    /// The task in a few words.
    pub(super) fn words(&self) -> String {
        format!("from {}", self.divergences[0].id)
    }

    /// All that it asks: the specification, the list and the options say the rest.
    pub(super) fn what(&self) -> String {
        let ids: Vec<&str> = self.divergences.iter().map(|of| of.id.as_str()).collect();
        ids.join("\n")
    }
}

impl TaskResult for ListedLines {
    fn counts(&self) -> TaskCounts {
        self.tally.counts()
    }
}

impl ListedLines {
    /// Adds those of another task.
    pub(super) fn add(&mut self, other: Self) {
        self.tally.merge(other.tally);
        self.exist.extend(other.exist);
        self.judged.extend(other.judged);
        self.missing.extend(other.missing);
    }

    /// The divergences of a task that is not done.
    pub(super) fn of_missing(task: &ListedTask<'_>) -> Self {
        Self { missing: task.divergences.iter().map(|of| of.id.clone()).collect(), ..Self::default() }
    }
}

impl<'a> StaleSearch<'a> {
    /// The tasks about the divergences that are listed for this version, or about those listed only for others. Their lines are
    /// drawn when they are asked about: that takes longer than the rest of a plan.
    pub(super) fn tasks(&self, elsewhere: bool) -> Vec<ListedTask<'a>> {
        let is_one = |known: &&Divergence| {
            let of_version =
                if elsewhere { known.applies_elsewhere(self.version) } else { known.applies(self.version) };
            of_version && self.is_of_lines(known) && self.unasked(known).is_none() && !self.concerned(known).is_empty()
        };
        let mut tasks: Vec<ListedTask<'a>> = Vec::new();
        for divergence in self.asker.divergences.all.iter().filter(is_one) {
            let lines = u64::try_from(self.wanted(divergence) * combinations(divergence)).unwrap_or(u64::MAX);
            match tasks.last_mut().filter(|last| last.size.saturating_add(lines) <= LINES) {
                Some(last) => {
                    last.divergences.push(divergence);
                    last.size += lines;
                }
                None => tasks.push(ListedTask { divergences: vec![divergence], size: lines }),
            }
        }
        tasks
    }

    /// The answers to the lines of divergences, as far as possible asked about together. Those of one that happens only sometimes are
    /// asked about apart: nothing but the number of their answers says how much its absence shows.
    pub(super) fn answers(&self, task: &ListedTask<'a>) -> ListedLines {
        let mut lines = ListedLines::default();
        // Of costly lines, a few of each question are asked: questions must not depend on batches.
        let mut questions: Vec<(Option<&str>, LineQuestion<'_>)> = Vec::new();
        let together = Together::new(self.instructions);
        for divergence in &task.divergences {
            let probes = self.draw(divergence);
            if probes.iter().any(|(_, probes)| probes.exist) {
                lines.exist.insert(divergence.id.clone());
            }
            if divergence.sometimes && divergence.applies(self.version) {
                let apart = Together::new(self.instructions);
                self.add(probes, &apart);
                let id = Some(divergence.id.as_str());
                questions.extend(apart.questions(usize::MAX).into_iter().map(|question| (id, question)));
            } else {
                self.add(probes, &together);
            }
        }
        questions.extend(together.questions(usize::MAX).into_iter().map(|question| (None, question)));
        for (id, question) in questions {
            let answers = self.asker.ask(question, self.options);
            if let Some(id) = id {
                *lines.judged.entry(id.to_owned()).or_default() += answers.cases();
            }
            lines.tally.merge(answers);
        }
        lines
    }

    /// The divergences that need attention, and those about which the answers say nothing.
    pub(super) fn find(&self, tally: &Tally, lines: &ListedLines) -> Questioned {
        let mut questioned = Questioned::default();
        for divergence in self.asker.divergences.all.iter().filter(|known| self.is_judged(known)) {
            if self.concerned(divergence).is_empty() {
                continue;
            }
            if self.options.has_expired(divergence) {
                questioned.needs_attention(divergence, Problem::Expired);
            }
            match (tally.met(divergence).did, self.unasked(divergence)) {
                (1.., _) => {}
                (0, Some(why)) => questioned.not_asked(divergence, why),
                (0, None) if lines.missing.contains(&divergence.id) => questioned.not_asked(divergence, NOT_DONE),
                (0, None) => self.conclude(divergence, lines, tally, &mut questioned),
            }
        }
        questioned
    }

    /// The divergences listed for other versions only that the answers to these questions show here: they need attention.
    pub(super) fn find_wider(&self, answered: &Tally, questioned: &mut Questioned) {
        let is_elsewhere = |known: &&Divergence| self.is_of_lines(known) && known.applies_elsewhere(self.version);
        for divergence in self.asker.divergences.all.iter().filter(is_elsewhere) {
            let shows = |(key, group): (&GroupKey, &MismatchGroup)| {
                let is_its = |values: &Values| divergence.cubes_in(&key.form).any(|of| of.cube.contains(values));
                !key.mismatch.listed && key.mismatch.does == divergence.does && group.kept.values().any(is_its)
            };
            if answered.groups.iter().any(shows) {
                questioned.needs_attention(divergence, Problem::Wider);
            }
        }
    }

    /// True if a divergence of the engine is about lines that are generated.
    fn is_judged(&self, divergence: &Divergence) -> bool {
        self.is_of_lines(divergence) && divergence.applies(self.version)
    }

    /// True if a divergence is about lines that are generated.
    fn is_of_lines(&self, divergence: &Divergence) -> bool {
        // No variant breaks a rule about texts that are not generated.
        let texts = !divergence.rules.is_empty() && divergence.rules.iter().all(|rule| rule.starts_with(TEXT_RULES));
        // What happens only to lines together depends on which lines a run brings together.
        divergence.does != Does::Computes && !divergence.together && !texts
    }

    /// The reason why this run cannot ask about a divergence.
    fn unasked(&self, divergence: &Divergence) -> Option<&'static str> {
        match () {
            () if divergence.depth == Depth::Generate && self.options.generate == Generate::Nothing => {
                Some("no code is generated (--generate-code none)")
            }
            () if self.options.environment.is_some() => Some("only one PTX version and target is tested"),
            () => None,
        }
    }

    /// Variants of a divergence, by the positions of the instructions in the run.
    fn draw(&self, divergence: &Divergence) -> Vec<(usize, Probes)> {
        let (divergences, version, subject) = (self.asker.divergences, self.version, self.subject);
        let prober = Prober { divergences, version, subject };
        let wanted = self.wanted(divergence);
        let probes = self.concerned(divergence).into_iter().map(|at| {
            let instruction = self.instructions[at];
            let plan = self.forms.iter().find(|plan| instruction.forms.iter().any(|form| form.id == plan.form));
            // A run that plans nothing has no main environments yet.
            let main = plan.map(|plan| plan.main).or_else(|| {
                instruction.forms.first().and_then(|form| main_environment::of_form(self.asker.spec, subject, form))
            });
            (at, prober.probes(instruction, divergence, main, wanted))
        });
        probes.collect()
    }

    /// The number of variants to draw of each combination of a divergence.
    fn wanted(&self, divergence: &Divergence) -> u128 {
        let budget = self.options.depth.budget();
        match divergence.sometimes {
            true => budget.sometimes.div_ceil(combinations(divergence).max(1)).max(budget.listed),
            false => budget.listed,
        }
    }

    /// Adds the variants of a divergence to others that are asked about together.
    fn add(&self, probes: Vec<(usize, Probes)>, together: &Together<'_>) {
        for (at, probe) in probes.into_iter().flat_map(|(at, of)| of.found.into_iter().map(move |probe| (at, probe))) {
            together.add(at, self.task(at, probe));
        }
    }

    /// The task to ask about variants of the instruction at a position.
    fn task(&self, at: usize, probe: Probe) -> Task {
        let Probe { form, environment, purpose, rule, variants } = probe;
        let planned = |values| PlannedVariant { form, values, meant: rule, loose: true };
        let variants = TaskVariants::Listed(variants.into_iter().map(planned).collect());
        Task { instruction: self.instructions[at].name.clone(), environment, purpose, variants }
    }

    /// Concludes about a divergence that no line has shown.
    fn conclude(&self, divergence: &Divergence, lines: &ListedLines, tally: &Tally, questioned: &mut Questioned) {
        let did_not = tally.met(divergence).did_not > 0;
        let judged = lines.judged.get(&divergence.id).copied().unwrap_or_default();
        match () {
            // One line is enough where each must show it.
            () if did_not && !divergence.sometimes => questioned.needs_attention(divergence, Problem::Fixed),
            // A crash that depends on what lies in memory shows nothing by its absence, and what happens to some lines may
            // happen to those of instructions that this run leaves out.
            () if divergence.sometimes
                && divergence.does != Does::Crashes
                && judged >= ENOUGH
                && self.has_all_of(divergence) =>
            {
                questioned.needs_attention(divergence, Problem::Fixed);
            }
            () if judged > 0 => {
                questioned
                    .not_asked(divergence, "it happens only sometimes, and not with the lines that were asked about");
            }
            () if lines.exist.contains(&divergence.id) && !self.options.asks_everywhere() => {
                questioned.not_asked(divergence, "no line was found and judged that it alone decides about");
            }
            () if self.is_last(divergence) && self.has_all_of(divergence) => {
                questioned.needs_attention(divergence, Problem::Unmatched);
            }
            () => questioned.not_asked(divergence, "there is no line of it that can be asked about here"),
        }
    }

    /// True if no known version after this one does it: an older one may lack the PTX version that it is about.
    fn is_last(&self, divergence: &Divergence) -> bool {
        let known = self.asker.divergences.versions(&self.version.family);
        !known.iter().any(|(version, _)| version.is_after(self.version) && divergence.applies(version))
    }

    /// True if the run has all instructions that the divergence is about.
    fn has_all_of(&self, divergence: &Divergence) -> bool {
        let chosen = |id: &str| self.instructions.iter().any(|of| of.forms.iter().any(|form| form.id == id));
        divergence.cubes().iter().all(|listed| chosen(&listed.form))
    }

    /// The positions of the run's instructions that a divergence is about.
    fn concerned(&self, divergence: &Divergence) -> Vec<usize> {
        let about = |id: &str| divergence.cubes_in(id).next().is_some();
        let concerned = |at: &usize| self.instructions[*at].forms.iter().any(|form| about(&form.id));
        (0..self.instructions.len()).filter(concerned).collect()
    }
}

/// In how many combinations of choices, and of a rule if it lists any, a divergence shows.
fn combinations(divergence: &Divergence) -> u128 {
    divergence.cubes().iter().map(|listed| listed.rules.len().max(1) as u128).sum()
}
