//! The effect of the line in a row: an axis that follows from the others, so that a condition can express
//! it in one word.
//!
//! `normal`: the line is executed, and each access is within its bounds. `edge`, `dropped`, `traps`: a
//! coordinate is out of bounds, and a modifier decides what happens to the access. `off`: the guard is
//! false.

use ptx_spec::role::immediate_of_lane;
use ptx_spec::role::setup::{
    DEPTH, EFFECT, HEIGHT, LAYER, LAYERS, OUT_OF_BOUNDS, OUTSIDE, PREDICATE, SetupWords, WIDTH, X, Y, Z, out_of_bounds,
};
use ptx_spec::spec::words::INTEGER;
use ptx_spec::spec::{Choice, Form, SetupAxis, Unit};

use super::forbidden::{ChosenValues, Forbidden};
use super::surface;
use crate::object::Geometry;

/// The axis of the modifier that decides what happens to an access out of bounds.
fn clamp(form: &Form) -> Option<usize> {
    surface::coordinates(form)?;
    form.axes.iter().position(|axis| {
        let mut claimed = axis.claimed.iter().filter_map(|value| axis.values.get(usize::from(value))).peekable();
        claimed.peek().is_some() && claimed.all(|modifier| out_of_bounds(modifier).is_some())
    })
}

/// The effects that a form can have.
pub(super) fn axis(form: &Form) -> SetupAxis {
    let is_there = |word: &&str| clamp(form).is_some() || !OUT_OF_BOUNDS.iter().any(|(_, out)| out == word);
    (EFFECT.0.to_owned(), EFFECT.1.iter().filter(|word| is_there(word)).map(|&word| word.to_owned()).collect())
}

/// Forbids effects that do not follow from the other choices.
pub(super) fn never(forbidden: &mut Forbidden<'_>) {
    guard(forbidden);
    let (Some(clamp), Some((coordinates, unit))) = (clamp(forbidden.form), surface::coordinates(forbidden.form)) else {
        return;
    };
    for (modifier, word) in OUT_OF_BOUNDS {
        let others = forbidden.of(Some(clamp), |other| other != modifier);
        let sets = [forbidden.set(EFFECT.0, |is| is == word), others];
        forbidden.never(sets);
    }
    let register = forbidden.of(coordinates.of_type, |of| of != INTEGER);
    let mut inside = vec![register, out(forbidden)];
    for (axis, _) in [X, Y, Z, LAYER] {
        let sets = [normal(forbidden), forbidden.set(axis, |at| OUTSIDE.contains(&at))];
        forbidden.never(sets);
        inside.push(forbidden.set(axis, |at| !OUTSIDE.contains(&at)));
    }
    forbidden.never(inside);
    let integer = forbidden.of(coordinates.of_type, |of| of == INTEGER);
    immediates(forbidden, integer, unit);
}

fn normal(forbidden: &Forbidden<'_>) -> Option<ChosenValues> {
    forbidden.set(EFFECT.0, |is| is == EFFECT.1[0])
}

fn out(forbidden: &Forbidden<'_>) -> Option<ChosenValues> {
    forbidden.set(EFFECT.0, |is| OUT_OF_BOUNDS.iter().any(|(_, word)| *word == is))
}

fn guard(forbidden: &mut Forbidden<'_>) {
    let guard = forbidden.form.axis_of(Choice::Guard);
    let off = "off";
    for (negated, holds) in [(false, PREDICATE.1[0]), (true, PREDICATE.1[1])] {
        let guarded = forbidden.of(guard, |guard| guard.starts_with('@') && guard.starts_with("@!") == negated);
        let runs = [guarded, forbidden.set(PREDICATE.0, |is| is == holds), forbidden.set(EFFECT.0, |is| is == off)];
        forbidden.never(runs);
        let does_not = [guarded, forbidden.set(PREDICATE.0, |is| is != holds), forbidden.set(EFFECT.0, |is| is != off)];
        forbidden.never(does_not);
    }
    let sets = [forbidden.of(guard, |guard| !guard.starts_with('@')), forbidden.set(EFFECT.0, |is| is == off)];
    forbidden.never(sets);
}

/// Coordinates in the line itself: the extents decide whether they are within bounds.
fn immediates(forbidden: &mut Forbidden<'_>, integer: Option<ChosenValues>, unit: Unit) {
    for geometry in Geometry::ALL {
        let geom = surface::geometry(forbidden, |of| of == geometry);
        let mut inside = vec![integer, geom, out(forbidden)];
        let mut too_short = None;
        for (lane, axis) in (0..).zip(surface::order(geometry)) {
            let at = u32::from(immediate_of_lane(lane));
            if axis.0 == X.0 {
                // Only a row with one sample can be too short.
                too_short = Some(surface::formats(forbidden, |format| unit == Unit::Samples || format.bytes() <= at));
                continue;
            }
            let extent = extent(*axis);
            let has = |extent: &str| extent.parse().is_ok_and(|extent: u32| extent > at);
            let sets = [integer, geom, forbidden.set(extent.0, |extent| !has(extent)), normal(forbidden)];
            forbidden.never(sets);
            inside.push(forbidden.set(extent.0, has));
        }
        let Some(too_short) = too_short else { continue };
        let one = forbidden.set(WIDTH.0, |width| width == "1");
        forbidden.never([integer, geom, one, too_short, normal(forbidden)]);
        let more = forbidden.set(WIDTH.0, |width| width != "1");
        forbidden.never(inside.iter().copied().chain([more]));
        let long = too_short.map(|(axis, formats)| (axis, forbidden.form.axes[axis].claimed.without(&formats)));
        forbidden.never(inside.into_iter().chain([long]));
    }
}

/// The extent that a coordinate is within.
fn extent(coordinate: SetupWords) -> SetupWords {
    [(X, WIDTH), (Y, HEIGHT), (Z, DEPTH)]
        .into_iter()
        .find(|(of, _)| of.0 == coordinate.0)
        .map_or(LAYERS, |(_, extent)| extent)
}
