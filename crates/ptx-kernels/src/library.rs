//! The forms that chains are made of, in one environment.

use std::collections::BTreeMap;

use crate::template::Template;
use ptx_exec::semantics;
use ptx_spec::environment::Environment;
use ptx_spec::judge::{Judge, Reading};
use ptx_spec::ptx::{Declarations, Line};
use ptx_spec::space::{Diagram, Draw, environment_values};
use ptx_spec::spec::{Choice, Form, Instruction, Spec};

/// Draws of a form before it is taken for one that chains cannot have.
const TRIES: usize = 48;
/// One line in this many keeps the guard that was drawn.
const GUARDED: u128 = 4;

/// A form whose variants can be lines of a chain.
struct LibraryForm<'s> {
    form: &'s Form,
    diagram: Diagram,
}

/// The forms that chains are made of.
pub struct Library<'s> {
    spec: &'s Spec,
    environment: Environment,
    judge: Judge<'s>,
    /// The forms of each opcode of each chapter of the manual.
    chapters: BTreeMap<&'s str, BTreeMap<&'s str, Vec<LibraryForm<'s>>>>,
}

/// The reason why there is no library.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoLibrary {
    /// The specification does not know the environment.
    #[error("{0}")]
    Environment(#[from] ptx_spec::judge::UnknownEnvironment),
    /// No form has a variant that chains can have.
    #[error("no instruction that only computes is valid in {0}")]
    Empty(Environment),
}

impl<'s> Library<'s> {
    /// The forms of these opcodes of a specification that are valid in an environment; without opcodes, those of all.
    ///
    /// # Errors
    /// If the specification does not know the environment, or there is no form.
    pub fn new(spec: &'s Spec, environment: Environment, only: &[String]) -> Result<Self, NoLibrary> {
        let judge = Judge::new(spec, &environment)?;
        let mut chapters: BTreeMap<&str, BTreeMap<&str, Vec<LibraryForm<'_>>>> = BTreeMap::new();
        let wanted = |name: &str| only.is_empty() || only.iter().any(|opcode| opcode == name);
        let computed = |of: &&Instruction| wanted(&of.name) && semantics::opcodes().any(|opcode| opcode == of.name);
        for instruction in spec.instructions.iter().filter(computed) {
            let mut draw = Draw::named(&instruction.name, 0);
            for form in &instruction.forms {
                let Some(values) = environment_values(form, &environment) else { continue };
                let found = LibraryForm { form, diagram: Diagram::within(form, None, &values) };
                if found.diagram.all().count() > 0 && (0..TRIES).any(|_| found.draw(spec, &mut draw).is_some()) {
                    chapters.entry(chapter(&form.manual)).or_default().entry(&instruction.name).or_default().push(found);
                }
            }
        }
        if chapters.is_empty() {
            return Err(NoLibrary::Empty(environment));
        }
        Ok(Self { spec, environment, judge, chapters })
    }

    /// The specification.
    pub fn spec(&self) -> &'s Spec {
        self.spec
    }

    /// PTX version, target and address size of all chains.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// A line: chapters of the manual are equally likely, then their opcodes, their forms, and each choice of the form.
    pub fn draw(&self, draw: &mut Draw) -> Option<Template> {
        let opcodes = nth(draw, &self.chapters)?;
        let forms = nth(draw, opcodes)?;
        let form = pick(draw, forms)?;
        (0..TRIES).find_map(|_| form.draw(self.spec, draw))
    }

    /// The reading of a line, if it is valid and the manual defines it.
    pub fn valid(&self, line: &str, declarations: &Declarations) -> Option<(&'s Instruction, Reading)> {
        let line = Line::parse(line).ok()?;
        let (instruction, reading) = self.judge.read(&line, declarations)?;
        (reading.valid() && reading.undefined(instruction).next().is_none()).then_some((instruction, reading))
    }
}

impl LibraryForm<'_> {
    fn draw(&self, spec: &Spec, draw: &mut Draw) -> Option<Template> {
        let mut values = draw.variant(&self.diagram.all())?;
        if draw.below(GUARDED)? > 0
            && let Some(guard) = self.form.axis_of(Choice::Guard)
        {
            values[guard] = 0;
        }
        Template::new(&spec.isa, self.form, &values)
    }
}

/// The chapter of a page of the manual: what its anchor begins with.
fn chapter(page: &str) -> &str {
    page.split_once("-instructions").map_or(page, |(chapter, _)| chapter)
}

/// One of the values of a map, equally likely.
fn nth<'a, T>(draw: &mut Draw, from: &'a BTreeMap<&str, T>) -> Option<&'a T> {
    let at = draw.below(u128::try_from(from.len()).ok()?)?;
    from.values().nth(usize::try_from(at).ok()?)
}

/// One of several, equally likely.
pub(crate) fn pick<'a, T>(draw: &mut Draw, from: &'a [T]) -> Option<&'a T> {
    let at = draw.below(u128::try_from(from.len()).ok()?)?;
    from.get(usize::try_from(at).ok()?)
}
