//! The opcodes: which modifiers each may have, and what it does.
//!
//! A name is NVIDIA's. An opcode or modifier that is not in the table is unknown: nothing is guessed.

/// A set of modifiers by their names, as a constant: looking a name up costs more than most instructions. It does not
/// compile if a name is not in the table.
macro_rules! set {
    ($($name:literal),+) => {
        const { $crate::opcode::Modifiers::named(&[$($name),+]) }
    };
}

mod access;
mod atomic;
mod bit;
mod compare;
mod control;
mod convert;
mod float;
mod half;
mod logic;
mod number;
mod pack;
mod product;
mod real;
mod shape;
mod source;
mod sum;
mod surface;
mod transfer;
mod warp;

use std::fmt;
use std::sync::Arc;

use crate::cubin::WORD_BYTES;
use crate::instruction::{BadOperand, MachineInstruction, MachineOperand, Predicate, Register};
use crate::machine::{Halt, Thread};
use crate::scoreboard::{LateArrival, Synchronization};
use shape::{Decoded, Effect, Shape, Unfit};

/// An instruction that is ready to run.
#[derive(Clone)]
pub struct Step {
    /// The predicate that must be true for it to do anything.
    pub guard: Predicate,
    /// What it does once its guard is true.
    effect: Effect,
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

/// An instruction whose operands are read when it runs.
struct ListedStep {
    /// Its modifiers that matter.
    modifiers: Modifiers,
    /// Its operands, destinations first.
    operands: Box<[MachineOperand]>,
}

/// The reason why an instruction cannot run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unknown {
    /// The opcode is not in the table.
    #[error("the opcode {0} is unknown")]
    Opcode(String),
    /// The opcode has no such modifier in the table.
    #[error("the modifier .{1} of {0} is unknown")]
    Modifier(String, String),
    /// The instruction has modifiers or operands that are unknown together; says its opcode with modifiers, and why.
    #[error("{0}: {1}")]
    Shape(String, &'static str),
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
    /// Later, from one unit that returns results in order: `ptxas` waits only for the last of several.
    InOrder,
}

/// How an opcode is executed.
enum Meaning {
    /// By what it is decoded to.
    Decoded(fn(&Shape) -> Decoded),
    /// By a function that reads operands and modifiers when it runs; has the modifiers that change what it does, separated
    /// by blanks.
    Listed(&'static str, fn(&mut Thread, &ListedStep) -> Result<(), Halt>),
}

/// An opcode.
struct Opcode {
    name: &'static str,
    duration: Duration,
    /// The modifiers that only say where caches keep data, or in which order others see accesses, as far as one thread
    /// can tell.
    ignored: &'static str,
    meaning: Meaning,
}

const fn decoded(
    name: &'static str,
    duration: Duration,
    ignored: &'static str,
    decode: fn(&Shape) -> Decoded,
) -> Opcode {
    Opcode { name, duration, ignored, meaning: Meaning::Decoded(decode) }
}

const fn listed(
    name: &'static str,
    duration: Duration,
    modifiers: &'static str,
    ignored: &'static str,
    run: fn(&mut Thread, &ListedStep) -> Result<(), Halt>,
) -> Opcode {
    Opcode { name, duration, ignored, meaning: Meaning::Listed(modifiers, run) }
}

/// Modifiers of accesses that one thread cannot tell apart: scopes and order, cache operations, eviction, prefetch.
const ACCESS: &str =
    "STRONG WEAK CONSTANT PRIVATE GPU SYS SM CTA MMIO EF EL EU NA LU LTC64B LTC128B LTC256B ENL2 EFL2 ELL2 SPIN RN U";

/// The types that a load can load: 32 bits without a modifier.
const LOADED: &str = "E U8 S8 U16 S16 64 128 256";
/// The operations, types and roundings of atomic operations.
const ATOMIC: &str = "E POPC 32 ADD MIN MAX AND OR XOR INC DEC EXCH CAS CAST 64 128 S32 S64 \
    F16x2 F16x4 F16x8 BF16x2 BF16x4 BF16x8 F32 F32x2 F32x4 F64 FTZ";
/// How a surface is accessed: its shape, what x counts, the size or type, the operation, and what happens outside.
const SURFACE: &str = "D P BA 1D 2D 3D 1D_ARRAY 2D_ARRAY U8 S8 U16 S16 64 128 R RG IGN TRAP \
    ADD MIN MAX AND OR S32 U64 S64 SD32 SD64";
/// The types that a store can store.
const STORED: &str = "E U8 S8 U16 S16 64 128 256";

/// The known modifiers that matter, one bit each.
const MEANINGFUL: [&str; 86] = [
    "32", "64", "128", "16x2", "U8", "S8", "U16", "S16", "U32", "S32", "U64", "S64", "WIDE", "HI", "X", "EX", "MOV",
    "IADD", "SHL", "LUT", "AND", "OR", "XOR", "EQ", "NE", "LT", "LE", "GT", "GE", "L", "R", "E", "ADD", "MIN", "MAX",
    "INC", "DEC", "EXCH", "CAS", "CAST", "F16x2", "F16x4", "F16x8", "BF16x2", "BF16x4", "BF16x8", "F32", "F32x2",
    "F32x4", "F64", "FTZ", "BF16_V2", "S", "D", "F16", "IDX", "UP", "P", "BA", "1D", "2D", "3D", "1D_ARRAY",
    "2D_ARRAY", "RG", "IGN", "TRAP", "SD32", "SD64", "POPC", "B", "ISAT", "256", "SH", "W", "PAND", "F4E", "B4E",
    "RC8", "ECL", "ECR", "RC16", "2A", "4A", "LO", "TRUNC",
];

/// A set of modifiers that matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Modifiers(u128);

impl Modifiers {
    fn of(name: &str) -> Option<Self> {
        MEANINGFUL.iter().position(|known| *known == name).map(|at| Self(1 << at))
    }

    /// The modifiers of the table with these names, before the program runs.
    const fn named(names: &[&str]) -> Self {
        let (mut bits, mut at) = (0, 0);
        while at < names.len() {
            let mut known = 0;
            while !same(MEANINGFUL[known], names[at]) {
                known += 1;
                assert!(known < MEANINGFUL.len(), "the modifier is not in the table");
            }
            bits |= 1 << known;
            at += 1;
        }
        Self(bits)
    }

    /// True if it has one of these.
    fn has(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }
}

/// True if two texts are equal; `==` is not for constants.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut equal = a.len() == b.len();
    let mut at = 0;
    while equal && at < a.len() {
        equal = a[at] == b[at];
        at += 1;
    }
    equal
}

/// One line for each opcode.
#[rustfmt::skip]
const OPCODES: &[Opcode] = &[
    listed("ATOM", Duration::Late, ATOMIC, ACCESS, atomic::generic),
    listed("ATOMG", Duration::Late, ATOMIC, ACCESS, atomic::generic),
    listed("ATOMS", Duration::Late, ATOMIC, "SPIN", atomic::shared),
    decoded("ACQBULK", Duration::Fixed, "", control::nothing),
    decoded("BAR", Duration::Fixed, "SYNC DEFER_BLOCKING", control::nothing),
    decoded("BMSK", Duration::Fixed, "", bit::mask),
    decoded("BMOV", Duration::Fixed, "CLEAR PQUAD", control::move_barrier),
    decoded("BPT", Duration::Fixed, "TRAP", control::breakpoint),
    decoded("BRA", Duration::Fixed, "U ANY", control::branch),
    decoded("BREV", Duration::InOrder, "", bit::reverse),
    decoded("BRX", Duration::Fixed, "", control::branch_table),
    decoded("BSSY", Duration::Fixed, "RECONVERGENT", control::nothing),
    decoded("BSYNC", Duration::Fixed, "RECONVERGENT", control::nothing),
    decoded("CALL", Duration::Fixed, "REL NOINC", control::branch),
    decoded("CCTL", Duration::Fixed, "", control::cache),
    decoded("CGAERRBAR", Duration::Fixed, "", control::nothing),
    decoded("CLMAD", Duration::Fixed, "", product::carry_less),
    decoded("CREDUX", Duration::Fixed, "MIN MAX S32", warp::of_one_lane),
    decoded("CS2R", Duration::Fixed, "", transfer::special_wide),
    decoded("DADD", Duration::Fixed, "", real::add_double),
    decoded("DEPBAR", Duration::Fixed, "LE", control::wait),
    decoded("ERRBAR", Duration::Fixed, "", control::nothing),
    decoded("EXIT", Duration::Fixed, "", control::exit),
    decoded("F2I", Duration::InOrder, "", number::to_integer),
    decoded("F2IP", Duration::Fixed, "", number::to_two_integers),
    decoded("FADD", Duration::Fixed, "", real::add),
    decoded("FENCE", Duration::Fixed, "VIEW ASYNC S", control::nothing),
    decoded("FFMA", Duration::Fixed, "", real::multiply_add),
    decoded("FLO", Duration::InOrder, "", bit::highest),
    decoded("FMUL", Duration::Fixed, "", real::multiply),
    decoded("FSEL", Duration::Fixed, "", transfer::select),
    decoded("FSETP", Duration::Fixed, "", real::compare),
    decoded("HADD2", Duration::Fixed, "", half::add),
    decoded("HFMA2", Duration::Fixed, "MMA", half::multiply_add),
    decoded("I2F", Duration::InOrder, "", number::from_integer),
    decoded("I2FP", Duration::Fixed, "", number::from_integer),
    decoded("I2I", Duration::Fixed, "", convert::saturate),
    decoded("I2IP", Duration::Fixed, "", convert::pack),
    decoded("IABS", Duration::Fixed, "", bit::absolute),
    decoded("IADD", Duration::Fixed, "", sum::two),
    decoded("IADD3", Duration::Fixed, "", sum::three),
    decoded("IDP", Duration::Fixed, "", product::dot),
    decoded("IMAD", Duration::Fixed, "", product::multiply_add),
    decoded("IMNMX", Duration::Fixed, "", compare::choose),
    decoded("ISETP", Duration::Fixed, "", compare::set),
    listed("LD", Duration::Late, LOADED, ACCESS, access::load_generic),
    decoded("LDC", Duration::Late, "", transfer::load_constant),
    decoded("LDCU", Duration::Fixed, "", transfer::load_constant),
    listed("LDG", Duration::Late, LOADED, ACCESS, access::load_generic),
    listed("LDL", Duration::Late, LOADED, ACCESS, access::load_local),
    listed("LDS", Duration::Late, LOADED, "U", access::load_shared),
    decoded("LEA", Duration::Fixed, "", sum::shifted),
    decoded("LOP3", Duration::Fixed, "", logic::table),
    decoded("MATCH", Duration::Fixed, "", warp::lanes_alike),
    decoded("MEMBAR", Duration::Fixed, "SC ALL SYS GPU CTA VC", control::nothing),
    decoded("MOV", Duration::Fixed, "", transfer::copy),
    decoded("MUFU", Duration::InOrder, "", real::reciprocal),
    decoded("NANOSLEEP", Duration::Fixed, "WARP", control::nothing),
    decoded("NOP", Duration::Fixed, "", control::nothing),
    decoded("P2R", Duration::Fixed, "", pack::pack),
    decoded("PLOP3", Duration::Fixed, "", logic::predicates),
    decoded("POPC", Duration::InOrder, "", bit::count),
    decoded("PREEXIT", Duration::Fixed, "", control::nothing),
    decoded("PRMT", Duration::Fixed, "", logic::permute),
    listed("QSPC", Duration::Late, "E S D", "", atomic::query_space),
    decoded("R2P", Duration::Fixed, "", pack::unpack),
    decoded("R2UR", Duration::Fixed, "", warp::to_uniform),
    listed("RED", Duration::Fixed, ATOMIC, ACCESS, atomic::reduce),
    listed("REDG", Duration::Fixed, ATOMIC, ACCESS, atomic::reduce),
    decoded("REDUX", Duration::Fixed, "SUM MIN MAX OR XOR S32", warp::of_one_lane),
    decoded("RET", Duration::Fixed, "REL NODEC", control::branch),
    decoded("S2R", Duration::Late, "", transfer::special),
    decoded("S2UR", Duration::Late, "", transfer::special),
    decoded("SEL", Duration::Fixed, "", transfer::select),
    decoded("SGXT", Duration::Fixed, "", bit::extend),
    decoded("SHF", Duration::Fixed, "", bit::shift),
    decoded("SHFL", Duration::Fixed, "", warp::shuffle),
    listed("ST", Duration::Fixed, STORED, ACCESS, access::store_generic),
    listed("STG", Duration::Fixed, STORED, ACCESS, access::store_generic),
    listed("STL", Duration::Fixed, STORED, ACCESS, access::store_local),
    listed("STS", Duration::Fixed, STORED, "", access::store_shared),
    listed("SULD", Duration::Late, SURFACE, ACCESS, surface::load),
    listed("SURED", Duration::Fixed, SURFACE, ACCESS, surface::reduce),
    listed("SUST", Duration::Fixed, SURFACE, ACCESS, surface::store),
    listed("TXQ", Duration::Late, "B", "", surface::query),
    decoded("UBMSK", Duration::Fixed, "", bit::mask),
    decoded("UBREV", Duration::Fixed, "", bit::reverse),
    decoded("UFLO", Duration::Fixed, "", bit::highest),
    decoded("UI2F", Duration::Fixed, "", number::from_integer),
    decoded("UIADD3", Duration::Fixed, "", sum::three),
    decoded("UIMAD", Duration::Fixed, "", product::multiply_add),
    decoded("UISETP", Duration::Fixed, "", compare::set),
    decoded("ULDC", Duration::Fixed, "", transfer::load_constant),
    decoded("ULEA", Duration::Fixed, "", sum::shifted),
    decoded("ULOP3", Duration::Fixed, "", logic::table),
    decoded("UMOV", Duration::Fixed, "", transfer::copy),
    decoded("UP2UR", Duration::Fixed, "", pack::pack),
    decoded("UPLOP3", Duration::Fixed, "", logic::predicates),
    decoded("UPOPC", Duration::Fixed, "", bit::count),
    decoded("UPRMT", Duration::Fixed, "", logic::permute),
    decoded("UR2UP", Duration::Fixed, "", pack::unpack),
    decoded("USEL", Duration::Fixed, "", transfer::select),
    decoded("USGXT", Duration::Fixed, "", bit::extend),
    decoded("USHF", Duration::Fixed, "", bit::shift),
    decoded("VABSDIFF", Duration::Fixed, "", sum::distance),
    decoded("VABSDIFF4", Duration::Fixed, "", sum::distances),
    decoded("VIADD", Duration::Fixed, "", sum::two),
    decoded("VIADDMNMX", Duration::Fixed, "", compare::add_and_choose),
    decoded("VIMNMX", Duration::Fixed, "", compare::choose),
    decoded("VIMNMX3", Duration::Fixed, "", compare::choose_of_three),
    decoded("VOTE", Duration::Fixed, "", warp::vote),
    decoded("VOTEU", Duration::Fixed, "", warp::vote),
    decoded("WARPSYNC", Duration::Fixed, "ALL", control::nothing),
    decoded("YIELD", Duration::Fixed, "", control::nothing),
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
    /// If the opcode or a modifier is unknown.
    pub fn new(instruction: &MachineInstruction, at: usize, word: u128, printed_at: u64) -> Result<Self, Unknown> {
        let opcode = OPCODES.iter().find(|opcode| opcode.name == instruction.opcode);
        let opcode = opcode.ok_or_else(|| Unknown::Opcode(instruction.opcode.clone()))?;
        let operands = resolved(instruction, at, word, printed_at);
        let is_in = |list: &str, modifier: &str| list.split(' ').any(|known| known == modifier);
        let effect = match opcode.meaning {
            Meaning::Decoded(decode) => {
                let modifiers = instruction.modifiers.iter().map(String::as_str);
                let modifiers = modifiers.filter(|modifier| !is_in(opcode.ignored, modifier)).collect();
                let decoded = decode(&Shape { modifiers, operands: &operands });
                decoded.map_err(|Unfit(why)| Unknown::Shape(instruction.to_string(), why))?
            }
            Meaning::Listed(known, run) => {
                let mut modifiers = Modifiers::default();
                for modifier in &instruction.modifiers {
                    match Modifiers::of(modifier).filter(|_| is_in(known, modifier)) {
                        Some(of) => modifiers.0 |= of.0,
                        None if is_in(opcode.ignored, modifier) => {}
                        None => return Err(Unknown::Modifier(opcode.name.to_owned(), modifier.clone())),
                    }
                }
                let step = ListedStep { modifiers, operands: operands.into() };
                Arc::new(move |thread: &mut Thread| run(thread, &step))
            }
        };
        let Synchronization { waits, raises, reads } = Synchronization::of(word);
        let late = raises.is_some() || opcode.duration != Duration::Fixed;
        let in_order = opcode.duration == Duration::InOrder;
        let arrival = late.then_some(LateArrival { registers: raises, predicates: reads.or(raises), in_order });
        Ok(Self { guard: instruction.guard, effect, name: instruction.to_string().into(), waits, arrival })
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

impl ListedStep {
    /// An operand.
    #[inline]
    fn operand(&self, at: usize) -> Result<&MachineOperand, Halt> {
        self.operands.get(at).ok_or_else(|| Halt::Unknown(format!("operand {at} is missing")))
    }

    /// A destination register.
    #[inline]
    fn to(&self, at: usize) -> Result<Register, Halt> {
        match self.operand(at)? {
            MachineOperand::Register(register, ..) => Ok(*register),
            _ => Err(Halt::Unknown(format!("operand {at} is not a register"))),
        }
    }

    /// A predicate.
    #[inline]
    fn predicate(&self, at: usize) -> Result<Predicate, Halt> {
        match self.operand(at)? {
            MachineOperand::Predicate(predicate) => Ok(*predicate),
            _ => Err(Halt::Unknown(format!("operand {at} is not a predicate"))),
        }
    }
}
