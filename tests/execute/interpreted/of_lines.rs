//! Mutants of lines: a mistake in the lines of a form that make a choice.

use std::fmt;
use std::sync::Arc;

use ptx_conform::environment::Environment;
use ptx_conform::semantics;
use ptx_conform::space::{Diagram, Draw, Slice, environment_values};
use ptx_conform::spec::{Choice, Cube, Form, Spec, ValueSet};
use ptx_kernels::{Chain, Library, Template};

use super::alone::alone;
use super::mistake::{Mistake, general};

/// Lines that are drawn under the condition of a mutant, and rows of each, by which it is decided whether it is equivalent.
pub(super) const DRAWN: (usize, usize) = (24, 48);

/// A mistake in the lines of a form that make a choice.
pub(super) struct LineMutant<'s> {
    pub(super) form: &'s Form,
    pub(super) axis: usize,
    pub(super) value: u8,
    pub(super) mistake: Mistake,
    /// Lines of the form that make the choice, as chains of one line.
    pub(super) samples: Arc<Vec<Chain>>,
}

impl fmt::Display for LineMutant<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis = &self.form.axes[self.axis];
        let (id, name, value) = (&self.form.id, &axis.name, &axis.values[usize::from(self.value)]);
        write!(f, "{id} {{ {name}: {value} }} {}", self.mistake.words(self.form))
    }
}

/// The mutants of the forms of the table of semantics.
pub(super) fn all(library: &Library<'static>) -> Vec<LineMutant<'static>> {
    let (spec, environment) = (library.spec(), *library.environment());
    let instructions = semantics::opcodes().filter_map(|opcode| spec.instruction(opcode));
    instructions.flat_map(|of| &of.forms).flat_map(|form| of_form(spec, form, environment)).collect()
}

fn of_form<'s>(spec: &'s Spec, form: &'s Form, environment: Environment) -> Vec<LineMutant<'s>> {
    let Some(prefix) = environment_values(form, &environment) else { return Vec::new() };
    let diagram = Diagram::within(form, None, &prefix);
    let mut draw = Draw::named(&form.id, 0);
    let mut mutants = Vec::new();
    let mut next = 0;
    let of_text = |axis: &usize| {
        matches!(form.axes[*axis].choice, Choice::Modifier | Choice::Suffix(_) | Choice::Sign(_) | Choice::Guard)
    };
    for axis in (0..form.axes.len()).filter(of_text) {
        let values: Vec<u8> = (0..=u8::MAX).filter(|value| diagram.has(axis, *value)).collect();
        for &value in &values {
            let only = ValueSet::of(usize::from(value) + 1, |known| known == usize::from(value));
            let slice = Slice::new(&diagram.all(), &Cube::new([(axis, only)]));
            let mut drawn = || slice.unrank(draw.below(slice.count())?);
            let templates: Vec<Template> =
                (0..DRAWN.0).filter_map(|_| Template::new(&spec.isa, form, &drawn()?)).collect();
            let samples =
                Arc::new(templates.iter().filter_map(|template| alone(template, true)).collect::<Vec<Chain>>());
            let sources = samples.iter().flat_map(Chain::instructions).map(|of| of.reads().count()).max();
            let Some(sources) = sources else { continue };
            let all = general(sources);
            next += 1;
            let mut mistakes = vec![all[next % all.len()], all[(next * 7 + 3) % all.len()]];
            mistakes.extend(values.iter().filter(|to| **to != value).map(|to| Mistake::Choice(axis, *to)));
            mistakes.dedup();
            let mutant = |mistake| LineMutant { form, axis, value, mistake, samples: Arc::clone(&samples) };
            mutants.extend(mistakes.into_iter().map(mutant));
        }
    }
    mutants
}
