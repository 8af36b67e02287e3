//! Setups of surfaces: geometry, format, extents and contents, and the coordinates of a row.

use ptx_spec::must::Must as _;
use ptx_spec::role::SURFREF_PARAMETER;
use ptx_spec::role::setup::{
    self, CONTENTS, DEPTH, FORMAT, GEOMETRY, HEIGHT, IMMEDIATE, LAYER, LAYERS, SetupWords, WIDE, WIDTH, X, Y, Z,
};
use ptx_spec::spec::words::INTEGER;
use ptx_spec::spec::{Form, Operand, Role, SetupAxis, Size, Unit, ValueSet};

use super::forbidden::{ChosenValues, Forbidden};
use super::point::{Places, Point};
use super::{NoSetup, contents};
use crate::object::{Component, Format, Geometry, Surface};

/// The surface operand of a form, the axis of its geometry, and the size of an access.
fn of(form: &Form) -> Option<(&Operand, Option<usize>, Option<Size>)> {
    form.operands.iter().find_map(|operand| match operand.role {
        Role::Surface { geometry, size } => Some((operand, geometry, size)),
        _ => None,
    })
}

/// The coordinate operand of a form, and what the first coordinate counts.
pub(super) fn coordinates(form: &Form) -> Option<(&Operand, Unit)> {
    form.operands.iter().find_map(|operand| match operand.role {
        Role::Coordinate { unit, .. } => Some((operand, unit)),
        _ => None,
    })
}

/// The axes of the surface itself, which are the same in all rows.
pub(super) fn axes(form: &Form) -> Vec<SetupAxis> {
    let Some((_, geometry, _)) = of(form) else { return Vec::new() };
    let mut axes = Vec::new();
    if geometry.is_none() {
        axes.push((GEOMETRY.0.to_owned(), Geometry::ALL.map(|geometry| geometry.name().to_owned()).to_vec()));
    }
    axes.push((FORMAT.0.to_owned(), Format::all().map(|format| format.to_string()).collect()));
    axes.extend([WIDTH, HEIGHT, DEPTH, LAYERS].map(setup::axis));
    axes
}

/// The axes of the position that a row accesses.
pub(super) fn row_axes(form: &Form) -> Vec<SetupAxis> {
    let Some(_) = coordinates(form) else { return Vec::new() };
    [X, Y, Z, LAYER].map(setup::axis).to_vec()
}

/// The combinations that are never executed.
pub(super) fn never(forbidden: &mut Forbidden<'_>) {
    let Some((operand, ..)) = of(forbidden.form) else { return };
    // The driver cannot bind such a parameter.
    let parameter = forbidden.of(operand.of_type, |of| of == SURFREF_PARAMETER);
    forbidden.never([parameter]);
    // Several wide rows would cost more than they show.
    let sets = [forbidden.set(WIDTH.0, |width| width == WIDE), self::geometry(forbidden, |of| of != Geometry::D1)];
    forbidden.never(sets);
    type Lacks = fn(Geometry) -> bool;
    let flat: [([SetupWords; 2], Lacks); 3] = [
        ([HEIGHT, Y], |geometry| geometry.dimensions() < 2),
        ([DEPTH, Z], |geometry| geometry.dimensions() < 3),
        ([LAYERS, LAYER], |geometry| !geometry.layered()),
    ];
    for (axes, without) in flat {
        for (axis, _) in axes {
            let when = geometry(forbidden, without);
            forbidden.idle(when, axis);
        }
    }
    for ((extent, _), (axis, _)) in [(HEIGHT, Y), (DEPTH, Z), (LAYERS, LAYER)] {
        for (few, gone) in [("1", &["inside", "last"][..]), ("2", &["inside"])] {
            let sets = [forbidden.set(extent, |extent| extent == few), forbidden.set(axis, |at| gone.contains(&at))];
            forbidden.never(sets);
        }
    }
    row_never(forbidden);
}

/// The geometries for which `keep` holds.
pub(super) fn geometry(forbidden: &Forbidden<'_>, keep: impl Fn(Geometry) -> bool) -> Option<ChosenValues> {
    let (_, axis, _) = of(forbidden.form)?;
    let axis = axis.or_else(|| forbidden.form.axis(GEOMETRY.0));
    forbidden.of(axis, |name| Geometry::named(name).is_some_and(&keep))
}

/// The formats for which `keep` holds.
pub(super) fn formats(forbidden: &Forbidden<'_>, keep: impl Fn(&Format) -> bool) -> Option<ChosenValues> {
    let formats: Vec<Format> = Format::all().collect();
    forbidden.form.axis(FORMAT.0).map(|axis| (axis, ValueSet::of(formats.len(), |at| keep(&formats[at]))))
}

/// The coordinates that are never executed.
fn row_never(forbidden: &mut Forbidden<'_>) {
    let Some((coordinates, unit)) = coordinates(forbidden.form) else { return };
    let Some((_, _, size)) = of(forbidden.form) else { return };
    for (axis, _) in [X, Y, Z, LAYER] {
        // Coordinates in the line itself are not in a register.
        let integer = forbidden.of(coordinates.of_type, |of| of == INTEGER);
        let there = geometry(forbidden, |geometry| order(geometry).iter().any(|(name, _)| *name == axis));
        let sets = [integer, there, forbidden.set(axis, |at| at != IMMEDIATE)];
        forbidden.never(sets);
        let register = forbidden.of(coordinates.of_type, |of| of != INTEGER);
        let sets = [register, forbidden.set(axis, |at| at == IMMEDIATE)];
        forbidden.never(sets);
    }
    match unit {
        Unit::Samples => samples(forbidden, size),
        Unit::Bytes => bytes(forbidden, size),
    }
}

fn samples(forbidden: &mut Forbidden<'_>, size: Option<Size>) {
    let misaligned = forbidden.set(X.0, |at| at == "misaligned");
    forbidden.never([misaligned]);
    let sets = [forbidden.set(WIDTH.0, |width| width == "1"), forbidden.set(X.0, |at| at == "inside" || at == "last")];
    forbidden.never(sets);
    let Some(size) = size else { return };
    // If the manual defines nothing, one format of each size is enough.
    forbidden.with_access(size, |forbidden, size| {
        let promised = |format: &Format| {
            let whole = matches!(format.component, Component::Unsigned(32) | Component::Signed(32));
            let one = format.component == Component::Float(32);
            !(whole || one) || format.bytes() != size
        };
        vec![vec![formats(forbidden, promised)]]
    });
}

fn bytes(forbidden: &mut Forbidden<'_>, size: Option<Size>) {
    let Some(size) = size else { return };
    forbidden.with_access(size, |forbidden, size| {
        // The manual defines nothing for accesses wider than a sample, so one format of each size is
        // enough.
        let simplest = |format: &Format| matches!(format.component, Component::Unsigned(_));
        let mut sets = vec![vec![formats(forbidden, |format| format.bytes() < size && !simplest(format))]];
        if size == 1 {
            sets.push(vec![forbidden.set(X.0, |at| at == "misaligned")]);
        }
        sets
    });
    for width in WIDTH.1 {
        let number: u32 = width.parse().must("widths are numbers");
        forbidden.with_access(size, |forbidden, size| {
            let few = |least: u32| formats(forbidden, |format| number * format.bytes() / size.max(1) < least);
            let width = forbidden.set(WIDTH.0, |value| value == *width);
            vec![
                vec![width, few(2), forbidden.set(X.0, |at| at == "last")],
                vec![width, few(3), forbidden.set(X.0, |at| at == "inside")],
            ]
        });
    }
}

/// The surface of a case, if its form has one.
pub(super) fn surface(point: &Point<'_>) -> Result<Option<Surface>, NoSetup> {
    let Some((_, axis, _)) = of(point.form) else { return Ok(None) };
    let name = axis.map_or_else(|| point.value(GEOMETRY.0), |axis| point.at(axis));
    let geometry = Geometry::named(name).ok_or_else(|| NoSetup(format!("`{name}` is not a geometry")))?;
    let format: Format = point.value(FORMAT.0).parse().map_err(NoSetup)?;
    let extent = |(axis, _): SetupWords, present: bool| {
        let extent = point.value(axis).parse().map_err(|_| NoSetup(format!("{axis} has no value")));
        if present { extent } else { Ok(0) }
    };
    let mut surface = Surface {
        geometry,
        format,
        width: extent(WIDTH, true)?,
        height: extent(HEIGHT, geometry.dimensions() >= 2)?,
        depth: extent(DEPTH, geometry.dimensions() >= 3)?,
        layers: extent(LAYERS, geometry.layered())?,
        data: Vec::new(),
    };
    surface.data = contents::bytes(point.value(CONTENTS.0), surface.size());
    Ok(Some(surface))
}

/// The coordinates of a geometry, in order.
pub(super) fn order(geometry: Geometry) -> &'static [SetupWords] {
    match geometry {
        Geometry::D1 => &[X],
        Geometry::D2 => &[X, Y],
        Geometry::D3 => &[X, Y, Z],
        Geometry::A1d => &[LAYER, X],
        Geometry::A2d => &[LAYER, X, Y],
    }
}

/// The coordinate at a position of the vector; the fourth one is ignored, so it can be anything.
pub(super) fn coordinate(point: &Point<'_>, at: usize, surface: &Surface) -> u32 {
    let sample = point.sample();
    let Some(&axis) = order(surface.geometry).get(at) else {
        return contents::upper_half(contents::mix(sample));
    };
    let counted = coordinates(point.form).map(|(_, unit)| unit);
    let places = match (axis, counted) {
        (X, Some(Unit::Samples)) => Places { size: 1, length: surface.width, sample },
        (X, _) => {
            let size = of(point.form).and_then(|(_, _, size)| size);
            Places { size: point.size(size), length: surface.row_bytes(), sample }
        }
        (Y, _) => Places { size: 1, length: surface.height, sample: sample / 2 },
        (Z, _) => Places { size: 1, length: surface.depth, sample: sample / 4 },
        _ => Places { size: 1, length: surface.layers, sample: sample / 3 },
    };
    places.coordinate(point.value(axis.0))
}
