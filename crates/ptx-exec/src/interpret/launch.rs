//! Launches: the memory of a case, and the threads of a grid, one after the other.

use std::ops::Range;

use super::Limits;
use super::read_module::InterpretedModule;
use super::regions::Regions;
use super::special::ThreadPlace;
use super::steps::{StepTrace, TracedStep};
use super::stop::ThreadStop;
use super::thread::{Going, InterpretedThread};
use super::windows;
use crate::kernel_case::{KernelAnswer, KernelCase, KernelLaunch};
use crate::object::Space;
use crate::value::MemoryRegion;

/// The most threads of a block.
const MOST_THREADS: u64 = 1024;

/// Executes the launches of a case whose module was read.
pub(super) struct Launcher<'c> {
    case: &'c KernelCase,
    module: &'c InterpretedModule,
    limits: Limits,
    addresses: Vec<u64>,
    memory: Regions,
    /// The positions of the variables that each block has for itself.
    shared: Range<usize>,
    trace: StepTrace,
}

impl<'c> Launcher<'c> {
    /// Executes all launches of a case. Returns the first steps as well, up to a number.
    pub(super) fn run(
        case: &'c KernelCase,
        module: &'c InterpretedModule,
        limits: Limits,
        traced: usize,
    ) -> (KernelAnswer, Vec<TracedStep>) {
        let (addresses, memory) = (case.addresses(), Regions::new(limits.memory));
        let trace = StepTrace { steps: Vec::new(), left: traced };
        let mut launcher = Self { case, module, limits, addresses, memory, shared: 0..0, trace };
        let answer = match launcher.launches() {
            Ok(()) => {
                let after = launcher.memory.all().iter().map(|region| (region.data(), region.defined()));
                KernelAnswer::Returned(case.result(after))
            }
            Err(answer) => answer,
        };
        (answer, launcher.trace.steps)
    }

    fn launches(&mut self) -> Result<(), KernelAnswer> {
        self.variables().map_err(|stop| stop.at("the memory of the case"))?;
        self.case.launches.iter().try_for_each(|launch| self.launch(launch))
    }

    /// Adds the buffers of the case and the variables of the module to memory.
    fn variables(&mut self) -> Result<(), ThreadStop> {
        for (buffer, address) in self.case.buffers.iter().zip(&self.addresses) {
            self.memory.add(MemoryRegion::new(*address, buffer.data.clone(), true))?;
        }
        let first = self.memory.count();
        for (_, region) in &self.module.regions {
            self.memory.add(region.clone())?;
        }
        let not_shared = self.module.regions.iter().filter(|(space, _)| *space != Space::Shared).count();
        self.shared = first + not_shared..self.memory.count();
        Ok(())
    }

    fn launch(&mut self, launch: &KernelLaunch) -> Result<(), KernelAnswer> {
        let missing = || KernelAnswer::Failed(format!("the module has no entry `{}`", launch.entry));
        let entry = self.module.entry(&launch.entry).ok_or_else(missing)?;
        let threads = launch.block.iter().map(|size| u64::from(*size)).product::<u64>();
        if launch.grid.contains(&0) || !(1..=MOST_THREADS).contains(&threads) {
            let why = format!("a launch of `{}` has no blocks, or blocks of {threads} threads", launch.entry);
            return Err(KernelAnswer::Failed(why));
        }
        let before = self.memory.count();
        self.parameters(entry, launch)?;
        let several = launch.grid.iter().chain(&launch.block).any(|size| *size > 1);
        if several {
            self.memory.trace_all();
        }
        let mut number = 0_u32;
        for block in places(launch.grid) {
            self.shared.clone().for_each(|region| self.memory.forget(region));
            for thread in places(launch.block) {
                // The numbers of threads may repeat: a case ends long before that.
                number = number.checked_add(1).filter(|number| *number < u32::MAX).unwrap_or(1);
                self.memory.set_thread(number);
                let place = ThreadPlace { thread, threads: launch.block, block, blocks: launch.grid };
                self.thread(entry, place)?;
            }
        }
        self.memory.truncate(before);
        self.memory.trace_none();
        Ok(())
    }

    /// Adds the parameters of an entry to memory.
    fn parameters(&mut self, entry: usize, launch: &KernelLaunch) -> Result<(), KernelAnswer> {
        let wrong = |why: String| KernelAnswer::Failed(why);
        let parameters = &self.module.bodies[entry].parameters;
        if parameters.len() != launch.arguments.len() {
            let (given, taken) = (launch.arguments.len(), parameters.len());
            return Err(wrong(format!("`{}` takes {taken} arguments, and the launch has {given}", launch.entry)));
        }
        for (parameter, argument) in parameters.iter().zip(&launch.arguments) {
            let bytes = self.case.argument(argument, &self.addresses).map_err(wrong)?;
            if bytes.len() as u64 != parameter.size {
                let (name, size) = (&parameter.name, parameter.size);
                return Err(wrong(format!("`{name}` has {size} bytes, and its argument {}", bytes.len())));
            }
            let start = windows::to_generic(Space::Param, parameter.address);
            let start = start.ok_or_else(|| wrong(format!("`{}` has too many parameters", launch.entry)))?;
            self.memory.add(MemoryRegion::new(start, bytes, false)).map_err(|stop| stop.at(&launch.entry))?;
        }
        Ok(())
    }

    fn thread(&mut self, entry: usize, place: ThreadPlace) -> Result<(), KernelAnswer> {
        let before = self.memory.count();
        let name = &self.module.bodies[entry].name;
        let thread = InterpretedThread::new(&self.module.bodies, entry, place, &mut self.memory, self.limits);
        let mut thread = thread.map_err(|stop| stop.at(name))?;
        let mut steps = self.limits.steps;
        let stopped = loop {
            if steps == 0 {
                break Some(ThreadStop::Failed(format!("a thread takes more than {} steps", self.limits.steps)));
            }
            steps -= 1;
            match self.trace.step(&mut thread) {
                Ok(Going::On) => {}
                Ok(Going::Ended) => break None,
                Err(stop) => break Some(stop),
            }
        };
        if let Some(stop) = stopped {
            let (body, line) = thread.at();
            let at = self.module.bodies[body].lines[line].at.clone();
            return Err(stop.at(&self.describe(at, &place)));
        }
        self.memory.truncate(before);
        Ok(())
    }

    /// A line, as messages name it.
    fn describe(&self, at: Range<usize>, place: &ThreadPlace) -> String {
        let text = &self.case.module;
        let line = 1 + text[..at.start].bytes().filter(|byte| *byte == b'\n').count();
        let of = match (place.threads, place.blocks) {
            ([1, 1, 1], [1, 1, 1]) => String::new(),
            _ => format!(" of thread {:?} in block {:?}", place.thread, place.block),
        };
        format!("line {line} `{}`{of}", text[at].trim())
    }
}

/// All positions in three dimensions, the first moving fastest.
fn places([width, height, depth]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    let plane = move |z| (0..height).flat_map(move |y| (0..width).map(move |x| [x, y, z]));
    (0..depth).flat_map(plane)
}
