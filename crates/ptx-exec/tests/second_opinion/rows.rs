//! The numbers that a variant is tried with: drawn ones, and whole domains where they are small.

use ptx_spec::space::Draw;

use crate::float::FloatType;

/// What a source of a row goes through.
#[derive(Clone, Copy)]
pub(crate) enum Range {
    /// A drawn number each time.
    Drawn,
    /// All numbers below this one.
    Below(u128),
    /// All numbers from minus this one to this one.
    Around(u128),
}

use Range::{Around, Below, Drawn};

/// The sources of an opcode that are counts, positions or tables, of which all are tried that make a difference.
const SMALL: &[(&str, &[Range])] = &[
    ("bfe", &[Drawn, Below(70), Below(70)]),
    ("bfi", &[Drawn, Drawn, Below(70), Below(70)]),
    ("bmsk", &[Below(70), Below(70)]),
    ("fns", &[Drawn, Below(34), Around(34)]),
    ("lop3", &[Drawn, Drawn, Drawn, Below(256), Drawn]),
    ("prmt", &[Drawn, Drawn, Below(1 << 16)]),
    ("shf", &[Drawn, Drawn, Below(130)]),
    ("shl", &[Drawn, Below(130)]),
    ("shr", &[Drawn, Below(130)]),
    ("szext", &[Drawn, Below(130)]),
    ("vshl", &[Drawn, Below(70), Drawn]),
    ("vshr", &[Drawn, Below(70), Drawn]),
];

/// The ranges of the small sources of an opcode, if it has any.
pub(crate) fn small(opcode: &str) -> Option<&'static [Range]> {
    SMALL.iter().find(|(name, _)| *name == opcode).map(|(_, ranges)| *ranges)
}

/// A row for each choice of the numbers that are not drawn.
pub(crate) fn ranged(ranges: &[Range], draw: &mut Draw) -> Vec<Vec<u128>> {
    let count = |range: &Range| match range {
        Drawn => 1,
        Below(end) => *end,
        Around(end) => 2 * end + 1,
    };
    let all: u128 = ranges.iter().map(count).product();
    let row = |mut rank: u128| {
        let number = |range: &Range| {
            let place = rank % count(range);
            rank /= count(range);
            match range {
                Drawn => drawn(draw),
                Below(_) => place,
                Around(end) => place.wrapping_sub(*end),
            }
        };
        ranges.iter().map(number).collect()
    };
    (0..all).map(row).collect()
}

/// All pairs of bytes, four in a row; what else the line reads is drawn.
pub(crate) fn pairs(others: usize, draw: &mut Draw) -> Vec<Vec<u128>> {
    let spread = |first: u128, step: u128| (0..4).map(|lane| (first + lane * step) << (8 * lane)).sum::<u128>();
    let rows = (0..256).flat_map(|a| (0..64).map(move |b| (a, b)));
    rows.map(|(a, b)| {
        let mut row = vec![spread(a, 0), spread(b, 64)];
        row.extend((0..others).map(|_| drawn(draw)));
        row
    })
    .collect()
}

/// A number of edges or a random one; what is above a type's bits never matters, so there is something half the time.
pub(crate) fn drawn(draw: &mut Draw) -> u128 {
    let mut below = |count: u128| draw.below(count).expect("a number");
    let size = 8 << below(4);
    let within = (1 << size) - 1;
    let number = match below(8) {
        0 => below(3),
        1 => within - below(3),
        2 => (1 << (size - 1)) - below(2),
        3 => (1 << (size - 1)) + below(2),
        4 => [31, 32, 33, 63, 64, 65, 127, 128, 255, 256][below(10) as usize],
        5 => 1 << below(size),
        6 => [u128::MAX / 3, u128::MAX / 3 * 2, u128::MAX / 15, u128::MAX / 17 * 8][below(4) as usize] & within,
        _ => below(u128::MAX) & within,
    };
    match below(4) {
        0 => number | below(u128::MAX) & !within,
        1 => number | !within,
        _ => number,
    }
}

/// A row of drawn numbers, where equal ones are frequent: floats for the sources that are.
pub(crate) fn drawn_row(draw: &mut Draw, kinds: &[Option<FloatType>]) -> Vec<u128> {
    let mut row: Vec<u128> = Vec::new();
    for kind in kinds {
        let last = row.last().copied().unwrap_or_default();
        let number = match kind {
            _ if !row.is_empty() && draw.below(8) == Some(0) => last,
            Some(of) => drawn_floats(draw, *of, last),
            None => drawn(draw),
        };
        row.push(number);
    }
    row
}

/// A register of drawn floats, and anything above them.
fn drawn_floats(draw: &mut Draw, of: FloatType, last: u128) -> u128 {
    let element = |at: usize, draw: &mut Draw| drawn_float(draw, of, last >> (at * of.storage)) << (at * of.storage);
    let elements = (0..of.elements).fold(0, |all, at| all | element(at, draw));
    let size = of.elements * of.storage;
    elements | if size < 128 { draw.below(u128::MAX).expect("a number") << size } else { 0 }
}

/// A float: any, one of the edges of its type, or one with an exponent near that of another, so that it is cut off somewhere
/// when they are added.
fn drawn_float(draw: &mut Draw, of: FloatType, near: u128) -> u128 {
    let mut below = |count: u128| draw.below(count).expect("a number");
    let storage = (1 << of.storage) - 1;
    let number = match below(8) {
        0 | 1 => {
            let edges = of.edges();
            edges[below(edges.len() as u128) as usize]
        }
        2 => below(u128::MAX) & of.subnormal(),
        3 => {
            let few = below(u128::MAX) & below(u128::MAX) & below(u128::MAX);
            of.around_one(below(5)) | few & of.subnormal()
        }
        4 => of.around_one(below(40)) | below(u128::MAX) & of.subnormal(),
        5 => of.moved(near & storage, below(64)),
        _ => below(u128::MAX),
    };
    (if below(2) == 0 { number } else { number ^ of.sign() }) & of.all()
}
