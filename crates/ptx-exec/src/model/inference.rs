//! What the manual does not say, and the model fills in.

/// Something that the manual does not say, and that this model fills in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inference {
    /// Its name in reports.
    pub id: &'static str,
    /// What is taken to hold.
    pub says: &'static str,
    /// Why.
    pub because: &'static str,
}

/// All that is inferred. None of it has been measured yet.
pub const INFERENCES: &[Inference] = &[
    Inference {
        id: "layer-bounds",
        says: "A layer that does not exist is out of bounds as a coordinate is; clamped, it is the last one.",
        because: "The manual speaks of addresses only; the code for sm_35 treats the layer as an unsigned coordinate.",
    },
    Inference {
        id: "unorm",
        says: "A float becomes an unsigned normalized integer by clamping to 0..1 (a NaN to 0), scaling, and rounding to nearest even.",
        because: "The manual does not describe conversions; graphics interfaces do so.",
    },
    Inference {
        id: "snorm",
        says: "A float becomes a signed normalized integer by clamping to -1..1 (a NaN to 0), scaling by the largest value, and rounding to nearest even.",
        because: "The manual does not describe conversions; graphics interfaces do so.",
    },
    Inference {
        id: "half",
        says: "A float becomes a half by rounding to nearest even; what is too large becomes infinite, a NaN stays one.",
        because: "The manual does not describe conversions; this is the default of cvt.",
    },
    Inference {
        id: "saturation",
        says: "An integer that does not fit into a component becomes the nearest one that does.",
        because: "The manual does not describe conversions; graphics interfaces do so.",
    },
    Inference {
        id: "reduced-64-bit",
        says: "A formatted reduction of 64 bits takes a sample of two 32-bit components for one integer.",
        because: "The manual has 64-bit integers in samples, and no array has such a component.",
    },
    Inference {
        id: "zero-extension",
        says: "A register wider than what a surface load writes is filled with zeros.",
        because: "The manual says so of ld, st and cvt only; the code that ptxas generates does so.",
    },
    Inference {
        id: "array-layout",
        says: "A CUDA array has no linear memory layout.",
        because: "The manual has 1 for surfaces with a linear layout, and CUDA arrays are opaque.",
    },
    Inference {
        id: "wider-source",
        says: "Of a register wider than what a surface store or reduction takes, the low bits count.",
        because: "The manual lets ld, st and cvt only have wider registers; every ptxas takes them here.",
    },
    Inference {
        id: "immediate-truncation",
        says: "Of an integer immediate that does not fit, the low bits count.",
        because: "The manual converts constants to the size of their use, and does not say how.",
    },
    Inference {
        id: "atomic-flush",
        says: "An atomic sum of .f32 in global memory takes subnormal inputs and results for zeros with their signs.",
        because: "The manual says it of the current implementation, and not of the instruction.",
    },
];

/// A set of [`INFERENCES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Inferences(u32);

impl Inferences {
    pub(super) const NONE: Self = Self(0);
    pub(super) const LAYER_BOUNDS: Self = Self(1);
    pub(super) const UNORM: Self = Self(1 << 1);
    pub(super) const SNORM: Self = Self(1 << 2);
    pub(super) const HALF: Self = Self(1 << 3);
    pub(super) const SATURATION: Self = Self(1 << 4);
    pub(super) const REDUCED_64_BIT: Self = Self(1 << 5);
    pub(super) const ZERO_EXTENSION: Self = Self(1 << 6);
    pub(super) const ARRAY_LAYOUT: Self = Self(1 << 7);
    pub(super) const WIDER_SOURCE: Self = Self(1 << 8);
    pub(super) const IMMEDIATE_TRUNCATION: Self = Self(1 << 9);
    pub(super) const ATOMIC_FLUSH: Self = Self(1 << 10);

    /// This set where it holds, else none.
    pub(super) fn when(self, holds: bool) -> Self {
        if holds { self } else { Self::NONE }
    }

    /// Both sets together.
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those in it.
    pub fn iter(self) -> impl Iterator<Item = &'static Inference> {
        INFERENCES.iter().enumerate().filter(move |(at, _)| self.0 >> at & 1 == 1).map(|(_, inference)| inference)
    }
}
