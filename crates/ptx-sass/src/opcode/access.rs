//! Accesses to memory.

use super::ListedStep;
use crate::instruction::{MachineAddress, MachineOperand, Register};
use crate::machine::{DEFAULT_DESCRIPTOR, Halt, LOCAL_WINDOW, SHARED_WINDOW, Thread};
use ptx_exec::value::Fault;

/// A kind of address.
#[derive(Clone, Copy)]
pub(super) enum Window {
    /// 64 bits, in any space.
    Generic,
    /// The low 32 bits, from the start of a space.
    At(u64),
}

/// `LDG.E.64 R2, desc[UR4][R2.64+0x10]`, `LD.E R0, [R8.64]`
pub(super) fn load_generic(thread: &mut Thread, step: &ListedStep) -> Result<(), Halt> {
    load(thread, step, Window::Generic)
}

/// `LDS R0, [R4+UR5]`
pub(super) fn load_shared(thread: &mut Thread, step: &ListedStep) -> Result<(), Halt> {
    load(thread, step, Window::At(SHARED_WINDOW))
}

/// `LDL R0, [R1]`
pub(super) fn load_local(thread: &mut Thread, step: &ListedStep) -> Result<(), Halt> {
    load(thread, step, Window::At(LOCAL_WINDOW))
}

/// `STG.E desc[UR4][R2.64], R0`, `ST.E [R2.64], R0`
pub(super) fn store_generic(thread: &mut Thread, step: &ListedStep) -> Result<(), Halt> {
    store(thread, step, Window::Generic)
}

/// `STS [R4], R0`
pub(super) fn store_shared(thread: &mut Thread, step: &ListedStep) -> Result<(), Halt> {
    store(thread, step, Window::At(SHARED_WINDOW))
}

/// `STL [R1+0x8], R0`
pub(super) fn store_local(thread: &mut Thread, step: &ListedStep) -> Result<(), Halt> {
    store(thread, step, Window::At(LOCAL_WINDOW))
}

/// The halves of an access to 256 bits, for each the offset in bytes, the register that has its first word, and which
/// words are accessed: registers have no gaps where words are left out.
///
/// `LDG.E.ENL2.256 R12, R8, desc[UR4][R2.64], 0xf7` has the upper half first, `STG.E.ENL2.256 desc[UR4][R4.64], R8, R6`
/// the lower one; a mask has a bit for each word, and is left out if all are accessed.
fn halves(step: &ListedStep, first: usize, upper_first: bool) -> Result<[(u64, Register, u64); 2], Halt> {
    // After two registers and the address.
    let mask = match step.operands.get(3) {
        None => 0xff,
        Some(MachineOperand::Integer(mask)) => *mask,
        Some(_) => return Err(Halt::unknown("its mask is not a number")),
    };
    let (one, other) = (step.to(first)?, step.to(first + 1)?);
    let (lower, upper) = if upper_first { (other, one) } else { (one, other) };
    Ok([(0, lower, mask & 0xf), (16, upper, mask >> 4 & 0xf)])
}

/// Each word that is accessed of the halves: its offset in bytes, and its register.
fn words(halves: [(u64, Register, u64); 2]) -> impl Iterator<Item = (u64, Register, u8)> {
    halves.into_iter().flat_map(|(start, register, mask)| {
        let accessed = (0..4).filter(move |word| mask >> word & 1 == 1);
        accessed.zip(0_u8..).map(move |(word, at)| (start + word * 4, register, at))
    })
}

/// An access to 256 bits must be aligned to its size, even if it leaves words out.
const LARGEST: u64 = 32;

fn load_halves(thread: &mut Thread, step: &ListedStep, window: Window) -> Result<(), Halt> {
    let address = aligned(address(thread, step, 2, window)?)?;
    for (offset, register, at) in words(halves(step, 0, true)?) {
        let value = thread.memory.load(address.wrapping_add(offset), 4, 4)?;
        thread.set(register, at, value);
    }
    Ok(())
}

fn store_halves(thread: &mut Thread, step: &ListedStep, window: Window) -> Result<(), Halt> {
    let address = aligned(address(thread, step, 0, window)?)?;
    for (offset, register, at) in words(halves(step, 1, false)?) {
        let value = thread.half(register, at);
        thread.memory.store(address.wrapping_add(offset), 4, 4, value)?;
    }
    Ok(())
}

fn aligned(address: u64) -> Result<u64, Halt> {
    if address.is_multiple_of(LARGEST) { Ok(address) } else { Err(Halt::Trap(Fault::Misaligned(address))) }
}

fn load(thread: &mut Thread, step: &ListedStep, window: Window) -> Result<(), Halt> {
    if step.modifiers.has(set!["256"]) {
        return load_halves(thread, step, window);
    }
    let address = address(thread, step, 1, window)?;
    let (bytes, signed) = size(step);
    let to = step.to(0)?;
    if bytes < 4 {
        let value = thread.memory.load(address, bytes.into(), bytes.into())?;
        thread.set(to, 0, if signed { value.sign_extended(u32::from(bytes) * 8) } else { value });
        return Ok(());
    }
    for part in 0..bytes / 4 {
        let at = address.wrapping_add(u64::from(part) * 4);
        // The alignment is that of the whole access.
        let value = thread.memory.load(at, 4, if part == 0 { bytes.into() } else { 4 })?;
        thread.set(to, part, value);
    }
    Ok(())
}

fn store(thread: &mut Thread, step: &ListedStep, window: Window) -> Result<(), Halt> {
    if step.modifiers.has(set!["256"]) {
        return store_halves(thread, step, window);
    }
    let address = address(thread, step, 0, window)?;
    let (bytes, _) = size(step);
    let from = step.to(1)?;
    if bytes < 4 {
        let value = thread.half(from, 0);
        thread.memory.store(address, bytes.into(), bytes.into(), value)?;
        return Ok(());
    }
    for part in 0..bytes / 4 {
        let value = thread.half(from, part);
        let aligned = if part == 0 { bytes.into() } else { 4 };
        thread.memory.store(address.wrapping_add(u64::from(part) * 4), 4, aligned, value)?;
    }
    Ok(())
}

/// How many bytes are accessed, and whether they are sign-extended.
pub(super) fn size(step: &ListedStep) -> (u8, bool) {
    let has = |any| step.modifiers.has(any);
    let bytes = match () {
        () if has(set!["U8"]) || has(set!["S8"]) => 1,
        () if has(set!["U16"]) || has(set!["S16"]) => 2,
        () if has(set!["64"]) => 8,
        () if has(set!["128"]) => 16,
        () => 4,
    };
    (bytes, has(set!["S8"]) || has(set!["S16"]))
}

/// The generic address of an operand; its memory descriptor must be defined.
pub(super) fn address(thread: &mut Thread, step: &ListedStep, at: usize, window: Window) -> Result<u64, Halt> {
    let MachineOperand::Address(address) = step.operand(at)? else {
        return Err(Halt::unknown("it has no address"));
    };
    descriptor(thread, address)?;
    let sum = thread.address(address, step.modifiers.has(set!["E"]))?;
    Ok(match window {
        Window::Generic => sum,
        Window::At(start) => start + (sum & 0xffff_ffff),
    })
}

/// Checks a memory descriptor: it is not interpreted, but it must be one that PTX asks for.
fn descriptor(thread: &mut Thread, address: &MachineAddress) -> Result<(), Halt> {
    let Some(descriptor) = address.descriptor else { return Ok(()) };
    match thread.register(Register { wide: true, ..descriptor }).known(64) {
        None => Err(Halt::Undefined("a memory descriptor")),
        Some(DEFAULT_DESCRIPTOR) => Ok(()),
        Some(policy) if thread.policies.contains(&policy) => {
            thread.used_policy = true;
            Ok(())
        }
        Some(other) => {
            let words = format!("the memory descriptor 0x{other:x} is neither the default nor that of a cache policy");
            Err(Halt::Defect(words))
        }
    }
}
