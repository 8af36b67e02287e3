//! The engine `sass`: compiles kernels with `ptxas`, disassembles them with NVIDIA's `nvdisasm`, and interprets the
//! machine code. It finds wrong code generation without a GPU.
//!
//! What it does not know (an opcode, a modifier, a target) it skips, with its text.

mod configuration;
mod disassembler;
mod kernels;
mod known_words;
mod launch;
mod listing;
mod marked;
mod printed_word;
mod repeated;
mod same_text;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ptx_exec::kernel::{self, Kernel};
use ptx_exec::kernel_case::{KernelAnswer, KernelCase};
use ptx_exec::line_case::{Answer, LineCase};
use ptx_sass::cubin::{Cubin, EntryPoint};
use ptx_sass::image::Image;
use ptx_sass::opcode::{Step, Unknown};
use ptx_spec::environment::{Environment, Version};

use crate::Outcome;
use crate::engine::{
    CaseExecutor, CodeLister, Engine, EngineId, KernelExecutor, LineFunction, ListedInstruction, Listing, Unable,
};
use crate::health::Health;
use crate::no_code::{NoCode, UNREPEATED};
use crate::ptxas::{self, Ptxas};
use disassembler::Disassembler;
use launch::Launch;
use same_text::{SameTexts, same_texts, with_own_rows};

pub use crate::no_code::REJECTED;
pub use configuration::{Configuration, ConfigurationError};
pub use disassembler::{DisassemblerError, DisassemblerProblem};
pub use printed_word::PrintedWord;
pub use ptx_sass::target::MachineTarget;

/// Cases of each form in a usual run: compiling one takes milliseconds.
const USUAL_CASES: usize = 300;

/// The limits of its answers.
const LIMITS: [&str; 3] = [
    "one thread executes a row: what depends on other threads, or on the order in which they see accesses, does not show",
    "time is not simulated: whether enough cycles are between instructions of fixed duration does not show",
    "what memory and the surface unit do is what the model expects: only what the machine code asks of them is tested",
];

/// Changes the machine code of a case before it is interpreted, as another assembler might have written it.
pub type CodeChange = fn(&LineCase, &mut [PrintedWord]);

/// Writes cases as a module, with the kernel of each or why it has none.
type ModuleText = fn(&[&LineCase]) -> (String, Vec<Result<Kernel, String>>);

/// A version of `ptxas`, and a disassembler of its machine code.
#[derive(Debug)]
pub struct Sass {
    id: EngineId,
    configuration: Configuration,
    assembler: Ptxas,
    disassembler: Arc<Disassembler>,
    /// Rows without an answer because something else than the assembler failed.
    health: Health,
    /// The wrong code that tests plant.
    change: Option<CodeChange>,
}

impl Sass {
    /// Of an assembler and a disassembler. `cache` is the folder that keeps what the disassembler printed.
    ///
    /// # Errors
    /// If the assembler cannot be started, or is not `ptxas`.
    pub fn open(
        assembler: &Path,
        disassembler: &Path,
        cache: Option<PathBuf>,
        configuration: Configuration,
    ) -> Result<Self, ptxas::Error> {
        let assembler = Ptxas::open(assembler)?;
        let asked = "its version";
        let id = EngineId::new(&configuration.to_string(), assembler.version()).map_err(|why| {
            let path = assembler.path().to_owned();
            ptxas::Error::NotPtxas { path, asked, answer: why.to_string() }
        })?;
        let disassembler = Disassembler::open(disassembler, configuration.target.disassembler, cache);
        Ok(Self { id, configuration, assembler, disassembler, health: Health::default(), change: None })
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

    /// The answers of several engines to a case, in order. It costs much less than asking one after the other.
    pub fn execute_on_all(engines: &[&Self], case: &KernelCase) -> Vec<KernelAnswer> {
        kernels::execute_on_all(engines, case)
    }

    /// The machine code of an entry of a module. What was made of these lines of its text, counted from 1, is marked. None if there is
    /// no code, or it cannot be marked.
    pub fn marked_code(&self, text: &str, entry: &str, lines: &[usize]) -> Option<Vec<ListedInstruction>> {
        marked::code(self, text, entry, lines)
    }

    /// The target and the options of the assembler.
    pub fn configuration(&self) -> Configuration {
        self.configuration
    }

    /// Compiles cases.
    pub fn compile<'a>(&self, cases: &'a [LineCase]) -> CompiledCases<'a> {
        self.compile_as(cases, kernel::module)
    }

    /// Compiles cases as modules that are written in this way.
    fn compile_as<'a>(&self, cases: &'a [LineCase], write: ModuleText) -> CompiledCases<'a> {
        let mut compiled = CompiledCases { cases, write, modules: Vec::new(), answers: vec![Vec::new(); cases.len()] };
        let same = same_texts(cases);
        let at: Vec<usize> = same.keys().copied().collect();
        let texts: Vec<LineCase> = at.iter().map(|&at| cases[at].clone()).collect();
        for batch in kernel::batches(&texts) {
            let batch: Vec<usize> = batch.into_iter().map(|number| at[number]).collect();
            self.compile_batch(&batch, &mut compiled);
        }
        compiled.add(&same);
        compiled
    }

    /// Compiles the cases at these positions as one module. If the assembler fails on it, they are compiled in halves,
    /// or each alone if it does not end; a case that it fails on alone gets its answer.
    fn compile_batch(&self, at: &[usize], compiled: &mut CompiledCases<'_>) {
        let CompiledCases { cases, write, modules, answers } = compiled;
        let (text, kernels) = write(&at.iter().map(|&at| &cases[at]).collect::<Vec<_>>());
        match (self.machine_code(&text, at.len()), at, &kernels[..]) {
            (Ok((mut cubin, unrepeated)), ..) => {
                let image = Image::load(&mut cubin, self.configuration.target);
                modules.push(CompiledModule { cases: at.to_vec(), kernels, cubin, image, unrepeated });
            }
            (Err(_), [alone], [Err(why)]) => {
                answers[*alone] = vec![Answer::Skipped(why.clone()); cases[*alone].rows.len()];
            }
            (Err(outcome), [alone], _) => {
                if let Outcome::Skipped(why) = &outcome {
                    self.health.lost(why, cases[*alone].rows.len());
                }
                answers[*alone] = vec![NoCode::from(outcome).into(); cases[*alone].rows.len()];
            }
            // Halves would take the whole time again and again.
            (Err(Outcome::TimedOut), ..) => at.chunks(1).for_each(|alone| self.compile_batch(alone, compiled)),
            (Err(_), ..) => {
                let (first, second) = at.split_at(at.len() / 2);
                self.compile_batch(first, compiled);
                self.compile_batch(second, compiled);
            }
        }
    }

    /// Compiles a module with this many kernels. Returns also the sections whose code is not the same the second time.
    fn machine_code(&self, text: &str, kernels: usize) -> Result<(Cubin, BTreeSet<usize>), Outcome> {
        let options = self.configuration.options();
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let compile = || {
            let code = self.assembler.compile(text, &options, kernels == 1)?;
            Cubin::parse(&code).map_err(|why| Outcome::Crashed(why.to_string()))
        };
        let first = compile()?;
        let unrepeated = match repeated::is_repeated(text, kernels) {
            true => repeated::unrepeated(&first, &compile()?),
            false => BTreeSet::new(),
        };
        Ok((first, unrepeated))
    }

    /// Disassembles the machine code of cases, so that it is ready to run.
    ///
    /// # Errors
    /// If the disassembler fails.
    pub fn disassemble<'a>(&self, compiled: &'a CompiledCases<'_>) -> Result<LoadedCases<'a>, DisassemblerError> {
        let printed = self.print(compiled)?;
        Ok(self.load(compiled, &printed))
    }

    /// Makes machine code ready to run: that of each module as text.
    fn load<'a>(&self, compiled: &'a CompiledCases<'_>, printed: &[PrintedCode]) -> LoadedCases<'a> {
        let waits = self.configuration.waits();
        let modules = compiled.modules.iter().zip(printed);
        LoadedCases::new(compiled, modules.map(|(module, text)| LoadedCode::new(module, text, waits)).collect())
    }

    /// The machine code of each module as text.
    ///
    /// # Errors
    /// If the disassembler fails.
    fn print(&self, compiled: &CompiledCases<'_>) -> Result<Vec<PrintedCode>, DisassemblerError> {
        // All at once: each start of the disassembler takes long.
        let words: Vec<u128> = compiled.words().collect();
        let mut printed = self.disassembler.print(&words)?.into_iter();
        let code = compiled.modules.iter().map(|module| {
            let mut text = module.text(&mut printed);
            if let Some(change) = self.change {
                module.change(compiled.cases, change, &mut text);
            }
            text
        });
        Ok(code.collect())
    }
}

/// Cases, and the machine code of those that the assembler compiles.
pub struct CompiledCases<'a> {
    cases: &'a [LineCase],
    /// How their modules are written.
    write: ModuleText,
    modules: Vec<CompiledModule>,
    /// Of each case that has no machine code.
    answers: Vec<Vec<Answer>>,
}

impl CompiledCases<'_> {
    /// The words of its machine code.
    fn words(&self) -> impl Iterator<Item = u128> {
        self.modules.iter().flat_map(|module| module.cubin.code()).flat_map(|(_, words)| words)
    }

    /// Adds the cases that have the text of one of its own: they share the machine code, or the answer.
    fn add(&mut self, same: &SameTexts) {
        for module in &mut self.modules {
            for number in 0..module.cases.len() {
                for &other in same.get(&module.cases[number]).into_iter().flatten() {
                    module.kernels.push(with_own_rows(&self.cases[other], self.write, &module.kernels[number]));
                    module.cases.push(other);
                }
            }
        }
        for (&at, others) in same {
            for &other in others {
                let answer = self.answers[at].first().cloned();
                self.answers[other] = answer.map_or_else(Vec::new, |answer| vec![answer; self.cases[other].rows.len()]);
            }
        }
    }
}

/// Cases whose machine code is ready to run, as often as one likes.
pub struct LoadedCases<'a> {
    compiled: &'a CompiledCases<'a>,
    /// The code of each module.
    code: Vec<LoadedCode<'a>>,
    /// For each case, the position of its module, and its own in the module; `None` if it has no machine code.
    places: Vec<Option<(usize, usize)>>,
}

/// The result of executing a case.
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
        self.execute_with_moved_seeds(0)
    }

    /// The same with the results of special functions moved by some units in the last place. Hardware is free to have such
    /// results, so what the manual defines exactly must not change.
    pub fn execute_with_moved_seeds(&self, units: i32) -> impl Iterator<Item = ExecutedCase> {
        self.places.iter().enumerate().map(move |(at, place)| match place {
            Some((module, number)) => self.code[*module].execute(*number, &self.compiled.cases[at], units),
            None => ExecutedCase { answers: self.compiled.answers[at].clone(), steps: 0 },
        })
    }
}

impl LoadedCases<'_> {
    /// The function from the only input of the first case to its only output; none if it does more than that.
    fn function(&self) -> Option<impl FnMut(u64) -> Option<u64>> {
        let (module, number) = self.places.first().copied()??;
        self.code[module].launch(number, self.compiled.cases.first()?).ok()?.function()
    }
}

/// Cases that share a module of machine code.
struct CompiledModule {
    /// Their positions.
    cases: Vec<usize>,
    kernels: Vec<Result<Kernel, String>>,
    cubin: Cubin,
    image: Image,
    /// The sections whose code is not the same if the module is compiled again.
    unrepeated: BTreeSet<usize>,
}

/// The text of each section of code, by its index: a printed word for each of its words.
type PrintedCode = BTreeMap<usize, Vec<PrintedWord>>;

impl CompiledModule {
    /// Its code as text; `printed` has that of its words, in order.
    fn text(&self, printed: &mut impl Iterator<Item = PrintedWord>) -> PrintedCode {
        let section = |(section, words): (usize, Vec<u128>)| (section, printed.by_ref().take(words.len()).collect());
        self.cubin.code().map(section).collect()
    }

    /// Changes the code of each case; those with the same text share it.
    fn change(&self, cases: &[LineCase], change: CodeChange, text: &mut PrintedCode) {
        let mut changed = BTreeSet::new();
        for (&at, kernel) in self.cases.iter().zip(&self.kernels) {
            let entry = kernel.as_ref().ok().and_then(|kernel| self.cubin.entry(&kernel.entry));
            let Some(section) = entry.map(|entry| entry.section).filter(|section| changed.insert(*section)) else {
                continue;
            };
            if let Some(printed) = text.get_mut(&section) {
                change(&cases[at], printed);
            }
        }
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
    /// Of a module, with its code as text; `waits`: it waits for late results with barriers.
    fn new(module: &'a CompiledModule, text: &PrintedCode, waits: bool) -> Self {
        let section = |(&section, words): (&usize, &Vec<PrintedWord>)| {
            (section, words.iter().enumerate().map(|(at, printed)| printed.step(at, waits)).collect())
        };
        let code = text.iter().map(section).collect();
        let entry = |kernel: &Result<Kernel, String>| module.cubin.entry(&kernel.as_ref().ok()?.entry);
        let entries = module.kernels.iter().map(entry).collect();
        Self { module, code, entries }
    }

    /// Executes all rows of the module's case with this number.
    fn execute(&self, number: usize, case: &LineCase, moved_seeds: i32) -> ExecutedCase {
        let all = |answer: Answer| ExecutedCase { answers: vec![answer; case.rows.len()], steps: 0 };
        match self.launch(number, case) {
            Ok(launch) => Launch { moved_seeds, ..launch }.execute(),
            Err(answer) => all(answer),
        }
    }

    /// The kernel of the module's case with this number, ready to run.
    ///
    /// # Errors
    /// The answer to all rows if it cannot run.
    fn launch<'l>(&'l self, number: usize, case: &'l LineCase) -> Result<Launch<'l>, Answer> {
        let CompiledModule { kernels, cubin, image, unrepeated, .. } = self.module;
        let kernel = kernels[number].as_ref().map_err(|why| Answer::Skipped(why.clone()))?;
        let entry = self.entries[number].as_ref();
        let found = entry.and_then(|entry| Some((entry, self.code.get(&entry.section)?)));
        let left_out = || Answer::Failed(format!("ptxas left out `{}`", kernel.entry));
        let (entry, code) = found.ok_or_else(left_out)?;
        if unrepeated.contains(&entry.section) {
            return Err(Answer::Failed(UNREPEATED.to_owned()));
        }
        image.check(cubin, entry).map_err(|why| Answer::Skipped(why.to_string()))?;
        Ok(Launch { case, kernel, image, entry, code, moved_seeds: 0 })
    }
}

impl Engine for Sass {
    fn id(&self) -> &EngineId {
        &self.id
    }

    fn details(&self) -> BTreeMap<String, String> {
        [("options".to_owned(), self.configuration.options().join(" "))].into()
    }

    fn notes(&self) -> Vec<String> {
        self.assembler.notes()
    }

    fn losses(&self) -> BTreeMap<String, u64> {
        let mut losses = self.assembler.losses();
        losses.extend(self.health.losses());
        losses
    }

    fn as_executor(&self) -> Option<&dyn CaseExecutor> {
        Some(self)
    }

    fn as_kernel_executor(&self) -> Option<&dyn KernelExecutor> {
        Some(self)
    }
}

impl CaseExecutor for Sass {
    fn executes(&self, environment: &Environment) -> Result<(), Unable> {
        let own = self.configuration.target.name;
        if environment.target.to_string() != own {
            return Err(Unable::Unsupported(format!("it executes machine code for {own}")));
        }
        if environment.ptx > self.newest_ptx() {
            let (id, newest) = (self.assembler.id(), self.newest_ptx());
            return Err(Unable::Unsupported(format!("{id} knows PTX up to {newest}")));
        }
        Ok(())
    }

    fn execute(&self, cases: &[LineCase]) -> Vec<Vec<Answer>> {
        let compiled = self.compile(cases);
        let why = match self.disassemble(&compiled) {
            Ok(loaded) => return loaded.execute().map(|executed| executed.answers).collect(),
            Err(why) => why.to_string(),
        };
        let CompiledCases { modules, mut answers, .. } = compiled;
        for &at in modules.iter().flat_map(|module| &module.cases) {
            // It says nothing about the machine code.
            self.health.lost(&why, cases[at].rows.len());
            answers[at] = vec![Answer::Skipped(why.clone()); cases[at].rows.len()];
        }
        answers
    }

    fn function(&self, case: &LineCase, act: &mut dyn FnMut(&mut LineFunction<'_>)) -> bool {
        // Without the marks of a row, and what its number takes.
        let compiled = self.compile_as(std::slice::from_ref(case), kernel::fenced_module);
        let loaded = self.disassemble(&compiled).ok();
        let function = loaded.as_ref().and_then(LoadedCases::function);
        function.map(|mut function| act(&mut function)).is_some()
    }

    fn usual_cases(&self) -> usize {
        USUAL_CASES
    }

    fn limits(&self) -> &'static [&'static str] {
        &LIMITS
    }

    fn as_lister(&self) -> Option<&dyn CodeLister> {
        Some(self)
    }
}

impl KernelExecutor for Sass {
    fn execute_kernels(&self, cases: &[KernelCase]) -> Vec<KernelAnswer> {
        kernels::execute(self, cases)
    }
}

impl CodeLister for Sass {
    fn listings(&self, cases: &[LineCase]) -> Vec<Option<Listing>> {
        listing::listings(self, &self.compile(cases)).unwrap_or_else(|why| {
            self.health.lost(&format!("no listing: {why}"), cases.len());
            vec![None; cases.len()]
        })
    }

    fn smallest(&self, case: &LineCase) -> Option<Listing> {
        listing::smallest(self, case).unwrap_or_else(|why| {
            self.health.lost(&format!("no listing: {why}"), 1);
            None
        })
    }
}
