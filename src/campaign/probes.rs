//! Draws variants that a listed divergence decides about.
//!
//! A divergence that no case exercises would never be questioned. So a few of its own variants are drawn: in the main
//! environment, or where there are any.

use rayon::prelude::*;

use super::options::Subject;
use super::plan::Purpose;
use super::planner::spread;
use crate::divergences::{Divergence, Divergences, EngineVersion, ListedCube};
use crate::engine::Depth;
use crate::environment::Environment;
use crate::judge::Reading;
use crate::space::{Diagram, EnvironmentValues, Values, environment, environment_values};
use crate::spec::{Cube, Form, Instruction};

/// Variants with several faults to examine for some that a divergence decides about.
const LOOKED_AT: u128 = 4096;
/// The most faults of a variant: what more of them do together is not what the divergence says.
const FAULTS: usize = 2;
/// The most environments with variants of one combination in which to look for some that a divergence decides about.
const ENVIRONMENTS: usize = 80;

/// Variants of one form to ask about.
pub(super) struct Probe {
    pub(super) form: usize,
    pub(super) environment: Environment,
    pub(super) purpose: Purpose,
    pub(super) rule: Option<usize>,
    pub(super) variants: Vec<Values>,
}

/// The variants by which a divergence can be questioned.
#[derive(Default)]
pub(super) struct Probes {
    /// The probes that the divergence decides about.
    pub(super) found: Vec<Probe>,
    /// True if the divergence has variants at all where the engine can be asked.
    pub(super) exist: bool,
}

/// Draws from divergences of one engine.
pub(super) struct Prober<'a> {
    pub(super) divergences: &'a Divergences,
    pub(super) version: &'a EngineVersion,
    pub(super) subject: &'a Subject<'a>,
}

/// An environment in which the engine can be asked, and its values in a form.
type AskableEnvironment = (Environment, EnvironmentValues);
/// Variants in an environment.
type Drawn = (Environment, Vec<Values>);
/// A way to draw variants of a combination in these environments, up to a number of them. It also says whether there are any
/// that the divergence may not decide about.
type HowDrawn<'p> = fn(&Prober<'p>, &ListedCombination<'_>, &[AskableEnvironment], u128) -> (Option<Drawn>, bool);

/// One combination of a divergence in one form, with a rule that it lists as not enforced; without one, valid variants.
struct ListedCombination<'a> {
    instruction: &'a Instruction,
    at: usize,
    divergence: &'a Divergence,
    cube: &'a Cube,
    rule: Option<usize>,
}

impl ListedCombination<'_> {
    fn form(&self) -> &Form {
        &self.instruction.forms[self.at]
    }
}

/// The environments that a combination allows.
fn allowed(of: &ListedCombination<'_>, environments: &[AskableEnvironment]) -> Vec<AskableEnvironment> {
    let inside = |(_, choices): &&AskableEnvironment| {
        of.cube.sets().iter().all(|(axis, set)| choices.get(*axis).is_none_or(|&value| set.contains(value)))
    };
    environments.iter().filter(inside).copied().collect()
}

impl<'p> Prober<'p> {
    /// Up to `wanted` variants of each combination of a divergence in the forms of an instruction: in `main`, the main
    /// environment, or otherwise in the nearest or newest environment that has some. They have one fault, or if there are
    /// none such, a second one that is listed as well: some divergences only apply to those.
    pub(super) fn probes(
        &self,
        instruction: &Instruction,
        divergence: &Divergence,
        main: Option<Environment>,
        wanted: u128,
    ) -> Probes {
        let single = self.drawn(instruction, divergence, main, wanted, Self::with_one_fault);
        if !single.found.is_empty() || divergence.rules.is_empty() {
            return single;
        }
        let several = self.drawn(instruction, divergence, main, wanted, Self::with_several_faults);
        Probes { found: several.found, exist: single.exist || several.exist }
    }

    fn drawn(
        &self,
        instruction: &Instruction,
        divergence: &Divergence,
        main: Option<Environment>,
        wanted: u128,
        draw: HowDrawn<'p>,
    ) -> Probes {
        let purpose = match divergence.depth {
            Depth::Generate => Purpose::Code,
            Depth::Check => Purpose::Check,
        };
        let mut probes = Probes::default();
        for (at, form) in instruction.forms.iter().enumerate() {
            let mut environments = None;
            for listed in divergence.cubes_in(&form.id) {
                for rule in rules(divergence, listed) {
                    let combination = ListedCombination { instruction, at, divergence, cube: &listed.cube, rule };
                    let environments = environments.get_or_insert_with(|| self.environments(form, divergence, main));
                    let allowed = allowed(&combination, environments);
                    let (drawn, exist) = draw(self, &combination, &allowed, wanted);
                    probes.exist |= exist;
                    probes.found.extend(drawn.map(|(environment, variants)| Probe {
                        form: at,
                        environment,
                        purpose,
                        rule,
                        variants,
                    }));
                }
            }
        }
        probes
    }

    /// Variants with one fault, or none if the divergence is about valid lines; and whether there are any, whatever decides
    /// about them.
    fn with_one_fault(
        &self,
        of: &ListedCombination<'_>,
        environments: &[AskableEnvironment],
        wanted: u128,
    ) -> (Option<Drawn>, bool) {
        let Some((_, first)) = environments.first() else { return (None, false) };
        // Most have variants in the first environment, where a diagram is small.
        let near = Diagram::inside(of.form(), of.rule, &of.cube.clone().at(first));
        if let Some(drawn) = self.decided(of, &near, &environments[..1], wanted, wanted).0 {
            return (Some(drawn), true);
        }
        let everywhere = Diagram::inside(of.form(), of.rule, of.cube);
        self.decided(of, &everywhere, environments, wanted, wanted)
    }

    /// Variants with several faults in the first environment; and whether there are any, whatever decides about them.
    fn with_several_faults(
        &self,
        of: &ListedCombination<'_>,
        environments: &[AskableEnvironment],
        wanted: u128,
    ) -> (Option<Drawn>, bool) {
        let (Some((_, first)), Some(rule)) = (environments.first(), of.rule) else { return (None, false) };
        let several = Diagram::breaking_at_least(of.form(), rule, &of.cube.clone().at(first));
        self.decided(of, &several, &environments[..1], LOOKED_AT, wanted)
    }

    /// Variants of a diagram that the divergence decides about, among those `looked_at` of each environment; and whether
    /// it has any variants in these environments.
    fn decided(
        &self,
        of: &ListedCombination<'_>,
        diagram: &Diagram,
        environments: &[AskableEnvironment],
        looked_at: u128,
        wanted: u128,
    ) -> (Option<Drawn>, bool) {
        let regions = environments.iter().map(|(environment, choices)| (environment, diagram.all().below(choices)));
        let mut looked = regions.filter(|(_, region)| region.count() > 0).take(ENVIRONMENTS).peekable();
        let exist = looked.peek().is_some();
        let drawn = looked.find_map(|(environment, region)| {
            let decided = spread(&region, looked_at).filter(|values| self.decides(of, values));
            let variants: Vec<Values> = decided.take(usize::try_from(wanted).unwrap_or(usize::MAX)).collect();
            (!variants.is_empty()).then_some((*environment, variants))
        });
        (drawn, exist)
    }

    /// True if the divergence, and not another one, decides what is expected of a variant; if it is listed only for other versions,
    /// true if none does.
    fn decides(&self, of: &ListedCombination<'_>, values: &Values) -> bool {
        let (divergence, form) = (of.divergence, of.form());
        let broken = form.broken(values);
        if broken.len() > FAULTS {
            return false;
        }
        let reading = Reading { form: of.at, values: values.clone(), broken, specials: Default::default() };
        let (version, depth) = (self.version, divergence.depth);
        if divergence.sometimes && divergence.applies(version) {
            let does = divergence.does;
            let found = self.divergences.sometimes(version, of.instruction, &reading, depth, does);
            return found == Some(divergence.id.as_str());
        }
        let met = self.divergences.met(version, of.instruction, &reading, depth);
        if divergence.applies(version) { met.contains(&divergence.id.as_str()) } else { met.is_empty() }
    }

    /// The environments of a form in which the engine can be asked, and versions that are listed: the main one first, then those
    /// that differ from it in one axis, then all, the newest first.
    fn environments(&self, form: &Form, of: &Divergence, main: Option<Environment>) -> Vec<AskableEnvironment> {
        let newest = self.divergences.newest_ptx_of(of, &of.engine);
        let values = |axis: usize| (0..=u8::MAX).take(form.axes[axis].values.len());
        let mut candidates: Vec<Values> = Vec::new();
        if let Some(main) = main.and_then(|main| environment_values(form, &main)) {
            candidates.push(main.to_vec());
            for axis in [EnvironmentValues::TARGET, EnvironmentValues::PTX, EnvironmentValues::ADDRESS_SIZE] {
                candidates.extend(values(axis).map(|value| {
                    let mut other = main.to_vec();
                    other[axis] = value;
                    other
                }));
            }
        }
        for ptx in values(EnvironmentValues::PTX) {
            let of_target = |target| {
                values(EnvironmentValues::ADDRESS_SIZE)
                    .map(move |size| EnvironmentValues::new(size, target, ptx).to_vec())
            };
            candidates.extend(values(EnvironmentValues::TARGET).flat_map(of_target));
        }
        let taken = |choices: Values| {
            let environment = environment(form, &choices);
            let choices = EnvironmentValues::of(&choices);
            let is_listed = newest.is_none_or(|newest| environment.ptx <= newest);
            (is_listed && self.subject.takes(&environment, of.depth)).then_some((environment, choices))
        };
        // Each target that an engine is asked about for the first time costs a process.
        candidates.into_par_iter().filter_map(taken).collect()
    }
}

/// The rules whose breaches a divergence covers in a cube; `None` for valid lines.
fn rules(divergence: &Divergence, listed: &ListedCube) -> Vec<Option<usize>> {
    if divergence.rules.is_empty() { vec![None] } else { listed.rules.iter().copied().map(Some).collect() }
}
