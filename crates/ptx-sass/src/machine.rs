//! The state of a thread: registers, predicates, constant banks, memory.

use crate::instruction::{MachineAddress, MachineOperand, Predicate, Register, RegisterPart, Sign};
use crate::position::ThreadPosition;
use crate::registers::{Destination, Registers};
use crate::scoreboard::{LateArrival, LateResults};
use crate::surface::{BoundSurface, NoPlace};
use ptx_exec::value::Bits;
use ptx_exec::value::{Fault, Memory, MemoryRegion};

/// Where shared memory begins among generic addresses. Addresses in shared memory are the low 32 bits.
pub const SHARED_WINDOW: u64 = 0x7f01_0000_0000;
/// Where local memory begins among generic addresses. Addresses in local memory are the low 32 bits.
pub const LOCAL_WINDOW: u64 = 0x7f02_0000_0000;

/// The memory descriptor that the driver puts into bank 0. No program computes with it.
pub const DEFAULT_DESCRIPTOR: u64 = 0x0dec_0dec_0dec_0dec;
/// The memory descriptor of the cache policy that kernels create, `createpolicy.fractional.L2::evict_first.b64` of 1.0: what the machine code
/// computes for it.
pub const POLICY_DESCRIPTOR: u64 = 0x12f0_0000_0000_0000;

/// The special registers that are the same for all threads: the windows of shared and local memory, and the place of the
/// block in its cluster, which is alone there.
pub(crate) fn constant_special(name: &str) -> Option<u32> {
    Some(match name {
        "SR_CgaCtaId" => 0,
        // The lowest address of the stack.
        "SR_LMEMHIOFF" => 0,
        "SR_SWINLO" => low_word(SHARED_WINDOW.cast_signed()),
        "SR_SWINHI" => low_word((SHARED_WINDOW >> 32).cast_signed()),
        "SR_LWINHI" => low_word((LOCAL_WINDOW >> 32).cast_signed()),
        _ => return None,
    })
}

/// The end of an execution.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Halt {
    /// The thread exits.
    #[error("the thread has exited")]
    Exit,
    /// The machine traps.
    #[error("{0}")]
    Trap(Fault),
    /// The machine code is wrong whatever its results are; says how.
    #[error("{0}")]
    Defect(String),
    /// Something undefined decides what happens.
    #[error("{0} is undefined")]
    Undefined(&'static str),
    /// The interpreter does not know what happens.
    #[error("{0}")]
    Unknown(String),
}

impl Halt {
    /// The interpreter does not know what happens: why, as a clause about the instruction.
    pub fn unknown(why: &str) -> Self {
        Self::Unknown(why.to_owned())
    }
}

impl From<NoPlace> for Halt {
    fn from(why: NoPlace) -> Self {
        match why {
            NoPlace::Trap(fault) => Self::Trap(fault),
            NoPlace::Unknown(why) => Self::unknown(why),
        }
    }
}

impl From<Fault> for Halt {
    fn from(fault: Fault) -> Self {
        Self::Trap(fault)
    }
}

/// A thread of a launch.
#[derive(Clone, Debug)]
pub struct Thread {
    registers: Registers,
    /// Constant banks.
    pub banks: [MemoryRegion; 8],
    /// All memory but constant banks, by generic addresses.
    pub memory: Memory,
    /// The surface that it can access.
    pub surface: Option<BoundSurface>,
    /// The results of loads and other long operations that have not arrived.
    late: LateResults,
    /// The memory descriptors that it may use beside the default: cache policies.
    pub policies: Vec<u64>,
    /// True if an access since this was last reset had one of these.
    pub used_policy: bool,
    /// Where it is in its launch.
    pub position: ThreadPosition,
    /// True if results arrive at once, whatever the machine code waits for.
    pub at_once: bool,
    /// How many units in the last place the results of special functions are moved: what corrects their errors must not show it.
    pub moved_seeds: i32,
    /// The number of its first instruction.
    first: usize,
    /// Where it restarts, if not at its first instruction.
    begin: Option<Box<ThreadBegin>>,
    /// The number of the next instruction of its section.
    pub next: usize,
    /// How many instructions it ran.
    pub steps: u64,
}

/// A thread that has run some instructions, and wrote only registers.
#[derive(Clone, Debug)]
struct ThreadBegin {
    registers: Registers,
    late: LateResults,
    next: usize,
}

impl Default for Thread {
    fn default() -> Self {
        Self {
            registers: Registers::default(),
            banks: Default::default(),
            memory: Memory::default(),
            surface: None,
            late: LateResults::default(),
            policies: vec![POLICY_DESCRIPTOR],
            used_policy: false,
            position: ThreadPosition::default(),
            at_once: false,
            moved_seeds: 0,
            first: 0,
            begin: None,
            next: 0,
            steps: 0,
        }
    }
}

impl Thread {
    /// Forgets all registers and predicates, and continues at an instruction.
    pub fn start(&mut self, at: usize) {
        self.registers.clear();
        self.late.clear();
        (self.first, self.next) = (at, at);
        self.begin = None;
    }

    /// As it was when it started, or when [`Self::begin_here`] was called: without what it wrote to registers and memory since then, but
    /// not to its surface.
    pub fn restart(&mut self) {
        self.memory.undo();
        match &self.begin {
            Some(begin) => {
                self.registers.copy_from(&begin.registers);
                self.late.copy_from(&begin.late);
                self.next = begin.next;
            }
            None => self.start(self.first),
        }
    }

    /// Lets [`Self::restart`] come back here, where the thread has written no memory. Returns false, and changes nothing, if it has.
    pub fn begin_here(&mut self) -> bool {
        let unwritten = !self.memory.is_changed();
        if unwritten {
            let Self { registers, late, next, .. } = &*self;
            self.begin = Some(Box::new(ThreadBegin { registers: registers.clone(), late: late.clone(), next: *next }));
        }
        unwritten
    }

    /// The value of a register: 32 bits, or 64 if it is wide.
    #[inline]
    pub fn register(&self, register: Register) -> Bits {
        let low = self.half(register, 0);
        if register.wide && !register.is_zero() { low.joined(32, self.half(register, 1)) } else { low }
    }

    /// The value of the register `after` a register; zero registers have no others after them.
    #[inline]
    pub fn half(&self, register: Register, after: u8) -> Bits {
        self.registers.get(register.after(after))
    }

    /// Writes 32 bits to the register `after` a register; zero registers stay 0.
    #[inline]
    pub fn set(&mut self, register: Register, after: u8, value: Bits) {
        if !register.is_zero() {
            self.write(Destination::Register(register.after(after)), value.zero_extended(32));
        }
    }

    /// Writes 64 bits to two registers.
    pub fn set_wide(&mut self, register: Register, value: Bits) {
        self.set(register, 0, value);
        self.set(register, 1, value.shifted_right(32));
    }

    /// The value of a predicate, in the lowest bit.
    #[inline]
    pub fn predicate(&self, predicate: Predicate) -> Bits {
        let value = self.registers.predicate(predicate);
        if predicate.negated { value.inverted().zero_extended(1) } else { value }
    }

    /// Writes a predicate; `PT` stays true.
    pub fn set_predicate(&mut self, predicate: Predicate, value: Bits) {
        if predicate.index < 7 {
            self.write(Destination::Predicate(predicate), value.zero_extended(1));
        }
    }

    /// Writes to a destination; what arrives late leaves it undefined for now.
    #[inline]
    fn write(&mut self, to: Destination, value: Bits) {
        let value = self.late.held_back(to, value);
        self.registers.write(to, value);
    }

    /// Waits until these barriers are clear, a bit each: the results that they were raised for have arrived.
    #[inline]
    pub fn wait(&mut self, barriers: u8) {
        if self.late.raised & barriers != 0 {
            self.wait_but(barriers, 0);
        }
    }

    /// Waits until at most `left` of the instructions that raised these barriers are not done.
    pub fn wait_but(&mut self, barriers: u8, left: usize) {
        let Self { late, registers, .. } = self;
        late.arrive(barriers, left, |to, value| registers.write(to, value));
    }

    /// Does something whose results arrive later; until then they are undefined.
    ///
    /// # Errors
    /// The errors of what is done.
    #[inline]
    pub fn late(&mut self, arrival: LateArrival, act: impl FnOnce(&mut Self) -> Result<(), Halt>) -> Result<(), Halt> {
        self.late.begin(arrival);
        let done = act(self);
        self.late.end();
        done
    }

    /// True if a guard lets an instruction do anything.
    ///
    /// # Errors
    /// If the predicate is undefined.
    #[inline]
    pub fn allows(&self, guard: Predicate) -> Result<bool, Halt> {
        self.predicate(guard).known(1).map(|value| value == 1).ok_or(Halt::Undefined("a guard"))
    }

    /// The value of a source of 32 bits.
    ///
    /// # Errors
    /// If the operand has no value of 32 bits, or is a constant whose address is undefined.
    #[inline]
    pub fn source(&self, operand: &MachineOperand) -> Result<Bits, Halt> {
        match operand {
            MachineOperand::Register(register, Sign::NONE, RegisterPart::Whole) => Ok(self.half(*register, 0)),
            MachineOperand::Integer(value) => Ok(Bits::from(*value).zero_extended(32)),
            _ => self.source_with_sign(operand),
        }
    }

    fn source_with_sign(&self, operand: &MachineOperand) -> Result<Bits, Halt> {
        let (value, sign) = match operand {
            MachineOperand::Register(register, sign, RegisterPart::Whole) => (self.half(*register, 0), *sign),
            MachineOperand::Constant { bank, base, offset, sign } => (self.constant(*bank, *base, *offset, 4)?, *sign),
            _ => return Err(Halt::unknown("a source is not 32 bits")),
        };
        let value = match sign {
            Sign { absolute: true, .. } => return Err(Halt::unknown("it takes the absolute value of an integer")),
            Sign { negated: true, .. } => value.inverted().plus(Bits::from(1_u32)),
            Sign { inverted: true, .. } => value.inverted(),
            _ => value,
        };
        Ok(value.zero_extended(32))
    }

    /// The value of a source of 64 bits: two registers, or a constant.
    ///
    /// # Errors
    /// As [`Self::source`].
    pub fn source_wide(&self, operand: &MachineOperand) -> Result<Bits, Halt> {
        match operand {
            MachineOperand::Register(register, Sign::NONE, RegisterPart::Whole) => {
                Ok(self.register(Register { wide: true, ..*register }))
            }
            MachineOperand::Integer(value) => Ok(Bits::from(*value)),
            MachineOperand::Constant { bank, base, offset, sign } if *sign == Sign::NONE => {
                self.constant(*bank, *base, *offset, 8)
            }
            _ => Err(Halt::unknown("a source is not 64 bits")),
        }
    }

    /// Bytes of a constant bank, at most 8. Those that the bank does not have are undefined.
    ///
    /// # Errors
    /// If the address is undefined, or negative.
    pub fn constant(&self, bank: u8, base: Option<Register>, offset: i64, bytes: usize) -> Result<Bits, Halt> {
        let base = match base {
            None => 0,
            Some(base) => self.half(base, 0).word().ok_or(Halt::Undefined("an address of a constant"))?,
        };
        let at = base.wrapping_add(low_word(offset)) as usize;
        Ok(self.banks.get(usize::from(bank)).map_or(Bits::UNDEFINED, |bank| bank.peek(at, bytes)))
    }

    /// An address: the sum of its registers and its offset. `extended`: uniform registers, and registers that are
    /// printed without a width, have 64 bits.
    ///
    /// # Errors
    /// If a part of it is undefined.
    pub fn address(&self, address: &MachineAddress, extended: bool) -> Result<u64, Halt> {
        let mut sum = address.offset.cast_unsigned();
        for base in address.bases.iter().flatten() {
            let wide = base.wide || extended && (address.bare || base.uniform);
            let known = |half: u8| self.half(*base, half).known(32).ok_or(Halt::Undefined("an address"));
            let high = if wide && !base.is_zero() { known(1)? } else { 0 };
            sum = sum.wrapping_add(known(0)? | high << 32);
        }
        Ok(sum)
    }
}

/// The low half of an offset: addresses in constant banks have 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "the low half is wanted")]
fn low_word(offset: i64) -> u32 {
    offset.cast_unsigned() as u32
}
