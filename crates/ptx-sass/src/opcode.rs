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
mod control;
mod float;
mod integer;
mod logic;
mod surface;
mod transfer;
mod warp;

use crate::cubin::WORD_BYTES;
use crate::instruction::{BadOperand, MachineInstruction, MachineOperand, Predicate, Register};
use crate::machine::{Halt, Thread};
use crate::scoreboard::{LateArrival, Synchronization};

/// The effect of an instruction on a thread, once its guard is true.
pub type Action = fn(&mut Thread, &Step) -> Result<(), Halt>;

/// An instruction that is ready to run.
#[derive(Clone, Debug)]
pub struct Step {
    /// The predicate that must be true for it to do anything.
    pub guard: Predicate,
    /// The function that executes it.
    pub run: Action,
    /// Its opcode with modifiers, as the disassembler prints it: `IMAD.WIDE.U32`.
    pub name: Box<str>,
    /// The barriers that must be clear before it begins, a bit each.
    pub waits: u8,
    /// When its results arrive; none if it has a fixed duration: the assembler counts cycles, which is not checked.
    pub arrival: Option<LateArrival>,
    /// Its modifiers that matter.
    modifiers: Modifiers,
    /// Its operands, destinations first.
    operands: Box<[MachineOperand]>,
}

/// The opcodes of unknown duration on all targets.
const LATE: [&str; 18] = [
    "ATOM", "ATOMG", "ATOMS", "BREV", "F2I", "FLO", "I2F", "LD", "LDC", "LDG", "LDL", "LDS", "POPC", "QSPC", "S2R",
    "S2UR", "SULD", "TXQ",
];

/// The opcodes of unknown duration that one unit executes in order: `ptxas` waits only for the last of several.
const IN_ORDER: [&str; 5] = ["BREV", "F2I", "FLO", "I2F", "POPC"];

/// The reason why an instruction cannot run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unknown {
    /// The opcode is not in the table.
    #[error("the opcode {0} is unknown")]
    Opcode(String),
    /// The opcode has no such modifier in the table.
    #[error("the modifier .{1} of {0} is unknown")]
    Modifier(String, String),
    /// The word is 0: the assembler wrote no instruction.
    #[error("a word of zeros is executed: the assembler wrote no instruction")]
    Zeros,
    /// An operand cannot be read.
    #[error(transparent)]
    Operand(#[from] BadOperand),
}

/// An opcode.
struct Opcode {
    name: &'static str,
    /// The modifiers that change what it does, separated by blanks.
    modifiers: &'static str,
    /// The modifiers that only say where caches keep data, or in which order others see accesses, as far as one thread
    /// can tell.
    ignored: &'static str,
    run: Action,
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
/// The types that a load from a constant bank can load.
const CONSTANT: &str = "U8 S8 U16 S16 64 128";
/// The directions, types and halves of shifts.
const SHIFTED: &str = "L R W U32 S32 U64 S64 HI";

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
    Opcode { name: "ATOM", modifiers: ATOMIC, ignored: ACCESS, run: atomic::generic },
    Opcode { name: "ATOMG", modifiers: ATOMIC, ignored: ACCESS, run: atomic::generic },
    Opcode { name: "ATOMS", modifiers: ATOMIC, ignored: "SPIN", run: atomic::shared },
    Opcode { name: "BAR", modifiers: "", ignored: "SYNC DEFER_BLOCKING", run: control::nothing },
    Opcode { name: "BMSK", modifiers: "W", ignored: "", run: integer::mask },
    Opcode { name: "BMOV", modifiers: "32", ignored: "CLEAR PQUAD", run: control::move_barrier },
    Opcode { name: "BPT", modifiers: "", ignored: "TRAP", run: control::breakpoint },
    Opcode { name: "BRA", modifiers: "", ignored: "U ANY", run: control::branch },
    Opcode { name: "BREV", modifiers: "", ignored: "", run: integer::reverse },
    Opcode { name: "BSSY", modifiers: "", ignored: "RECONVERGENT", run: control::nothing },
    Opcode { name: "BSYNC", modifiers: "", ignored: "RECONVERGENT", run: control::nothing },
    Opcode { name: "CALL", modifiers: "", ignored: "REL NOINC", run: control::branch },
    Opcode { name: "CCTL", modifiers: "", ignored: "IVALL", run: control::nothing },
    Opcode { name: "CGAERRBAR", modifiers: "", ignored: "", run: control::nothing },
    Opcode { name: "CREDUX", modifiers: "", ignored: "MIN MAX S32", run: warp::of_one_lane },
    Opcode { name: "CS2R", modifiers: "32", ignored: "", run: transfer::special_wide },
    Opcode { name: "DADD", modifiers: "", ignored: "", run: float::add_double },
    Opcode { name: "DEPBAR", modifiers: "", ignored: "LE", run: control::wait },
    Opcode { name: "ERRBAR", modifiers: "", ignored: "", run: control::nothing },
    Opcode { name: "EXIT", modifiers: "", ignored: "", run: control::exit },
    Opcode { name: "F2I", modifiers: "U8 U16 U32 F16 F64 TRUNC", ignored: "NTZ", run: float::to_integer },
    Opcode { name: "F2IP", modifiers: "U8 TRUNC", ignored: "F32 NTZ", run: float::to_two_integers },
    Opcode { name: "FADD", modifiers: "", ignored: "", run: float::add },
    Opcode { name: "FLO", modifiers: "U32 SH", ignored: "", run: integer::highest_bit },
    Opcode { name: "FMUL", modifiers: "", ignored: "", run: float::multiply },
    Opcode { name: "FSEL", modifiers: "", ignored: "", run: transfer::select_float },
    Opcode { name: "HADD2", modifiers: "BF16_V2", ignored: "", run: float::add_halves },
    Opcode { name: "HFMA2", modifiers: "BF16_V2", ignored: "MMA", run: float::multiply_add_halves },
    Opcode { name: "I2F", modifiers: "U64", ignored: "", run: float::from_integer },
    Opcode { name: "IABS", modifiers: "", ignored: "", run: integer::absolute },
    Opcode { name: "IADD", modifiers: "64", ignored: "", run: integer::add_two },
    Opcode { name: "IADD3", modifiers: "X", ignored: "", run: integer::add },
    Opcode { name: "IDP", modifiers: "2A 4A LO HI U8 S8 U16 S16", ignored: "", run: integer::dot_product },
    Opcode { name: "IMAD", modifiers: "WIDE HI U32 X MOV IADD SHL", ignored: "", run: integer::multiply_add },
    Opcode { name: "IMNMX", modifiers: "U32", ignored: "", run: integer::choose },
    Opcode { name: "ISETP", modifiers: "EQ NE LT LE GT GE U32 U64 S64 AND OR XOR EX", ignored: "", run: integer::compare },
    Opcode { name: "LD", modifiers: LOADED, ignored: ACCESS, run: access::load_generic },
    Opcode { name: "LDC", modifiers: CONSTANT, ignored: "", run: transfer::load_constant },
    Opcode { name: "LDCU", modifiers: CONSTANT, ignored: "", run: transfer::load_constant },
    Opcode { name: "LDG", modifiers: LOADED, ignored: ACCESS, run: access::load_generic },
    Opcode { name: "LDL", modifiers: LOADED, ignored: ACCESS, run: access::load_local },
    Opcode { name: "LDS", modifiers: LOADED, ignored: "U", run: access::load_shared },
    Opcode { name: "LEA", modifiers: "HI", ignored: "", run: integer::shift_add },
    Opcode { name: "LOP3", modifiers: "LUT PAND", ignored: "", run: logic::table },
    Opcode { name: "MEMBAR", modifiers: "", ignored: "SC ALL SYS GPU CTA", run: control::nothing },
    Opcode { name: "MOV", modifiers: "64", ignored: "", run: transfer::copy },
    Opcode { name: "NOP", modifiers: "", ignored: "", run: control::nothing },
    Opcode { name: "PLOP3", modifiers: "LUT", ignored: "", run: logic::predicates },
    Opcode { name: "POPC", modifiers: "", ignored: "", run: integer::count_bits },
    Opcode { name: "PRMT", modifiers: "F4E B4E RC8 ECL ECR RC16", ignored: "", run: logic::permute },
    Opcode { name: "QSPC", modifiers: "E S D", ignored: "", run: atomic::query_space },
    Opcode { name: "R2UR", modifiers: "OR", ignored: "", run: warp::to_uniform },
    Opcode { name: "RED", modifiers: ATOMIC, ignored: ACCESS, run: atomic::reduce },
    Opcode { name: "REDG", modifiers: ATOMIC, ignored: ACCESS, run: atomic::reduce },
    Opcode { name: "REDUX", modifiers: "", ignored: "SUM MIN MAX OR XOR S32", run: warp::of_one_lane },
    Opcode { name: "RET", modifiers: "", ignored: "REL NODEC", run: control::leave },
    Opcode { name: "S2R", modifiers: "", ignored: "", run: transfer::special },
    Opcode { name: "S2UR", modifiers: "", ignored: "", run: transfer::special },
    Opcode { name: "SEL", modifiers: "64", ignored: "", run: transfer::select },
    Opcode { name: "SGXT", modifiers: "U32 W", ignored: "", run: integer::extend },
    Opcode { name: "SHF", modifiers: SHIFTED, ignored: "", run: integer::shift },
    Opcode { name: "SHFL", modifiers: "IDX UP", ignored: "", run: warp::shuffle },
    Opcode { name: "ST", modifiers: STORED, ignored: ACCESS, run: access::store_generic },
    Opcode { name: "STG", modifiers: STORED, ignored: ACCESS, run: access::store_generic },
    Opcode { name: "STL", modifiers: STORED, ignored: ACCESS, run: access::store_local },
    Opcode { name: "STS", modifiers: STORED, ignored: "", run: access::store_shared },
    Opcode { name: "SULD", modifiers: SURFACE, ignored: ACCESS, run: surface::load },
    Opcode { name: "SURED", modifiers: SURFACE, ignored: ACCESS, run: surface::reduce },
    Opcode { name: "SUST", modifiers: SURFACE, ignored: ACCESS, run: surface::store },
    Opcode { name: "TXQ", modifiers: "B", ignored: "", run: surface::query },
    Opcode { name: "UBREV", modifiers: "", ignored: "", run: integer::reverse },
    Opcode { name: "UFLO", modifiers: "U32 SH", ignored: "", run: integer::highest_bit },
    Opcode { name: "UIADD3", modifiers: "X 64", ignored: "", run: integer::add },
    Opcode { name: "UIMAD", modifiers: "WIDE U32", ignored: "", run: integer::multiply_add },
    Opcode { name: "ULDC", modifiers: CONSTANT, ignored: "", run: transfer::load_constant },
    Opcode { name: "ULEA", modifiers: "", ignored: "", run: integer::shift_add },
    Opcode { name: "ULOP3", modifiers: "LUT", ignored: "", run: logic::table },
    Opcode { name: "UMOV", modifiers: "64", ignored: "", run: transfer::copy },
    Opcode { name: "UPOPC", modifiers: "", ignored: "", run: integer::count_bits },
    Opcode { name: "UPRMT", modifiers: "", ignored: "", run: logic::permute },
    Opcode { name: "USHF", modifiers: SHIFTED, ignored: "", run: integer::shift },
    Opcode { name: "VABSDIFF", modifiers: "U32", ignored: "", run: integer::distance },
    Opcode { name: "VIADD", modifiers: "16x2 S32 ISAT", ignored: "", run: integer::add_two },
    Opcode { name: "VIMNMX", modifiers: "U32 S32", ignored: "", run: integer::choose },
    Opcode { name: "VOTE", modifiers: "", ignored: "ANY ALL", run: warp::vote },
    Opcode { name: "VOTEU", modifiers: "", ignored: "ANY ALL", run: warp::vote },
    Opcode { name: "WARPSYNC", modifiers: "", ignored: "ALL", run: control::nothing },
    Opcode { name: "YIELD", modifiers: "", ignored: "", run: control::nothing },
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
        let listed = |list: &str, modifier: &str| list.split(' ').any(|known| known == modifier);
        let mut modifiers = Modifiers::default();
        for modifier in &instruction.modifiers {
            match Modifiers::of(modifier).filter(|_| listed(opcode.modifiers, modifier)) {
                Some(of) => modifiers.0 |= of.0,
                None if listed(opcode.ignored, modifier) => {}
                None => return Err(Unknown::Modifier(opcode.name.to_owned(), modifier.clone())),
            }
        }
        let mut operands = instruction.operands.clone();
        let floats = operands.iter_mut().filter(|operand| **operand == MachineOperand::Float);
        // For one number, or for the two halves of one.
        let immediate = immediate(word);
        floats.for_each(|operand| *operand = MachineOperand::Integer(immediate));
        if has_target(opcode.name) {
            let own = address(at);
            let moved = |operand: &mut MachineOperand| {
                if let MachineOperand::Integer(target) = operand {
                    *target = target.wrapping_sub(printed_at).wrapping_add(own);
                }
            };
            operands.iter_mut().for_each(moved);
        }
        let Synchronization { waits, raises, reads } = Synchronization::of(word);
        let late = raises.is_some() || LATE.contains(&opcode.name);
        let in_order = IN_ORDER.contains(&opcode.name);
        let arrival = late.then_some(LateArrival { registers: raises, predicates: reads.or(raises), in_order });
        let (guard, run, name) = (instruction.guard, opcode.run, instruction.to_string().into());
        Ok(Self { guard, run, name, waits, arrival, modifiers, operands: operands.into() })
    }

    /// True if the instruction waits for other threads of the block.
    pub fn meets_threads(&self) -> bool {
        self.name.starts_with("BAR")
    }

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

    /// The operands from a position on that are not predicates, and the predicates before them.
    fn split(&self, from: usize) -> (impl Iterator<Item = Predicate>, &[MachineOperand]) {
        // If it has too few, the rest is empty: a shape that nothing accepts.
        let operands = self.operands.get(from..).unwrap_or_default();
        let is_predicate = |operand: &&MachineOperand| matches!(operand, MachineOperand::Predicate(_));
        let (before, rest) = operands.split_at(operands.iter().take_while(is_predicate).count());
        let predicate = |operand: &MachineOperand| match operand {
            MachineOperand::Predicate(predicate) => Some(*predicate),
            _ => None,
        };
        (before.iter().filter_map(predicate), rest)
    }
}
