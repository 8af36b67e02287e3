//! The choices of a setup: the inputs of operands, and the contents of objects. `ptx-exec` makes the axes;
//! their names and values are here, because `setup:` in the YAML uses them.

use super::address::BASES;
use crate::spec::SetupAxis;

/// An axis of a setup: its name, and its values if they are words.
pub type SetupWords = (&'static str, &'static [&'static str]);

/// An axis with these words.
pub fn axis((name, values): SetupWords) -> SetupAxis {
    (name.to_owned(), values.iter().map(|&value| value.to_owned()).collect())
}

/// The variable that a generic address points to.
pub const POINTS: SetupWords = ("points-to", BASES.split_at(4).0);
/// The position in its variable that an address points to.
pub const ADDRESS: SetupWords = ("address", &["first", "inside", "last", "misaligned", "after"]);
/// The geometry of a surface, if the line does not name it.
pub const GEOMETRY: SetupWords = ("surface.geometry", &[]);
/// The format of a surface.
pub const FORMAT: SetupWords = ("surface.format", &[]);
/// The extents of a surface.
pub const WIDTH: SetupWords = ("surface.width", &["5", "1", "8", WIDE]);
/// A width that does not fit into a byte, for surfaces with a single row.
pub const WIDE: &str = "300";
/// Its height.
pub const HEIGHT: SetupWords = ("surface.height", &["3", "1", "4"]);
/// Its depth.
pub const DEPTH: SetupWords = ("surface.depth", &["2", "1", "3"]);
/// Its layers.
pub const LAYERS: SetupWords = ("surface.layers", &["3", "1", "2"]);
/// The first coordinate.
pub const X: SetupWords =
    ("x", &["first", "inside", "last", "after", "before", "far-after", "far-before", "misaligned", IMMEDIATE]);
/// The second coordinate.
pub const Y: SetupWords = ("y", &["first", "inside", "last", "after", "before", "far-after", "far-before", IMMEDIATE]);
/// The third coordinate.
pub const Z: SetupWords = ("z", &["first", "inside", "last", "after", "before", "far-after", "far-before", IMMEDIATE]);
/// The layer.
pub const LAYER: SetupWords = ("layer", &["first", "inside", "last", "after", "far-after", "negative", IMMEDIATE]);
/// The word for a coordinate in the line itself.
pub const IMMEDIATE: &str = "immediate";
/// The words for coordinates out of bounds.
pub const OUTSIDE: [&str; 5] = ["after", "before", "far-after", "far-before", "negative"];
/// The effect of the line in a row, which follows from the other choices.
pub const EFFECT: SetupWords = ("effect", &["normal", "edge", "dropped", "traps", "off"]);
/// The effect of an access out of bounds with each modifier, in the words of [`EFFECT`].
pub const OUT_OF_BOUNDS: [(&str, &str); 3] = [(".clamp", "edge"), (".zero", "dropped"), (".trap", "traps")];

/// The effect of an access out of bounds with a modifier.
pub fn out_of_bounds(modifier: &str) -> Option<&'static str> {
    OUT_OF_BOUNDS.iter().find(|(of, _)| *of == modifier).map(|(_, word)| *word)
}

/// The value of the guard.
pub const PREDICATE: SetupWords = ("predicate", &["true", "false"]);
/// The contents of surfaces and variables.
pub const CONTENTS: SetupWords = ("contents", &["distinct", "signs", "random", "zeros", "ones", "edges"]);
/// The data of a source; the axis is named after the operand and a dot.
pub const DATA: SetupWords = ("data", &["edge", "float", "random", "zero", "ones", "smallest", "largest"]);
/// As `DATA`, if there are several sources.
pub const PAIRED: SetupWords =
    ("data", &["edge", "float", "random", "zero", "ones", "smallest", "largest", "one", "alternating"]);
/// The position of the sample among the numbers of its kind.
pub const SAMPLE: SetupWords = ("sample", &[]);

/// All of them except those of sources.
pub(crate) const SETUP: [SetupWords; 16] = [
    EFFECT, POINTS, ADDRESS, GEOMETRY, FORMAT, WIDTH, HEIGHT, DEPTH, LAYERS, X, Y, Z, LAYER, PREDICATE, CONTENTS,
    SAMPLE,
];
