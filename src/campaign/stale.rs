//! Questions the listed divergences in judging lines: which no longer happen, and which the run did not ask about.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::ask::{Asker, LineQuestion};
use super::main_environment;
use super::options::{Generate, Options, Subject};
use super::plan::{FormPlan, PlannedVariant, Task, TaskVariants};
use super::probes::{Probe, Prober, Probes};
use super::results::{ListedProbes, Problem, Questioned};
use super::tally::{GroupKey, MismatchGroup, Tally};
use super::together::Together;
use crate::divergences::{Divergence, Does, EngineVersion};
use crate::engine::Depth;
use crate::space::Values;
use crate::spec::Instruction;

/// How the ids of rules begin that hold for any line.
const TEXT_RULES: &str = "isa/";
/// Lines that must not show a divergence that happens only sometimes before it counts as gone.
const ENOUGH: u64 = 1000;

/// Questions the divergences of an engine.
pub(super) struct StaleSearch<'a> {
    pub(super) asker: &'a Asker<'a>,
    pub(super) version: &'a EngineVersion,
    pub(super) subject: &'a Subject<'a>,
    pub(super) instructions: &'a [&'a Instruction],
    pub(super) forms: &'a [FormPlan],
    pub(super) options: &'a Options,
}

/// A divergence, and variants of its own.
struct DrawnProbes<'a> {
    divergence: &'a Divergence,
    /// By the positions of the instructions in the run.
    probes: Vec<(usize, Probes)>,
}

/// The questions about the divergences that are listed for an engine's version.
#[derive(Default)]
pub(super) struct ListedQuestions<'a> {
    /// The questions.
    pub(super) questions: Vec<LineQuestion<'a>>,
    /// By their positions: the divergence that a question is about alone.
    pub(super) alone: BTreeMap<usize, &'a str>,
    /// The names of the divergences that have variants, whether they are asked about or not.
    pub(super) exist: Vec<&'a str>,
}

impl<'a> StaleSearch<'a> {
    /// The questions about divergences that are listed for this version, as far as possible together. Those about one that
    /// happens only sometimes are apart: nothing but the number of their answers says how much its absence shows.
    pub(super) fn questions(&self) -> ListedQuestions<'a> {
        let listed = self.asker.divergences.all.par_iter().filter(|known| self.is_judged(known));
        let asked = listed.filter(|known| self.unasked(known).is_none());
        let drawn: Vec<DrawnProbes<'_>> = asked.map(|known| self.draw(known)).collect();
        let mut all = ListedQuestions::default();
        let together = Together::new(self.instructions);
        for DrawnProbes { divergence, probes } in drawn {
            if probes.iter().any(|(_, probes)| probes.exist) {
                all.exist.push(&divergence.id);
            }
            if divergence.sometimes {
                let apart = Together::new(self.instructions);
                self.add(probes, &apart);
                for question in apart.questions(self.options.batch) {
                    all.alone.insert(all.questions.len(), &divergence.id);
                    all.questions.push(question);
                }
            } else {
                self.add(probes, &together);
            }
        }
        all.questions.extend(together.questions(self.options.batch));
        all
    }

    /// The divergences that need attention, and those about which the answers say nothing.
    pub(super) fn find(&self, tally: &Tally, probes: &BTreeMap<String, ListedProbes>) -> Questioned {
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
                (0, None) => {
                    let probes = probes.get(&divergence.id).copied().unwrap_or_default();
                    self.conclude(divergence, probes, tally, &mut questioned);
                }
            }
        }
        questioned
    }

    /// The divergences of lines that are listed for other versions only.
    fn elsewhere(&self) -> Vec<&'a Divergence> {
        let is_elsewhere = |known: &&Divergence| self.is_of_lines(known) && known.applies_elsewhere(self.version);
        self.asker.divergences.all.iter().filter(is_elsewhere).collect()
    }

    /// The questions about lines of divergences that are listed for other versions only.
    pub(super) fn questions_elsewhere(&self) -> Vec<LineQuestion<'a>> {
        let asked = self.elsewhere().into_par_iter().filter(|known| self.unasked(known).is_none());
        let drawn: Vec<DrawnProbes<'_>> = asked.map(|known| self.draw(known)).collect();
        let together = Together::new(self.instructions);
        drawn.into_iter().for_each(|of| self.add(of.probes, &together));
        together.questions(self.options.batch)
    }

    /// The divergences listed for other versions only that the answers to these questions show here: they need attention.
    pub(super) fn find_wider(&self, answered: &Tally, questioned: &mut Questioned) {
        for divergence in self.elsewhere() {
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

    fn draw(&self, divergence: &'a Divergence) -> DrawnProbes<'a> {
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
        DrawnProbes { divergence, probes: probes.collect() }
    }

    /// The number of variants to draw of each combination of a divergence.
    fn wanted(&self, divergence: &Divergence) -> u128 {
        let budget = self.options.depth.budget();
        let combinations: usize = divergence.cubes().iter().map(|listed| listed.rules.len().max(1)).sum();
        match divergence.sometimes {
            true => budget.sometimes.div_ceil(combinations.max(1) as u128).max(budget.listed),
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
    fn conclude(&self, divergence: &Divergence, probes: ListedProbes, tally: &Tally, questioned: &mut Questioned) {
        let did_not = tally.met(divergence).did_not > 0;
        match () {
            // One line is enough where each must show it.
            () if did_not && !divergence.sometimes => questioned.needs_attention(divergence, Problem::Fixed),
            // A crash that depends on what lies in memory shows nothing by its absence, and what happens to some lines may
            // happen to those of instructions that this run leaves out.
            () if divergence.sometimes
                && divergence.does != Does::Crashes
                && probes.judged >= ENOUGH
                && self.has_all_of(divergence) =>
            {
                questioned.needs_attention(divergence, Problem::Fixed);
            }
            () if probes.judged > 0 => {
                questioned
                    .not_asked(divergence, "it happens only sometimes, and not with the lines that were asked about");
            }
            () if probes.exist && !self.options.asks_everywhere() => {
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
