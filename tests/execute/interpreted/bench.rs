//! The bench on which mutants are tried: the chains and rows of a run.

use std::collections::BTreeMap;

use ptx_conform::engine::{Engine, EngineId, KernelExecutor};
use ptx_conform::interpret::Interpreter;
use ptx_conform::kernel_case::{KernelAnswer, KernelCase};
use ptx_conform::ptx::Declarations;
use ptx_kernels::{Chain, ChainAnswer, ChainComparison, ChainRows, ChainStatement, ChainText, Library, compare_alone};

use super::of_control::LineChange;
use super::of_lines::{DRAWN, LineMutant};

/// What became of a mutant.
pub(super) enum LineOutcome {
    Noticed,
    /// No line makes the choice.
    Absent,
    /// A line makes it, but no row shows the mistake.
    Missed,
    /// No row of its lines alone shows the mistake.
    Equivalent,
    /// The mistake makes no line that is executed.
    Impossible,
}

/// A change of the text of a module.
type TextChange<'c> = Box<dyn Fn(&str) -> String + Sync + 'c>;

/// The interpreter, which executes another text.
struct Changed<'c> {
    id: EngineId,
    interpreter: &'c Interpreter<'c>,
    change: TextChange<'c>,
}

impl Engine for Changed<'_> {
    fn id(&self) -> &EngineId {
        &self.id
    }
}

impl KernelExecutor for Changed<'_> {
    fn execute_kernels(&self, cases: &[KernelCase]) -> Vec<KernelAnswer> {
        let answer = |case: &KernelCase| {
            let module = (self.change)(&case.module).into();
            self.interpreter.execute(&KernelCase { module, ..case.clone() })
        };
        cases.iter().map(answer).collect()
    }
}

/// Chains, and rows as chains of one line.
pub(super) struct Bench<'b> {
    interpreter: &'b Interpreter<'b>,
    library: &'b Library<'b>,
    chains: Vec<(Chain, ChainRows)>,
    /// The chains that have a line of a form, by its name.
    of_form: BTreeMap<String, Vec<usize>>,
}

impl<'b> Bench<'b> {
    pub(super) fn new(
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
    pub(super) fn outcome(&self, mutant: &LineMutant<'_>) -> LineOutcome {
        let mut is_there = false;
        for at in self.of_form.get(&mutant.form.id).into_iter().flatten() {
            let (chain, rows) = &self.chains[*at];
            let Some(changed) = self.changed(mutant, chain) else { continue };
            match self.shows(chain, &changed, rows) {
                Some(true) => return LineOutcome::Noticed,
                shows => is_there |= shows.is_some(),
            }
        }
        let shows = |(seed, chain): (u64, &Chain)| {
            let rows = ChainRows::drawn(chain, seed, DRAWN.1);
            self.shows(chain, &self.changed(mutant, chain)?, &rows)
        };
        let shown: Vec<bool> = (0..).zip(mutant.samples.iter()).filter_map(shows).collect();
        match shown.contains(&true) {
            true if is_there => LineOutcome::Missed,
            true => LineOutcome::Absent,
            false if shown.is_empty() => LineOutcome::Impossible,
            false => LineOutcome::Equivalent,
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

    /// Whether the interpreter with another chain is seen to compute something else; none if it cannot execute it.
    fn shows(&self, chain: &Chain, changed: &Chain, rows: &ChainRows) -> Option<bool> {
        let text = ChainText::from(chain);
        let (from, to) = (text.lines.join("\n"), ChainText::from(changed).lines.join("\n"));
        self.differs(&text, rows, Box::new(move |module| module.replacen(&from, &to, 1)))
    }

    fn differs<'c>(&'c self, text: &ChainText, rows: &ChainRows, change: TextChange<'c>) -> Option<bool> {
        let engine = Changed { id: "mutant@1".parse().expect("an id"), interpreter: self.interpreter, change };
        let environment = *self.library.environment();
        let comparison = ChainComparison { interpreter: self.interpreter, engine: &engine, environment };
        match compare_alone(&comparison, &[(text, rows)])[..] {
            [ChainAnswer::Differs(_) | ChainAnswer::Failed(_)] => Some(true),
            [ChainAnswer::Agrees] => Some(false),
            _ => None,
        }
    }

    /// True if some chain shows a change of the lines of modules.
    pub(super) fn notices(&self, change: &LineChange) -> bool {
        self.chains.iter().any(|(chain, rows)| {
            let lines = |module: &str| module.lines().map(change).collect::<Vec<_>>().join("\n");
            self.differs(&ChainText::from(chain), rows, Box::new(lines)) == Some(true)
        })
    }
}
