//! `suld`, `sust`, `sured` and `suq`. PTX ISA `surface-instructions`.

use super::convert::{Converted, convert};
use super::{
    Effect, Expectation, Inferences, Lane, Object, Operands, Semantics, Undefined, Unmodelled, ValueSource, Write,
};
use crate::object::{Component, Format, Geometry, Surface};
use crate::semantics::Operation;
use crate::value::ExpectedValue;
use crate::value::low;
use crate::value::read;
use ptx_spec::spec::Kind;

/// The handling of an access out of bounds. PTX ISA `surface-instructions-suld`, `.clamp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::enum_variant_names, reason = "the modifier is called so, and one of its values")]
enum Clamp {
    Trap,
    Clamp,
    Zero,
}

/// Where an access goes.
struct SurfaceAccess<'a> {
    surface: &'a Surface,
    clamp: Clamp,
    /// Its size in bytes.
    size: u32,
    /// True if x counts samples instead of bytes.
    samples: bool,
    x: ValueSource,
    y: Option<ValueSource>,
    /// z or the layer.
    slice: Option<ValueSource>,
}

/// Where an access of a row goes.
enum SurfacePlace {
    /// At this position in the data of the surface.
    At(usize, Inferences),
    /// Nowhere: it is out of bounds, and not clamped.
    Outside(Inferences),
    /// The manual does not say.
    Undefined(Undefined),
}

impl<'a> SurfaceAccess<'a> {
    /// The access of a line, `size` bytes large.
    fn new(operands: &Operands<'_, 'a>, size: u32, samples: bool) -> Result<Self, Unmodelled> {
        let surface = operands.surface()?;
        let geometry = operands.modifier("geom").and_then(Geometry::named);
        if geometry != Some(surface.geometry) {
            let line = geometry.map_or("no geometry", Geometry::name);
            return Err(Unmodelled(format!("the line has {line}, but the surface is {}", surface.geometry.name())));
        }
        let coordinates = operands.sources("b")?;
        let at = |at: usize| {
            let missing = || Unmodelled("the line has too few coordinates".to_owned());
            coordinates.get(at).copied().ok_or_else(missing)
        };
        // The layer comes first; a fourth coordinate is ignored.
        let (x, y, slice) = match surface.geometry {
            Geometry::D1 => (at(0)?, None, None),
            Geometry::D2 => (at(0)?, Some(at(1)?), None),
            Geometry::D3 => (at(0)?, Some(at(1)?), Some(at(2)?)),
            Geometry::A1d => (at(1)?, None, Some(at(0)?)),
            Geometry::A2d => (at(1)?, Some(at(2)?), Some(at(0)?)),
        };
        let clamp = match operands.modifier("clamp") {
            Some(".clamp") => Clamp::Clamp,
            Some(".zero") => Clamp::Zero,
            Some(".trap") => Clamp::Trap,
            other => return Err(Unmodelled(format!("{} is no clamp mode", other.unwrap_or("no modifier")))),
        };
        Ok(Self { surface, clamp, size, samples, x, y, slice })
    }

    /// Each coordinate is checked separately: one that is out of bounds is enough, and only it is clamped.
    fn place(&self, row: &[u128]) -> SurfacePlace {
        let surface = self.surface;
        let sample = surface.format.bytes();
        let x = self.x.word(row).cast_signed();
        let (unit, last) = if self.samples {
            (sample, surface.width - 1)
        } else {
            if x.cast_unsigned() & (self.size - 1) != 0 {
                return SurfacePlace::Undefined(Undefined::MisalignedCoordinate);
            }
            // The last position at which a whole access fits; a row may be too short for any.
            let row = surface.row_bytes();
            let Some(last) = (row / self.size * self.size).checked_sub(self.size) else {
                let within = u32::try_from(x).is_ok_and(|x| x < row);
                return match within || self.clamp == Clamp::Clamp {
                    true => SurfacePlace::Undefined(Undefined::PartlyOutside),
                    false => SurfacePlace::Outside(Inferences::NONE),
                };
            };
            if u32::try_from(x).is_ok_and(|x| x > last && x < row) {
                return SurfacePlace::Undefined(Undefined::PartlyOutside);
            }
            (1, last)
        };
        let mut inferred = Inferences::NONE;
        let mut inside = true;
        let mut bound = |coordinate: i32, last: u32| match u32::try_from(coordinate) {
            Ok(within) if within <= last => within,
            Ok(_) => {
                inside = false;
                last
            }
            Err(_) => {
                inside = false;
                0
            }
        };
        let column = bound(x, last);
        let line = self.y.map_or(0, |y| bound(y.word(row).cast_signed(), surface.height - 1));
        let slice = match self.slice {
            None => 0,
            Some(z) if !surface.geometry.layered() => bound(z.word(row).cast_signed(), surface.depth - 1),
            Some(layer) => {
                let (layer, last) = (layer.word(row) & Surface::LAYER, surface.layers - 1);
                inferred = inferred.and(Inferences::LAYER_BOUNDS.when(layer > last));
                inside &= layer <= last;
                layer.min(last)
            }
        };
        if inside || self.clamp == Clamp::Clamp {
            SurfacePlace::At(surface.position(column * unit, line, slice), inferred)
        } else {
            SurfacePlace::Outside(inferred)
        }
    }

    /// The effect of an access out of bounds that does not trap.
    fn outside(&self, inferred: Inferences, dropped: Effect) -> Expectation {
        let expectation = if self.clamp == Clamp::Trap { Expectation::traps() } else { Expectation::returned(dropped) };
        expectation.inferred(inferred)
    }

    /// The bytes at a position as a little-endian number.
    fn read(&self, at: usize) -> u128 {
        read(&self.surface.data, at, self.size as usize)
    }

    /// A write of all bytes of an access.
    fn write(&self, at: usize, value: ExpectedValue) -> Effect {
        Effect::of_write(Write { object: Object::Surface, at, count: self.size as usize, value })
    }
}

/// `suld.b`: loads the bytes at a position into the lanes, in ascending order. PTX ISA
/// `surface-instructions-suld`.
struct SurfaceLoad<'a> {
    access: SurfaceAccess<'a>,
    lanes: Vec<Lane>,
    bits: u32,
    outputs: usize,
    inferred: Inferences,
}

pub(super) fn load<'a>(operands: &Operands<'_, 'a>) -> Result<Box<dyn Semantics + 'a>, Unmodelled> {
    let (_, bits) = operands.type_of(operands.value("dtype"))?;
    let lanes = operands.destination("d")?;
    let size = bits / 8 * operands.lanes()?;
    let wider = lanes.iter().any(|lane| lane.output.is_some() && lane.bits > bits);
    Ok(Box::new(SurfaceLoad {
        access: SurfaceAccess::new(operands, size, false)?,
        inferred: Inferences::ZERO_EXTENSION.when(wider),
        outputs: operands.case.outputs.len(),
        lanes,
        bits,
    }))
}

impl Semantics for SurfaceLoad<'_> {
    fn expect(&self, row: &[u128]) -> Expectation {
        let effect = |at: usize| {
            let mut effect = Effect::of_registers(self.outputs);
            let loaded = self.access.read(at);
            for (lane, shift) in self.lanes.iter().zip((0..).step_by(self.bits as usize)) {
                effect.set_lane(lane, low(loaded >> shift, self.bits));
            }
            effect
        };
        match self.access.place(row) {
            SurfacePlace::Undefined(why) => Expectation::any(why),
            SurfacePlace::Outside(inferred) => self.access.outside(inferred, Effect::of_registers(self.outputs)),
            SurfacePlace::At(at, inferred) => Expectation::returned(effect(at)).inferred(inferred.and(self.inferred)),
        }
    }
}

/// `sust.b`: stores the lanes to the bytes at a position, in ascending order. PTX ISA
/// `surface-instructions-sust`.
struct SurfaceStore<'a> {
    access: SurfaceAccess<'a>,
    lanes: Vec<ValueSource>,
    bits: u32,
    inferred: Inferences,
}

/// `sust.p`: converts the lanes and stores them to the components of a sample. PTX ISA
/// `surface-instructions-sust`.
struct FormattedStore<'a> {
    access: SurfaceAccess<'a>,
    lanes: Vec<ValueSource>,
    inferred: Inferences,
}

pub(super) fn store<'a>(operands: &Operands<'_, 'a>) -> Result<Box<dyn Semantics + 'a>, Unmodelled> {
    let lanes = operands.sources("c")?;
    if operands.counts_samples() {
        let size = operands.surface()?.format.bytes();
        let inferred = operands.inferred_of_sources("c", 32)?;
        return Ok(Box::new(FormattedStore { access: SurfaceAccess::new(operands, size, true)?, lanes, inferred }));
    }
    let (_, bits) = operands.type_of(operands.value("ctype"))?;
    let size = bits / 8 * operands.lanes()?;
    let inferred = operands.inferred_of_sources("c", bits)?;
    Ok(Box::new(SurfaceStore { access: SurfaceAccess::new(operands, size, false)?, lanes, bits, inferred }))
}

impl Semantics for SurfaceStore<'_> {
    fn expect(&self, row: &[u128]) -> Expectation {
        match self.access.place(row) {
            SurfacePlace::Undefined(why) => Expectation::any(why),
            SurfacePlace::Outside(inferred) => self.access.outside(inferred, Effect::nothing()),
            SurfacePlace::At(at, inferred) => {
                let lanes = self.lanes.iter().zip((0..).step_by(self.bits as usize));
                let bits = lanes.fold(0, |bits, (lane, shift)| bits | low(lane.of(row), self.bits) << shift);
                let effect = self.access.write(at, ExpectedValue::exact(bits));
                Expectation::returned(effect).inferred(inferred.and(self.inferred))
            }
        }
    }
}

impl Semantics for FormattedStore<'_> {
    fn expect(&self, row: &[u128]) -> Expectation {
        let (at, mut inferred) = match self.access.place(row) {
            SurfacePlace::Undefined(why) => return Expectation::any(why),
            SurfacePlace::Outside(inferred) => return self.access.outside(inferred, Effect::nothing()),
            SurfacePlace::At(at, inferred) => (at, inferred.and(self.inferred)),
        };
        let Format { component, channels } = self.access.surface.format;
        let bits = u32::from(component.bits());
        let mut sample = ExpectedValue::exact(0);
        let mut undefined = None;
        for (channel, shift) in (0..usize::from(channels)).zip((0..).step_by(bits as usize)) {
            let Some(source) = self.lanes.get(channel) else {
                sample = sample.joined(shift, &ExpectedValue::anything(0, bits));
                undefined = undefined.or(Some(Undefined::MissingComponents));
                continue;
            };
            let Converted { value, inferred: by, undefined: why } = convert(source.word(row), component);
            sample = sample.joined(shift, &value);
            inferred = inferred.and(by);
            undefined = undefined.or(why);
        }
        let mut effect = self.access.write(at, sample);
        effect.undefined = undefined;
        Expectation::returned(effect).inferred(inferred)
    }
}

/// `sured.b` and `sured.p`. PTX ISA `surface-instructions-sured`.
struct Reduction<'a> {
    access: SurfaceAccess<'a>,
    operation: Operation,
    source: ValueSource,
    bits: u32,
    signed: bool,
    /// The reason why every row within bounds is undefined.
    undefined: Option<Undefined>,
    inferred: Inferences,
}

pub(super) fn reduce<'a>(operands: &Operands<'_, 'a>) -> Result<Box<dyn Semantics + 'a>, Unmodelled> {
    let formatted = operands.counts_samples();
    let (kind, bits) = operands.type_of(operands.value("ctype"))?;
    let operation = Operation::named(operands.value("op"))?;
    let format = operands.surface()?.format;
    // The type of a formatted reduction is that of the samples.
    let signed = match (formatted, format.component) {
        (false, _) => kind == Kind::Signed,
        (true, component) => matches!(component, Component::Signed(_)),
    };
    let integers = matches!(format.component, Component::Unsigned(32) | Component::Signed(32));
    let fits = integers && format.bytes() * 8 == bits;
    let source = *operands.sources("c")?.first().ok_or_else(|| Unmodelled("nothing is reduced".to_owned()))?;
    Ok(Box::new(Reduction {
        access: SurfaceAccess::new(operands, bits / 8, formatted)?,
        operation,
        source,
        bits,
        signed,
        undefined: (formatted && !fits).then_some(Undefined::ReducedFormat),
        inferred: operands
            .inferred_of_sources("c", bits)?
            .and(Inferences::REDUCED_64_BIT.when(formatted && bits == 64)),
    }))
}

impl Semantics for Reduction<'_> {
    fn expect(&self, row: &[u128]) -> Expectation {
        match (self.access.place(row), self.undefined) {
            (SurfacePlace::Undefined(why), _) | (SurfacePlace::At(..), Some(why)) => Expectation::any(why),
            (SurfacePlace::Outside(inferred), _) => self.access.outside(inferred, Effect::nothing()),
            (SurfacePlace::At(at, inferred), None) => {
                let old = self.access.read(at);
                let new = low(self.source.of(row), self.bits);
                let bits = self.operation.apply(old, [new, 0], (self.bits, self.signed));
                let effect = self.access.write(at, ExpectedValue::exact(bits));
                Expectation::returned(effect).inferred(inferred.and(self.inferred))
            }
        }
    }
}

/// `suq`. PTX ISA `surface-instructions-suq`.
struct Query {
    output: usize,
    outputs: usize,
    answer: Result<(u32, Inferences), Undefined>,
}

pub(super) fn query<'a>(operands: &Operands<'_, 'a>) -> Result<Box<dyn Semantics + 'a>, Unmodelled> {
    let surface = operands.surface()?;
    let lanes = operands.destination("d")?;
    let output = lanes.first().and_then(|lane| lane.output);
    let output = output.ok_or_else(|| Unmodelled("the query has no destination".to_owned()))?;
    let dimensions = surface.geometry.dimensions();
    let extent = |extent: u32, present: bool| {
        if present { Ok((extent, Inferences::NONE)) } else { Err(Undefined::AbsentExtent) }
    };
    let answer = match operands.modifier("query") {
        Some(".width") => extent(surface.width, true),
        Some(".height") => extent(surface.height, dimensions >= 2),
        Some(".depth") => extent(surface.depth, dimensions >= 3),
        Some(".array_size") => extent(surface.layers, true),
        Some(".memory_layout") => Ok((0, Inferences::ARRAY_LAYOUT)),
        Some(".channel_data_type" | ".channel_order") => Err(Undefined::Enumeration),
        other => return Err(Unmodelled(format!("{} is not a query", other.unwrap_or("no modifier")))),
    };
    Ok(Box::new(Query { output, outputs: operands.case.outputs.len(), answer }))
}

impl Semantics for Query {
    fn expect(&self, _: &[u128]) -> Expectation {
        match self.answer {
            Err(why) => Expectation::any(why),
            Ok((value, inferred)) => {
                let mut effect = Effect::of_registers(self.outputs);
                effect.set(self.output, u128::from(value));
                Expectation::returned(effect).inferred(inferred)
            }
        }
    }
}
