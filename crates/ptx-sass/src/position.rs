//! Where a thread is in its launch, and the special registers that tell it.

/// The place of a thread in its launch; the coordinates are x, y and z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadPosition {
    /// The thread in its block.
    pub thread: [u32; 3],
    /// The threads of a block.
    pub threads: [u32; 3],
    /// The block in the grid.
    pub block: [u32; 3],
    /// The blocks of the grid.
    pub blocks: [u32; 3],
}

impl Default for ThreadPosition {
    /// The only thread of a launch.
    fn default() -> Self {
        Self { thread: [0; 3], threads: [1; 3], block: [0; 3], blocks: [1; 3] }
    }
}

/// How many lanes a warp has.
const LANES: u32 = 32;

impl ThreadPosition {
    /// The number of the thread in its block, in the order in which warps take them.
    fn number(&self) -> u32 {
        let [x, y, z] = self.thread;
        let [columns, rows, _] = self.threads;
        x.wrapping_add(y.wrapping_mul(columns)).wrapping_add(z.wrapping_mul(rows).wrapping_mul(columns))
    }

    /// The number of the thread in its warp.
    pub fn lane(&self) -> u32 {
        self.number() % LANES
    }

    /// The value of a special register of 32 bits.
    pub(crate) fn special(&self, register: MachineSpecial) -> u32 {
        let lane = self.lane();
        match register {
            MachineSpecial::Zero => 0,
            MachineSpecial::Thread(axis) => self.thread[axis],
            MachineSpecial::Threads(axis) => self.threads[axis],
            MachineSpecial::Block(axis) => self.block[axis],
            MachineSpecial::Blocks(axis) => self.blocks[axis],
            MachineSpecial::Lane => lane,
            MachineSpecial::SameLane => 1 << lane,
            MachineSpecial::LowerLanes => (1 << lane) - 1,
            MachineSpecial::LowerOrSameLanes => u32::MAX >> (LANES - 1 - lane),
            MachineSpecial::GreaterLanes => !(u32::MAX >> (LANES - 1 - lane)),
            MachineSpecial::GreaterOrSameLanes => u32::MAX << lane,
            MachineSpecial::Constant(value) => value,
        }
    }
}

/// A special register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MachineSpecial {
    Zero,
    /// The place of the thread in its block, along an axis.
    Thread(usize),
    Threads(usize),
    Block(usize),
    Blocks(usize),
    Lane,
    /// Masks of lanes, a bit each.
    SameLane,
    LowerLanes,
    LowerOrSameLanes,
    GreaterLanes,
    GreaterOrSameLanes,
    /// The same for all threads of a launch.
    Constant(u32),
}

impl MachineSpecial {
    /// The register with a name, `SR_TID.X`; none if it is unknown.
    pub(crate) fn named(name: &str, constant: impl Fn(&str) -> Option<u32>) -> Option<Self> {
        let (family, axis) = match name.split_once('.') {
            Some((family, axis)) => (family, ["X", "Y", "Z"].iter().position(|known| *known == axis)),
            None => (name, None),
        };
        Some(match (family, axis) {
            ("SRZ", None) => Self::Zero,
            ("SR_TID", Some(axis)) => Self::Thread(axis),
            ("SR_NTID", Some(axis)) => Self::Threads(axis),
            ("SR_CTAID", Some(axis)) => Self::Block(axis),
            ("SR_NCTAID", Some(axis)) => Self::Blocks(axis),
            ("SR_LANEID", None) => Self::Lane,
            ("SR_EQMASK", None) => Self::SameLane,
            ("SR_LTMASK", None) => Self::LowerLanes,
            ("SR_LEMASK", None) => Self::LowerOrSameLanes,
            ("SR_GTMASK", None) => Self::GreaterLanes,
            ("SR_GEMASK", None) => Self::GreaterOrSameLanes,
            (name, None) => Self::Constant(constant(name)?),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_knows_its_lane() {
        let position = ThreadPosition { thread: [1, 2, 1], threads: [4, 3, 2], ..ThreadPosition::default() };
        let value = |name| position.special(MachineSpecial::named(name, |_| None).expect("a known register"));
        assert_eq!(value("SR_LANEID"), 21);
        assert_eq!(value("SR_EQMASK"), 1 << 21);
        assert_eq!(value("SR_LTMASK"), (1 << 21) - 1);
        assert_eq!(value("SR_LEMASK"), (1 << 22) - 1);
        assert_eq!(value("SR_GTMASK"), !((1 << 22) - 1));
        assert_eq!(value("SR_GEMASK"), !((1 << 21) - 1));
        assert_eq!((value("SR_TID.Y"), value("SR_NTID.Z"), value("SRZ")), (2, 2, 0));
        assert_eq!(MachineSpecial::named("SR_TID.W", |_| None), None);
        let first = ThreadPosition::default();
        assert_eq!(first.special(MachineSpecial::LowerOrSameLanes), 1);
        let last = ThreadPosition { thread: [31, 0, 0], ..first };
        assert_eq!(last.special(MachineSpecial::GreaterLanes), 0);
        assert_eq!(last.special(MachineSpecial::LowerOrSameLanes), u32::MAX);
    }
}
