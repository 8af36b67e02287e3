//! Accesses to surfaces. Coordinates are in consecutive registers, the layer last. The handle is
//! in a register, or in a constant bank.

use ptx_exec::object::Geometry;

use super::{ListedStep, access, atomic};
use crate::instruction::{MachineOperand, Register};
use crate::machine::{Halt, Thread};
use crate::surface::{BoundSurface, OutOfBounds};
use ptx_exec::value::Bits;

/// `SULD.D.BA.2D.64.STRONG.SM.TRAP R8, [R12], UR6, 0x0`: bytes, where x counts bytes.
pub(super) fn load(thread: &mut Thread, step: &ListedStep) -> Result<(), Halt> {
    let has = |any| step.modifiers.has(any);
    let to = step.to(0)?;
    let size = size(step);
    let at = place(thread, step, 1, 2, Some(size.into()))?;
    let surface = bound(thread, step, 2)?;
    // Outside of the surface, zeros are loaded.
    let part = |part: usize| at.map_or(Bits::ZERO, |at| surface.load(at + part * 4, usize::from(size.min(4))));
    let [mut first, second, third, fourth] = [0, 1, 2, 3].map(part);
    if has(set!["S8", "S16"]) {
        first = first.sign_extended(u32::from(size) * 8);
    }
    let parts = [first, second, third, fourth];
    for (part, value) in (0..size.div_ceil(4)).zip(parts) {
        thread.set(to, part, value);
    }
    Ok(())
}

/// `SUST.D.BA.2D.64.STRONG.SM [R8], R10, UR6, 0x0`: bytes; `SUST.P.2D.STRONG.SM.RG [R4], R10, UR6, 0x0`: components,
/// which are converted, where x counts samples.
pub(super) fn store(thread: &mut Thread, step: &ListedStep) -> Result<(), Halt> {
    let has = |any| step.modifiers.has(any);
    let from = step.to(1)?;
    let formatted = has(set!["P"]);
    let size = size(step);
    let at = place(thread, step, 0, 2, (!formatted).then_some(size.into()))?;
    let parts = [0, 1, 2, 3].map(|part| thread.half(from, part));
    let surface = bound_mut(thread, step, 2)?;
    let Some(at) = at else { return Ok(()) };
    if formatted {
        let lanes = if has(set!["R"]) {
            1
        } else if has(set!["RG"]) {
            2
        } else {
            4
        };
        surface.store_sample(at, &parts[..lanes]);
        return Ok(());
    }
    let bytes = usize::from(size);
    for (part, value) in parts.into_iter().enumerate().take(bytes.div_ceil(4)) {
        surface.store(at + part * 4, bytes.min(4), value);
    }
    Ok(())
}

/// `SURED.D.BA.2D.MAX.S32.STRONG.SYS [R8], R0, UR6, 0x0`: an operation on memory; without `.BA`, x counts samples.
pub(super) fn reduce(thread: &mut Thread, step: &ListedStep) -> Result<(), Halt> {
    let has = |any| step.modifiers.has(any);
    let from = step.to(1)?;
    let wide = has(set!["U64"]) || has(set!["S64"]) || has(set!["SD64"]) || has(set!["64"]);
    let size = if wide { 8 } else { 4 };
    let at = place(thread, step, 0, 2, has(set!["BA"]).then_some(size))?;
    let new = [thread.half(from, 0), if wide { thread.half(from, 1) } else { Bits::ZERO }, Bits::ZERO, Bits::ZERO];
    let surface = bound_mut(thread, step, 2)?;
    let Some(at) = at else { return Ok(()) };
    let (signed, bits) = surface.integers();
    if !has(set!["BA"]) && bits != size * 8 {
        return Err(Halt::unknown("the samples have another size"));
    }
    let signed = if has(set!["SD32"]) || has(set!["SD64"]) { signed } else { has(set!["S32"]) || has(set!["S64"]) };
    let old = [surface.load(at, 4), if wide { surface.load(at + 4, 4) } else { Bits::ZERO }, Bits::ZERO, Bits::ZERO];
    let new = atomic::on_integers(step, size / 4, signed, &old, &new)?;
    surface.store(at, 4, new[0]);
    if wide {
        surface.store(at + 4, 4, new[1]);
    }
    Ok(())
}

/// `TXQ RZ, R5, R5, TEX_HEADER_DIMENSION, UR4, 0x0, 0x1`, `TXQ.B RZ, R7, R6, TEX_HEADER_DIMENSION, 0x1`: an extent, by a
/// mask of one bit. With `.B` the handle is in the register before the name of what is asked for.
pub(super) fn query(thread: &mut Thread, step: &ListedStep) -> Result<(), Halt> {
    let (to, what, handle, mask) = match &step.operands[..] {
        [_, MachineOperand::Register(to, ..), _, what, _, _, mask] if !step.modifiers.has(set!["B"]) => {
            (to, what, 4, mask)
        }
        [_, MachineOperand::Register(to, ..), _, what, mask] if step.modifiers.has(set!["B"]) => (to, what, 2, mask),
        _ => return Err(Halt::unknown("it has other operands than those of one extent")),
    };
    let (MachineOperand::Other(what), MachineOperand::Integer(mask)) = (what, mask) else {
        return Err(Halt::unknown("it has other operands than those of one extent"));
    };
    if what != "TEX_HEADER_DIMENSION" {
        return Err(Halt::Unknown(format!("{what} is unknown")));
    }
    let surface = bound(thread, step, handle)?.surface();
    let extent = match mask {
        1 => surface.width,
        2 => surface.height,
        4 => surface.depth,
        _ => return Err(Halt::unknown("it asks for several extents")),
    };
    thread.set(*to, 0, Bits::from(extent));
    Ok(())
}

/// The size of an access in bytes.
fn size(step: &ListedStep) -> u8 {
    access::size(step).0
}

/// Where an access goes; `None` if it is ignored.
fn place(
    thread: &Thread,
    step: &ListedStep,
    address: usize,
    handle: usize,
    bytes: Option<u32>,
) -> Result<Option<usize>, Halt> {
    let has = |any| step.modifiers.has(any);
    let surface = bound(thread, step, handle)?;
    let expected = match surface.surface().geometry {
        Geometry::D1 => set!["1D"],
        Geometry::D2 => set!["2D"],
        Geometry::D3 => set!["3D"],
        Geometry::A1d => set!["1D_ARRAY"],
        Geometry::A2d => set!["2D_ARRAY"],
    };
    if !has(expected) {
        return Err(Halt::unknown("the surface has another shape"));
    }
    let MachineOperand::Address(address) = step.operand(address)? else {
        return Err(Halt::unknown("it has no coordinates"));
    };
    let [Some(base), None] = address.bases else { return Err(Halt::unknown("it has no coordinates")) };
    let coordinate =
        |at: u8| -> Result<u32, Halt> { thread.half(base, at).word().ok_or(Halt::Undefined("a coordinate")) };
    let coordinates: Vec<u32> = (0..surface.coordinates()).map(coordinate).collect::<Result<_, _>>()?;
    let outside = match () {
        () if has(set!["TRAP"]) => OutOfBounds::Trapped,
        () if has(set!["IGN"]) => OutOfBounds::Ignored,
        () => OutOfBounds::Clamped,
    };
    Ok(surface.place(&coordinates, bytes, outside)?)
}

fn handle(thread: &Thread, step: &ListedStep, at: usize) -> Result<u64, Halt> {
    match step.operand(at)? {
        MachineOperand::Register(register, ..) => {
            thread.half(Register { wide: false, ..*register }, 0).known(32).ok_or(Halt::Undefined("a handle"))
        }
        // Before sm_90: a bank, and the number of a word in it.
        MachineOperand::Integer(bank) => match step.operand(at + 1)? {
            MachineOperand::Integer(word) => {
                let bank = u8::try_from(*bank).map_err(|_| Halt::unknown("the handle is in no bank"))?;
                let value = thread.constant(bank, None, word.wrapping_mul(4).cast_signed(), 4)?;
                value.known(32).ok_or(Halt::Undefined("a handle"))
            }
            _ => Err(Halt::unknown("the handle is not in a word of a bank")),
        },
        _ => Err(Halt::unknown("the handle is not in a register")),
    }
}

/// The surface of a handle.
fn bound<'t>(thread: &'t Thread, step: &ListedStep, at: usize) -> Result<&'t BoundSurface, Halt> {
    let handle = handle(thread, step, at)?;
    let surface = thread.surface.as_ref().filter(|surface| u64::from(surface.handle) == handle);
    surface.ok_or(Halt::Trap(ptx_exec::value::Fault::NoSurface(handle)))
}

fn bound_mut<'t>(thread: &'t mut Thread, step: &ListedStep, at: usize) -> Result<&'t mut BoundSurface, Halt> {
    let handle = handle(thread, step, at)?;
    let surface = thread.surface.as_mut().filter(|surface| u64::from(surface.handle) == handle);
    surface.ok_or(Halt::Trap(ptx_exec::value::Fault::NoSurface(handle)))
}
