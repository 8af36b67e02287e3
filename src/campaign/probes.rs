//! Checks that listed divergences still happen: draws variants of divergences that a run would not
//! exercise.
//!
//! A divergence that no case exercises would never be questioned. So a few variants of its combinations are
//! drawn, in an environment that has any.

use super::options::{Generate, Options, Subject};
use super::plan::Purpose;
use crate::divergences::{Divergence, Divergences, EngineVersion, ListedCube};
use crate::engine::Depth;
use crate::environment::Environment;
use crate::judge::Reading;
use crate::space::{Diagram, EnvironmentValues, Values, environment, environment_values};
use crate::spec::{Cube, Form, Instruction};

/// Variants of one combination.
const VARIANTS: u128 = 16;
/// The same for a divergence that happens only sometimes.
const SOMETIMES: u128 = 64;
/// Variants with several faults to examine for some that a divergence decides about.
const LOOKED_AT: u128 = 4096;
/// Environments to search for variants of one combination.
const ENVIRONMENTS: usize = 80;

/// Variants of one form to ask about.
pub(super) struct Probe {
    pub(super) form: usize,
    pub(super) environment: Environment,
    pub(super) purpose: Purpose,
    pub(super) rule: Option<usize>,
    pub(super) variants: Vec<Values>,
}

/// Draws from divergences of one engine.
pub(super) struct Prober<'a> {
    pub(super) divergences: &'a Divergences,
    pub(super) version: &'a EngineVersion,
    pub(super) subject: &'a Subject<'a>,
    pub(super) options: &'a Options,
}

impl Prober<'_> {
    /// Variants of a divergence in the forms of an instruction, as far as the engine can be asked about
    /// any: in `home`, the main environment, or otherwise in the newest environment that has some.
    pub(super) fn probes(
        &self,
        instruction: &Instruction,
        divergence: &Divergence,
        home: Option<Environment>,
    ) -> Vec<Probe> {
        if divergence.depth == Depth::Generate && self.options.generate == Generate::Nothing {
            return Vec::new();
        }
        let mut probes = Vec::new();
        for (at, form) in instruction.forms.iter().enumerate() {
            for listed in divergence.cubes_in(&form.id) {
                let cube = &listed.cube;
                let environments = self.environments(form, cube, divergence, home);
                for rule in rules(divergence, listed) {
                    let drawn = alone(form, rule, cube, divergence, &environments)
                        .or_else(|| self.among_others(instruction, at, rule?, cube, divergence, &environments));
                    let Some((environment, variants)) = drawn else { continue };
                    let purpose = match divergence.depth {
                        Depth::Generate => Purpose::Code,
                        Depth::Check => Purpose::Check,
                    };
                    probes.push(Probe { form: at, environment, purpose, rule, variants });
                }
            }
        }
        probes
    }

    /// Variants with a second fault that is listed as well: some divergences only apply to such variants.
    fn among_others(
        &self,
        instruction: &Instruction,
        at: usize,
        rule: usize,
        cube: &Cube,
        divergence: &Divergence,
        environments: &[(Environment, Values)],
    ) -> Option<(Environment, Vec<Values>)> {
        let form = &instruction.forms[at];
        let (environment, choices) = environments.first()?;
        let space = Diagram::breaking_at_least(form, rule, &cube.clone().at(choices));
        let size = space.count();
        let ranks = (0..size.min(LOOKED_AT)).map(|rank| rank * (size / size.min(LOOKED_AT)));
        let decides = |values: &Values| {
            let reading =
                Reading { form: at, values: values.clone(), broken: form.broken(values), specials: Default::default() };
            let met = self.divergences.met(self.version, instruction, &reading, divergence.depth);
            met.contains(&divergence.id.as_str())
        };
        let variants = ranks.filter_map(|rank| space.unrank(rank)).filter(decides);
        let variants: Vec<Values> = variants.take(usize::try_from(VARIANTS).unwrap_or(1)).collect();
        (!variants.is_empty()).then_some((*environment, variants))
    }

    /// Environments of a combination that the engine accepts: `home` first, then those that differ from it
    /// in one axis, then any, the newest first.
    fn environments(
        &self,
        form: &Form,
        cube: &Cube,
        divergence: &Divergence,
        home: Option<Environment>,
    ) -> Vec<(Environment, Values)> {
        let home = home.and_then(|home| environment_values(form, &home)).map(|home| home.to_vec());
        let values = |axis: usize| (0..=u8::MAX).take(form.axes[axis].values.len());
        let mut candidates: Vec<Values> = Vec::new();
        if let Some(home) = &home {
            candidates.push(home.clone());
            for axis in [EnvironmentValues::TARGET, EnvironmentValues::PTX, EnvironmentValues::ADDRESS_SIZE] {
                candidates.extend(values(axis).map(|value| {
                    let mut other = home.clone();
                    other[axis] = value;
                    other
                }));
            }
        }
        for ptx in values(EnvironmentValues::PTX) {
            let targets = values(EnvironmentValues::TARGET);
            candidates.extend(targets.map(|target| EnvironmentValues::new(0, target, ptx).to_vec()));
        }
        let possible = |values: Values| {
            let environment = environment(form, &values)?;
            let mut sets = cube.sets().iter().filter(|(axis, _)| *axis < EnvironmentValues::AXES);
            let supported = || self.subject.takes(&environment, divergence.depth);
            (sets.all(|(axis, set)| set.contains(values[*axis])) && supported()).then_some((environment, values))
        };
        candidates.into_iter().filter_map(possible).take(ENVIRONMENTS).collect()
    }
}

/// The rules whose breaches a divergence covers in a cube; `None` for valid lines.
fn rules(divergence: &Divergence, listed: &ListedCube) -> Vec<Option<usize>> {
    if divergence.rules.is_empty() { vec![None] } else { listed.rules.iter().copied().map(Some).collect() }
}

/// Variants with only this fault, evenly spread over a combination, in the first environment that has any.
fn alone(
    form: &Form,
    rule: Option<usize>,
    cube: &Cube,
    divergence: &Divergence,
    environments: &[(Environment, Values)],
) -> Option<(Environment, Vec<Values>)> {
    let wanted = if divergence.sometimes { SOMETIMES } else { VARIANTS };
    environments.iter().find_map(|(environment, choices)| {
        let space = Diagram::inside(form, rule, &cube.clone().at(choices));
        let (size, wanted) = (space.count(), wanted.min(space.count()));
        let variants: Vec<Values> = (0..wanted).filter_map(|at| space.unrank(at * (size / wanted))).collect();
        (!variants.is_empty()).then_some((*environment, variants))
    })
}
