//! Launches a kernel row by row in the interpreter.

use ptx_exec::kernel::{Kernel, Parameter, Place, changed, decode};
use ptx_exec::program::{Answer, Program, Returned};
use ptx_sass::cubin::EntryPoint;
use ptx_sass::image::{Image, SURFACE_HANDLE};
use ptx_sass::machine::{Halt, Thread};
use ptx_sass::memory::MemoryRegion;
use ptx_sass::run::{Code, run};

/// Where the buffers of a launch are.
const ROWS: u64 = 0x7d00_0000_0000;
const RESULTS: u64 = 0x7d10_0000_0000;
const MARKS: u64 = 0x7d20_0000_0000;
/// More instructions than any row needs: copying a variable takes a few for each byte.
const MOST: u64 = 1_000_000;

/// A kernel that is ready to run.
pub(super) struct Launch<'a> {
    pub(super) case: &'a Program,
    pub(super) kernel: &'a Kernel,
    pub(super) image: &'a Image,
    pub(super) entry: &'a EntryPoint,
    pub(super) code: &'a Code,
}

impl Launch<'_> {
    /// One answer for each row.
    pub(super) fn answers(&self) -> Vec<Answer> {
        (0..self.case.rows.len()).map(|row| self.row(row)).collect()
    }

    fn row(&self, row: usize) -> Answer {
        let (mut thread, results, mark) = self.thread(row);
        let stop = run(&mut thread, self.code, MOST);
        let marked = thread.memory.region(mark).data().first().copied().unwrap_or(0);
        match (stop, marked) {
            (Halt::Exit, 2) => self.returned(&thread, results, row),
            (Halt::Exit, _) => Answer::Failed("the thread exits before the end of its row".to_owned()),
            (Halt::Trap(fault), 1) => Answer::Trapped(fault.to_string()),
            (Halt::Trap(fault), _) => Answer::Failed(format!("beside the line: {fault}")),
            (Halt::Undefined(what), _) => {
                Answer::Failed(format!("the machine code depends on what nothing wrote: {what}"))
            }
            (Halt::Unknown(what), _) => Answer::Skipped(what),
        }
    }

    /// A thread before its first instruction, and the numbers of the regions of its results and of its mark.
    fn thread(&self, row: usize) -> (Thread, usize, usize) {
        let Kernel { rows, result_bytes, parameters, .. } = self.kernel;
        let number = u32::try_from(row).unwrap_or(u32::MAX);
        let value = |parameter: &Parameter| match parameter {
            Parameter::Bytes(bytes) => bytes.clone(),
            Parameter::Rows => ROWS.to_le_bytes().to_vec(),
            Parameter::Results => RESULTS.to_le_bytes().to_vec(),
            Parameter::Marks => MARKS.to_le_bytes().to_vec(),
            Parameter::First => number.to_le_bytes().to_vec(),
            Parameter::Count => 1_u32.to_le_bytes().to_vec(),
        };
        let parameters: Vec<Vec<u8>> = parameters.iter().map(value).collect();
        let mut thread = self.image.thread(self.entry, &parameters);
        // Only this row has a record, results and a mark: whoever accesses another's is at a wrong address.
        let record = self.kernel.row_bytes * row;
        let mut data = rows.get(record..record + self.kernel.row_bytes).unwrap_or_default().to_vec();
        if let (Some(surface), Some(bound)) = (&self.case.surface, &self.kernel.surface) {
            Image::bind(&mut thread, surface);
            let handle = bound.handle_at.and_then(|at| data.get_mut(at..at + 8));
            handle.into_iter().for_each(|place| place.copy_from_slice(&SURFACE_HANDLE.to_le_bytes()));
        }
        thread.memory.add(MemoryRegion::new(ROWS + record as u64, data, false));
        let results = thread.memory.add(MemoryRegion::undefined(RESULTS + (result_bytes * row) as u64, *result_bytes));
        let mark = thread.memory.add(MemoryRegion::new(MARKS + row as u64 * 4, vec![0; 4], true));
        (thread, results, mark)
    }

    fn returned(&self, thread: &Thread, results: usize, row: usize) -> Answer {
        let region = thread.memory.region(results);
        for (place, output) in self.kernel.results.iter().zip(&self.case.outputs) {
            if !defined(region, *place) {
                return Answer::Failed(format!("'{}' depends on what nothing wrote", output.register));
            }
        }
        // As if the launch had begun with this row.
        let mut all = vec![0; self.kernel.result_bytes * row];
        all.extend_from_slice(region.data());
        let registers = decode(self.kernel, self.case, &all, row);
        let variables = changed(self.kernel, self.case, &all, row);
        let mut surface = None;
        if let (Some(before), Some(after)) = (&self.case.surface, &thread.surface) {
            if after.defined().iter().any(|bits| *bits != 0xff) {
                return Answer::Failed("the surface depends on what nothing wrote".to_owned());
            }
            surface = (before.data != after.surface().data).then(|| after.surface().data.clone());
        }
        Answer::Returned(Returned { registers, surface, variables })
    }
}

/// Whether all bits at a place are defined.
fn defined(region: &MemoryRegion, place: Place) -> bool {
    region.defined().get(place.at..place.at + place.bytes).is_some_and(|bits| bits.iter().all(|bits| *bits == 0xff))
}
