//! Kernel cases on the device: launches of a loaded module, on buffers.

use ptx_exec::kernel_case::{ALIGNMENT, KernelAnswer, KernelArgument, KernelCase, KernelLaunch};

use super::driver::{Buffer, Device, DriverFault, LoadedModule, Parameters};
use super::messages::WorkerReport;
use crate::protocol::SentLaunches;

/// The reason why launches have no result.
enum NoResult {
    /// They were not executed; says why.
    Skipped(String),
    /// The driver refused something, or a launch ended the context.
    Fault(DriverFault),
}

impl From<DriverFault> for NoResult {
    fn from(fault: DriverFault) -> Self {
        Self::Fault(fault)
    }
}

/// Executes the launches of a case; `module` has the state that its text gives it.
pub(super) fn execute(device: &'static Device, module: &LoadedModule, sent: SentLaunches) -> WorkerReport {
    let case = KernelCase { module: "".into(), buffers: sent.buffers, launches: sent.launches };
    match executed(device, module, &case) {
        Ok(answer) => WorkerReport::Executed(answer),
        Err(NoResult::Skipped(why)) => WorkerReport::Executed(KernelAnswer::Skipped(why)),
        Err(NoResult::Fault(fault)) if fault.sticky() => {
            WorkerReport::Died { words: fault.to_string(), trap: true, marks: Vec::new() }
        }
        Err(NoResult::Fault(fault)) => WorkerReport::Executed(KernelAnswer::Failed(fault.to_string())),
    }
}

fn executed(device: &'static Device, module: &LoadedModule, case: &KernelCase) -> Result<KernelAnswer, NoResult> {
    let mut buffers = Vec::with_capacity(case.buffers.len());
    for buffer in &case.buffers {
        // A buffer ends where its memory ends, and begins at a multiple of the alignment.
        let size = buffer.data.len().next_multiple_of(usize::try_from(ALIGNMENT).unwrap_or(1));
        let on_device = Buffer::new(device, size)?;
        on_device.write(0, &buffer.data)?;
        buffers.push(on_device);
    }
    let addresses: Vec<u64> = buffers.iter().map(Buffer::address).collect();
    for launch in &case.launches {
        let KernelLaunch { entry, grid, block, arguments } = launch;
        let function = module.function(entry).map_err(NoResult::Skipped)?;
        let bytes = |argument: &KernelArgument| case.argument(argument, &addresses).map_err(NoResult::Skipped);
        let arguments = arguments.iter().map(bytes).collect::<Result<Vec<_>, NoResult>>()?;
        function.launch(*grid, *block, &mut Parameters::new(arguments))?;
        device.synchronize()?;
    }
    let mut after = Vec::with_capacity(buffers.len());
    for (buffer, before) in buffers.iter().zip(&case.buffers) {
        if !buffer.intact()? {
            buffer.restore()?;
            return Ok(KernelAnswer::Failed(format!("wrote outside of the buffer `{}`", before.name)));
        }
        after.push(buffer.read(0, before.data.len())?);
    }
    let defined: Vec<Vec<u8>> = after.iter().map(|data| vec![0xff; data.len()]).collect();
    let of = after.iter().zip(&defined).map(|(data, defined)| (data.as_slice(), defined.as_slice()));
    Ok(KernelAnswer::Returned(case.result(of)))
}
