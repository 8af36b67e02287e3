//! Special registers. PTX ISA `special-registers`.
//!
//! A thread knows its place in the grid. What the machine or its clock decides is undefined.

use super::register_bits::RegisterBits;
use ptx_spec::must::Must as _;
use ptx_spec::ptx::split_component;

/// A special register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ThreadRegister {
    /// `%tid`, by its component.
    Thread(usize),
    /// `%ntid`
    Threads(usize),
    /// `%ctaid`, and `%clusterid` of a grid without clusters.
    Block(usize),
    /// `%nctaid`, and `%nclusterid` of a grid without clusters.
    Blocks(usize),
    /// `%laneid`
    Lane,
    /// `%lanemask_eq`
    MaskEqual,
    /// `%lanemask_le`
    MaskUpTo,
    /// `%lanemask_lt`
    MaskBelow,
    /// `%lanemask_ge`
    MaskFrom,
    /// `%lanemask_gt`
    MaskAbove,
    /// A number that is the same for all threads.
    Fixed(u32),
    /// A number that the machine decides.
    Unknown,
}

/// The place of a thread in its grid.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ThreadPlace {
    /// Its position in the block.
    pub(super) thread: [u32; 3],
    /// The size of a block.
    pub(super) threads: [u32; 3],
    /// The position of the block.
    pub(super) block: [u32; 3],
    /// The size of the grid.
    pub(super) blocks: [u32; 3],
}

/// The number of threads of a warp.
const WARP: u32 = 32;

impl ThreadRegister {
    /// The special register with a name that the specification knows.
    pub(super) fn named(name: &str) -> Self {
        let (register, component) = split_component(name).unwrap_or((name, ""));
        let component = ["x", "y", "z"].iter().position(|known| *known == component);
        match (register, component) {
            ("%tid", Some(at)) => Self::Thread(at),
            ("%ntid", Some(at)) => Self::Threads(at),
            ("%ctaid" | "%clusterid", Some(at)) => Self::Block(at),
            ("%nctaid" | "%nclusterid", Some(at)) => Self::Blocks(at),
            ("%cluster_ctaid", Some(_)) => Self::Fixed(0),
            ("%cluster_nctaid", Some(_)) => Self::Fixed(1),
            // The fourth component is always 0.
            ("%tid" | "%ntid" | "%ctaid" | "%nctaid", None) if name.ends_with(".w") => Self::Fixed(0),
            ("%laneid", _) => Self::Lane,
            ("%lanemask_eq", _) => Self::MaskEqual,
            ("%lanemask_le", _) => Self::MaskUpTo,
            ("%lanemask_lt", _) => Self::MaskBelow,
            ("%lanemask_ge", _) => Self::MaskFrom,
            ("%lanemask_gt", _) => Self::MaskAbove,
            // A launch has neither clusters nor shared memory beyond what is declared.
            ("%is_explicit_cluster" | "%cluster_ctarank" | "%dynamic_smem_size", _) => Self::Fixed(0),
            ("%cluster_nctarank", _) => Self::Fixed(1),
            _ => Self::Unknown,
        }
    }

    /// Its value for a thread.
    pub(super) fn value(self, place: &ThreadPlace) -> RegisterBits {
        let lane = place.lane();
        let number = match self {
            Self::Thread(at) => place.thread[at],
            Self::Threads(at) => place.threads[at],
            Self::Block(at) => place.block[at],
            Self::Blocks(at) => place.blocks[at],
            Self::Lane => lane,
            Self::MaskEqual => 1 << lane,
            Self::MaskUpTo => u32::MAX >> (WARP - 1 - lane),
            Self::MaskBelow => !(u32::MAX << lane),
            Self::MaskFrom => u32::MAX << lane,
            Self::MaskAbove => !(u32::MAX >> (WARP - 1 - lane)),
            Self::Fixed(number) => number,
            Self::Unknown => return RegisterBits::UNDEFINED,
        };
        u128::from(number).into()
    }
}

impl ThreadPlace {
    /// The position of the thread in its warp.
    fn lane(&self) -> u32 {
        let [x, y, z] = self.thread.map(u64::from);
        let [width, height, _] = self.threads.map(u64::from);
        u32::try_from((x + width * (y + height * z)) % u64::from(WARP)).must("the remainder is less than 32")
    }
}
