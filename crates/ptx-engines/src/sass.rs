//! The engine `sass`: compiles kernels with `ptxas`, disassembles them with NVIDIA's `nvdisasm`, and interprets the
//! machine code. It finds wrong code generation without a GPU.
//!
//! What it does not know (an opcode, a modifier, a target) it skips, with its text.

mod disassembler;
mod launch;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ptx_exec::kernel::{self, Kernel};
use ptx_exec::program::{Answer, Program};
use ptx_sass::cubin::Cubin;
use ptx_sass::image::Image;
use ptx_sass::instruction::MachineInstruction;
use ptx_sass::opcode::{Step, Unknown};
use ptx_spec::environment::Environment;

use crate::child::{self, Allowance, End};
use crate::engine::{CaseExecutor, Engine, EngineId, LineJudge};
use crate::ptxas;
use disassembler::Disassembler;
use launch::Launch;

/// The only target whose machine code is interpreted, and its name for the disassembler.
const TARGET: (&str, &str) = ("sm_90", "SM90");

/// What one start of the assembler may use.
const LIMITS: Allowance = Allowance { time: Duration::from_secs(60), output: 1 << 26, address_space: Some(8 << 30) };

/// A version of `ptxas`, and a disassembler of its machine code.
#[derive(Debug)]
pub struct Sass {
    id: EngineId,
    assembler: PathBuf,
    disassembler: Disassembler,
}

impl Sass {
    /// Of an assembler and a disassembler. `cache` is the file that keeps what the disassembler printed.
    ///
    /// # Errors
    /// If the assembler cannot be started, or is not `ptxas`.
    pub fn open(assembler: &Path, disassembler: &Path, cache: Option<PathBuf>) -> Result<Self, ptxas::Error> {
        let version = ptxas::version_of(assembler)?;
        let asked = "its version";
        let id = EngineId::new("sass", &version).map_err(|answer| {
            let path = assembler.to_owned();
            ptxas::Error::NotPtxas { path, asked, answer }
        })?;
        Ok(Self { id, assembler: assembler.to_owned(), disassembler: Disassembler::new(disassembler, cache) })
    }

    /// The answers for cases that share a module. If the assembler fails on them, they are asked about in halves.
    fn module(&self, cases: &[&Program], kernels: &mut Vec<Vec<Answer>>) {
        let (text, built) = kernel::module(cases);
        match self.compile(&text) {
            Ok(cubin) => {
                kernels.extend(cases.iter().zip(&built).map(|(case, kernel)| self.answers(case, kernel, &cubin)))
            }
            Err(why) => match cases {
                [] => {}
                [case] => {
                    let why =
                        built.first().and_then(|kernel| kernel.as_ref().err()).cloned().map_or(why, Answer::Skipped);
                    kernels.push(vec![why; case.rows.len()]);
                }
                _ => {
                    let (first, second) = cases.split_at(cases.len() / 2);
                    self.module(first, kernels);
                    self.module(second, kernels);
                }
            },
        }
    }

    /// Compiles a module. The error is the answer for its only case.
    fn compile(&self, text: &str) -> Result<Cubin, Answer> {
        let failed = |why: String| Answer::Failed(why);
        let directory = tempfile::tempdir().map_err(|why| failed(why.to_string()))?;
        let (source, target) = (directory.path().join("x.ptx"), directory.path().join("x.cubin"));
        std::fs::write(&source, text).map_err(|why| failed(why.to_string()))?;
        let mut command = child::limited(&self.assembler, LIMITS.address_space);
        command.args(["-arch", TARGET.0]).arg(&source).arg("-o").arg(&target).env("TMPDIR", directory.path());
        let ended = child::run(command, &directory.path().join("printed"), &LIMITS);
        match ended.map_err(|why| failed(why.to_string()))? {
            (End::Exited(0), _) => {
                let data = std::fs::read(&target).map_err(|why| failed(format!("ptxas wrote nothing: {why}")))?;
                Cubin::parse(&data).map_err(|why| failed(why.to_string()))
            }
            (End::Exited(_), printed) => {
                let printed = String::from_utf8_lossy(&printed);
                let message = printed.lines().find_map(|line| Some(line.split_once("error")?.1)).unwrap_or(&printed);
                let message = message.trim_start_matches([' ', ':']).trim();
                Err(Answer::Skipped(format!("ptxas rejects it: {}", crate::words::visible(message))))
            }
            (end, _) => Err(failed(format!("ptxas: {end:?}"))),
        }
    }

    fn answers(&self, case: &Program, kernel: &Result<Kernel, String>, cubin: &Cubin) -> Vec<Answer> {
        let all = |answer: Answer| vec![answer; case.rows.len()];
        let kernel = match kernel {
            Err(why) => return all(Answer::Skipped(why.clone())),
            Ok(kernel) if kernel.surface.is_some() => {
                return all(Answer::Skipped("accesses to surfaces are not interpreted".to_owned()));
            }
            Ok(kernel) => kernel,
        };
        let Some(entry) = cubin.entry(&kernel.entry) else {
            return all(Answer::Failed(format!("ptxas left out `{}`", kernel.entry)));
        };
        let image = match Image::load(cubin) {
            Ok(image) => image,
            Err(why) => return all(Answer::Skipped(why.to_string())),
        };
        let words: Vec<u128> = cubin.words(entry.section).collect();
        match self.code(&words) {
            Ok(code) => Launch { case, kernel, image: &image, entry: &entry, code: &code }.answers(),
            Err(why) => all(Answer::Failed(why)),
        }
    }

    /// The instructions of a section of code.
    fn code(&self, words: &[u128]) -> Result<Vec<Result<Step, Unknown>>, String> {
        let printed = self.disassembler.print(TARGET.1, words)?;
        let step = |(at, (word, text)): (usize, (&u128, disassembler::Printed))| {
            let instruction = MachineInstruction::parse(&text.predicate, &text.opcode, &text.operands)?;
            Step::new(&instruction, at, *word, text.at)
        };
        Ok(words.iter().zip(printed).enumerate().map(step).collect())
    }
}

impl Engine for Sass {
    fn id(&self) -> &EngineId {
        &self.id
    }

    fn details(&self) -> BTreeMap<String, String> {
        [("target".to_owned(), TARGET.0.to_owned())].into()
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    fn losses(&self) -> BTreeMap<String, u64> {
        BTreeMap::new()
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
        match environment.target.to_string() == TARGET.0 {
            true => Ok(()),
            false => Err(format!("only machine code for {} is interpreted", TARGET.0)),
        }
    }

    fn execute(&self, cases: &[Program]) -> Vec<Vec<Answer>> {
        let mut answers = vec![Vec::new(); cases.len()];
        for batch in kernel::batches(cases) {
            let asked: Vec<&Program> = batch.iter().map(|&at| &cases[at]).collect();
            let mut found = Vec::with_capacity(asked.len());
            self.module(&asked, &mut found);
            batch.into_iter().zip(found).for_each(|(at, found)| answers[at] = found);
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
