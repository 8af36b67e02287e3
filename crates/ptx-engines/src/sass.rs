//! The engine `sass`: compiles kernels with `ptxas`, disassembles them with NVIDIA's `nvdisasm`, and interprets the
//! machine code. It finds wrong code generation without a GPU.
//!
//! What it does not know (an opcode, a modifier, a target) it skips, with its text.

mod disassembler;
mod launch;

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};

use ptx_exec::kernel::{self, Kernel};
use ptx_exec::program::{Answer, Program};
use ptx_sass::cubin::Cubin;
use ptx_sass::image::Image;
use ptx_sass::instruction::MachineInstruction;
use ptx_sass::opcode::{Step, Unknown};
use ptx_spec::environment::{Environment, Version};
use rustc_hash::FxHashMap;

use crate::Outcome;
use crate::engine::{CaseExecutor, Engine, EngineId, LineJudge};
use crate::health::Health;
use crate::ptxas::{self, Ptxas};
use disassembler::Disassembler;
use launch::Launch;

pub use disassembler::PrintedWord;

/// The only target whose machine code is interpreted, and its name for the disassembler.
const TARGET: (&str, &str) = ("sm_90", "SM90");

/// Changes the machine code of a case before it is interpreted, as another assembler might have written it.
pub type CodeChange = fn(&Program, &mut [PrintedWord]);

/// A version of `ptxas`, and a disassembler of its machine code.
#[derive(Debug)]
pub struct Sass {
    id: EngineId,
    assembler: Ptxas,
    disassembler: Disassembler,
    /// Rows without an answer because something else than the assembler failed.
    health: Health,
    change: Option<CodeChange>,
}

impl Sass {
    /// Of an assembler and a disassembler. `cache` is the folder that keeps what the disassembler printed.
    ///
    /// # Errors
    /// If the assembler cannot be started, or is not `ptxas`.
    pub fn open(assembler: &Path, disassembler: &Path, cache: Option<PathBuf>) -> Result<Self, ptxas::Error> {
        let assembler = Ptxas::open(assembler)?;
        let asked = "its version";
        let id = EngineId::new("sass", assembler.version()).map_err(|answer| {
            let path = assembler.path().to_owned();
            ptxas::Error::NotPtxas { path, asked, answer }
        })?;
        let disassembler = Disassembler::new(disassembler, TARGET.1, cache);
        Ok(Self { id, assembler, disassembler, health: Health::default(), change: None })
    }

    /// The same, but it executes changed machine code. So tests plant wrong code, and look whether it is found.
    #[must_use]
    pub fn changing(self, change: CodeChange) -> Self {
        Self { change: Some(change), ..self }
    }

    /// The newest PTX version that its `ptxas` supports.
    pub fn newest_ptx(&self) -> Version {
        self.assembler.newest_ptx()
    }

    /// Compiles the cases at these positions as one module. If the assembler fails on it, they are compiled in halves;
    /// a case that it fails on alone gets its answer.
    fn compile(&self, cases: &[Program], at: &[usize], modules: &mut Vec<CompiledModule>, answers: &mut [Vec<Answer>]) {
        let (text, kernels) = kernel::module(&at.iter().map(|&at| &cases[at]).collect::<Vec<_>>());
        let code = self
            .assembler
            .compile(&text, &["-arch", TARGET.0])
            .and_then(|code| Cubin::parse(&code).map_err(|why| Outcome::Crashed(why.to_string())));
        match (code, at, &kernels[..]) {
            (Ok(mut cubin), ..) => {
                let image = Image::load(&mut cubin);
                modules.push(CompiledModule { cases: at.to_vec(), kernels, cubin, image });
            }
            (Err(_), [alone], [Err(why)]) => {
                answers[*alone] = vec![Answer::Skipped(why.clone()); cases[*alone].rows.len()];
            }
            (Err(outcome), [alone], _) => {
                if let Outcome::Skipped(why) = &outcome {
                    self.health.lost(why, cases[*alone].rows.len());
                }
                answers[*alone] = vec![without_code(outcome); cases[*alone].rows.len()];
            }
            (Err(_), ..) => {
                let (first, second) = at.split_at(at.len() / 2);
                self.compile(cases, first, modules, answers);
                self.compile(cases, second, modules, answers);
            }
        }
    }

    /// Reads the instructions of modules, and executes their cases.
    fn run(
        &self,
        cases: &[Program],
        twins: &Twins,
        modules: &[CompiledModule],
        answers: &mut [Vec<Answer>],
    ) -> Result<(), String> {
        // All at once: each start of the disassembler takes long.
        let words: Vec<u128> =
            modules.iter().flat_map(|module| module.cubin.code()).flat_map(|(_, words)| words).collect();
        let mut printed = self.disassembler.print(&words)?.into_iter();
        for module in modules {
            let mut text = module.text(&mut printed);
            if let Some(change) = self.change {
                module.change(cases, change, &mut text);
            }
            let loaded = LoadedCode::new(module, &text);
            for (at, kernel) in module.cases.iter().zip(&module.kernels) {
                answers[*at] = loaded.answers(&cases[*at], kernel);
                for &twin in twins.get(at).into_iter().flatten() {
                    answers[twin] = loaded.answers(&cases[twin], &as_twin(&cases[twin], kernel));
                }
            }
        }
        Ok(())
    }
}

/// The positions of cases that are compiled, each with those of its twins: cases whose kernels have the same text.
type Twins = BTreeMap<usize, Vec<usize>>;

/// What a surface holds is not part of the text of a kernel, nor are its rows. Compiling it is what takes long.
fn twins(cases: &[Program]) -> Twins {
    let mut twins = Twins::new();
    let mut first = FxHashMap::default();
    for (at, case) in cases.iter().enumerate() {
        let Program { ptx, target, declarations, line, surface, variables, inputs, outputs, writes, .. } = case;
        let text = (ptx, target, declarations, line, surface.is_some(), variables, inputs, outputs, writes);
        match first.entry(text) {
            Entry::Vacant(place) => {
                place.insert(at);
                twins.insert(at, Vec::new());
            }
            Entry::Occupied(first) => twins.entry(*first.get()).or_default().push(at),
        }
    }
    twins
}

/// The kernel of a case, with its own rows, from that of its twin.
fn as_twin(case: &Program, twin: &Result<Kernel, String>) -> Result<Kernel, String> {
    let twin = twin.as_ref().map_err(Clone::clone)?;
    let (_, mut alone) = kernel::module(&[case]);
    let own = alone.pop().unwrap_or_else(|| Err("it has no kernel".to_owned()))?;
    Ok(Kernel { entry: twin.entry.clone(), ..own })
}

/// Cases that share a module of machine code.
struct CompiledModule {
    /// Their positions.
    cases: Vec<usize>,
    kernels: Vec<Result<Kernel, String>>,
    cubin: Cubin,
    image: Image,
}

/// What the disassembler prints for the words of each section of code, by its index.
type PrintedCode = BTreeMap<usize, (Vec<u128>, Vec<PrintedWord>)>;

impl CompiledModule {
    /// Its code as text; `printed` has that of its words, in order.
    fn text(&self, printed: &mut impl Iterator<Item = PrintedWord>) -> PrintedCode {
        let section = |(section, words): (usize, Vec<u128>)| {
            let text = printed.by_ref().take(words.len()).collect();
            (section, (words, text))
        };
        self.cubin.code().map(section).collect()
    }

    /// Changes the code of each case.
    fn change(&self, cases: &[Program], change: CodeChange, text: &mut PrintedCode) {
        for (&at, kernel) in self.cases.iter().zip(&self.kernels) {
            let entry = kernel.as_ref().ok().and_then(|kernel| self.cubin.entry(&kernel.entry));
            if let Some((_, printed)) = entry.and_then(|entry| text.get_mut(&entry.section)) {
                change(&cases[at], printed);
            }
        }
    }
}

/// The answer to all rows of a case that the assembler does not compile.
fn without_code(outcome: Outcome) -> Answer {
    match outcome {
        Outcome::Rejected(why) => Answer::Skipped(format!("ptxas rejects it: {}", crate::words::visible(&why))),
        Outcome::Crashed(how) => Answer::Failed(format!("ptxas crashed: {}", crate::words::visible(&how))),
        Outcome::TimedOut => Answer::Failed("ptxas did not end within its time".to_owned()),
        Outcome::Skipped(why) => Answer::Skipped(why),
        Outcome::Accepted => Answer::Failed("ptxas wrote no machine code".to_owned()),
    }
}

/// A module of machine code, ready to run.
struct LoadedCode<'a> {
    cubin: &'a Cubin,
    image: &'a Image,
    /// The instructions of each section of code, by its index.
    code: BTreeMap<usize, Vec<Result<Step, Unknown>>>,
}

impl<'a> LoadedCode<'a> {
    /// Of a module, with its code as text.
    fn new(module: &'a CompiledModule, text: &PrintedCode) -> Self {
        let section = |(&section, (words, printed)): (&usize, &(Vec<u128>, Vec<PrintedWord>))| {
            let steps = words.iter().zip(printed).enumerate();
            (section, steps.map(|(at, (word, printed))| step(at, *word, printed)).collect())
        };
        Self { cubin: &module.cubin, image: &module.image, code: text.iter().map(section).collect() }
    }

    fn answers(&self, case: &Program, kernel: &Result<Kernel, String>) -> Vec<Answer> {
        let all = |answer: Answer| vec![answer; case.rows.len()];
        let kernel = match kernel {
            Err(why) => return all(Answer::Skipped(why.clone())),
            Ok(kernel) => kernel,
        };
        let entry = self.cubin.entry(&kernel.entry);
        let Some((entry, code)) = entry.and_then(|entry| self.code.get(&entry.section).map(|code| (entry, code)))
        else {
            return all(Answer::Failed(format!("ptxas left out `{}`", kernel.entry)));
        };
        match self.image.check(self.cubin, &entry) {
            Ok(()) => Launch { case, kernel, image: self.image, entry: &entry, code }.answers(),
            Err(why) => all(Answer::Skipped(why.to_string())),
        }
    }
}

/// An instruction at a position of its section.
fn step(at: usize, word: u128, printed: &PrintedWord) -> Result<Step, Unknown> {
    let instruction = MachineInstruction::parse(&printed.predicate, &printed.opcode, &printed.operands)?;
    Step::new(&instruction, at, word, printed.at)
}

impl Engine for Sass {
    fn id(&self) -> &EngineId {
        &self.id
    }

    fn details(&self) -> BTreeMap<String, String> {
        [("target".to_owned(), TARGET.0.to_owned())].into()
    }

    fn notes(&self) -> Vec<String> {
        self.assembler.notes()
    }

    fn losses(&self) -> BTreeMap<String, u64> {
        let mut losses = self.assembler.losses();
        losses.extend(self.health.losses());
        losses
    }

    fn as_judge(&self) -> Option<&dyn LineJudge> {
        None
    }

    fn as_executor(&self) -> Option<&dyn CaseExecutor> {
        Some(self)
    }
}

impl CaseExecutor for Sass {
    fn executes(&self, environment: &Environment) -> Result<(), String> {
        if environment.target.to_string() != TARGET.0 {
            return Err(format!("only machine code for {} is interpreted", TARGET.0));
        }
        if environment.ptx > self.newest_ptx() {
            return Err(format!("{} knows PTX up to {}", self.assembler.id(), self.newest_ptx()));
        }
        Ok(())
    }

    fn execute(&self, cases: &[Program]) -> Vec<Vec<Answer>> {
        let mut answers = vec![Vec::new(); cases.len()];
        let mut modules = Vec::new();
        let twins = twins(cases);
        let compiled: Vec<usize> = twins.keys().copied().collect();
        let texts: Vec<Program> = compiled.iter().map(|&at| cases[at].clone()).collect();
        for batch in kernel::batches(&texts) {
            let batch: Vec<usize> = batch.into_iter().map(|at| compiled[at]).collect();
            self.compile(cases, &batch, &mut modules, &mut answers);
        }
        if let Err(why) = self.run(cases, &twins, &modules, &mut answers) {
            for &at in modules.iter().flat_map(|module| &module.cases) {
                // It says nothing about the machine code.
                self.health.lost(&why, cases[at].rows.len());
                answers[at] = vec![Answer::Skipped(why.clone()); cases[at].rows.len()];
            }
        }
        // Twins of cases without code.
        for (at, others) in &twins {
            let answer = answers[*at].first().cloned();
            for &twin in others {
                if !answers[twin].is_empty() {
                    continue;
                }
                answers[twin] = answer.iter().cloned().cycle().take(cases[twin].rows.len()).collect();
            }
        }
        answers
    }

    fn recorded(&self) -> Option<Vec<Program>> {
        None
    }

    fn traps_cost(&self) -> bool {
        false
    }
}
