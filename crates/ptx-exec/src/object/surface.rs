//! Surfaces: CUDA arrays, as the surface instructions see them.
//!
//! PTX ISA `surface-instructions`; the formats are those of the CUDA driver's `CUarray_format` that an
//! array with `CUDA_ARRAY3D_SURFACE_LDST` can have.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::hex;

/// The shape of a surface. PTX ISA `surface-instructions-suld`, `.geom`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Geometry {
    /// `.1d`
    #[serde(rename = "1d")]
    D1,
    /// `.2d`
    #[serde(rename = "2d")]
    D2,
    /// `.3d`
    #[serde(rename = "3d")]
    D3,
    /// `.a1d`: layers of one dimension.
    A1d,
    /// `.a2d`: layers of two dimensions.
    A2d,
}

impl Geometry {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::D1, Self::D2, Self::D3, Self::A1d, Self::A2d];

    /// The geometry with this name or modifier.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|geometry| geometry.name() == name.trim_start_matches('.'))
    }

    /// True if the surface is an array of layers.
    pub fn layered(self) -> bool {
        matches!(self, Self::A1d | Self::A2d)
    }

    /// The dimensions within a layer.
    pub fn dimensions(self) -> u8 {
        match self {
            Self::D1 | Self::A1d => 1,
            Self::D2 | Self::A2d => 2,
            Self::D3 => 3,
        }
    }

    /// The modifier without its dot.
    pub fn name(self) -> &'static str {
        match self {
            Self::D1 => "1d",
            Self::D2 => "2d",
            Self::D3 => "3d",
            Self::A1d => "a1d",
            Self::A2d => "a2d",
        }
    }
}

/// The type of a component of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Component {
    /// An unsigned integer of this many bits: 8, 16 or 32.
    Unsigned(u8),
    /// A signed integer of this many bits: 8, 16 or 32.
    Signed(u8),
    /// A float of this many bits: 16 or 32.
    Float(u8),
    /// An unsigned integer of 8 or 16 bits that represents 0 to 1.
    Unorm(u8),
    /// A signed integer of 8 or 16 bits that represents -1 to 1.
    Snorm(u8),
}

impl Component {
    /// All of them, the simplest first.
    pub const ALL: [Self; 12] = [
        Self::Unsigned(32),
        Self::Unsigned(8),
        Self::Unsigned(16),
        Self::Signed(8),
        Self::Signed(16),
        Self::Signed(32),
        Self::Float(16),
        Self::Float(32),
        Self::Unorm(8),
        Self::Unorm(16),
        Self::Snorm(8),
        Self::Snorm(16),
    ];

    /// Its size in bits.
    pub fn bits(self) -> u8 {
        match self {
            Self::Unsigned(bits) | Self::Signed(bits) | Self::Float(bits) | Self::Unorm(bits) | Self::Snorm(bits) => {
                bits
            }
        }
    }
}

/// The format of a sample: one, two or four components. As text `u32`, `s8x4`, `f16x2`, `unorm8x4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Format {
    /// Each of its components.
    pub component: Component,
    /// How many there are: 1, 2 or 4.
    pub channels: u8,
}

impl Format {
    /// Every format that a CUDA array can have as a surface, the simplest first.
    pub fn all() -> impl Iterator<Item = Self> {
        let channels = [1, 2, 4].into_iter();
        channels.flat_map(|channels| Component::ALL.into_iter().map(move |component| Self { component, channels }))
    }

    /// The size of a sample in bytes: 1 to 16.
    pub fn bytes(self) -> u32 {
        u32::from(self.component.bits()) / 8 * u32::from(self.channels)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.component {
            Component::Unsigned(_) => "u",
            Component::Signed(_) => "s",
            Component::Float(_) => "f",
            Component::Unorm(_) => "unorm",
            Component::Snorm(_) => "snorm",
        };
        write!(f, "{kind}{}", self.component.bits())?;
        if self.channels > 1 { write!(f, "x{}", self.channels) } else { Ok(()) }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::all().find(|format| format.to_string() == text);
        known.ok_or_else(|| {
            format!("`{text}` is not a surface format: write u8, s16, u32, f16, f32, unorm8, snorm16 or the like, followed by x2 or x4 if it has several channels")
        })
    }
}

impl Serialize for Format {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Format {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text: std::borrow::Cow<'_, str> = Deserialize::deserialize(from)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// A surface and its contents.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Surface {
    /// Its shape.
    pub geometry: Geometry,
    /// The format of its samples.
    pub format: Format,
    /// Samples in a row.
    pub width: u32,
    /// Rows; 0 if it has one dimension.
    #[serde(default, skip_serializing_if = "nothing")]
    pub height: u32,
    /// Slices; 0 if it has fewer than three dimensions.
    #[serde(default, skip_serializing_if = "nothing")]
    pub depth: u32,
    /// Layers; 0 if it has none.
    #[serde(default, skip_serializing_if = "nothing")]
    pub layers: u32,
    /// Its samples without gaps, first along x, then y, then z or the layer.
    #[serde(with = "hex")]
    pub data: Vec<u8>,
}

fn nothing(extent: &u32) -> bool {
    *extent == 0
}

impl Surface {
    /// The bits of a layer's number that a GPU looks at; an array has at most 2048 layers.
    pub const LAYER: u32 = 0xffff;

    /// Bytes in a row.
    pub fn row_bytes(&self) -> u32 {
        self.width.saturating_mul(self.format.bytes())
    }

    /// Rows, at least 1.
    pub fn rows(&self) -> u32 {
        self.height.max(1)
    }

    /// Slices or layers, at least 1.
    pub fn slices(&self) -> u32 {
        self.depth.max(self.layers).max(1)
    }

    /// How many bytes it has.
    pub fn size(&self) -> usize {
        [self.row_bytes(), self.rows(), self.slices()]
            .into_iter()
            .fold(1, |size: usize, extent| size.saturating_mul(extent as usize))
    }

    /// The position in its data of a byte in a row, of a row in a slice, of a slice or layer.
    pub fn position(&self, byte: u32, row: u32, slice: u32) -> usize {
        let [byte, row, slice] = [byte, row, slice].map(|number| number as usize);
        byte + self.row_bytes() as usize * (row + self.rows() as usize * slice)
    }

    /// Checks that its extents fit its geometry, and that its data has the right size.
    ///
    /// # Errors
    /// In words.
    pub fn check(&self) -> Result<(), String> {
        let dimensions = self.geometry.dimensions();
        let fits = |name: &str, extent: u32, present: bool| match (extent, present) {
            (0, true) => Err(format!("a surface of geometry {} must have a {name}", self.geometry.name())),
            (1.., false) => Err(format!("a surface of geometry {} must not have a {name}", self.geometry.name())),
            _ => Ok(()),
        };
        fits("width", self.width, true)?;
        fits("height", self.height, dimensions >= 2)?;
        fits("depth", self.depth, dimensions >= 3)?;
        fits("number of layers", self.layers, self.geometry.layered())?;
        if self.data.len() == self.size() {
            Ok(())
        } else {
            Err(format!("the surface has {} bytes, but its data has {}", self.size(), self.data.len()))
        }
    }
}
