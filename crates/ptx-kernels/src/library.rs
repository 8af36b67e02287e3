//! The forms that chains are made of, in one environment.

use std::collections::BTreeMap;

use crate::chain::{Chain, ChainStatement};
use crate::memory::ChainMemory;
use crate::template::{Template, TemplateKind};
use ptx_exec::interpret::{self, Interpreter};
use ptx_exec::semantics;
use ptx_spec::environment::Environment;
use ptx_spec::judge::{Judge, Reading};
use ptx_spec::ptx::{Declarations, Line, print_variant};
use ptx_spec::space::{Diagram, Draw, environment_values};
use ptx_spec::spec::{Axis, Choice, Cube, Form, Instruction, Role, Spec};
use rustc_hash::FxHashMap;

/// Draws of a form before it is taken for one that chains cannot have.
const TRIES: usize = 48;
/// One line in this many keeps the guard that was drawn.
const GUARDED: u128 = 4;
/// Draws of each form for a pool.
const OF_FORM: usize = 64;

/// A form whose variants can be lines of a chain.
struct LibraryForm<'s> {
    form: &'s Form,
    diagram: Diagram,
}

/// The forms that chains are made of.
pub struct Library<'s> {
    reference: VariantCheck<'s>,
    judge: Judge<'s>,
    /// The forms of each opcode of each chapter of the manual.
    chapters: BTreeMap<&'s str, BTreeMap<&'s str, Vec<LibraryForm<'s>>>>,
}

/// The reference: it decides which variants chains can have.
struct VariantCheck<'s> {
    spec: &'s Spec,
    environment: Environment,
    interpreter: Interpreter<'s>,
    excluded: ExcludedLines<'s>,
}

/// True for the choices of a form that no chain shall have.
type ExcludedLines<'s> = Box<dyn Fn(&Form, &[u8]) -> bool + Send + Sync + 's>;

/// A drawn line, and the number of its kind.
type NumberedTemplate = (u32, Template);

/// Drawn lines, by chapter of the manual, opcode and form, each with the number of its kind.
pub struct TemplatePool {
    chapters: Vec<Vec<Vec<Vec<NumberedTemplate>>>>,
    /// The kinds, by their numbers.
    pub kinds: Vec<TemplateKind>,
}

/// The reason why there is no library.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoLibrary {
    /// The specification does not know the environment.
    #[error("{0}")]
    Environment(#[from] ptx_spec::judge::UnknownEnvironment),
    /// No form has a variant that chains can have.
    #[error("no instruction that chains can have is valid in {0}")]
    Empty(Environment),
}

impl<'s> Library<'s> {
    /// The forms of these opcodes of a specification that are valid in an environment; without opcodes, those of all.
    ///
    /// # Errors
    /// If the specification does not know the environment, or there is no form.
    pub fn new(spec: &'s Spec, environment: Environment, only: &[String]) -> Result<Self, NoLibrary> {
        let judge = Judge::new(spec, &environment)?;
        let excluded = Box::new(|_: &Form, _: &[u8]| false);
        let reference = VariantCheck { spec, environment, interpreter: Interpreter::new(spec), excluded };
        let mut chapters: BTreeMap<&str, BTreeMap<&str, Vec<LibraryForm<'_>>>> = BTreeMap::new();
        let wanted = |name: &str| only.is_empty() || only.iter().any(|opcode| opcode == name);
        let modelled = |of: &&Instruction| wanted(&of.name) && interpret::opcodes().any(|opcode| opcode == of.name);
        for instruction in spec.instructions.iter().filter(modelled) {
            let mut draw = Draw::named(&instruction.name, 0);
            for form in &instruction.forms {
                let Some(values) = environment_values(form, &environment) else { continue };
                for cube in cubes(form, &Cube::default().at(&values)) {
                    let found = LibraryForm { form, diagram: Diagram::inside(form, None, &cube) };
                    if found.diagram.all().count() > 0
                        && (0..TRIES).any(|_| found.draw(&reference, &mut draw).is_some())
                    {
                        let chapter = chapters.entry(chapter(&form.manual)).or_default();
                        chapter.entry(&instruction.name).or_default().push(found);
                    }
                }
            }
        }
        if chapters.is_empty() {
            return Err(NoLibrary::Empty(environment));
        }
        Ok(Self { reference, judge, chapters })
    }

    /// The library without some lines, by the choices of their forms: none of its chains has them.
    #[must_use]
    pub fn without(mut self, excluded: impl Fn(&Form, &[u8]) -> bool + Send + Sync + 's) -> Self {
        self.reference.excluded = Box::new(excluded);
        self
    }

    /// The specification.
    pub fn spec(&self) -> &'s Spec {
        self.reference.spec
    }

    /// PTX version, target and address size of all chains.
    pub fn environment(&self) -> &Environment {
        &self.reference.environment
    }

    /// Drawn lines, enough for thousands of chains: each choice of each form is as likely as the others on its axis.
    pub fn pool(&self, draw: &mut Draw) -> TemplatePool {
        let mut numbers: FxHashMap<TemplateKind, u32> = FxHashMap::default();
        let mut drawn = |form: &LibraryForm<'_>, draw: &mut Draw| -> Vec<NumberedTemplate> {
            let templates = (0..OF_FORM).filter_map(|_| form.draw(&self.reference, draw));
            let numbered = templates.map(|template| {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                (*numbers.entry(template.kind()).or_insert(next), template)
            });
            numbered.collect()
        };
        let mut of_opcode = |forms: &Vec<LibraryForm<'_>>| not_empty(forms.iter().map(|form| drawn(form, draw)));
        let of_chapter = |opcodes: &BTreeMap<_, _>| not_empty(opcodes.values().map(&mut of_opcode));
        let chapters = not_empty(self.chapters.values().map(of_chapter));
        let mut kinds: Vec<(u32, TemplateKind)> = numbers.into_iter().map(|(kind, number)| (number, kind)).collect();
        kinds.sort_unstable();
        TemplatePool { chapters, kinds: kinds.into_iter().map(|(_, kind)| kind).collect() }
    }

    /// The reading of a line that names registers of a chain, if it is valid and the manual defines it.
    pub fn reading(&self, chain: &Chain, line: &str) -> Option<(&'s Instruction, Reading)> {
        self.valid(line, &Declarations::parse(&chain.declarations(), &self.spec().isa).ok()?)
    }

    /// True if each line of a chain that reads the carry follows one that always writes it, and nothing branches in between:
    /// otherwise it would be that of whatever was executed before the chain.
    pub fn has_its_carry(&self, chain: &Chain) -> bool {
        let Ok(declarations) = Declarations::parse(&chain.declarations(), &self.spec().isa) else { return false };
        let mut carry = false;
        for statement in &chain.statements {
            let ChainStatement::Instruction(instruction) = statement else {
                carry = false;
                continue;
            };
            let text = instruction.text();
            let Some((of, reading)) = self.valid(&text, &declarations) else { return false };
            let made = semantics::computation(&self.spec().isa, &of.forms[reading.form], &reading.values, None);
            let Some(Ok(computation)) = made else { continue };
            if computation.reads_carry() && !carry {
                return false;
            }
            carry = match (computation.writes_carry(), instruction.is_guarded()) {
                (true, guarded) => !guarded,
                (false, _) => carry,
            };
        }
        true
    }

    /// The opcode of a valid line of a chain, and its choices that are seen in its text, each with the name of its axis.
    pub fn choices(&self, chain: &Chain, line: &str) -> Option<(String, Vec<(String, String)>)> {
        let (instruction, reading) = self.reading(chain, line)?;
        let form = &instruction.forms[reading.form];
        let choice = |(axis, value): (&Axis, &u8)| {
            let value = axis.values.get(usize::from(*value)).filter(|_| is_of_text(axis.choice))?;
            Some((axis.name.clone(), value.clone()))
        };
        Some((instruction.name.clone(), form.axes.iter().zip(&reading.values).filter_map(choice).collect()))
    }

    /// The reading of a line, if it is valid and the manual defines it.
    pub fn valid(&self, line: &str, declarations: &Declarations) -> Option<(&'s Instruction, Reading)> {
        let line = Line::parse(line).ok()?;
        let (instruction, reading) = self.judge.read(&line, declarations)?;
        (reading.valid() && reading.undefined(instruction).next().is_none()).then_some((instruction, reading))
    }
}

impl TemplatePool {
    /// A line and the number of its kind: chapters of the manual are equally likely, then their opcodes, their forms, and each choice of the form.
    pub fn draw(&self, draw: &mut Draw) -> Option<(u32, &Template)> {
        let opcodes = pick(draw, &self.chapters)?;
        let forms = pick(draw, opcodes)?;
        let templates = pick(draw, forms)?;
        pick(draw, templates).map(|(kind, template)| (*kind, template))
    }

    /// All its lines, each with the number of its kind.
    pub fn all(&self) -> impl Iterator<Item = (u32, &Template)> {
        self.chapters.iter().flatten().flatten().flatten().map(|(kind, template)| (*kind, template))
    }
}

impl LibraryForm<'_> {
    fn draw(&self, reference: &VariantCheck<'_>, draw: &mut Draw) -> Option<Template> {
        let mut values = draw.variant(&self.diagram.all())?;
        if draw.below(GUARDED)? > 0
            && let Some(guard) = self.form.axis_of(Choice::Guard)
        {
            values[guard] = 0;
        }
        reference.template(self.form, &values)
    }
}

impl VariantCheck<'_> {
    /// The template of a variant, if the reference executes it.
    fn template(&self, form: &Form, values: &[u8]) -> Option<Template> {
        let template = Template::new(&self.spec.isa, form, values).filter(|_| !(self.excluded)(form, values))?;
        (template.accessed().is_none() || self.executes(form, values)).then_some(template)
    }

    fn executes(&self, form: &Form, values: &[u8]) -> bool {
        let Environment { ptx, target, address_size } = &self.environment;
        let (text, declarations) = print_variant(form, values);
        let header = format!(".version {ptx}\n.target {target}\n.address_size {address_size}\n");
        let unmodelled = self.interpreter.unmodelled(&format!("{header}{declarations}\n{text}\nret;\n}}\n"));
        unmodelled.is_ok_and(|lines| lines.is_empty())
    }
}

/// The parts of the space of a form that chains can have: all of it, or of a form that accesses memory, that with the memory of
/// chains.
fn cubes(form: &Form, within: &Cube) -> Vec<Cube> {
    let Some(address) = form.operands.iter().position(|operand| matches!(operand.role, Role::Address { .. })) else {
        return vec![within.clone()];
    };
    let Some(base) = form.axis_of(Choice::Base(address)) else { return Vec::new() };
    let based = |memory: ChainMemory| {
        let values = form.axes[base].select(|value| value == memory.space());
        (!values.is_empty()).then(|| within.clone().with(base, values))
    };
    ChainMemory::ALL.into_iter().filter_map(based).collect()
}

/// True if a choice is a word of the line: a modifier, a suffix, a sign, the guard.
pub(crate) fn is_of_text(choice: Choice) -> bool {
    matches!(choice, Choice::Modifier | Choice::Suffix(_) | Choice::Sign(_) | Choice::Guard)
}

/// The chapter of a page of the manual: what its anchor begins with.
fn chapter(page: &str) -> &str {
    page.split_once("-instructions").map_or(page, |(chapter, _)| chapter)
}

/// The lists that have something.
fn not_empty<T>(lists: impl Iterator<Item = Vec<T>>) -> Vec<Vec<T>> {
    lists.filter(|list| !list.is_empty()).collect()
}

/// One of several, equally likely.
pub(crate) fn pick<'a, T>(draw: &mut Draw, from: &'a [T]) -> Option<&'a T> {
    let at = draw.below(u128::try_from(from.len()).ok()?)?;
    from.get(usize::try_from(at).ok()?)
}
