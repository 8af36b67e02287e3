//! The choices that are made where a line is executed: what operands are fed with, and what objects
//! hold. The axes are made in `ptx-exec`; their names and words stand here, since `setup:` in the YAML
//! names them.

use super::address::BASES;
use crate::spec::SetupAxis;

/// An axis of a setup: its name, and its values where they are words.
pub type SetupWords = (&'static str, &'static [&'static str]);

/// An axis with these words.
pub fn axis((name, values): SetupWords) -> SetupAxis {
    (name.to_owned(), values.iter().map(|&value| value.to_owned()).collect())
}

/// The variable that a generic address points to.
pub const POINTS: SetupWords = ("points-to", BASES.split_at(4).0);
/// Where in its variable an address points.
pub const ADDRESS: SetupWords = ("address", &["first", "inside", "last", "misaligned", "after"]);
/// The geometry of a surface, where the line does not say it.
pub const GEOMETRY: SetupWords = ("surface.geometry", &[]);
/// The format of a surface.
pub const FORMAT: SetupWords = ("surface.format", &[]);
/// The extents of a surface.
pub const WIDTH: SetupWords = ("surface.width", &["5", "1", "8", WIDE]);
/// A width beyond what a byte can count, for rows that are alone in their surface.
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
/// The word for a coordinate that the line itself has.
pub const IMMEDIATE: &str = "immediate";
/// The words for coordinates out of bounds.
pub const OUTSIDE: [&str; 5] = ["after", "before", "far-after", "far-before", "negative"];
/// What the line does in a row, which follows from the other choices.
pub const EFFECT: SetupWords = ("effect", &["normal", "edge", "dropped", "traps", "off"]);
/// What a modifier makes of an access out of bounds, in the words of [`EFFECT`].
pub const OUT_OF_BOUNDS: [(&str, &str); 3] = [(".clamp", "edge"), (".zero", "dropped"), (".trap", "traps")];

/// What a modifier makes of an access out of bounds.
pub fn out_of_bounds(modifier: &str) -> Option<&'static str> {
    OUT_OF_BOUNDS.iter().find(|(of, _)| *of == modifier).map(|(_, word)| *word)
}

/// Whether the guard holds.
pub const PREDICATE: SetupWords = ("predicate", &["true", "false"]);
/// What surfaces and variables hold.
pub const CONTENTS: SetupWords = ("contents", &["distinct", "signs", "random", "zeros", "ones", "edges"]);
/// What a source holds, after the name of the operand and a dot.
pub const DATA: SetupWords = ("data", &["edge", "float", "random", "zero", "ones", "smallest", "largest"]);
/// As `DATA`, where several sources meet.
pub const PAIRED: SetupWords =
    ("data", &["edge", "float", "random", "zero", "ones", "smallest", "largest", "one", "alternating"]);
/// Which of the numbers of a kind there are.
pub const SAMPLE: SetupWords = ("sample", &[]);

/// All of them but those of sources.
pub(crate) const SETUP: [SetupWords; 16] = [
    EFFECT, POINTS, ADDRESS, GEOMETRY, FORMAT, WIDTH, HEIGHT, DEPTH, LAYERS, X, Y, Z, LAYER, PREDICATE, CONTENTS,
    SAMPLE,
];
