//! The engine `sass`: compiles kernels with `ptxas`, disassembles them with NVIDIA's `nvdisasm`, and interprets the
//! machine code. It finds wrong code generation without a GPU.
//!
//! What it does not know (an opcode, a modifier, a target) it skips, with its text.

mod disassembler;
mod launch;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ptx_exec::kernel::{self, Kernel};
use ptx_exec::program::{Answer, Program};
use ptx_sass::cubin::{Cubin, EntryPoint};
use ptx_sass::image::Image;
use ptx_sass::instruction::MachineInstruction;
use ptx_sass::opcode::{Step, Unknown};
use ptx_spec::environment::{Environment, Version};

use crate::Outcome;
use crate::engine::{CaseExecutor, Engine, EngineId, LineJudge};
use crate::health::Health;
use crate::ptxas::{self, Ptxas};
use disassembler::{Disassembler, PrintedWord};
use launch::Launch;

/// The only target whose machine code is interpreted, and its name for the disassembler.
const TARGET: (&str, &str) = ("sm_90", "SM90");

/// A version of `ptxas`, and a disassembler of its machine code.
#[derive(Debug)]
pub struct Sass {
    id: EngineId,
    assembler: Ptxas,
    disassembler: Disassembler,
    /// Rows without an answer because something else than the assembler failed.
    health: Health,
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
        Ok(Self { id, assembler, disassembler, health: Health::default() })
    }

    /// The newest PTX version that its `ptxas` supports.
    pub fn newest_ptx(&self) -> Version {
        self.assembler.newest_ptx()
    }

    /// Compiles cases.
    pub fn compile<'a>(&self, cases: &'a [Program]) -> CompiledCases<'a> {
        let mut compiled = CompiledCases { cases, modules: Vec::new(), answers: vec![Vec::new(); cases.len()] };
        for batch in kernel::batches(cases) {
            self.compile_batch(&batch, &mut compiled);
        }
        compiled
    }

    /// Compiles the cases at these positions as one module. If the assembler fails on it, they are compiled in halves;
    /// a case that it fails on alone gets its answer.
    fn compile_batch(&self, at: &[usize], compiled: &mut CompiledCases<'_>) {
        let CompiledCases { cases, modules, answers } = compiled;
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
                self.compile_batch(first, compiled);
                self.compile_batch(second, compiled);
            }
        }
    }

    /// Disassembles the machine code of cases, so that it is ready to run.
    ///
    /// # Errors
    /// If the disassembler fails.
    pub fn disassemble<'a>(&self, compiled: &'a CompiledCases<'_>) -> Result<LoadedCases<'a>, String> {
        // All at once: each start of the disassembler takes long.
        let words: Vec<u128> =
            compiled.modules.iter().flat_map(|module| module.cubin.code()).flat_map(|(_, words)| words).collect();
        let mut printed = self.disassembler.print(&words)?.into_iter();
        let code = compiled.modules.iter().map(|module| LoadedCode::new(module, &mut printed)).collect();
        Ok(LoadedCases::new(compiled, code))
    }
}

/// Cases, and the machine code of those that the assembler compiles.
pub struct CompiledCases<'a> {
    cases: &'a [Program],
    modules: Vec<CompiledModule>,
    /// Of each case that has no machine code.
    answers: Vec<Vec<Answer>>,
}

/// Cases whose machine code is ready to run, as often as one likes.
pub struct LoadedCases<'a> {
    compiled: &'a CompiledCases<'a>,
    /// That of each module.
    code: Vec<LoadedCode<'a>>,
    /// For each case, the position of its module, and its own in the module; `None` if it has no machine code.
    places: Vec<Option<(usize, usize)>>,
}

/// What an execution of a case came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutedCase {
    /// One answer for each of its rows.
    pub answers: Vec<Answer>,
    /// How many instructions were run.
    pub steps: u64,
}

impl<'a> LoadedCases<'a> {
    fn new(compiled: &'a CompiledCases<'_>, code: Vec<LoadedCode<'a>>) -> Self {
        let mut places = vec![None; compiled.cases.len()];
        for (number, module) in compiled.modules.iter().enumerate() {
            module.cases.iter().enumerate().for_each(|(of, &at)| places[at] = Some((number, of)));
        }
        Self { compiled, code, places }
    }

    /// Executes all rows of each case, in order.
    pub fn execute(&self) -> impl Iterator<Item = ExecutedCase> {
        self.places.iter().enumerate().map(|(at, place)| match place {
            Some((module, number)) => self.code[*module].execute(*number, &self.compiled.cases[at]),
            None => ExecutedCase { answers: self.compiled.answers[at].clone(), steps: 0 },
        })
    }
}

/// Cases that share a module of machine code.
struct CompiledModule {
    /// Their positions.
    cases: Vec<usize>,
    kernels: Vec<Result<Kernel, String>>,
    cubin: Cubin,
    image: Image,
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
    module: &'a CompiledModule,
    /// The instructions of each section of code, by its index.
    code: BTreeMap<usize, Vec<Result<Step, Unknown>>>,
    /// How to launch each kernel; `None` if it has no entry.
    entries: Vec<Option<EntryPoint>>,
}

impl<'a> LoadedCode<'a> {
    /// Of a module, and what the disassembler prints for its words, in order.
    fn new(module: &'a CompiledModule, printed: &mut impl Iterator<Item = PrintedWord>) -> Self {
        let section = |(section, words): (usize, Vec<u128>)| {
            let steps = words.iter().zip(printed.by_ref()).enumerate();
            (section, steps.map(|(at, (word, printed))| step(at, *word, &printed)).collect())
        };
        let code = module.cubin.code().map(section).collect();
        let entry = |kernel: &Result<Kernel, String>| module.cubin.entry(&kernel.as_ref().ok()?.entry);
        let entries = module.kernels.iter().map(entry).collect();
        Self { module, code, entries }
    }

    /// Executes all rows of the module's case with this number.
    fn execute(&self, number: usize, case: &Program) -> ExecutedCase {
        let all = |answer: Answer| ExecutedCase { answers: vec![answer; case.rows.len()], steps: 0 };
        let CompiledModule { kernels, cubin, image, .. } = self.module;
        let kernel = match &kernels[number] {
            Err(why) => return all(Answer::Skipped(why.clone())),
            Ok(kernel) => kernel,
        };
        let entry = self.entries[number].as_ref();
        let Some((entry, code)) = entry.and_then(|entry| Some((entry, self.code.get(&entry.section)?))) else {
            return all(Answer::Failed(format!("ptxas left out `{}`", kernel.entry)));
        };
        match image.check(cubin, entry) {
            Ok(()) => Launch { case, kernel, image, entry, code }.execute(),
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
        let compiled = self.compile(cases);
        let why = match self.disassemble(&compiled) {
            Ok(loaded) => return loaded.execute().map(|executed| executed.answers).collect(),
            Err(why) => why,
        };
        let CompiledCases { modules, mut answers, .. } = compiled;
        for &at in modules.iter().flat_map(|module| &module.cases) {
            // It says nothing about the machine code.
            self.health.lost(&why, cases[at].rows.len());
            answers[at] = vec![Answer::Skipped(why.clone()); cases[at].rows.len()];
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
