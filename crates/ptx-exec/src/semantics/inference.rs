//! Assumptions of the model where the manual is silent.

/// An assumption of this model where the manual is silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inference {
    /// Its name in reports.
    pub id: &'static str,
    /// The assumption.
    pub says: &'static str,
    /// The reason for the inference.
    pub because: &'static str,
}

/// All inferences; docs/gpu.md says which of them an H200 confirms.
pub const INFERENCES: &[Inference] = &[
    Inference {
        id: "layer-bounds",
        says: "The lower 16 bits of a layer count, unsigned: one that does not exist is out of bounds, and clamping selects the last.",
        because: "The manual only mentions addresses; an H200 does this.",
    },
    Inference {
        id: "unorm",
        says: "A float becomes an unsigned normalized integer of n bits by clamping to 0..1 (a NaN to 0), cutting to n + 4 bits, scaling, and rounding to nearest, ties toward zero.",
        because: "The manual does not describe conversions; an H200 does this.",
    },
    Inference {
        id: "snorm",
        says: "A float becomes a signed normalized integer of n bits by clamping to -1..1 (a NaN to 0), cutting its magnitude to n + 3 bits, scaling by the largest value, and rounding to nearest, ties toward zero.",
        because: "The manual does not describe conversions; an H200 does this.",
    },
    Inference {
        id: "half",
        says: "A float becomes a half by rounding toward zero, so a finite one stays finite; a NaN stays a NaN.",
        because: "The manual does not describe conversions; an H200 does this.",
    },
    Inference {
        id: "saturation",
        says: "An integer that does not fit into a component becomes the nearest value that does.",
        because: "The manual does not describe conversions; graphics interfaces do this.",
    },
    Inference {
        id: "reduced-64-bit",
        says: "A formatted reduction of 64 bits treats a sample of two 32-bit components as one integer.",
        because: "The manual mentions 64-bit integers in samples, but no array has such components.",
    },
    Inference {
        id: "zero-extension",
        says: "A register wider than what a surface load writes is filled with zeros.",
        because: "The manual says this only for ld, st and cvt; the code that ptxas generates does it.",
    },
    Inference {
        id: "array-layout",
        says: "A CUDA array has no linear memory layout.",
        because: "The manual gives 1 for surfaces with a linear layout, but CUDA arrays are opaque.",
    },
    Inference {
        id: "wider-source",
        says: "A surface store or reduction uses the low bits of a wider register.",
        because: "The manual allows wider registers only for ld, st and cvt; every ptxas accepts them here.",
    },
    Inference {
        id: "immediate-truncation",
        says: "An integer immediate that does not fit is truncated to its low bits.",
        because: "The manual converts constants to the size of their use, but does not say how.",
    },
    Inference {
        id: "atomic-flush",
        says: "An atomic .f32 addition in global memory flushes subnormal inputs and results to zero, keeping the sign.",
        because: "The manual says this of the current implementation, not of the instruction.",
    },
    Inference {
        id: "low-24-bits",
        says: "A multiplication of 24-bit integers uses the low 24 bits of its factors, with the sign of their type.",
        because: "The manual says that registers of 32 bits hold them, but not what their upper bits do.",
    },
    Inference {
        id: "truncated-remainder",
        says: "A signed remainder has the sign of the dividend.",
        because: "The manual leaves negative numbers to the machine; its quotients are those of C, which truncates.",
    },
    Inference {
        id: "out-of-bounds-nan",
        says: "The NaN that stands for what is out of bounds is 0x7ff7, or the same with a sign, in .f16 and .bf16.",
        because: "The manual names it without its bits; of all NaNs, an H100 takes these two for it.",
    },
];

/// A set of [`INFERENCES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Inferences(u32);

impl Inferences {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const LAYER_BOUNDS: Self = Self(1);
    pub(crate) const UNORM: Self = Self(1 << 1);
    pub(crate) const SNORM: Self = Self(1 << 2);
    pub(crate) const HALF: Self = Self(1 << 3);
    pub(crate) const SATURATION: Self = Self(1 << 4);
    pub(crate) const REDUCED_64_BIT: Self = Self(1 << 5);
    pub(crate) const ZERO_EXTENSION: Self = Self(1 << 6);
    pub(crate) const ARRAY_LAYOUT: Self = Self(1 << 7);
    pub(crate) const WIDER_SOURCE: Self = Self(1 << 8);
    pub(crate) const IMMEDIATE_TRUNCATION: Self = Self(1 << 9);
    pub(crate) const ATOMIC_FLUSH: Self = Self(1 << 10);
    pub(crate) const LOW_24_BITS: Self = Self(1 << 11);
    pub(crate) const TRUNCATED_REMAINDER: Self = Self(1 << 12);
    pub(crate) const OUT_OF_BOUNDS_NAN: Self = Self(1 << 13);

    /// This set if the condition holds, otherwise the empty set.
    pub(crate) fn when(self, holds: bool) -> Self {
        if holds { self } else { Self::NONE }
    }

    /// Both sets together.
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// True if it is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The inferences in it.
    pub fn iter(self) -> impl Iterator<Item = &'static Inference> {
        INFERENCES.iter().enumerate().filter(move |(at, _)| self.0 >> at & 1 == 1).map(|(_, inference)| inference)
    }
}
