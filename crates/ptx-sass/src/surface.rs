//! A surface that a thread accesses: where an access goes, and its samples, of which each bit may be undefined.
//!
//! At the edges, the surface unit does what the model expects of PTX. So only what the machine code asks for is
//! tested, not what the unit does.

use ptx_exec::object::{Component, Surface};

use ptx_exec::value::Bits;
use ptx_exec::value::{Fault, read_bits};

/// The handling of an access out of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutOfBounds {
    /// Each coordinate is moved to the nearest one inside.
    Clamped,
    /// A load returns zeros, and a store does nothing.
    Ignored,
    /// It traps.
    Trapped,
}

/// The reason why an access goes nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPlace {
    /// It traps.
    Trap(Fault),
    /// The interpreter does not know; says why.
    Unknown(&'static str),
}

/// A surface and its handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundSurface {
    /// The low 32 bits of the handle.
    pub handle: u32,
    surface: Surface,
    /// The bits of the samples that are defined.
    defined: Vec<u8>,
    /// True if anything was stored.
    written: bool,
}

impl BoundSurface {
    /// A surface whose samples are defined.
    pub fn new(handle: u32, surface: Surface) -> Self {
        let defined = vec![0xff; surface.data.len()];
        Self { handle, surface, defined, written: false }
    }

    /// Takes back all stores; `samples` are those that it had at first.
    pub fn restore(&mut self, samples: &[u8]) {
        if self.written {
            self.surface.data.copy_from_slice(samples);
            self.defined.fill(0xff);
            self.written = false;
        }
    }

    /// True if anything was stored.
    pub fn written(&self) -> bool {
        self.written
    }

    /// Its shape and its samples; undefined bits are 0.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// The bits of the samples that are defined.
    pub fn defined(&self) -> &[u8] {
        &self.defined
    }

    /// How many coordinates an access has.
    pub fn coordinates(&self) -> u8 {
        self.surface.geometry.dimensions() + u8::from(self.surface.geometry.layered())
    }

    /// The position of an access in the samples; `None` if it is ignored. The coordinates are x, y, z and the layer, as
    /// far as the surface has them; x counts bytes for an access of this size, or samples.
    ///
    /// # Errors
    /// If it traps, or if what happens is unknown.
    pub fn place(
        &self,
        coordinates: &[u32],
        bytes: Option<u32>,
        outside: OutOfBounds,
    ) -> Result<Option<usize>, NoPlace> {
        let surface = &self.surface;
        let x = coordinates[0];
        let (unit, last) = match bytes {
            None => (surface.format.bytes(), surface.width - 1),
            Some(size) => {
                let row = surface.row_bytes();
                if !x.is_multiple_of(size) {
                    return Err(NoPlace::Unknown("x is not a multiple of the size"));
                }
                match (row / size * size).checked_sub(size) {
                    Some(last) if x <= last || x >= row => (1, last),
                    None if x >= row && outside != OutOfBounds::Clamped => return beyond(outside),
                    _ => return Err(NoPlace::Unknown("a part of the access is outside")),
                }
            }
        };
        let dimensions = usize::from(surface.geometry.dimensions());
        let mut inside = true;
        let mut bound = |at: usize, last: u32, signed: bool| {
            let coordinate = if signed { coordinates[at] } else { coordinates[at] & Surface::LAYER };
            inside &= coordinate <= last;
            if signed && coordinate.cast_signed() < 0 { 0 } else { coordinate.min(last) }
        };
        let column = bound(0, last, true);
        let row = if dimensions >= 2 { bound(1, surface.rows() - 1, true) } else { 0 };
        let slice = match (dimensions, surface.geometry.layered()) {
            (3, _) => bound(2, surface.slices() - 1, true),
            (_, true) => bound(dimensions, surface.slices() - 1, false),
            _ => 0,
        };
        if !inside && outside != OutOfBounds::Clamped {
            return beyond(outside);
        }
        Ok(Some(surface.position(column * unit, row, slice)))
    }

    /// Up to 8 bytes at a position; those that are not there are undefined.
    pub fn load(&self, at: usize, bytes: usize) -> Bits {
        read_bits(&self.surface.data, &self.defined, at, bytes)
    }

    /// Stores up to 8 bytes at a position.
    pub fn store(&mut self, at: usize, bytes: usize, value: Bits) {
        self.written = true;
        let places = self.surface.data.iter_mut().zip(&mut self.defined).skip(at).take(bytes);
        let new = value.value().to_le_bytes().into_iter().zip(value.defined().to_le_bytes());
        for ((byte, defined), (new, new_defined)) in places.zip(new) {
            (*byte, *defined) = (new, new_defined);
        }
    }

    /// Converts components to those of a sample, and stores them. Components without a source stay.
    pub fn store_sample(&mut self, at: usize, sources: &[Bits]) {
        let component = self.surface.format.component;
        let bytes = usize::from(component.bits() / 8);
        for (channel, source) in sources.iter().take(self.surface.format.channels.into()).enumerate() {
            let value = source.word().map_or(Bits::UNDEFINED, |source| Bits::from(component.converted(source)));
            self.store(at + channel * bytes, bytes, value);
        }
    }

    /// True if the samples are signed integers, and their size in bits.
    pub fn integers(&self) -> (bool, u32) {
        (matches!(self.surface.format.component, Component::Signed(_)), self.surface.format.bytes() * 8)
    }
}

/// The result of an access beyond the surface that is not clamped to it.
fn beyond(outside: OutOfBounds) -> Result<Option<usize>, NoPlace> {
    if outside == OutOfBounds::Trapped { Err(NoPlace::Trap(Fault::OutsideSurface)) } else { Ok(None) }
}
