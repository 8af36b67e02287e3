//! Kernel cases as machine code: each thread of their launches runs by itself, in order.

use std::collections::BTreeMap;

use ptx_exec::kernel_case::{KernelAnswer, KernelCase, KernelLaunch};
use ptx_exec::value::MemoryRegion;
use ptx_sass::cubin::Cubin;
use ptx_sass::image::Image;
use ptx_sass::machine::{Halt, Thread};
use ptx_sass::opcode::{Step, Unknown};
use ptx_sass::position::ThreadPosition;
use ptx_sass::run::run;
use rayon::prelude::*;

use super::{PrintedWord, Sass};
use crate::Outcome;
use crate::no_code::{NoCode, UNREPEATED};

/// More instructions than a thread of a case needs that anybody waits for: a second.
const MOST: u64 = 50_000_000;
/// More threads than a case has that anybody waits for.
const MOST_THREADS: u64 = 1 << 20;

/// A module that was compiled.
struct CompiledKernels {
    cubin: Cubin,
    image: Image,
}

/// Compiles, disassembles and executes cases. Those with the same module, one after the other, share its machine code.
pub(super) fn execute(sass: &Sass, cases: &[KernelCase]) -> Vec<KernelAnswer> {
    let modules: Vec<&[KernelCase]> = cases.chunk_by(|case, next| case.module == next.module).collect();
    let compiled: Vec<Result<CompiledKernels, KernelAnswer>> =
        modules.iter().map(|cases| compile(sass, &cases[0].module, cases.len())).collect();
    let words: Vec<u128> =
        compiled.iter().flatten().flat_map(|of| of.cubin.code()).flat_map(|(_, words)| words).collect();
    let printed = match sass.disassembler.print_once(&words) {
        Ok(printed) => printed,
        Err(why) => {
            // It says nothing about the machine code.
            let why = why.to_string();
            sass.health.lost(&why, cases.len());
            return vec![KernelAnswer::Skipped(why); cases.len()];
        }
    };
    let mut printed = printed.into_iter();
    let mut answers = Vec::new();
    for (cases, compiled) in modules.into_iter().zip(compiled) {
        answers.extend(match compiled {
            Ok(compiled) => run_cases(sass, &compiled, &mut printed, cases),
            Err(answer) => vec![answer; cases.len()],
        });
    }
    answers
}

/// Executes cases with one module; `printed` has the text of its machine code, in order.
fn run_cases(
    sass: &Sass,
    compiled: &CompiledKernels,
    printed: &mut impl Iterator<Item = PrintedWord>,
    cases: &[KernelCase],
) -> Vec<KernelAnswer> {
    let waits = sass.configuration.waits();
    let mut code = BTreeMap::new();
    for (section, words) in compiled.cubin.code() {
        let text: Vec<PrintedWord> = printed.by_ref().take(words.len()).collect();
        code.insert(section, text.iter().enumerate().map(|(at, word)| word.step(at, waits)).collect());
    }
    let run = |case| LoadedKernels { case, compiled, code: &code }.execute();
    cases.iter().map(|case| run(case).unwrap_or_else(|answer| answer)).collect()
}

/// Executes a case on several engines. The newest disassembler of each target prints the machine code of all of them at once: it
/// knows that of older releases, and most of the words are the same.
pub(super) fn execute_on_all(engines: &[&Sass], case: &KernelCase) -> Vec<KernelAnswer> {
    let compiled: Vec<Result<CompiledKernels, KernelAnswer>> =
        engines.par_iter().map(|sass| compile(sass, &case.module, 1)).collect();
    let mut of_target: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, sass) in engines.iter().enumerate() {
        of_target.entry(sass.configuration.target.disassembler).or_default().push(at);
    }
    let groups: Vec<Vec<usize>> = of_target.into_values().collect();
    let of_group = |group: &Vec<usize>| -> Vec<(usize, KernelAnswer)> {
        let words_of = |at: &usize| compiled[*at].iter().flat_map(|of| of.cubin.code()).flat_map(|(_, words)| words);
        let words: Vec<u128> = group.iter().flat_map(words_of).collect();
        let newest = group.iter().max_by_key(|at| engines[**at].assembler.newest_ptx());
        let printed = newest.map_or(Ok(Vec::new()), |at| engines[*at].disassembler.print_once(&words));
        let printed = printed.map_err(|why| why.to_string());
        let mut printed = printed.map(Vec::into_iter);
        let answer = |at: &usize| match (&compiled[*at], &mut printed) {
            (Err(answer), _) => answer.clone(),
            (Ok(_), Err(why)) => {
                engines[*at].health.lost(why, 1);
                KernelAnswer::Skipped(why.clone())
            }
            (Ok(of), Ok(printed)) => run_cases(engines[*at], of, printed, std::slice::from_ref(case)).remove(0),
        };
        group.iter().copied().zip(group.iter().map(answer).collect::<Vec<_>>()).collect()
    };
    let mut answers: Vec<(usize, KernelAnswer)> = groups.par_iter().flat_map_iter(of_group).collect();
    answers.sort_by_key(|(at, _)| *at);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

/// Compiles a module that this many cases share. If it has no machine code, all of them have the same answer.
///
/// # Errors
/// That answer.
fn compile(sass: &Sass, module: &str, cases: usize) -> Result<CompiledKernels, KernelAnswer> {
    let code = sass.machine_code(module, cases);
    let (mut cubin, unrepeated) = code.map_err(|outcome| {
        if let Outcome::Skipped(why) = &outcome {
            sass.health.lost(why, cases);
        }
        KernelAnswer::from(NoCode::from(outcome))
    })?;
    if !unrepeated.is_empty() {
        return Err(KernelAnswer::Failed(UNREPEATED.to_owned()));
    }
    let image = Image::load(&mut cubin, sass.configuration.target);
    Ok(CompiledKernels { cubin, image })
}

/// A case and the machine code of its module, ready to run.
struct LoadedKernels<'a> {
    case: &'a KernelCase,
    compiled: &'a CompiledKernels,
    /// The instructions of each section of code, by its index.
    code: &'a BTreeMap<usize, Vec<Result<Step, Unknown>>>,
}

impl LoadedKernels<'_> {
    /// Runs all launches.
    ///
    /// # Errors
    /// The answer if one of them does not end as it should.
    fn execute(&self) -> Result<KernelAnswer, KernelAnswer> {
        let addresses = self.case.addresses();
        let mut before: Option<Thread> = None;
        let mut buffers: Vec<usize> = Vec::new();
        for launch in &self.case.launches {
            let (mut thread, section) = self.thread(launch, &addresses)?;
            let regions = std::iter::zip(&self.case.buffers, &addresses).map(|(buffer, at)| {
                // Those of later launches are taken from the thread before.
                let data = if before.is_none() { buffer.data.clone() } else { Vec::new() };
                MemoryRegion::new(*at, data, true)
            });
            buffers = regions.map(|region| thread.memory.add(region)).collect();
            if let Some(before) = &mut before {
                // Memory of the device is what the launch before it left.
                for shared in (0..self.compiled.image.globals()).chain(buffers.iter().copied()) {
                    std::mem::swap(thread.memory.region_mut(shared), before.memory.region_mut(shared));
                }
            }
            self.launch(launch, &mut thread, section)?;
            before = Some(thread);
        }
        let Some(thread) = before else {
            return Err(KernelAnswer::Skipped("the case has no launches".to_owned()));
        };
        let after = buffers.iter().map(|buffer| thread.memory.region(*buffer));
        Ok(KernelAnswer::Returned(self.case.result(after.map(|region| (region.data(), region.defined())))))
    }

    /// The thread of a launch, before its first instruction, and the section of its code.
    fn thread(&self, launch: &KernelLaunch, addresses: &[u64]) -> Result<(Thread, usize), KernelAnswer> {
        let CompiledKernels { cubin, image } = self.compiled;
        let skipped = |why: String| KernelAnswer::Skipped(why);
        let missing = || KernelAnswer::Failed(format!("ptxas left out `{}`", launch.entry));
        let entry = cubin.entry(&launch.entry).ok_or_else(missing)?;
        image.check(cubin, &entry).map_err(|why| skipped(why.to_string()))?;
        let threads: u64 = launch.block.iter().chain(&launch.grid).map(|size| u64::from(*size)).product();
        if threads == 0 || threads > MOST_THREADS {
            return Err(skipped(format!("a launch has {threads} threads")));
        }
        let arguments: Result<Vec<Vec<u8>>, String> =
            launch.arguments.iter().map(|argument| self.case.argument(argument, addresses)).collect();
        let arguments = arguments.map_err(skipped)?;
        let sizes: Vec<usize> = arguments.iter().map(Vec::len).collect();
        if !sizes.iter().eq(entry.parameters.iter().map(ExactSizeIterator::len).collect::<Vec<_>>().iter()) {
            return Err(skipped(format!("the arguments of `{}` have other sizes than its parameters", launch.entry)));
        }
        Ok((image.thread(&entry, &arguments), entry.section))
    }

    /// Runs each thread of a launch.
    fn launch(&self, launch: &KernelLaunch, thread: &mut Thread, section: usize) -> Result<(), KernelAnswer> {
        let image = &self.compiled.image;
        let missing = || KernelAnswer::Failed(format!("ptxas wrote no code for `{}`", launch.entry));
        let code = self.code.get(&section).ok_or_else(missing)?;
        let first = thread.next;
        let alone = launch.block == [1; 3];
        let meets = |step: &Result<Step, Unknown>| step.as_ref().is_ok_and(Step::meets_threads);
        if !alone && code.iter().any(meets) {
            return Err(KernelAnswer::Skipped("threads of a block wait for each other".to_owned()));
        }
        let [shared, local] = [image.globals(), image.globals() + 1];
        let [no_shared, no_local] = [shared, local].map(|region| thread.memory.region(region).clone());
        for block in each(launch.grid) {
            thread.memory.region_mut(shared).clone_from(&no_shared);
            for of_block in each(launch.block) {
                thread.memory.region_mut(local).clone_from(&no_local);
                let (threads, blocks) = (launch.block, launch.grid);
                image.place(thread, ThreadPosition { thread: of_block, block, threads, blocks });
                thread.start(first);
                match run(thread, code, MOST) {
                    Halt::Exit => {}
                    Halt::Trap(fault) => return Err(KernelAnswer::Trapped(fault.to_string())),
                    Halt::Undefined(what) => {
                        return Err(KernelAnswer::Undefined(format!("{what} depends on what nothing wrote")));
                    }
                    Halt::Defect(how) => return Err(KernelAnswer::Failed(how)),
                    Halt::Unknown(what) => return Err(KernelAnswer::Skipped(what)),
                }
            }
        }
        Ok(())
    }
}

/// Each position in these extents, x first.
fn each([width, height, depth]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..depth).flat_map(move |z| (0..height).flat_map(move |y| (0..width).map(move |x| [x, y, z])))
}
