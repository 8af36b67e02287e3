//! The choices that are made where a line is executed: what operands are fed with, and what objects
//! hold. The axes are made in `ptx-exec`; their names and words stand here, since `setup:` in the YAML
//! names them.

use super::address::BASES;

/// An axis of a setup: its name, and its values where they are words.
pub type SetupWords = (&'static str, &'static [&'static str]);

/// The variable that a generic address points to.
pub const POINTS: SetupWords = ("points-to", BASES.split_at(4).0);
/// Where in its variable an address points.
pub const ADDRESS: SetupWords = ("address", &["first", "inside", "last", "misaligned", "after"]);
/// The geometry of a surface, where the line does not say it.
pub const GEOMETRY: SetupWords = ("surface.geometry", &[]);
/// The format of a surface.
pub const FORMAT: SetupWords = ("surface.format", &[]);
/// The extents of a surface.
pub const WIDTH: SetupWords = ("surface.width", &["5", "1", "8"]);
/// Its height.
pub const HEIGHT: SetupWords = ("surface.height", &["3", "1", "4"]);
/// Its depth.
pub const DEPTH: SetupWords = ("surface.depth", &["2", "1", "3"]);
/// Its layers.
pub const LAYERS: SetupWords = ("surface.layers", &["3", "1", "2"]);
/// The first coordinate.
pub const X: SetupWords =
    ("x", &["first", "inside", "last", "after", "before", "far-after", "far-before", "misaligned"]);
/// The second coordinate.
pub const Y: SetupWords = ("y", &["first", "inside", "last", "after", "before", "far-after", "far-before"]);
/// The third coordinate.
pub const Z: SetupWords = ("z", &["first", "inside", "last", "after", "before", "far-after", "far-before"]);
/// The layer.
pub const LAYER: SetupWords = ("layer", &["first", "inside", "last", "after", "far-after", "negative"]);
/// Whether the guard holds.
pub const PREDICATE: SetupWords = ("predicate", &["true", "false"]);
/// What surfaces and variables hold.
pub const CONTENTS: SetupWords = ("contents", &["distinct", "signs", "random", "zeros", "ones"]);
/// What a source holds, after the name of the operand and a dot.
pub const DATA: SetupWords = ("data", &["edge", "float", "random", "zero", "ones", "smallest", "largest"]);
/// As `DATA`, where several sources meet.
pub const PAIRED: SetupWords =
    ("data", &["edge", "float", "random", "zero", "ones", "smallest", "largest", "one", "alternating"]);
/// Which of the numbers of a kind there are.
pub const SAMPLE: SetupWords = ("sample", &[]);

/// All of them but those of sources.
pub(crate) const SETUP: [SetupWords; 15] =
    [POINTS, ADDRESS, GEOMETRY, FORMAT, WIDTH, HEIGHT, DEPTH, LAYERS, X, Y, Z, LAYER, PREDICATE, CONTENTS, SAMPLE];
