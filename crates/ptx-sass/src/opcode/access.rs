//! Accesses to memory.

use super::shape::{DecodedStep, MachineShape, Unfit, effect, number, register, take};
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

/// The address of an access.
pub(super) struct AccessPlace {
    address: MachineAddress,
    /// True if registers that are printed without a width have 64 bits.
    extended: bool,
    window: Window,
}

impl AccessPlace {
    pub(super) fn of(operand: &MachineOperand, window: Window, extended: bool) -> Result<Self, Unfit> {
        match operand {
            MachineOperand::Address(address) => Ok(Self { address: address.clone(), extended, window }),
            _ => Err(Unfit::because("it has no address")),
        }
    }

    /// The generic address; its memory descriptor must be defined.
    #[inline]
    pub(super) fn get(&self, thread: &mut Thread) -> Result<u64, Halt> {
        descriptor(thread, &self.address)?;
        let sum = thread.address(&self.address, self.extended)?;
        Ok(match self.window {
            Window::Generic => sum,
            Window::At(start) => start + (sum & 0xffff_ffff),
        })
    }
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

/// The size of an access in bytes, and whether what is loaded is sign-extended.
#[derive(Clone, Copy)]
pub(super) struct AccessSize {
    pub(super) bytes: u8,
    pub(super) signed: bool,
}

impl AccessSize {
    /// By the modifier for it; without one it is 32 bits.
    pub(super) fn take(rest: &mut &[&str]) -> Self {
        let named = take(rest, |name| {
            Some(match name {
                "U8" => Self { bytes: 1, signed: false },
                "S8" => Self { bytes: 1, signed: true },
                "U16" => Self { bytes: 2, signed: false },
                "S16" => Self { bytes: 2, signed: true },
                "64" => Self { bytes: 8, signed: false },
                "128" => Self { bytes: 16, signed: false },
                "256" => Self { bytes: 32, signed: false },
                _ => return None,
            })
        });
        named.unwrap_or(Self { bytes: 4, signed: false })
    }
}

/// The `.E` of 64-bit addresses, the size, and nothing else.
fn size(shape: &MachineShape) -> Result<(bool, AccessSize), Unfit> {
    let mut rest = &shape.modifiers[..];
    let extended = take(&mut rest, |name| (name == "E").then_some(())).is_some();
    let size = AccessSize::take(&mut rest);
    if rest.is_empty() { Ok((extended, size)) } else { Err(Unfit::MODIFIERS) }
}

/// `LDG.E.64 R2, desc[UR4][R2.64+0x10]`, `LD.E R0, [R8.64]`
pub(super) fn load_generic(shape: &MachineShape) -> DecodedStep {
    load(shape, Window::Generic)
}

/// `LDS R0, [R4+UR5]`
pub(super) fn load_shared(shape: &MachineShape) -> DecodedStep {
    load(shape, Window::At(SHARED_WINDOW))
}

/// `LDL R0, [R1]`
pub(super) fn load_local(shape: &MachineShape) -> DecodedStep {
    load(shape, Window::At(LOCAL_WINDOW))
}

/// `STG.E desc[UR4][R2.64], R0`, `ST.E [R2.64], R0`
pub(super) fn store_generic(shape: &MachineShape) -> DecodedStep {
    store(shape, Window::Generic)
}

/// `STS [R4], R0`
pub(super) fn store_shared(shape: &MachineShape) -> DecodedStep {
    store(shape, Window::At(SHARED_WINDOW))
}

/// `STL [R1+0x8], R0`
pub(super) fn store_local(shape: &MachineShape) -> DecodedStep {
    store(shape, Window::At(LOCAL_WINDOW))
}

fn load(shape: &MachineShape, window: Window) -> DecodedStep {
    let (extended, AccessSize { bytes, signed }) = size(shape)?;
    let (to, address) = match shape.operands {
        [upper, lower, address, mask @ ..] if bytes == 32 => {
            let words = words(register(lower)?, register(upper)?, mask)?;
            return load_halves(words, AccessPlace::of(address, window, extended)?);
        }
        [to, address] if bytes < 32 => (register(to)?, AccessPlace::of(address, window, extended)?),
        _ => return Err(Unfit::OPERANDS),
    };
    effect(move |thread| {
        let address = address.get(thread)?;
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
    })
}

fn store(shape: &MachineShape, window: Window) -> DecodedStep {
    let (extended, AccessSize { bytes, .. }) = size(shape)?;
    let (address, from) = match shape.operands {
        [address, lower, upper, mask @ ..] if bytes == 32 => {
            let words = words(register(lower)?, register(upper)?, mask)?;
            return store_halves(words, AccessPlace::of(address, window, extended)?);
        }
        [address, from] if bytes < 32 => (AccessPlace::of(address, window, extended)?, register(from)?),
        _ => return Err(Unfit::OPERANDS),
    };
    effect(move |thread| {
        let address = address.get(thread)?;
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
    })
}

/// A word of an access to 256 bits: its offset in bytes, and its register, which is the first of a half or one after it.
type Word = (u64, Register, u8);

/// The words of an access to 256 bits. Registers have no gaps where words are left out.
///
/// `LDG.E.ENL2.256 R12, R8, desc[UR4][R2.64], 0xf7` has the upper half first, `STG.E.ENL2.256 desc[UR4][R4.64], R8, R6`
/// the lower one; a mask has a bit for each word, and is left out if all are accessed.
fn words(lower: Register, upper: Register, mask: &[MachineOperand]) -> Result<Vec<Word>, Unfit> {
    let mask = match mask {
        [] => 0xff,
        [mask] => number(mask)?,
        _ => return Err(Unfit::OPERANDS),
    };
    let halves = [(0, lower, mask & 0xf), (16, upper, mask >> 4 & 0xf)];
    let words = halves.into_iter().flat_map(|(start, register, mask)| {
        let accessed = (0..4).filter(move |word| mask >> word & 1 == 1);
        accessed.zip(0_u8..).map(move |(word, at)| (start + word * 4, register, at))
    });
    Ok(words.collect())
}

/// An access to 256 bits must be aligned to its size, even if it leaves words out.
const LARGEST: u64 = 32;

fn load_halves(words: Vec<Word>, address: AccessPlace) -> DecodedStep {
    effect(move |thread| {
        let address = aligned(address.get(thread)?)?;
        for &(offset, register, at) in &words {
            let value = thread.memory.load(address.wrapping_add(offset), 4, 4)?;
            thread.set(register, at, value);
        }
        Ok(())
    })
}

fn store_halves(words: Vec<Word>, address: AccessPlace) -> DecodedStep {
    effect(move |thread| {
        let address = aligned(address.get(thread)?)?;
        for &(offset, register, at) in &words {
            let value = thread.half(register, at);
            thread.memory.store(address.wrapping_add(offset), 4, 4, value)?;
        }
        Ok(())
    })
}

fn aligned(address: u64) -> Result<u64, Halt> {
    if address.is_multiple_of(LARGEST) { Ok(address) } else { Err(Halt::Trap(Fault::Misaligned(address))) }
}
