//! Mutants of lines, and the bench on which they are tried: the chains of a run.

use std::collections::BTreeMap;
use std::fmt;

use ptx_engines::{Engine, EngineId, KernelExecutor};
use ptx_exec::interpret::Interpreter;
use ptx_exec::kernel_case::{KernelAnswer, KernelCase};
use ptx_exec::semantics;
use ptx_kernels::{Chain, ChainAnswer, ChainComparison, ChainRows, ChainStatement, ChainText, Library, Template};
use ptx_kernels::compare_alone;
use ptx_spec::environment::Environment;
use ptx_spec::ptx::Declarations;
use ptx_spec::space::{Diagram, Draw, Slice, environment_values};
use ptx_spec::spec::{Choice, Cube, Form, Spec, ValueSet};

use crate::alone::alone;
use crate::mistake::{Mistake, general};
use crate::of_control::LineChange;

/// Lines that are drawn under the condition of a mutant, and rows of each, by which it is decided whether it is equivalent.
const DRAWN: (usize, usize) = (24, 48);

/// A mistake in the lines of a form that make a choice.
pub(crate) struct LineMutant<'s> {
    pub(crate) form: &'s Form,
    axis: usize,
    value: u8,
    mistake: Mistake,
    /// Lines of the form that make the choice, as chains of one line.
    samples: std::sync::Arc<Vec<Chain>>,
}

impl fmt::Display for LineMutant<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis = &self.form.axes[self.axis];
        let (id, name, value) = (&self.form.id, &axis.name, &axis.values[usize::from(self.value)]);
        write!(f, "{id} {{ {name}: {value} }} {}", self.mistake.words(self.form))
    }
}

/// What became of a mutant.
pub(crate) enum Outcome {
    Noticed,
    /// No chain has a line that makes the choice.
    Absent,
    /// A chain has, but no row shows it.
    Missed,
    Equivalent,
}

/// The mutants of the forms of the table of semantics.
pub(crate) fn of_lines(spec: &Spec, environment: Environment) -> Vec<LineMutant<'_>> {
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
            let samples = std::sync::Arc::new(templates.iter().filter_map(alone).collect::<Vec<Chain>>());
            let sources = samples.iter().flat_map(Chain::instructions).map(|of| of.reads().count()).max();
            let Some(sources) = sources else { continue };
            let all = general(sources);
            next += 1;
            let mut mistakes = vec![all[next % all.len()], all[(next * 7 + 3) % all.len()]];
            mistakes.extend(values.iter().filter(|to| **to != value).map(|to| Mistake::Choice(axis, *to)));
            mistakes.dedup();
            let mutant = |mistake| LineMutant { form, axis, value, mistake, samples: std::sync::Arc::clone(&samples) };
            mutants.extend(mistakes.into_iter().map(mutant));
        }
    }
    mutants
}

/// The interpreter, which executes another text.
struct Changed<'c> {
    id: EngineId,
    interpreter: &'c Interpreter<'c>,
    change: Box<dyn Fn(&str) -> String + Sync + 'c>,
}

impl Engine for Changed<'_> {
    fn id(&self) -> &EngineId {
        &self.id
    }
}

impl KernelExecutor for Changed<'_> {
    fn execute_kernels(&self, cases: &[KernelCase]) -> Vec<KernelAnswer> {
        let answer = |case: &KernelCase| {
            let module = (self.change)(&case.module);
            self.interpreter.execute(&KernelCase { module, ..case.clone() })
        };
        cases.iter().map(answer).collect()
    }
}

/// The chains of a run.
pub(crate) struct Bench<'b> {
    interpreter: &'b Interpreter<'b>,
    library: &'b Library<'b>,
    chains: Vec<(Chain, ChainRows)>,
    /// The chains that have a line of a form, by its name.
    of_form: BTreeMap<String, Vec<usize>>,
}

impl<'b> Bench<'b> {
    pub(crate) fn new(
        interpreter: &'b Interpreter<'b>,
        library: &'b Library<'b>,
        chains: Vec<(Chain, ChainRows)>,
    ) -> Self {
        let mut of_form: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, (chain, _)) in chains.iter().enumerate() {
            let declarations = Declarations::parse(&chain.declarations(), &library.spec().isa).expect("declarations");
            for instruction in chain.instructions() {
                let (of, reading) = library.valid(&instruction.text(), &declarations).expect("a valid line");
                let all = of_form.entry(of.forms[reading.form].id.clone()).or_default();
                if all.last() != Some(&at) {
                    all.push(at);
                }
            }
        }
        Self { interpreter, library, chains, of_form }
    }

    /// What becomes of a mutant.
    pub(crate) fn outcome(&self, mutant: &LineMutant<'_>) -> Outcome {
        let mut is_there = false;
        for at in self.of_form.get(&mutant.form.id).into_iter().flatten() {
            let (chain, rows) = &self.chains[*at];
            let Some(changed) = self.changed(mutant, chain) else { continue };
            is_there = true;
            if self.shows(chain, &changed, rows) {
                return Outcome::Noticed;
            }
        }
        let shows = |(seed, chain): (u64, &Chain)| {
            let rows = ChainRows::drawn(chain, seed, DRAWN.1);
            self.changed(mutant, chain).is_some_and(|changed| self.shows(chain, &changed, &rows))
        };
        match (0..).zip(mutant.samples.iter()).any(shows) {
            false => Outcome::Equivalent,
            true if is_there => Outcome::Missed,
            true => Outcome::Absent,
        }
    }

    /// The chain in which the mistake is made; none if no line has it.
    fn changed(&self, mutant: &LineMutant<'_>, chain: &Chain) -> Option<Chain> {
        let isa = &self.library.spec().isa;
        let declarations = Declarations::parse(&chain.declarations(), isa).ok()?;
        let mut changed = chain.clone();
        let mut any = false;
        for statement in &mut changed.statements {
            let ChainStatement::Instruction(instruction) = statement else { continue };
            let Some((of, reading)) = self.library.valid(&instruction.text(), &declarations) else { continue };
            let form = &of.forms[reading.form];
            if form.id != mutant.form.id || reading.values[mutant.axis] != mutant.value {
                continue;
            }
            if let Some(made) = mutant.mistake.made(isa, (form, &reading.values), chain, instruction) {
                any = true;
                *instruction = made;
            }
        }
        any.then_some(changed)
    }

    /// True if the interpreter with another chain is seen to compute something else.
    fn shows(&self, chain: &Chain, changed: &Chain, rows: &ChainRows) -> bool {
        let text = ChainText::from(chain);
        let (from, to) = (text.lines.join("\n"), ChainText::from(changed).lines.join("\n"));
        self.differs(&text, rows, Box::new(move |module| module.replacen(&from, &to, 1)))
    }

    fn differs<'c>(&'c self, text: &ChainText, rows: &ChainRows, change: Box<dyn Fn(&str) -> String + Sync + 'c>) -> bool {
        let engine = Changed { id: "mutant@1".parse().expect("an id"), interpreter: self.interpreter, change };
        let environment = *self.library.environment();
        let comparison = ChainComparison { interpreter: self.interpreter, engine: &engine, environment };
        let answers = compare_alone(&comparison, &[(text, rows)]);
        matches!(answers[..], [ChainAnswer::Differs(_) | ChainAnswer::Failed(_)])
    }

    /// True if some chain shows a change of the lines of modules.
    pub(crate) fn notices(&self, change: &LineChange) -> bool {
        self.chains.iter().any(|(chain, rows)| {
            let lines = |module: &str| module.lines().map(change).collect::<Vec<_>>().join("\n");
            self.differs(&ChainText::from(chain), rows, Box::new(lines))
        })
    }
}
