//! Whether what is listed still happens: variants of divergences that a run would not meet.
//!
//! A divergence that no case of a run is about would be believed for ever. So such a one is drawn
//! from: a few variants of its combinations, in an environment in which there are any.

use super::plan::Purpose;
use super::{Options, Subject};
use crate::divergence::Divergence;
use crate::engine::Depth;
use crate::environment::Environment;
use crate::space::{Diagram, Slice, Values, environment, environment_values};
use crate::spec::{Cube, Form, Instruction};

/// Variants of one combination.
const VARIANTS: u128 = 16;
/// The same of a divergence that shows only sometimes.
const SOMETIMES: u128 = 64;
/// Environments that are looked into for variants of one combination.
const ENVIRONMENTS: usize = 80;

/// Variants of one form to ask about.
pub(super) struct Probe {
    pub(super) form: usize,
    pub(super) environment: Environment,
    pub(super) purpose: Purpose,
    pub(super) rule: Option<usize>,
    pub(super) variants: Vec<Values>,
}

/// Variants of a divergence in the forms of an instruction, where the engine can be asked about any.
pub(super) fn probes(
    instruction: &Instruction,
    divergence: &Divergence,
    subject: &Subject<'_>,
    home: Option<Environment>,
    options: &Options,
) -> Vec<Probe> {
    if divergence.depth == Depth::Generate && options.generate == super::Generate::Nothing {
        return Vec::new();
    }
    let wanted = if divergence.sometimes { SOMETIMES } else { VARIANTS };
    let mut probes = Vec::new();
    for (at, form) in instruction.forms.iter().enumerate() {
        for (_, cube) in divergence.cubes().iter().filter(|(id, _)| *id == form.id) {
            for rule in rules(divergence, form) {
                let Some((environment, variants)) = draw(form, rule, cube, divergence, subject, home, wanted) else {
                    continue;
                };
                let purpose = match (divergence.depth, rule) {
                    (Depth::Generate, _) => Purpose::Code,
                    (_, None) => Purpose::Valid,
                    (_, Some(_)) => Purpose::Breach,
                };
                probes.push(Probe { form: at, environment, purpose, rule, variants });
            }
        }
    }
    probes
}

/// The rules of a form whose breaches a divergence is about; `None` where it is about valid lines.
fn rules(divergence: &Divergence, form: &Form) -> Vec<Option<usize>> {
    if divergence.rules.is_empty() {
        return vec![None];
    }
    let named = form.rules.iter().enumerate().filter(|(_, rule)| divergence.names(&rule.id));
    named.map(|(at, _)| Some(at)).collect()
}

/// Variants evenly spread over a combination, in the first environment that has any: the one in which
/// most is asked, then others from the newest on.
fn draw(
    form: &Form,
    rule: Option<usize>,
    cube: &Cube,
    divergence: &Divergence,
    subject: &Subject<'_>,
    home: Option<Environment>,
    wanted: u128,
) -> Option<(Environment, Vec<Values>)> {
    let home = home.and_then(|home| environment_values(form, &home)).map(|home| home.to_vec());
    let widths = [0, 1, 2].map(|axis| u8::try_from(form.axes[axis].values.len()).unwrap_or(u8::MAX));
    // One axis at a time first, as borders are along one.
    let mut candidates: Vec<Values> = Vec::new();
    if let Some(home) = &home {
        candidates.push(home.clone());
        for axis in [1, 2, 0] {
            candidates.extend((0..widths[axis]).map(|value| {
                let mut other = home.clone();
                other[axis] = value;
                other
            }));
        }
    }
    for ptx in 0..widths[2] {
        candidates.extend((0..widths[1]).map(|target| vec![0, target, ptx]));
    }
    let possible = |values: &Values| {
        let environment = environment(form, values)?;
        let allowed = cube.sets().iter().filter(|(axis, _)| *axis < 3).all(|(axis, set)| set.contains(values[*axis]));
        let supported = || {
            environment.ptx <= subject.newest && subject.engine.supports(&environment, divergence.depth).is_ok()
        };
        (allowed && supported()).then_some((environment, values.clone()))
    };
    let alone = |choices: &Values| Diagram::within(form, rule, choices);
    let among_others = |choices: &Values| rule.map(|rule| Diagram::breaking_within(form, rule, choices));
    let draw = |(environment, space): (Environment, Diagram)| {
        let slice = Slice::new(&space.all(), cube);
        let (size, wanted) = (slice.count(), wanted.min(slice.count()));
        let variants: Vec<Values> = (0..wanted).filter_map(|at| slice.unrank(at * (size / wanted))).collect();
        (!variants.is_empty()).then_some((environment, variants))
    };
    let environments: Vec<(Environment, Values)> =
        candidates.iter().filter_map(possible).take(ENVIRONMENTS).collect();
    // Some divergences are only about lines with a second fault that is listed as well.
    let first = environments.iter().find_map(|(environment, choices)| draw((*environment, alone(choices))));
    first.or_else(|| environments.iter().find_map(|(environment, choices)| draw((*environment, among_others(choices)?))))
}
