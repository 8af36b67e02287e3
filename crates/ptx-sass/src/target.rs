//! The targets whose machine code is interpreted, and where each has what the driver passes to a kernel.
//!
//! The places were read from what `ptxas` 13.5 makes of `cvta`, `suq`, `%ntid` and accesses.

/// A target: its instructions and its constant bank 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachineTarget {
    /// Its name in PTX: `sm_90`.
    pub name: &'static str,
    /// Its name for the disassembler: `SM90`.
    pub disassembler: &'static str,
    /// The bytes of shared memory before the variables of a block, which are the driver's.
    pub(crate) reserved_shared: usize,
    pub(crate) bank_0: Bank0,
}

/// Places of bank 0 for one generation of machines, in bytes. The driver puts values there that kernels read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bank0 {
    /// The number of threads of a block, along x, y and z, and then that of the blocks of the grid.
    pub(crate) block: usize,
    /// Where the stack ends, in local memory.
    pub(crate) stack: usize,
    /// Where shared memory begins among generic addresses, 64 bits; newer machines have a special register for it.
    pub(crate) shared: Option<usize>,
    /// Where local memory begins among generic addresses, 64 bits.
    pub(crate) local: usize,
    /// Where bank 3 begins among generic addresses, 64 bits: it has the variables in constant memory.
    pub(crate) constants: usize,
    /// The address of the table that describes surfaces, 64 bits.
    pub(crate) table: usize,
    /// The memory descriptor of accesses without a cache policy, 64 bits.
    pub(crate) descriptor: Option<usize>,
}

const TURING: Bank0 =
    Bank0 { block: 0x0, stack: 0x28, shared: Some(0x18), local: 0x20, constants: 0x50, table: 0x80, descriptor: None };
const AMPERE: Bank0 = Bank0 { descriptor: Some(0x118), ..TURING };
const HOPPER: Bank0 = Bank0 { shared: None, constants: 0xd0, table: 0x100, descriptor: Some(0x208), ..TURING };
const BLACKWELL: Bank0 = Bank0 {
    block: 0x360,
    stack: 0x37c,
    shared: None,
    local: 0x2f8,
    constants: 0x120,
    table: 0x160,
    descriptor: Some(0x358),
};

impl MachineTarget {
    /// The target of the newest generation that most GPUs in use have: the default.
    pub const SM_90: Self = Self::new("sm_90", "SM90", 0x400, HOPPER);

    /// All targets, oldest first.
    pub const ALL: [Self; 7] = [
        Self::new("sm_75", "SM75", 0, TURING),
        Self::new("sm_80", "SM80", 0, AMPERE),
        Self::new("sm_86", "SM86", 0, AMPERE),
        Self::new("sm_89", "SM89", 0, AMPERE),
        Self::SM_90,
        Self::new("sm_100", "SM100", 0x400, BLACKWELL),
        Self::new("sm_120", "SM120", 0x400, BLACKWELL),
    ];

    const fn new(name: &'static str, disassembler: &'static str, reserved_shared: usize, bank_0: Bank0) -> Self {
        Self { name, disassembler, reserved_shared, bank_0 }
    }

    /// The target with this name in PTX.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.name == name)
    }
}
