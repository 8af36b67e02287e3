//! Finds divergences in judging lines that no longer happen.

use super::ask::Asker;
use super::options::{Generate, Options, Shard, Subject};
use super::plan::{FormPlan, Row, Task, TaskVariants};
use super::probes::Prober;
use super::results::{Problem, Stale};
use super::tally::Tally;
use crate::divergences::{Divergence, Does, EngineVersion};
use crate::engine::Depth;
use crate::spec::Instruction;

/// How the ids of rules begin that hold for any line.
const TEXT_RULES: &str = "isa/";

/// Searches for divergences of an engine that need attention.
pub(super) struct StaleSearch<'a> {
    pub(super) asker: &'a Asker<'a>,
    pub(super) version: &'a EngineVersion,
    pub(super) subject: &'a Subject<'a>,
    pub(super) instructions: &'a [&'a Instruction],
    pub(super) forms: &'a [FormPlan],
    pub(super) options: &'a Options,
}

impl StaleSearch<'_> {
    /// The divergences that need attention. Variants of those that no case exercised are drawn first.
    pub(super) fn find(&self, tally: &mut Tally) -> Vec<Stale> {
        // No variant breaks a rule about texts that are not generated.
        let about_texts = |divergence: &Divergence| {
            !divergence.rules.is_empty() && divergence.rules.iter().all(|rule| rule.starts_with(TEXT_RULES))
        };
        let judged = |divergence: &&Divergence| {
            divergence.does != Does::Computes && divergence.applies(self.version) && !about_texts(divergence)
        };
        let mut stale = Vec::new();
        for divergence in self.asker.divergences.all.iter().filter(judged) {
            let concerned = self.concerned(divergence);
            let unseen = divergence.depth == Depth::Generate && self.options.generate == Generate::Nothing;
            if concerned.is_empty() || unseen {
                continue;
            }
            let mut report = |problem| stale.push(Stale { id: divergence.id.clone(), problem });
            let today = self.options.today.as_ref();
            if today.zip(divergence.expires.as_ref()).is_some_and(|(today, last)| today > last) {
                report(Problem::Expired);
            }
            // One shard cannot tell what the others exercise.
            if self.options.shard != Shard::WHOLE {
                continue;
            }
            let met = |tally: &Tally| tally.listed.get(&divergence.id).copied().unwrap_or_default();
            let (mut asked, mut answered) = (met(tally) != Default::default(), false);
            // A run in one environment cannot tell what happens in others.
            if !asked && self.options.environment.is_none() {
                let before = tally.cases();
                asked = self.probe(divergence, &concerned, tally);
                answered = tally.cases() > before;
                if !asked && self.is_last(divergence) && self.has_all_of(divergence) {
                    report(Problem::Unmatched);
                }
            }
            let now = met(tally);
            // A crash that depends on what lies in memory shows nothing by its absence, and what happens to some lines
            // may happen to those of instructions that this run leaves out.
            if divergence.sometimes && (divergence.does == Does::Crashes || !self.has_all_of(divergence)) {
                continue;
            }
            // Skipped cases show nothing.
            if asked && now.did == 0 && (now.did_not > 0 || answered) {
                report(Problem::Fixed);
            }
        }
        stale
    }

    /// Whether no known version after this one does it: an older one may lack the PTX version that it is about.
    fn is_last(&self, divergence: &Divergence) -> bool {
        let known = self.asker.divergences.versions(&self.version.family);
        !known.iter().any(|(version, _)| version.is_after(self.version) && divergence.applies(version))
    }

    /// Whether the run has all instructions that it is about.
    fn has_all_of(&self, divergence: &Divergence) -> bool {
        let chosen = |id: &str| self.instructions.iter().any(|of| of.forms.iter().any(|form| form.id == id));
        divergence.cubes().iter().all(|listed| chosen(&listed.form))
    }

    fn concerned(&self, divergence: &Divergence) -> Vec<&Instruction> {
        let about = |id: &str| divergence.cubes_in(id).next().is_some();
        let concerned = |instruction: &&&Instruction| instruction.forms.iter().any(|form| about(&form.id));
        self.instructions.iter().filter(concerned).copied().collect()
    }

    /// Asks about some variants of a divergence; returns whether there are any.
    fn probe(&self, divergence: &Divergence, concerned: &[&Instruction], tally: &mut Tally) -> bool {
        let prober = Prober {
            divergences: self.asker.divergences,
            version: self.version,
            subject: self.subject,
            options: self.options,
        };
        let mut asked = false;
        for instruction in concerned {
            let home = self.forms.iter().find(|plan| instruction.forms.iter().any(|form| form.id == plan.form));
            for probe in prober.probes(instruction, divergence, home.map(|plan| plan.home)) {
                let row = |values| Row { form: probe.form, values, meant: probe.rule, loose: true };
                let task = Task {
                    instruction: instruction.name.clone(),
                    environment: probe.environment,
                    purpose: probe.purpose,
                    variants: TaskVariants::Listed(probe.variants.into_iter().map(row).collect()),
                };
                tally.merge(self.asker.ask(instruction, task, self.options));
                asked = true;
            }
        }
        asked
    }
}
