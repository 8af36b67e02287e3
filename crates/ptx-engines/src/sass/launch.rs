//! Launches a kernel row by row in the interpreter.

use super::ExecutedCase;
use ptx_exec::kernel::{Kernel, Parameter, returned};
use ptx_exec::line_case::{Answer, Holds, LineCase, Returned};
use ptx_exec::value::MemoryRegion;
use ptx_sass::cubin::EntryPoint;
use ptx_sass::image::{Image, SURFACE_HANDLE};
use ptx_sass::machine::{Halt, Thread};
use ptx_sass::run::{Code, run, step};
use ptx_spec::must::Must as _;

/// Where the buffers of a launch are.
const ROWS: u64 = 0x7d00_0000_0000;
const RESULTS: u64 = 0x7d10_0000_0000;
const MARKS: u64 = 0x7d20_0000_0000;
/// More instructions than any row needs: copying a variable takes a few for each byte.
const MOST: u64 = 1_000_000;

/// A kernel that is ready to run.
#[derive(Clone, Copy)]
pub(super) struct Launch<'a> {
    pub(super) case: &'a LineCase,
    pub(super) kernel: &'a Kernel,
    pub(super) image: &'a Image,
    pub(super) entry: &'a EntryPoint,
    pub(super) code: &'a Code,
    /// See [`Thread::moved_seeds`].
    pub(super) moved_seeds: i32,
}

/// The trace of an instruction in the first row.
#[derive(Clone, Copy, Default)]
pub(super) struct Traced {
    /// True if the instruction was executed for the line.
    pub(super) of_line: bool,
    /// True if the instruction accessed memory with a cache policy.
    pub(super) used_policy: bool,
}

/// The one thread of launches, before its first instruction, and what differs from row to row.
struct RowThread {
    thread: Thread,
    /// Where the number of the row is in bank 0.
    number_at: Option<usize>,
    /// The number of the region with the record of the row.
    record: usize,
    /// The number of the region with its results.
    results: usize,
    /// The number of the region with its mark; a kernel of one row has none.
    mark: Option<usize>,
}

impl Launch<'_> {
    /// Executes all rows.
    pub(super) fn execute(&self) -> ExecutedCase {
        let mut of = self.thread();
        let answers = (0..self.case.rows.len()).map(|row| self.row(&mut of, row)).collect();
        ExecutedCase { answers, steps: of.thread.steps }
    }

    /// The function from the only input of the case, of up to 32 bits, to its only output. It has no value where anything but a defined
    /// output comes of an input. None if the line does more than that.
    pub(super) fn function(self) -> Option<impl FnMut(u64) -> Option<u64>> {
        let (LineCase { inputs, outputs, .. }, Kernel { results, variables, surface, .. }) = (self.case, self.kernel);
        let ([input], [output], [place]) = (&inputs[..], &outputs[..], &results[..]) else { return None };
        let (Holds::Bits, 8..=32, 1..=64) = (&input.holds, input.bits, output.bits) else { return None };
        if !variables.is_empty() || surface.is_some() {
            return None;
        }
        let (place, bytes, bits) = (*place, usize::from(input.bits / 8), u32::from(output.bits));
        let mut of = self.loading()?;
        Some(move |input: u64| {
            of.thread.restart();
            // The only input is at the start of a record.
            of.thread.memory.region_mut(of.record).poke(0, &input.to_le_bytes()[..bytes]);
            match (run(&mut of.thread, self.code, MOST), self.mark(&of)) {
                (Halt::Exit, Some(2) | None) => {
                    of.thread.memory.region(of.results).peek(place.at, place.bytes).known(bits)
                }
                _ => None,
            }
        })
    }

    /// A thread in the first row that begins where it loads from its record: what comes before takes longer than most lines.
    /// None if it has written memory by then, or does not load.
    fn loading(&self) -> Option<RowThread> {
        let mut of = self.thread();
        self.start(&mut of, 0);
        for before in 0..MOST {
            of.thread.memory.forget_last();
            step(&mut of.thread, self.code).ok()?;
            if of.thread.memory.last() == Some(of.record) {
                self.start(&mut of, 0);
                (0..before).try_for_each(|_| step(&mut of.thread, self.code)).ok()?;
                return of.thread.begin_here().then_some(of);
            }
        }
        None
    }

    fn row(&self, of: &mut RowThread, row: usize) -> Answer {
        let (answer, undefined) = self.attempt(of, row);
        if !undefined {
            return answer;
        }
        of.thread.at_once = true;
        let (_, still) = self.attempt(of, row);
        of.thread.at_once = false;
        if still {
            answer
        } else {
            Answer::Failed("the machine code does not wait for a result that it uses".to_owned())
        }
    }

    /// Executes a row. Returns also whether something undefined decided what happened, or is part of the result.
    fn attempt(&self, of: &mut RowThread, row: usize) -> (Answer, bool) {
        self.start(of, row);
        let stop = run(&mut of.thread, self.code, MOST);
        let answer = match (stop, self.mark(of)) {
            (Halt::Exit, Some(2) | None) => {
                let returned = self.returned(of);
                let undefined = returned.undefined.is_some();
                return (Answer::Returned(returned), undefined);
            }
            (Halt::Exit, _) => Answer::Failed("the thread exits before the end of its row".to_owned()),
            (Halt::Trap(fault), Some(1) | None) => Answer::Trapped(fault.to_string()),
            (Halt::Trap(fault), _) => Answer::Failed(format!("beside the line: {fault}")),
            (Halt::Undefined(what), _) => {
                return (Answer::Failed(format!("{what} depends on what nothing wrote")), true);
            }
            (Halt::Defect(how), _) => Answer::Failed(how),
            (Halt::Unknown(what), _) => Answer::Skipped(what),
        };
        (answer, false)
    }

    /// The mark of the row; a kernel of one row has none.
    fn mark(&self, of: &RowThread) -> Option<u8> {
        of.mark.and_then(|mark| of.thread.memory.region(mark).data().first().copied())
    }

    /// The trace of each instruction of the section in the first row. Those of the line are executed after the mark before
    /// the line, or in a kernel of one row after the last input is loaded, and before the first result is stored. What the
    /// assembler moved out of there is not told from what is around the line.
    pub(super) fn trace(&self) -> Vec<Traced> {
        let mut of = self.thread();
        self.start(&mut of, 0);
        let mut traced = vec![Traced::default(); self.code.len()];
        let mut executed = Vec::new();
        let mut begin = 0;
        for _ in 0..MOST {
            let (at, next) = (of.thread.next, executed.len() + 1);
            if of.mark.is_some_and(|mark| of.thread.memory.region(mark).data().first() != Some(&1)) {
                begin = next;
            }
            of.thread.used_policy = false;
            of.thread.memory.forget_last();
            let done = step(&mut of.thread, self.code);
            if of.mark.is_none() && of.thread.memory.last() == Some(of.record) {
                begin = next;
            }
            if of.thread.memory.region(of.results).defined().iter().any(|bits| *bits != 0) {
                break;
            }
            executed.push((at, of.thread.used_policy));
            if done.is_err() {
                break;
            }
        }
        for &(at, used_policy) in executed.iter().skip(begin) {
            if let Some(traced) = traced.get_mut(at) {
                traced.of_line = true;
                traced.used_policy |= used_policy;
            }
        }
        traced
    }

    /// A thread for all rows.
    fn thread(&self) -> RowThread {
        let Kernel { row_bytes, result_bytes, parameters, .. } = self.kernel;
        let value = |parameter: &Parameter| match parameter {
            Parameter::Bytes(bytes) => bytes.clone(),
            Parameter::Rows => ROWS.to_le_bytes().to_vec(),
            Parameter::Results => RESULTS.to_le_bytes().to_vec(),
            Parameter::Marks => MARKS.to_le_bytes().to_vec(),
            Parameter::First => 0_u32.to_le_bytes().to_vec(),
            Parameter::Count => 1_u32.to_le_bytes().to_vec(),
        };
        let number = parameters.iter().position(|parameter| matches!(parameter, Parameter::First));
        let number = number.and_then(|number| self.entry.parameters.get(number));
        let has_marks = parameters.contains(&Parameter::Marks);
        let parameters: Vec<Vec<u8>> = parameters.iter().map(value).collect();
        let mut thread = self.image.thread(self.entry, &parameters);
        thread.moved_seeds = self.moved_seeds;
        if let (Some(surface), Some(_)) = (&self.case.surface, &self.kernel.surface) {
            Image::bind(&mut thread, surface);
        }
        // Only one row has a record, results and a mark: whoever accesses another's is at a wrong address.
        RowThread {
            number_at: number.map(|place| self.entry.parameters_at + place.start),
            record: thread.memory.add(MemoryRegion::new(ROWS, vec![0; *row_bytes], false)),
            results: thread.memory.add(MemoryRegion::undefined(RESULTS, *result_bytes)),
            mark: has_marks.then(|| thread.memory.add(MemoryRegion::new(MARKS, vec![0; 4], true))),
            thread,
        }
    }

    /// Takes the thread to the start of a row: nothing that another row wrote remains.
    fn start(&self, of: &mut RowThread, row: usize) {
        let Kernel { rows, row_bytes, result_bytes, .. } = self.kernel;
        let thread = &mut of.thread;
        thread.restart();
        // A row may have its own policy.
        let inputs = self.case.inputs.iter().zip(self.case.rows.row(row));
        let given = inputs.filter(|(input, _)| input.bits == 64 && input.holds == Holds::Bits);
        thread.policies.truncate(1);
        let policy = |bits: &u128| u64::try_from(*bits & u128::from(u64::MAX)).must("64 bits are kept");
        thread.policies.extend(given.map(|(_, bits)| policy(bits)));
        if let Some(at) = of.number_at {
            let number = u32::try_from(row).must("a kernel has fewer rows than it can number");
            thread.banks[0].poke(at, &number.to_le_bytes());
        }
        let at = row_bytes * row;
        let record = thread.memory.region_mut(of.record);
        record.start = ROWS + at as u64;
        record.poke(0, &rows[at..at + row_bytes]);
        if let (Some(before), Some(surface)) = (&self.case.surface, &mut thread.surface) {
            surface.restore(&before.data);
            if let Some(at) = self.kernel.surface.as_ref().and_then(|bound| bound.handle_at) {
                record.poke(at, &SURFACE_HANDLE.to_le_bytes());
            }
        }
        thread.memory.region_mut(of.results).start = RESULTS + (result_bytes * row) as u64;
        if let Some(mark) = of.mark {
            thread.memory.region_mut(mark).start = MARKS + row as u64 * 4;
        }
    }

    /// The result of the row that has just ended.
    fn returned(&self, of: &RowThread) -> Returned {
        let Self { kernel, case, .. } = self;
        let results = of.thread.memory.region(of.results);
        let undefined: Vec<u8> = results.defined().iter().map(|bits| !bits).collect();
        let mut row = returned(kernel, case, results.data(), &undefined);
        let written = of.thread.surface.as_ref().filter(|surface| surface.written());
        if let (Some(before), Some(after)) = (&case.surface, written) {
            let of_surface: Vec<u8> = after.defined().iter().map(|bits| !bits).collect();
            if of_surface.iter().any(|bits| *bits != 0) {
                row.undefined.get_or_insert_default().surface = Some(of_surface);
            }
            row.surface = (before.data != after.surface().data).then(|| after.surface().data.clone());
        }
        row
    }
}
