//! The opcodes, and what their instructions do.
//!
//! A name is NVIDIA's. Each instruction is decoded once, before anything runs, by the row of its opcode: modifiers and operands
//! become what is done to a thread. What a row does not know in all its parts is unknown: nothing is guessed.

mod access;
mod atomic;
mod bit;
mod compare;
mod control;
mod convert;
mod float;
mod half;
mod logic;
mod narrow;
mod number;
mod operand;
mod order;
mod pack;
mod product;
mod real;
mod shape;
mod source;
mod special_function;
mod special_table;
mod special_unit;
mod sum;
mod surface;
mod transfer;
mod warp;

use std::borrow::Cow;
use std::fmt;

use crate::cubin::WORD_BYTES;
use crate::instruction::{BadOperand, MachineInstruction, MachineOperand, Predicate};
use crate::machine::{Halt, Thread};
use crate::scoreboard::OrderedUnit::{self, Conversions, SharedMemory};
use crate::scoreboard::{LateArrival, Synchronization};
use shape::{DecodedStep, MachineShape, StepEffect, Unfit};

/// An instruction that is ready to run.
#[derive(Clone)]
pub struct Step {
    /// The predicate that must be true for it to do anything.
    pub guard: Predicate,
    /// The effect once its guard is true.
    effect: StepEffect,
    /// Its opcode with modifiers, as the disassembler prints it: `IMAD.WIDE.U32`.
    pub name: Box<str>,
    /// The barriers that must be clear before it begins, a bit each.
    pub waits: u8,
    /// When its results arrive; none if it has a fixed duration: the assembler counts cycles, which is not checked.
    pub arrival: Option<LateArrival>,
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.guard, self.name)
    }
}

/// The reason why an instruction cannot run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unknown {
    /// The opcode is not in the table.
    #[error("the opcode {0} is unknown")]
    Opcode(String),
    /// The instruction has modifiers or operands that are unknown together; says its opcode with modifiers, and why.
    #[error("{0}: {1}")]
    Shape(String, Cow<'static, str>),
    /// The disassembler prints nothing for the word.
    #[error("a word that the disassembler does not know: the target may not have the instruction")]
    Unprinted,
    /// The word is 0: the assembler wrote no instruction.
    #[error("a word of zeros is executed: the assembler wrote no instruction")]
    Zeros,
    /// An operand cannot be read.
    #[error(transparent)]
    Operand(#[from] BadOperand),
}

/// When the results of an opcode are there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Duration {
    /// A fixed number of cycles later, unless it raises a barrier.
    Fixed,
    /// Later, when its barrier is clear.
    Late,
    /// Later, from a unit that returns results in order: `ptxas` waits only for the last of several.
    InOrder(OrderedUnit),
}

/// An opcode.
struct Opcode {
    name: &'static str,
    duration: Duration,
    /// The modifiers that only say where caches keep data, or in which order others see accesses, as far as one thread
    /// can tell.
    ignored: &'static str,
    /// The decoder of its instructions, from their other modifiers and their operands.
    decode: fn(&MachineShape) -> DecodedStep,
}

const fn opcode(
    name: &'static str,
    duration: Duration,
    ignored: &'static str,
    decode: fn(&MachineShape) -> DecodedStep,
) -> Opcode {
    Opcode { name, duration, ignored, decode }
}

/// Modifiers of accesses that one thread cannot tell apart: scopes and order, cache operations, eviction, prefetch.
const ACCESS: &str =
    "STRONG WEAK CONSTANT PRIVATE GPU SYS SM CTA MMIO EF EL EU NA LU LTC64B LTC128B LTC256B ENL2 EFL2 ELL2 SPIN RN U";

/// One line for each opcode.
#[rustfmt::skip]
const OPCODES: &[Opcode] = &[
    opcode("ATOM", Duration::Late, ACCESS, atomic::generic),
    opcode("ATOMG", Duration::Late, ACCESS, atomic::generic),
    opcode("ATOMS", Duration::InOrder(SharedMemory), "SPIN", atomic::shared),
    opcode("ACQBULK", Duration::Fixed, "", control::nothing),
    opcode("BAR", Duration::Fixed, "SYNC DEFER_BLOCKING", control::nothing),
    opcode("BMOV", Duration::Fixed, "CLEAR PQUAD", control::move_barrier),
    opcode("BMSK", Duration::Fixed, "", bit::mask),
    opcode("BPT", Duration::Fixed, "TRAP", control::breakpoint),
    opcode("BRA", Duration::Fixed, "U ANY", control::branch),
    opcode("BREAK", Duration::Fixed, "RELIABLE", control::nothing),
    opcode("BREV", Duration::InOrder(Conversions), "", bit::reverse),
    opcode("BRX", Duration::Fixed, "", control::branch_table),
    opcode("BRXU", Duration::Fixed, "", control::branch_table),
    opcode("BSSY", Duration::Fixed, "RECONVERGENT RELIABLE", control::nothing),
    opcode("BSYNC", Duration::Fixed, "RECONVERGENT RELIABLE", control::nothing),
    opcode("CALL", Duration::Fixed, "REL NOINC", control::branch),
    opcode("CCTL", Duration::Fixed, "", control::cache),
    opcode("CGAERRBAR", Duration::Fixed, "", control::nothing),
    opcode("CLMAD", Duration::Fixed, "", product::carry_less),
    opcode("CREDUX", Duration::Fixed, "MIN MAX S32", warp::of_one_lane),
    opcode("CS2R", Duration::Fixed, "", transfer::special_wide),
    opcode("DADD", Duration::Fixed, "", real::add_double),
    opcode("DEPBAR", Duration::Fixed, "LE", control::wait),
    opcode("DFMA", Duration::Fixed, "", real::multiply_add_double),
    opcode("DMUL", Duration::Fixed, "", real::multiply_double),
    opcode("DSETP", Duration::Fixed, "", order::set_predicate_of_doubles),
    opcode("ERRBAR", Duration::Fixed, "", control::nothing),
    opcode("EXIT", Duration::Fixed, "", control::exit),
    opcode("F2F", Duration::InOrder(Conversions), "", narrow::convert),
    opcode("F2FP", Duration::Fixed, "", narrow::pack),
    opcode("F2I", Duration::InOrder(Conversions), "", number::to_integer),
    opcode("F2IP", Duration::Fixed, "", number::to_two_integers),
    opcode("FADD", Duration::Fixed, "", real::add),
    opcode("FADD2", Duration::Fixed, "", real::add_two),
    opcode("FCHK", Duration::InOrder(Conversions), "", real::check),
    opcode("FENCE", Duration::Fixed, "VIEW ASYNC S", control::nothing),
    opcode("FFMA", Duration::Fixed, "", real::multiply_add),
    opcode("FFMA2", Duration::Fixed, "", real::multiply_add_two),
    opcode("FHADD", Duration::Fixed, "", real::add_half),
    opcode("FHFMA", Duration::Fixed, "", real::multiply_halves_add),
    opcode("FLO", Duration::InOrder(Conversions), "", bit::highest),
    opcode("FMNMX", Duration::Fixed, "", order::choose),
    opcode("FMNMX3", Duration::Fixed, "", order::choose_of_three),
    opcode("FMUL", Duration::Fixed, "", real::multiply),
    opcode("FMUL2", Duration::Fixed, "", real::multiply_two),
    opcode("FRND", Duration::InOrder(Conversions), "", real::integral),
    opcode("FSEL", Duration::Fixed, "", real::select),
    opcode("FSET", Duration::Fixed, "", order::set),
    opcode("FSETP", Duration::Fixed, "", order::set_predicate),
    opcode("HADD2", Duration::Fixed, "", half::add),
    opcode("HFMA2", Duration::Fixed, "MMA", half::multiply_add),
    opcode("HMNMX2", Duration::Fixed, "", order::choose_halves),
    opcode("HMUL2", Duration::Fixed, "", half::multiply),
    opcode("HSET2", Duration::Fixed, "", order::set_halves),
    opcode("HSETP2", Duration::Fixed, "", order::set_predicates_of_halves),
    opcode("I2F", Duration::InOrder(Conversions), "", number::from_integer),
    opcode("I2FP", Duration::Fixed, "", number::from_integer),
    opcode("I2I", Duration::Fixed, "", convert::saturate),
    opcode("I2IP", Duration::Fixed, "", convert::pack),
    opcode("IABS", Duration::Fixed, "", bit::absolute),
    opcode("IADD", Duration::Fixed, "", sum::two),
    opcode("IADD3", Duration::Fixed, "", sum::three),
    opcode("IDP", Duration::Fixed, "", product::dot),
    opcode("IMAD", Duration::Fixed, "", product::multiply_add),
    opcode("IMNMX", Duration::Fixed, "", compare::choose),
    opcode("ISETP", Duration::Fixed, "", compare::set),
    opcode("LD", Duration::Late, ACCESS, access::load_generic),
    opcode("LDC", Duration::Late, "", transfer::load_constant),
    opcode("LDCU", Duration::Fixed, "", transfer::load_constant),
    opcode("LDG", Duration::Late, ACCESS, access::load_generic),
    opcode("LDL", Duration::Late, ACCESS, access::load_local),
    opcode("LDS", Duration::InOrder(SharedMemory), "U", access::load_shared),
    opcode("LEA", Duration::Fixed, "", sum::shifted),
    opcode("LOP3", Duration::Fixed, "", logic::table),
    opcode("MATCH", Duration::Fixed, "", warp::lanes_alike),
    opcode("MEMBAR", Duration::Fixed, "SC ALL SYS GPU CTA VC", control::nothing),
    opcode("MOV", Duration::Fixed, "", transfer::copy),
    opcode("MUFU", Duration::InOrder(Conversions), "", special_function::approximate),
    opcode("NANOSLEEP", Duration::Fixed, "WARP", control::nothing),
    opcode("NOP", Duration::Fixed, "", control::nothing),
    opcode("P2R", Duration::Fixed, "", pack::pack),
    opcode("PLOP3", Duration::Fixed, "", logic::predicates),
    opcode("POPC", Duration::InOrder(Conversions), "", bit::count),
    opcode("PREEXIT", Duration::Fixed, "", control::nothing),
    opcode("PRMT", Duration::Fixed, "", logic::permute),
    opcode("QSPC", Duration::Late, "", atomic::query_space),
    opcode("R2P", Duration::Fixed, "", pack::unpack),
    opcode("R2UR", Duration::Fixed, "", warp::to_uniform),
    opcode("RED", Duration::Fixed, ACCESS, atomic::reduce),
    opcode("REDG", Duration::Fixed, ACCESS, atomic::reduce),
    opcode("REDUX", Duration::Fixed, "SUM MIN MAX OR XOR S32", warp::of_one_lane),
    opcode("RET", Duration::Fixed, "REL NODEC", control::branch),
    opcode("S2R", Duration::Late, "", transfer::special),
    opcode("S2UR", Duration::Late, "", transfer::special),
    opcode("SEL", Duration::Fixed, "", transfer::select),
    opcode("SGXT", Duration::Fixed, "", bit::extend),
    opcode("SHF", Duration::Fixed, "", bit::shift),
    opcode("SHFL", Duration::InOrder(SharedMemory), "", warp::shuffle),
    opcode("ST", Duration::Fixed, ACCESS, access::store_generic),
    opcode("STG", Duration::Fixed, ACCESS, access::store_generic),
    opcode("STL", Duration::Fixed, ACCESS, access::store_local),
    opcode("STS", Duration::Fixed, "", access::store_shared),
    opcode("SULD", Duration::Late, ACCESS, surface::load),
    opcode("SURED", Duration::Fixed, ACCESS, surface::reduce),
    opcode("SUST", Duration::Fixed, ACCESS, surface::store),
    opcode("TXQ", Duration::Late, "", surface::query),
    opcode("UBMSK", Duration::Fixed, "", bit::mask),
    opcode("UBREV", Duration::Fixed, "", bit::reverse),
    opcode("UFADD", Duration::Fixed, "", real::add),
    opcode("UFFMA", Duration::Fixed, "", real::multiply_add),
    opcode("UFLO", Duration::Fixed, "", bit::highest),
    opcode("UFMUL", Duration::Fixed, "", real::multiply),
    opcode("UI2F", Duration::Fixed, "", number::from_integer),
    opcode("UIADD3", Duration::Fixed, "", sum::three),
    opcode("UIMAD", Duration::Fixed, "", product::multiply_add),
    opcode("UISETP", Duration::Fixed, "", compare::set),
    opcode("ULDC", Duration::Fixed, "", transfer::load_constant),
    opcode("ULEA", Duration::Fixed, "", sum::shifted),
    opcode("ULOP3", Duration::Fixed, "", logic::table),
    opcode("UMOV", Duration::Fixed, "", transfer::copy),
    opcode("UP2UR", Duration::Fixed, "", pack::pack),
    opcode("UPLOP3", Duration::Fixed, "", logic::predicates),
    opcode("UPOPC", Duration::Fixed, "", bit::count),
    opcode("UPRMT", Duration::Fixed, "", logic::permute),
    opcode("UR2UP", Duration::Fixed, "", pack::unpack),
    opcode("USEL", Duration::Fixed, "", transfer::select),
    opcode("USGXT", Duration::Fixed, "", bit::extend),
    opcode("USHF", Duration::Fixed, "", bit::shift),
    opcode("UVIMNMX", Duration::Fixed, "", compare::choose),
    opcode("VABSDIFF", Duration::Fixed, "", sum::distance),
    opcode("VABSDIFF4", Duration::Fixed, "", sum::distances),
    opcode("VIADD", Duration::Fixed, "", sum::two),
    opcode("VIADDMNMX", Duration::Fixed, "", compare::add_and_choose),
    opcode("VIMNMX", Duration::Fixed, "", compare::choose),
    opcode("VIMNMX3", Duration::Fixed, "", compare::choose_of_three),
    opcode("VOTE", Duration::Fixed, "", warp::vote),
    opcode("VOTEU", Duration::Fixed, "", warp::vote),
    opcode("WARPSYNC", Duration::Fixed, "ALL", control::nothing),
    opcode("YIELD", Duration::Fixed, "", control::nothing),
];

/// The opcodes that are known.
pub fn names() -> impl Iterator<Item = &'static str> {
    OPCODES.iter().map(|opcode| opcode.name)
}

/// The address of the instruction at a position of its section.
pub fn address(at: usize) -> u64 {
    (at * WORD_BYTES) as u64
}

/// True if the last operand of an opcode, with its modifiers, is the address of an instruction.
pub fn has_target(opcode: &str) -> bool {
    let name = opcode.split_once('.').map_or(opcode, |(name, _)| name);
    control::TARGETED.contains(&name)
}

/// The immediate in a word: its bits 32 to 63.
#[expect(clippy::cast_possible_truncation, reason = "the others belong to something else")]
fn immediate(word: u128) -> u64 {
    u64::from((word >> 32) as u32)
}

impl Step {
    /// An instruction at a position of its section, ready to run. `word` has the bits of the immediates that are
    /// printed as floats; the targets of branches are printed as if the word were at the address `printed_at`.
    ///
    /// ```
    /// use ptx_exec::value::Bits;
    /// use ptx_sass::instruction::{MachineInstruction, Register};
    /// use ptx_sass::machine::Thread;
    /// use ptx_sass::opcode::Step;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let instruction = MachineInstruction::parse("", "IADD3", "R0,R1,0x5,RZ")?;
    /// // Barrier 7 for results means no barrier: they are there at once.
    /// let step = Step::new(&instruction, 0, 7 << 110, 0)?;
    /// let register = |index| Register { index, uniform: false, wide: false };
    /// let mut thread = Thread::default();
    /// thread.set(register(1), 0, Bits::from(2_u32));
    /// ptx_sass::run::step(&mut thread, &[Ok(step)])?;
    /// assert_eq!(thread.half(register(0), 0).word(), Some(7));
    /// assert_eq!(thread.half(register(2), 0).word(), None, "nothing wrote it");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the opcode, or what it does with these modifiers and operands, is unknown. Otherwise it is known, whatever its registers hold.
    pub fn new(instruction: &MachineInstruction, at: usize, word: u128, printed_at: u64) -> Result<Self, Unknown> {
        let opcode = OPCODES.iter().find(|opcode| opcode.name == instruction.opcode);
        let opcode = opcode.ok_or_else(|| Unknown::Opcode(instruction.opcode.clone()))?;
        let operands = resolved(instruction, at, word, printed_at);
        let is_ignored = |modifier: &&str| opcode.ignored.split(' ').any(|ignored| ignored == *modifier);
        let modifiers = instruction.modifiers.iter().map(String::as_str).filter(|modifier| !is_ignored(modifier));
        let decoded = (opcode.decode)(&MachineShape { modifiers: modifiers.collect(), operands: &operands });
        let effect = decoded.map_err(|Unfit(why)| Unknown::Shape(instruction.to_string(), why))?;
        let Synchronization { waits, raises, reads } = Synchronization::of(word);
        let late = raises.is_some() || opcode.duration != Duration::Fixed;
        let in_order = match opcode.duration {
            Duration::InOrder(unit) => Some(unit),
            Duration::Fixed | Duration::Late => None,
        };
        // A predicate that says what kind an address is comes with the barrier for the sources.
        let predicates = if opcode.duration == Duration::Late { reads.or(raises) } else { raises.or(reads) };
        let arrival = late.then_some(LateArrival { registers: raises, predicates, in_order });
        // What does nothing does so whatever its guard is: `ptxas` leaves guards on it that nothing writes any longer.
        let guard = if instruction.opcode == "NOP" { Predicate::TRUE } else { instruction.guard };
        Ok(Self { guard, effect, name: instruction.to_string().into(), waits, arrival })
    }

    /// True if the instruction waits for other threads of the block.
    pub fn meets_threads(&self) -> bool {
        self.name.starts_with("BAR")
    }

    /// Does what it does once its guard is true.
    ///
    /// # Errors
    /// If the thread stops.
    #[inline]
    pub fn execute(&self, thread: &mut Thread) -> Result<(), Halt> {
        (self.effect)(thread)
    }
}

/// The operands of an instruction: the bits of floats are in its word, and targets are those of its place.
fn resolved(instruction: &MachineInstruction, at: usize, word: u128, printed_at: u64) -> Vec<MachineOperand> {
    let mut operands = instruction.operands.clone();
    let floats = operands.iter_mut().filter(|operand| **operand == MachineOperand::Float);
    // For one number, or for the two halves of one.
    let immediate = immediate(word);
    floats.for_each(|operand| *operand = MachineOperand::Integer(immediate));
    if has_target(&instruction.opcode) {
        let own = address(at);
        let moved = |operand: &mut MachineOperand| {
            if let MachineOperand::Integer(target) = operand {
                *target = target.wrapping_sub(printed_at).wrapping_add(own);
            }
        };
        operands.iter_mut().for_each(moved);
    }
    operands
}
