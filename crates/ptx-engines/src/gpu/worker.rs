//! The worker: the process that has a driver context and carries out orders.

use std::io::{self, BufRead as _, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::protocol::{JudgeRequest, LineOutcome, SentCase};
use ptx_exec::kernel::{self, Kernel, Parameter, Place};
use ptx_exec::line_case::{Answer, Returned};
use ptx_spec::environment::{AddressSize, Environment};
use ptx_spec::must::Must as _;
use ptx_spec::ptx::Scaffold;

use super::NoDevice;
use super::about::DeviceFacts;
use super::driver::{
    Array, Buffer, Device, DriverFault, Extents, Function, GuardMarks, LoadedModule, Parameters, Refused,
};
use super::launches;
use super::messages::{WorkerOrder, WorkerReport};

/// Threads in a block.
const BLOCK: u32 = 128;
/// The contents of results before a launch.
const STALE: u8 = 0xa5;
/// The status of a module that needs what drivers no longer have, such as surface references.
const NOT_SUPPORTED: i32 = 801;
/// The mark of a row whose thread finished.
const ENDED: u32 = 2;

/// True while an order is being done.
static BUSY: AtomicBool = AtomicBool::new(false);

/// Carries out the orders on stdin until that ends.
///
/// A separate thread reads the orders, so that the process ends with the server even if a driver call
/// hangs. The process exits without the driver's cleanup, which may hang too.
pub(super) fn work() -> io::Result<()> {
    let (to, orders) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if to.send(line).is_err() {
                break;
            }
        }
        if BUSY.load(Ordering::Acquire) {
            std::process::abort();
        }
        std::process::exit(0);
    });
    let mut worker = None;
    for line in orders {
        BUSY.store(true, Ordering::Release);
        let order: WorkerOrder = serde_json::from_str(&line).map_err(io::Error::other)?;
        let going = match (order, &mut worker) {
            (WorkerOrder::Start, _) => match start() {
                Ok(new) => {
                    report(&WorkerReport::Started(new.facts.clone()))?;
                    worker = Some(new);
                    true
                }
                Err(missing) => {
                    report(&WorkerReport::Failed(missing.to_string()))?;
                    false
                }
            },
            (order, Some(worker)) => worker.obey(order)?,
            (_, None) => false,
        };
        BUSY.store(false, Ordering::Release);
        if !going {
            break;
        }
    }
    // The driver's state ends with the process.
    std::process::exit(0);
}

fn report(report: &WorkerReport) -> io::Result<()> {
    let mut line = serde_json::to_vec(report)?;
    line.push(b'\n');
    let mut out = io::stdout().lock();
    out.write_all(&line)?;
    out.flush()
}

fn start() -> Result<Worker, NoDevice> {
    // There is one for each process.
    let device: &'static Device = Box::leak(Box::new(Device::open()?));
    device.enter().map_err(NoDevice::Context)?;
    Ok(Worker { device, facts: DeviceFacts::of(device), module: None, case: None })
}

struct Worker {
    device: &'static Device,
    facts: DeviceFacts,
    module: Option<LoadedModule>,
    case: Option<PreparedCase>,
}

impl Worker {
    /// True if the worker can continue.
    fn obey(&mut self, order: WorkerOrder) -> io::Result<bool> {
        let done = match order {
            WorkerOrder::Start => Ok(()),
            WorkerOrder::Judge(asked) => {
                self.judge(&asked)?;
                return Ok(true);
            }
            WorkerOrder::Load { ptx, binary } => {
                (self.case, self.module) = (None, None);
                report(&self.load(&ptx, binary.as_deref()))?;
                return Ok(true);
            }
            WorkerOrder::Prepare(case) => {
                self.case = None;
                self.prepare(*case).map(|case| self.case = Some(case))
            }
            WorkerOrder::Launch { first, count } => {
                let said = match &mut self.case {
                    Some(case) => case.launch(self.device, first, count),
                    None => WorkerReport::Failed("there is no case".to_owned()),
                };
                report(&said)?;
                return Ok(!matches!(said, WorkerReport::Died { .. }));
            }
            WorkerOrder::Execute(case) => {
                let said = match &self.module {
                    Some(module) => launches::execute(self.device, module, case),
                    None => WorkerReport::Failed("there is no module".to_owned()),
                };
                report(&said)?;
                return Ok(!matches!(said, WorkerReport::Died { .. }));
            }
        };
        report(&match done {
            Ok(()) => WorkerReport::Done,
            Err(why) => WorkerReport::Failed(why),
        })?;
        Ok(true)
    }

    fn judge(&self, asked: &JudgeRequest) -> io::Result<()> {
        let scaffold = Scaffold::from_declarations(&asked.declarations);
        let taken = self.facts.takes(asked.ptx, asked.target).and_then(|()| match asked.address_size {
            64 if scaffold.separate => Err("a driver does not accept separately compiled code".to_owned()),
            64 => Ok(()),
            size => Err(format!("a driver accepts 64-bit addresses, not {size}-bit ones")),
        });
        let environment = Environment { ptx: asked.ptx, target: asked.target, address_size: AddressSize::Bits64 };
        for line in &asked.lines {
            let said = match &taken {
                Err(why) => LineOutcome::Skipped(why.clone()),
                Ok(()) => {
                    let (text, _) = scaffold.module(&environment, "k", &[line]);
                    match LoadedModule::load(self.device, text.as_bytes()) {
                        Ok(_) => LineOutcome::Accepted,
                        Err(refused) => said(&refused),
                    }
                }
            };
            report(&WorkerReport::Said(said))?;
        }
        Ok(())
    }

    /// Loads a binary, or else compiles the text with the driver's compiler.
    fn load(&mut self, ptx: &str, binary: Option<&Path>) -> WorkerReport {
        let image = binary.map_or_else(|| Ok(ptx.as_bytes().to_vec()), std::fs::read);
        let image = match image {
            Ok(image) => image,
            Err(error) => return WorkerReport::Failed(format!("the binary cannot be read: {error}")),
        };
        match LoadedModule::load(self.device, &image) {
            Ok(module) => {
                self.module = Some(module);
                WorkerReport::Done
            }
            Err(refused) => {
                let said = match words(&refused.log) {
                    words if words.is_empty() => String::new(),
                    words => format!(": {words}"),
                };
                let words = format!("the module is rejected: {}{said}", refused.fault);
                if refused.fault.code == NOT_SUPPORTED {
                    WorkerReport::Unsupported(words)
                } else {
                    WorkerReport::Failed(words)
                }
            }
        }
    }

    fn prepare(&self, case: SentCase) -> Result<PreparedCase, String> {
        let module = self.module.as_ref().ok_or("there is no module")?;
        PreparedCase::new(self.device, module, case)
    }
}

/// The outcome of a line whose module was not loaded.
fn said(refused: &Refused) -> LineOutcome {
    let words = words(&refused.log);
    match refused.fault.code {
        // These are not the line's fault: no binary for this device, PTX too new, no compiler, compiler
        // disabled, no memory.
        2 | 209 | 221 | 222 | 223 => LineOutcome::Skipped(refused.fault.to_string()),
        _ if words.is_empty() => LineOutcome::Skipped(refused.fault.to_string()),
        _ => LineOutcome::Rejected(words),
    }
}

/// The errors among the messages of the driver's compiler, one per line; all messages if none is marked as
/// an error.
///
/// `ptxas application ptx input, line 6; error   : ...`
fn words(log: &str) -> String {
    const REMARK: &str = "Ptx assembly aborted due to errors";
    let lines = || log.lines().map(str::trim).filter(|line| !line.is_empty() && !line.contains(REMARK));
    let error = |line: &str| {
        let at = ["error", "fatal"].iter().filter_map(|word| line.find(word).map(|at| at + word.len())).min()?;
        line[at..].trim_start().strip_prefix(':').map(|text| text.trim().to_owned())
    };
    let errors: Vec<String> = lines().filter_map(error).collect();
    if errors.is_empty() { lines().collect::<Vec<_>>().join("\n") } else { errors.join("\n") }
}

/// A case with its memory on the device.
struct PreparedCase {
    kernel: Kernel,
    case: SentCase,
    module: LoadedModule,
    function: Function,
    rows: Buffer,
    results: Buffer,
    marks: GuardMarks,
    /// The surface that all rows share.
    shared: Option<Array>,
    parameters: Parameters,
}

/// The fault of a kernel.
fn check(case: &SentCase, kernel: &Kernel) -> Result<(), String> {
    let rows = case.case.rows.len();
    let size = |bytes: usize| bytes.checked_mul(rows).ok_or("the rows are too large");
    if size(kernel.row_bytes)? != kernel.rows.len() {
        return Err(format!("{rows} rows need {} bytes each, but there are {}", kernel.row_bytes, kernel.rows.len()));
    }
    size(kernel.result_bytes)?;
    if u32::try_from(rows).is_err() {
        return Err("there are too many rows".to_owned());
    }
    if kernel.results.len() != case.case.outputs.len() {
        return Err(format!("{} outputs have {} positions", case.case.outputs.len(), kernel.results.len()));
    }
    let fits = |place: &Place| {
        place.bytes <= 16 && place.at.checked_add(place.bytes).is_some_and(|end| end <= kernel.result_bytes)
    };
    if !kernel.results.iter().all(fits) {
        return Err("an output is beyond the end of the results".to_owned());
    }
    let fits = |observed: &kernel::Observed| {
        observed.at.checked_add(observed.bytes).is_some_and(|end| end <= kernel.result_bytes)
    };
    if !kernel.variables.iter().all(fits) {
        return Err("a variable is beyond the end of the results".to_owned());
    }
    if let Some(bound) = &kernel.surface {
        if case.case.surface.is_none() {
            return Err("there is no surface".to_owned());
        }
        let fits = |at: usize| at.checked_add(8).is_some_and(|end| end <= kernel.row_bytes);
        if !bound.handle_at.is_none_or(fits) {
            return Err("the handle is beyond the end of the row".to_owned());
        }
    }
    Ok(())
}

impl PreparedCase {
    fn new(device: &'static Device, module: &LoadedModule, mut case: SentCase) -> Result<Self, String> {
        let kernel = case.kernel.take().ok_or("there is no kernel")?;
        check(&case, &kernel)?;
        let count = case.case.rows.len();
        let function = module.function(&kernel.entry)?;
        let rows = Buffer::new(device, kernel.rows.len())?;
        rows.write(0, &kernel.rows)?;
        let results = Buffer::new(device, kernel.result_bytes * count)?;
        let marks = GuardMarks::new(device, count)?;
        let value = |parameter: &Parameter| match parameter {
            Parameter::Bytes(bytes) => bytes.clone(),
            Parameter::Rows => rows.address().to_le_bytes().to_vec(),
            Parameter::Results => results.address().to_le_bytes().to_vec(),
            Parameter::Marks => marks.address().to_le_bytes().to_vec(),
            Parameter::First | Parameter::Count => vec![0; 4],
        };
        let parameters = Parameters::new(kernel.parameters.iter().map(value));
        let shared = match (&kernel.surface, &case.case.surface) {
            (Some(bound), Some(surface)) if !bound.private => {
                Some(Array::new(device, Extents::of(surface)?).map_err(|fault| format!("the surface: {fault}"))?)
            }
            _ => None,
        };
        let prepared =
            Self { kernel, case, module: module.clone(), function, rows, results, marks, shared, parameters };
        if let Some(array) = &prepared.shared {
            prepared.give(0..count, |_| array.handle())?;
            prepared.bind(array)?;
        }
        Ok(prepared)
    }

    /// Puts handles into the records of rows.
    fn give(&self, rows: std::ops::Range<usize>, handle: impl Fn(usize) -> u64) -> Result<(), DriverFault> {
        let Some(at) = self.kernel.surface.as_ref().and_then(|bound| bound.handle_at) else { return Ok(()) };
        let size = self.kernel.row_bytes;
        let start = rows.start * size;
        let mut records = self.kernel.rows[start..rows.end * size].to_vec();
        for (index, record) in records.chunks_exact_mut(size).enumerate() {
            record[at..at + 8].copy_from_slice(&handle(index).to_le_bytes());
        }
        self.rows.write(start, &records)
    }

    fn bind(&self, array: &Array) -> Result<(), String> {
        match self.kernel.surface.as_ref().and_then(|bound| bound.variable.as_deref()) {
            Some(variable) => self.module.bind(variable, array),
            None => Ok(()),
        }
    }

    fn launch(&mut self, device: &'static Device, first: usize, count: usize) -> WorkerReport {
        let end = first.saturating_add(count);
        if count == 0 || end > self.case.case.rows.len() {
            return WorkerReport::Failed("there are no such rows".to_owned());
        }
        if self.kernel.single && count > 1 {
            return WorkerReport::Failed("a row changes what others see, so it must be launched alone".to_owned());
        }
        let copies = match self.copies(device, first, count) {
            Ok(copies) => copies,
            Err(why) => return WorkerReport::Failed(why),
        };
        if let Err(fault) = self.start(first, count) {
            return self.ended(fault, first, count);
        }
        if let Err(fault) = device.synchronize() {
            // The context is unusable, whatever happened.
            return self.died(&fault, first, count);
        }
        match self.answers(&copies, first, count) {
            Ok(answers) => WorkerReport::Answers(answers),
            Err(fault) => self.ended(fault, first, count),
        }
    }

    /// A copy of the surface for each row that needs its own.
    fn copies(&self, device: &'static Device, first: usize, count: usize) -> Result<Vec<Array>, String> {
        let (Some(bound), Some(surface)) = (&self.kernel.surface, &self.case.case.surface) else {
            return Ok(Vec::new());
        };
        if !bound.private {
            return Ok(Vec::new());
        }
        if bound.variable.is_some() && count > 1 {
            return Err("each row needs its own surface, but there is only one variable".to_owned());
        }
        let extents = Extents::of(surface)?;
        let copies: Result<Vec<Array>, DriverFault> = (0..count).map(|_| Array::new(device, extents)).collect();
        let copies = copies.map_err(|fault| format!("the surface: {fault}"))?;
        self.give(first..first + count, |index| copies.get(index).map_or(0, Array::handle))?;
        if let Some(copy) = copies.first() {
            self.bind(copy)?;
        }
        Ok(copies)
    }

    fn start(&mut self, first: usize, count: usize) -> Result<(), DriverFault> {
        let size = self.kernel.result_bytes;
        self.results.write(first * size, &vec![STALE; count * size])?;
        self.marks.clear(first, count);
        let number =
            |number: usize| u32::try_from(number).must("`check` saw that there are no more rows than a u32 counts");
        for (at, parameter) in self.kernel.parameters.iter().enumerate() {
            match parameter {
                Parameter::First => self.parameters.set(at, &number(first).to_le_bytes()),
                Parameter::Count => self.parameters.set(at, &number(count).to_le_bytes()),
                _ => {}
            }
        }
        self.function.launch([number(count).div_ceil(BLOCK), 1, 1], [BLOCK, 1, 1], &mut self.parameters)
    }

    fn ended(&self, fault: DriverFault, first: usize, count: usize) -> WorkerReport {
        if fault.sticky() { self.died(&fault, first, count) } else { WorkerReport::Failed(fault.to_string()) }
    }

    fn died(&self, fault: &DriverFault, first: usize, count: usize) -> WorkerReport {
        WorkerReport::Died { words: fault.to_string(), trap: fault.sticky(), marks: self.marks.read(first, count) }
    }

    fn answers(&self, copies: &[Array], first: usize, count: usize) -> Result<Vec<Answer>, DriverFault> {
        let intact = [&self.rows, &self.results].into_iter().try_fold(true, |intact, buffer| {
            let kept = buffer.intact()?;
            if !kept {
                buffer.restore()?;
            }
            Ok(intact && kept)
        })?;
        if !intact {
            return Ok(vec![Answer::Failed("wrote outside its buffer".to_owned()); count]);
        }
        let size = self.kernel.result_bytes;
        let results = self.results.read(first * size, count * size)?;
        let before = self.case.case.surface.as_ref().map(|surface| surface.data.as_slice());
        let answer = |(index, mark): (usize, u32)| {
            if mark != ENDED {
                return Ok(Answer::Failed(format!("the kernel returned, but its thread did not (mark {mark})")));
            }
            let registers = kernel::decode(&self.kernel, &self.case.case, &results, index);
            let held = copies.get(index).map(Array::read).transpose()?;
            let surface = held.filter(|held| Some(held.as_slice()) != before);
            let variables = kernel::changed(&self.kernel, &self.case.case, &results, index);
            Ok(Answer::Returned(Returned { registers, surface, variables, undefined: None }))
        };
        self.marks.read(first, count).into_iter().enumerate().map(answer).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_errors_of_a_log_are_kept() {
        let log = "ptxas application ptx input, line 6; error   : Unknown modifier '.x'\n\
            ptxas application ptx input, line 7; fatal   : Parsing error near ';': syntax error\n\
            ptxas fatal   : Ptx assembly aborted due to errors\n";
        assert_eq!(words(log), "Unknown modifier '.x'\nParsing error near ';': syntax error");
        assert_eq!(words("odd\n\n things \n"), "odd\nthings");
        assert_eq!(words(""), "");
    }
}
