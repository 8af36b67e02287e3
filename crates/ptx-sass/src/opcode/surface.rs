//! Accesses to surfaces. Coordinates are in consecutive registers, the layer last. The handle is
//! in a register, or in a constant bank.

use ptx_exec::object::Geometry;

use super::access::AccessSize;
use super::atomic::IntegerOperation;
use super::convert::IntegerType;
use super::shape::{DecodedStep, MachineShape, Unfit, effect, number, register, take};
use crate::instruction::{MachineOperand, Register};
use crate::machine::{Halt, Thread};
use crate::surface::{BoundSurface, OutOfBounds};
use ptx_exec::value::{Bits, Fault};

/// Where the handle of a surface is.
#[derive(Clone, Copy)]
enum Handle {
    Register(Register),
    /// Before sm_90: a bank, and the offset of a word in it.
    Constant(u8, i64),
}

impl Handle {
    /// From the operands at the end of an access.
    fn of(operands: &[MachineOperand]) -> Result<Self, Unfit> {
        match operands {
            [MachineOperand::Register(register, ..)]
            | [MachineOperand::Register(register, ..), MachineOperand::Integer(0)] => {
                Ok(Self::Register(Register { wide: false, ..*register }))
            }
            [MachineOperand::Integer(bank), MachineOperand::Integer(word)] => {
                let bank = u8::try_from(*bank).map_err(|_| Unfit::because("the handle is in no bank"))?;
                Ok(Self::Constant(bank, word.wrapping_mul(4).cast_signed()))
            }
            _ => Err(Unfit::because("its handle is neither in a register nor in a word of a bank")),
        }
    }

    fn get(self, thread: &Thread) -> Result<u64, Halt> {
        let value = match self {
            Self::Register(register) => thread.half(register, 0),
            Self::Constant(bank, offset) => thread.constant(bank, None, offset, 4)?,
        };
        value.known(32).ok_or(Halt::Undefined("a handle"))
    }

    /// The surface of the handle.
    fn bound(self, thread: &Thread) -> Result<&BoundSurface, Halt> {
        let handle = self.get(thread)?;
        let surface = thread.surface.as_ref().filter(|surface| u64::from(surface.handle) == handle);
        surface.ok_or(Halt::Trap(Fault::NoSurface(handle)))
    }

    fn bound_mut(self, thread: &mut Thread) -> Result<&mut BoundSurface, Halt> {
        let handle = self.get(thread)?;
        let surface = thread.surface.as_mut().filter(|surface| u64::from(surface.handle) == handle);
        surface.ok_or(Halt::Trap(Fault::NoSurface(handle)))
    }
}

/// The shape of a surface.
fn geometry(rest: &mut &[&str]) -> Result<Geometry, Unfit> {
    let named = take(rest, |name| {
        Some(match name {
            "1D" => Geometry::D1,
            "2D" => Geometry::D2,
            "3D" => Geometry::D3,
            "1D_ARRAY" => Geometry::A1d,
            "2D_ARRAY" => Geometry::A2d,
            _ => return None,
        })
    });
    named.ok_or(Unfit::MODIFIERS)
}

/// The handling of accesses outside of a surface, which is the last modifier.
fn outside(rest: &[&str]) -> Result<OutOfBounds, Unfit> {
    match rest {
        [] => Ok(OutOfBounds::Clamped),
        ["IGN"] => Ok(OutOfBounds::Ignored),
        ["TRAP"] => Ok(OutOfBounds::Trapped),
        _ => Err(Unfit::MODIFIERS),
    }
}

/// Where an access goes.
#[derive(Clone, Copy)]
struct SampleAccess {
    /// The first coordinate.
    coordinates: Register,
    handle: Handle,
    geometry: Geometry,
    /// How many bytes x counts; none if it counts samples.
    bytes: Option<u32>,
    outside: OutOfBounds,
}

impl SampleAccess {
    /// The register with the first coordinate.
    fn first(operand: &MachineOperand) -> Result<Register, Unfit> {
        match operand {
            MachineOperand::Address(address) => match address.bases {
                [Some(base), None] if address.offset == 0 => Ok(base),
                _ => Err(Unfit::because("it has no coordinates")),
            },
            _ => Err(Unfit::because("it has no coordinates")),
        }
    }

    /// The position among the samples; none if the access is ignored.
    fn find(&self, thread: &Thread) -> Result<Option<usize>, Halt> {
        let surface = self.handle.bound(thread)?;
        if surface.surface().geometry != self.geometry {
            return Err(Halt::unknown("the surface has another shape"));
        }
        let coordinate = |at: u8| thread.half(self.coordinates, at).word().ok_or(Halt::Undefined("a coordinate"));
        let coordinates: Vec<u32> = (0..surface.coordinates()).map(coordinate).collect::<Result<_, _>>()?;
        Ok(surface.place(&coordinates, self.bytes, self.outside)?)
    }
}

/// `SULD.D.BA.2D.64.STRONG.SM.TRAP R8, [R12], UR6, 0x0`: bytes, where x counts bytes.
pub(super) fn load(shape: &MachineShape) -> DecodedStep {
    let ["D", "BA", rest @ ..] = &shape.modifiers[..] else { return Err(Unfit::MODIFIERS) };
    let mut rest = rest;
    let geometry = geometry(&mut rest)?;
    let AccessSize { bytes, signed } = AccessSize::take(&mut rest);
    let outside = outside(rest)?;
    let [to, coordinates, handle @ ..] = shape.operands else { return Err(Unfit::OPERANDS) };
    let (to, coordinates, handle) = (register(to)?, SampleAccess::first(coordinates)?, Handle::of(handle)?);
    let place = SampleAccess { coordinates, handle, geometry, bytes: Some(bytes.into()), outside };
    effect(move |thread| {
        let at = place.find(thread)?;
        let surface = handle.bound(thread)?;
        // Outside of the surface, zeros are loaded.
        let part = |part: usize| at.map_or(Bits::ZERO, |at| surface.load(at + part * 4, usize::from(bytes.min(4))));
        let [mut first, second, third, fourth] = [0, 1, 2, 3].map(part);
        if signed {
            first = first.sign_extended(u32::from(bytes) * 8);
        }
        for (part, value) in (0..bytes.div_ceil(4)).zip([first, second, third, fourth]) {
            thread.set(to, part, value);
        }
        Ok(())
    })
}

/// `SUST.D.BA.2D.64.STRONG.SM [R8], R10, UR6, 0x0`: bytes; `SUST.P.2D.STRONG.SM.RG [R4], R10, UR6, 0x0`: components,
/// which are converted, where x counts samples.
pub(super) fn store(shape: &MachineShape) -> DecodedStep {
    let (formatted, mut rest) = match &shape.modifiers[..] {
        ["D", "BA", rest @ ..] => (false, rest),
        ["P", rest @ ..] => (true, rest),
        _ => return Err(Unfit::MODIFIERS),
    };
    let geometry = geometry(&mut rest)?;
    let lanes = take(&mut rest, |name| formatted.then(|| [("R", 1), ("RG", 2)].into_iter().find(|of| of.0 == name))?);
    let lanes = lanes.map_or(4, |(_, lanes)| lanes);
    let bytes = if formatted { 4 } else { AccessSize::take(&mut rest).bytes };
    let outside = outside(rest)?;
    let [coordinates, from, handle @ ..] = shape.operands else { return Err(Unfit::OPERANDS) };
    let (coordinates, from, handle) = (SampleAccess::first(coordinates)?, register(from)?, Handle::of(handle)?);
    let place = SampleAccess { coordinates, handle, geometry, bytes: (!formatted).then_some(bytes.into()), outside };
    effect(move |thread| {
        let Some(at) = place.find(thread)? else { return Ok(()) };
        let parts = [0, 1, 2, 3].map(|part| thread.half(from, part));
        let surface = handle.bound_mut(thread)?;
        if formatted {
            surface.store_sample(at, &parts[..lanes]);
            return Ok(());
        }
        let bytes = usize::from(bytes);
        for (part, value) in parts.into_iter().enumerate().take(bytes.div_ceil(4)) {
            surface.store(at + part * 4, bytes.min(4), value);
        }
        Ok(())
    })
}

/// The integers of a reduction: those of its modifiers, or with `.SD32` and `.SD64` signed ones if the format is.
struct SampleType {
    kind: IntegerType,
    by_format: bool,
}

/// `SURED.D.BA.2D.MAX.S32.STRONG.SYS [R8], R0, UR6, 0x0`: an operation on memory; without `.BA`, x counts samples.
pub(super) fn reduce(shape: &MachineShape) -> DecodedStep {
    let (by_bytes, mut rest) = match &shape.modifiers[..] {
        ["D", "BA", rest @ ..] => (true, rest),
        ["D", rest @ ..] => (false, rest),
        _ => return Err(Unfit::MODIFIERS),
    };
    let geometry = geometry(&mut rest)?;
    let operation = take(&mut rest, |name| match name {
        "INC" | "DEC" | "XOR" => None,
        name => IntegerOperation::named(name),
    });
    let operation = operation.ok_or(Unfit::MODIFIERS)?;
    let SampleType { kind, by_format } = take(&mut rest, reduced)
        .unwrap_or(SampleType { kind: IntegerType { width: 32, signed: false }, by_format: false });
    let outside = outside(rest)?;
    let [coordinates, from, handle @ ..] = shape.operands else { return Err(Unfit::OPERANDS) };
    let (coordinates, from, handle) = (SampleAccess::first(coordinates)?, register(from)?, Handle::of(handle)?);
    let bytes = by_bytes.then_some(kind.width / 8);
    let place = SampleAccess { coordinates, handle, geometry, bytes, outside };
    let wide = kind.width == 64;
    effect(move |thread| {
        let Some(at) = place.find(thread)? else { return Ok(()) };
        let upper = if wide { thread.half(from, 1) } else { Bits::ZERO };
        let new = [thread.half(from, 0), upper, Bits::ZERO, Bits::ZERO];
        let surface = handle.bound_mut(thread)?;
        let (signed, bits) = surface.integers();
        if !by_bytes && bits != kind.width {
            return Err(Halt::unknown("the samples have another size"));
        }
        let kind = IntegerType { signed: if by_format { signed } else { kind.signed }, ..kind };
        let upper = if wide { surface.load(at + 4, 4) } else { Bits::ZERO };
        let new = operation.apply(kind, &[surface.load(at, 4), upper, Bits::ZERO, Bits::ZERO], &new);
        surface.store(at, 4, new[0]);
        if wide {
            surface.store(at + 4, 4, new[1]);
        }
        Ok(())
    })
}

fn reduced(name: &str) -> Option<SampleType> {
    let (width, signed, by_format) = match name {
        "S32" => (32, true, false),
        "64" | "U64" => (64, false, false),
        "S64" => (64, true, false),
        "SD32" => (32, false, true),
        "SD64" => (64, false, true),
        _ => return None,
    };
    Some(SampleType { kind: IntegerType { width, signed }, by_format })
}

/// `TXQ RZ, R5, R5, TEX_HEADER_DIMENSION, UR4, 0x0, 0x1`, `TXQ.B RZ, R7, R6, TEX_HEADER_DIMENSION, 0x1`: an extent, by a
/// mask of one bit. With `.B` the handle is in the register before the name of what is asked for.
pub(super) fn query(shape: &MachineShape) -> DecodedStep {
    let (to, what, handle, mask) = match (&shape.modifiers[..], shape.operands) {
        ([], [_, to, _, what, one, two, mask]) => (to, what, Handle::of(&[one.clone(), two.clone()])?, mask),
        (["B"], [_, to, handle, what, mask]) => (to, what, Handle::of(std::slice::from_ref(handle))?, mask),
        _ => return Err(Unfit::because("it has other operands than those of one extent")),
    };
    match what {
        MachineOperand::Other(what) if what == "TEX_HEADER_DIMENSION" => {}
        _ => return Err(Unfit::because("it asks for something else than an extent")),
    }
    let axis: fn(&ptx_exec::object::Surface) -> u32 = match number(mask)? {
        1 => |surface| surface.width,
        2 => |surface| surface.height,
        4 => |surface| surface.depth,
        _ => return Err(Unfit::because("it asks for several extents")),
    };
    let to = register(to)?;
    effect(move |thread| {
        let extent = axis(handle.bound(thread)?.surface());
        thread.set(to, 0, Bits::from(extent));
        Ok(())
    })
}
