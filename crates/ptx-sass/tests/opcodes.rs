//! Each opcode by hand-computed cases: an instruction as the disassembler prints it, registers before and after.

use ptx_exec::object::{Geometry, Surface};
use ptx_exec::value::Bits;
use ptx_exec::value::{Fault, MemoryRegion};
use ptx_sass::instruction::{MachineInstruction, MachineOperand, Predicate, Register};
use ptx_sass::machine::{Halt, LOCAL_WINDOW, SHARED_WINDOW, Thread};
use ptx_sass::opcode::{Step, Unknown};
use ptx_sass::surface::BoundSurface;

/// A register or predicate with its value, `?` if it is undefined: `R4=0x10`, `P0=1`, `UR5=?`. A width after the
/// value has the defined bits: `R4=0x10/0xff`.
type Values = &'static str;

/// The bits 32 to 63 of the word, where an instruction has an immediate that is printed as a float.
const WORD: u128 = 0x3c00_4000 << 32;

fn bits(text: &str, width: u32) -> Bits {
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).expect("a number"),
        None => text.parse().expect("a number"),
    };
    let value = match text.split_once('/') {
        _ if text == "?" => Bits::UNDEFINED,
        Some((value, defined)) => Bits::new(number(value), number(defined)),
        None => Bits::from(number(text)),
    };
    value.zero_extended(width)
}

enum Place {
    Register(Register),
    Predicate(Predicate),
}

fn place(name: &str) -> Place {
    match MachineInstruction::parse("", "MOV", name).expect("a register").operands.remove(0) {
        MachineOperand::Register(register, ..) => Place::Register(register),
        MachineOperand::Predicate(predicate) => Place::Predicate(predicate),
        other => panic!("{other:?}"),
    }
}

fn assignments(values: &str) -> impl Iterator<Item = (&str, &str)> {
    values.split_whitespace().map(|one| one.split_once('=').expect("a name and a value"))
}

/// Memory at 0x1000 (bytes 0x10, 0x91, 0x12, ... of 16 bytes), shared and local memory, constants.
fn thread(before: &str) -> Thread {
    let mut thread = Thread::default();
    thread.start(7);
    let bytes: Vec<u8> = (0..16).map(|at| 0x10 + at + if at % 2 == 1 { 0x80 } else { 0 }).collect();
    thread.memory.add(MemoryRegion::new(0x1000, bytes.clone(), true));
    thread.memory.add(MemoryRegion::new(SHARED_WINDOW, bytes.clone(), true));
    thread.memory.add(MemoryRegion::new(LOCAL_WINDOW, bytes.clone(), true));
    thread.memory.add(MemoryRegion::new(0x2000, bytes.clone(), false));
    let format = "u32".parse().expect("a format");
    let (geometry, data) = (Geometry::D2, (0..32).collect());
    let surface = Surface { geometry, format, width: 4, height: 2, depth: 0, layers: 0, data };
    thread.surface = Some(BoundSurface::new(3, surface));
    thread.banks[3] = MemoryRegion::new(0, bytes, false);
    for (name, value) in assignments(before) {
        match place(name) {
            Place::Register(register) => thread.set(register, 0, bits(value, 32)),
            Place::Predicate(predicate) => thread.set_predicate(predicate, bits(value, 1)),
        }
    }
    thread
}

/// Runs the instruction at position 6 of its section.
fn run(text: &str, before: &str) -> (Thread, Result<(), Halt>) {
    run_word(text, before, WORD)
}

fn run_word(text: &str, before: &str, word: u128) -> (Thread, Result<(), Halt>) {
    let (mut thread, step) = (thread(before), step(text, word));
    let done = match thread.allows(step.guard) {
        Ok(true) => (step.run)(&mut thread, &step),
        Ok(false) => Ok(()),
        Err(stop) => Err(stop),
    };
    (thread, done)
}

fn step(text: &str, word: u128) -> Step {
    let (guard, rest) = match text.strip_prefix('@') {
        Some(rest) => rest.split_once(' ').map(|(guard, rest)| (format!("@{guard}"), rest)).expect("a guard"),
        None => (String::new(), text),
    };
    let (opcode, operands) = rest.split_once(' ').unwrap_or((rest, ""));
    let instruction = MachineInstruction::parse(&guard, opcode, operands).expect("an instruction");
    Step::new(&instruction, 6, word, 0x40).expect("a known instruction")
}

#[rustfmt::skip]
const CASES: &[(&str, Values, Values)] = &[
    // A sum of three; a carry goes to a predicate; minus x carries if nothing is borrowed.
    ("IADD3 R0,R1,R2,R3", "R1=1 R2=2 R3=0xffffffff", "R0=2"),
    ("IADD3 R4,P0,R14,R4,RZ", "R14=0xffffffff R4=1", "R4=0 P0=1"),
    ("IADD3 R4,P0,R14,R4,RZ", "R14=0xfffffffe R4=1", "R4=0xffffffff P0=0"),
    ("IADD3 R4,P0,R5,-R6,RZ", "R5=5 R6=5", "R4=0 P0=1"),
    ("IADD3 R4,P0,R5,-R6,RZ", "R5=5 R6=6", "R4=0xffffffff P0=0"),
    ("IADD3.X R5,RZ,R5,RZ,P1,!PT", "R5=7 P1=1", "R5=8"),
    ("IADD3.X R5,P2,R5,R6,RZ,P1,!PT", "R5=0xffffffff R6=0 P1=1", "R5=0 P2=1"),
    ("IADD3 R0,R1,-0x4,RZ", "R1=3", "R0=0xffffffff"),
    ("IADD3 R0,R1,R2,RZ", "R1=0x3/0xffffff0f R2=1", "R0=0x4/0xf"),
    ("UIADD3 UR4,UR4,0x1,URZ", "UR4=9", "UR4=10"),
    ("UIADD3.64 UR4,UPT,UPT,UR4,0x20,URZ", "UR4=0xfffffff0 UR5=1", "UR4=0x10 UR5=2"),
    ("IADD3 R0,P0,P1,R1,R2,R3", "R1=0xffffffff R2=0xffffffff R3=3", "R0=1 P0=1 P1=1"),
    ("IADD3.X R0,R1,R2,RZ,P0,P1", "R1=1 R2=2 P0=1 P1=1", "R0=5"),
    ("VIADD R0,R0,0xffffffff", "R0=1", "R0=0"),
    ("VIADD.16x2 R5,R0,R5", "R0=0x1ffff R5=0x20001", "R5=0x30000"),
    ("IADD R9,R0,UR6", "R0=0xffffffff UR6=2", "R9=1"),
    ("IADD.64 R2,R4,UR4", "R4=0xffffffff R5=1 UR4=1 UR5=3", "R2=0 R3=5"),
    ("VIADD.S32.ISAT R5,R0,R5", "R0=0x7fffffff R5=1", "R5=0x7fffffff"),
    ("VIADD.S32.ISAT R5,R0,R5", "R0=0x80000000 R5=0xffffffff", "R5=0x80000000"),
    ("VIADD.S32.ISAT R5,R0,R5", "R0=5 R5=0xffffffff", "R5=4"),
    ("FMUL R2,R2,R3", "R2=0x3fc00000 R3=0xc0000000", "R2=0xc0400000"),
    // Products.
    ("IMAD R0,R0,UR4,R3", "R0=3 UR4=5 R3=7", "R0=22"),
    ("IMAD.MOV.U32 R4,RZ,RZ,R10", "R10=0x12/0xff", "R4=0x12/0xff"),
    ("IMAD.IADD R13,R13,0x1,R12", "R13=2 R12=3", "R13=5"),
    ("IMAD.SHL.U32 R9,R8,0x8,RZ", "R8=0x11/0xff", "R9=0x88/0x7ff"),
    ("IMAD.U32 R0,RZ,RZ,UR4", "UR4=6", "R0=6"),
    ("IMAD.WIDE.U32 R2,R0,0x4,R2", "R0=0x80000000 R2=1 R3=2", "R2=1 R3=4"),
    ("IMAD.WIDE R2,R0,0x4,R2", "R0=0xffffffff R2=4 R3=0", "R2=0 R3=0"),
    ("IMAD.X R4,RZ,RZ,R9,P3", "R9=5 P3=1", "R4=6"),
    ("UIMAD UR6,UR4,UR6,0xc", "UR4=2 UR6=3", "UR6=18"),
    ("LEA R0,R5,R0,0x18", "R5=1 R0=0x400", "R0=0x1000400"),
    ("ULEA UR4,UR5,UR4,0x18", "UR5=0 UR4=0x400", "UR4=0x400"),
    // Shifts of two registers as one.
    ("SHF.L.U32 R7,R6,0x3,RZ", "R6=0x80000001", "R7=8"),
    ("SHF.L.U64.HI R7,R6,0x4,R5", "R6=0x80000001 R5=1", "R7=0x18"),
    ("SHF.R.U32.HI R9,RZ,R9,R12", "R9=4 R12=0x80", "R9=8"),
    ("SHF.R.U32.HI R9,RZ,R9,R12", "R9=40 R12=0x80", "R9=0"),
    ("SHF.R.S32.HI R0,RZ,0x1f,R0", "R0=0x80000000", "R0=0xffffffff"),
    ("SHF.R.U64 R0,R1,0x4,R2", "R1=0x10 R2=0x3", "R0=0x30000001"),
    ("USHF.R.S32.HI UR4,URZ,0x1f,UR6", "UR6=1", "UR4=0"),
    ("SGXT R7,R6,0x8", "R6=0x180", "R7=0xffffff80"),
    ("SGXT.U32 R7,R6,0x4", "R6=0xff", "R7=0xf"),
    // Comparisons, of the high halves with the result for the low ones.
    ("ISETP.GE.U32.AND P0,PT,R0,UR4,PT", "R0=0xffffffff UR4=1", "P0=1"),
    ("ISETP.GT.AND P1,P2,R0,0x1,PT", "R0=0xffffffff", "P1=0 P2=1"),
    ("ISETP.NE.U32.OR P0,PT,R0,RZ,P0", "R0=0 P0=1", "P0=1"),
    ("ISETP.EQ.U32.AND P0,PT,R0,RZ,PT", "R0=0x1/0x1", "P0=0"),
    ("ISETP.EQ.U32.AND P0,PT,R0,RZ,PT", "R0=0x0/0x1", "P0=?"),
    ("ISETP.EQ.U64.AND P0,PT,R4,R6,PT", "R4=1 R5=2 R6=1 R7=2", "P0=1"),
    ("ISETP.LT.U64.AND P0,PT,R4,R6,PT", "R4=9 R5=2 R6=1 R7=3", "P0=1"),
    ("ISETP.EQ.U32.AND.EX P0,PT,R5,RZ,PT,P0", "R5=0 P0=0", "P0=0"),
    ("ISETP.NE.U32.AND.EX P0,PT,R5,RZ,PT,P0", "R5=0 P0=1", "P0=1"),
    ("ISETP.LT.U32.AND.EX P0,PT,R5,R7,PT,P0", "R5=3 R7=3 P0=1", "P0=1"),
    ("ISETP.GE.AND.EX P0,PT,R7,R5,PT,P0", "R7=0xffffffff R5=0 P0=1", "P0=0"),
    // Counts of bits.
    ("IMAD.HI R7,R7,R0,R4", "R7=0xffffffff R0=2 R4=0 R5=5", "R7=4"),
    ("IMAD.HI.U32 R7,R7,R0,RZ", "R7=0xffffffff R0=2", "R7=1"),
    ("IMAD.HI.U32 R7,R7,R0,R4", "R7=1 R0=1 R4=0xffffffff R5=1", "R7=2"),
    ("LEA.HI R0,R0,R5,RZ,0x10", "R0=0x12345678 R5=1", "R0=0x1235"),
    ("LEA.HI R0,R0,R5,R6,0x4", "R0=0x80000000 R5=1 R6=0x10000002", "R0=0x29"),
    ("LOP3.LUT.PAND P1,R5,R0,R5,R4,0xc0,P0", "R0=3 R5=2 R4=0 P0=0", "R5=2 P1=0"),
    ("LOP3.LUT.PAND P1,R5,R0,R5,R4,0xc0,P0", "R0=3 R5=2 R4=0 P0=1", "R5=2 P1=1"),
    ("PRMT.F4E R0,R1,R2,R3", "R1=0x33221100 R3=0x77665544 R2=1", "R0=0x44332211"),
    ("PRMT.B4E R0,R1,R2,R3", "R1=0x33221100 R3=0x77665544 R2=1", "R0=0x66770011"),
    ("PRMT.RC8 R0,R1,R2,R3", "R1=0x33221100 R3=0 R2=2", "R0=0x22222222"),
    ("PRMT.ECL R0,R1,R2,R3", "R1=0x33221100 R3=0 R2=2", "R0=0x33222222"),
    ("PRMT.ECR R0,R1,R2,R3", "R1=0x33221100 R3=0 R2=2", "R0=0x22221100"),
    ("PRMT.RC16 R0,R1,R2,R3", "R1=0x33221100 R3=0 R2=3", "R0=0x33223322"),
    ("SGXT.W R7,R6,0x28", "R6=0x80", "R7=0xffffff80"),
    ("SGXT.W.U32 R7,R6,0x20", "R6=0x80", "R7=0"),
    ("SHF.L.W.U32.HI R5,R0,R4,R5", "R0=0x80000000 R4=33 R5=1", "R5=3"),
    ("SHF.R.W.U32 R5,R0,R4,R5", "R0=2 R4=33 R5=1", "R5=0x80000001"),
    ("FSEL R5,R0,1,!P0", "R0=0x7f800001 P0=0", "R5=0x7f800001"),
    ("VABSDIFF R5,R0,R5,R4", "R0=0xffffffff R5=1 R4=3", "R5=5"),
    ("VABSDIFF.U32 R5,R0,R5,R4", "R0=0xffffffff R5=1 R4=3", "R5=1"),
    ("IDP.4A.S8.U8 R5,R0,R5,R4", "R0=0x010101ff R5=0x01020380 R4=10", "R5=0xffffff90"),
    ("IDP.4A.U8.U8 R5,R0,R5,R4", "R0=0x000000ff R5=0x00000080 R4=1", "R5=0x7f81"),
    ("IDP.2A.LO.S16.U8 R5,R0,R5,R4", "R0=0x0002ffff R5=0x07070380 R4=0", "R5=0xffffff86"),
    ("IDP.2A.HI.U16.S8 R5,R0,R5,R4", "R0=0x0002ffff R5=0x03ff0707 R4=0", "R5=0xffff0007"),
    ("VIADD.S32.ISAT R7,R0,-R7", "R0=0xe58aa63e R7=0x80000000", "R7=0x658aa63e"),
    ("VIADD.S32.ISAT R7,R0,-R7", "R0=1 R7=0x80000000", "R7=0x7fffffff"),
    ("I2F R7,R22", "R22=0xffffffff", "R7=0xbf800000"),
    ("I2F R7,R22", "R22=0x1000001", "R7=0x4b800000"),
    ("FLO R0,R1", "R1=0xffffff7f", "R0=7"),
    ("FLO R0,R1", "R1=0xffffffff", "R0=0xffffffff"),
    ("FLO R0,R1", "R1=0x80", "R0=7"),
    ("FLO.U32 R0,R1", "R1=0x10", "R0=4"),
    ("FLO.U32 R0,R1", "R1=0", "R0=0xffffffff"),
    ("UFLO.U32 UR4,UR5", "UR5=0x80000000", "UR4=31"),
    ("FLO.U32.SH R0,R1", "R1=0x10", "R0=27"),
    ("FLO.U32.SH R0,R1", "R1=0", "R0=0xffffffff"),
    ("FLO R0,R1", "R1=0x10", "R0=4"),
    ("FLO R0,R1", "R1=0xffffffef", "R0=4"),
    ("FLO R0,R1", "R1=0xffffffff", "R0=0xffffffff"),
    ("FLO.SH R0,R1", "R1=0xffffffef", "R0=27"),
    ("UFLO UR4,UR5", "UR5=0x80000000", "UR4=30"),
    ("BREV R0,R1", "R1=0x00000b01/0xffffff0f", "R0=0x80d00000/0xf0ffffff"),
    ("UBREV UR4,UR5", "UR5=1", "UR4=0x80000000"),
    ("BMSK R0,R1,R2", "R1=4 R2=3", "R0=0x70"),
    ("BMSK R0,R1,R2", "R1=4 R2=0xffffffff", "R0=0xfffffff0"),
    ("BMSK R0,R1,R2", "R1=36 R2=3", "R0=0"),
    ("BMSK.W R0,R1,R2", "R1=36 R2=35", "R0=0x70"),
    ("BMSK.W R0,R1,R2", "R1=30 R2=4", "R0=0xc0000000"),
    // Absolute values and choices.
    ("IABS R0,R1", "R1=0xfffffffb", "R0=5"),
    ("IABS R0,R1", "R1=0x80000000", "R0=0x80000000"),
    ("IMNMX R0,R1,R2,PT", "R1=0xffffffff R2=1", "R0=0xffffffff"),
    ("IMNMX R0,R1,R2,!PT", "R1=0xffffffff R2=1", "R0=1"),
    ("IMNMX.U32 R0,R1,R2,PT", "R1=0xffffffff R2=1", "R0=1"),
    ("IMNMX.U32 R0,R1,R2,P0", "R1=7 R2=9 P0=0", "R0=9"),
    ("VIMNMX.U32 R0,R1,R2,!PT", "R1=0xffffffff R2=1", "R0=0xffffffff"),
    ("VIMNMX.S32 R0,R1,R2,PT", "R1=0xffffffff R2=1", "R0=0xffffffff"),
    ("VIMNMX R0,PT,PT,R1,R2,!PT", "R1=0xffffffff R2=1", "R0=1"),
    ("VIMNMX R0,R1,R2,PT", "R1=? R2=1", "R0=?"),
    ("POPC R0,R1", "R1=0xf1", "R0=5"),
    ("UPOPC UR4,UR5", "UR5=0", "UR4=0"),
    // Floats: 1 + 2, 1 - 2, and halves by themselves.
    ("FADD R0,R1,R2", "R1=0x3f800000 R2=0x40000000", "R0=0x40400000"),
    ("FADD R0,R1,-R2", "R1=0x3f800000 R2=0x40000000", "R0=0xbf800000"),
    ("DADD R0,R2,-c[0x3][0x0]", "R2=0 R3=0", "R0=0x93129110 R1=0x17169514"),
    ("DADD R0,R2,R4", "R2=0 R3=0x3ff00000 R4=0 R5=0x40000000", "R0=0 R1=0x40080000"),
    ("HADD2 R0,R1,R2.H0_H0", "R1=0x40003c00 R2=0x7c003c00", "R0=0x42004000"),
    ("HADD2 R0,R1,R2.H1_H1", "R1=0x40003c00 R2=0x3c007c00", "R0=0x42004000"),
    ("HADD2.BF16_V2 R0,R1,R2", "R1=0x40003f80 R2=0x3f803f80", "R0=0x40404000"),
    ("I2F.U64 R0,R2", "R2=1 R3=0", "R0=0x3f800000"),
    ("I2F.U64 R0,R2", "R2=0xffffffff R3=0xffffffff", "R0=0x5f800000"),
    ("F2I.U32.F64.TRUNC R0,R2", "R2=0 R3=0x40060000", "R0=2"),
    ("F2I.U32.F64.TRUNC R0,R2", "R2=0 R3=0xc0060000", "R0=0"),
    ("F2I.U16.F64.TRUNC R0,R2", "R2=0 R3=0x40f00000", "R0=0xffff"),
    ("F2I.U8.F16.TRUNC.NTZ R0,R1.H1", "R1=0x5c000000", "R0=255"),
    ("F2IP.U8.F32.TRUNC.NTZ R0,RZ,R1,RZ", "R1=0x42280000", "R0=42"),
    // One lane of a warp.
    ("VOTEU.ANY UR4,UPT,P0", "P0=1", "UR4=1"),
    ("VOTE.ANY R0,P1,P0", "P0=0", "R0=0 P1=0"),
    ("VOTEU.ALL UP0,P0", "P0=1", "UP0=1"),
    ("CREDUX.MIN.S32 UR4,R1", "R1=0xfffffff6", "UR4=0xfffffff6"),
    ("REDUX.OR UR4,R1", "R1=6", "UR4=6"),
    ("R2UR UR4,R1", "R1=6", "UR4=6"),
    ("R2UR P1,UR4,R1", "R1=6 P1=1", "UR4=6 P1=0"),
    ("R2UR.OR P1,UR4,R1", "R1=6 P1=1", "UR4=6 P1=1"),
    ("SHFL.IDX PT,R0,R1,0x0,0x1f", "R1=6", "R0=6"),
    ("SHFL.UP P0,R0,R1,0x1,RZ", "R1=6", "R0=6 P0=0"),
    ("QSPC.E.S P0,RZ,[R2]", "R2=0x10 R3=0x7f01", "P0=1"),
    ("QSPC.E.S P0,RZ,[R2]", "R2=0x1000 R3=0", "P0=0"),
    ("QSPC.E.D P0,RZ,[R2]", "R2=0x10 R3=0x7f01", "P0=0"),
    // Surfaces: x in bytes and y, 16 bytes a row, the sample at byte b has the bytes b, b + 1 and so on.
    ("SULD.D.BA.2D.STRONG.SM.TRAP R0,[R2],UR4,0x0", "R2=4 R3=1 UR4=3", "R0=0x17161514"),
    ("SULD.D.BA.2D.64.STRONG.SM R0,[R2],UR4,0x0", "R2=0xffffff80 R3=9 UR4=3", "R0=0x13121110 R1=0x17161514"),
    ("SULD.D.BA.2D.STRONG.SM.IGN R0,[R2],UR4,0x0", "R2=0 R3=9 UR4=3", "R0=0"),
    ("SULD.D.BA.2D.EF.U8.STRONG.SM.IGN R0,[R2],UR4,0x0", "R2=3 R3=0 UR4=3", "R0=3"),
    ("TXQ RZ,R5,R5,TEX_HEADER_DIMENSION,UR4,0x0,0x1", "R5=0 UR4=3", "R5=4"),
    ("TXQ RZ,R5,R5,TEX_HEADER_DIMENSION,UR4,0x0,0x2", "R5=0 UR4=3", "R5=2"),
    ("TXQ.B RZ,R5,R4,TEX_HEADER_DIMENSION,0x2", "R4=3 R5=0", "R5=2"),
    ("SULD.D.BA.2D.STRONG.SM.TRAP R0,[R2],R4", "R2=4 R3=1 R4=3", "R0=0x17161514"),
    // Truth tables.
    ("LOP3.LUT R6,R0,0xffff,RZ,0xc0,!PT", "R0=0x12345678/0xff", "R6=0x78/0xffff00ff"),
    ("LOP3.LUT P0,RZ,R0,0x1,RZ,0xc0,!PT", "R0=2", "P0=0"),
    ("LOP3.LUT P0,R1,R0,0x3,RZ,0xc0,!PT", "R0=2", "P0=1 R1=2"),
    ("ULOP3.LUT UR5,UR5,0xf,UR4,0xf8,!UPT", "UR5=0x1c UR4=0x43", "UR5=0x1f"),
    ("PLOP3.LUT P0,PT,P1,PT,PT,0x80,0x0", "P1=1", "P0=1"),
    ("PLOP3.LUT P0,PT,PT,PT,PT,0x8,0x0", "P0=1", "P0=0"),
    ("PLOP3.LUT P1,PT,R0.SIGN,R5.reuse.SIGN,R4.SIGN,0x40,0x0", "R0=0x80000000 R5=0xffffffff R4=0x7fffffff", "P1=1"),
    ("PLOP3.LUT P0,PT,PT,PT,c[0x3][0x8].SIGN,0x80,0x0", "", "P0=1"),
    ("PRMT R0,R10,0x7610,R0", "R10=0x11223344 R0=0x55667788", "R0=0x55663344"),
    ("PRMT R0,R10,0x8880,RZ", "R10=0x80", "R0=0xffffff80"),
    ("PRMT R0,R10,0x4440,RZ", "R10=0x12345678/0xff", "R0=0x78"),
    ("UPRMT UR4,UR5,0x5410,UR6", "UR5=0x1111 UR6=0x2222", "UR4=0x22221111"),
    // Copies.
    ("MOV R0,R1", "R1=0x3/0x3", "R0=0x3/0x3"),
    ("UMOV UR4,0x400", "", "UR4=0x400"),
    ("MOV RZ,R1", "R1=5", "RZ=0"),
    ("SEL R6,R4,R5,P0", "R4=1 R5=2 P0=1", "R6=1"),
    ("SEL R6,R4,R5,!P0", "R4=1 R5=2 P0=1", "R6=2"),
    ("SEL.64 R6,R4,R2,P0", "R4=1 R5=2 R2=3 R3=4 P0=0", "R6=3 R7=4"),
    ("MOV.64 R8,R4", "R4=1 R5=2", "R8=1 R9=2"),
    ("BMOV.32.CLEAR R2,B0", "R2=1", "R2=?"),
    ("BMOV.32 B0,R2", "R2=1", "R2=1"),
    ("SEL R6,R4,R5,P0", "R4=5 R5=4 P0=?", "R6=0x4/0xfffffffe"),
    ("S2R R0,SR_TID.X", "", "R0=0"),
    ("S2UR UR4,SR_CTAID.X", "", "UR4=0"),
    ("CS2R R6,SRZ", "R6=1 R7=1", "R6=0 R7=0"),
    ("HFMA2.MMA R5,-RZ,RZ,2,1", "", "R5=0x3c004000"),
    ("LDC R0,c[0x3][0x4]", "", "R0=0x97169514"),
    ("LDC.64 R2,c[0x3][RZ]", "", "R2=0x93129110 R3=0x97169514"),
    ("LDC.64 R2,c[0x3][R2+0x4]", "R2=4", "R2=0x9b1a9918 R3=0x9f1e9d1c"),
    ("LDCU.128 UR4,c[0x3][0x0]", "", "UR4=0x93129110 UR5=0x97169514 UR6=0x9b1a9918 UR7=0x9f1e9d1c"),
    ("LDC.S16 R2,c[0x3][R0+0x2]", "R0=2", "R2=0xffff9514"),
    ("LDC.U8 R2,c[0x3][0x1]", "", "R2=0x91"),
    ("LDC R2,c[0x3][0x10]", "", "R2=?"),
    ("ULDC.64 UR4,c[0x3][0x8]", "", "UR4=0x9b1a9918 UR5=0x9f1e9d1c"),
    // The read-only proxy: generic addresses of 64 bits.
    ("ULDC.S16 UR4,[UR4+0x2],!UPT", "UR4=0x1000 UR5=0", "UR4=0xffff9312"),
    ("ULDC.U8 UR4,[UR4+0x1],!UPT", "UR4=0x1000 UR5=0", "UR4=0x91"),
    ("ULDC UR6,[UR4+-0x4],!UPT", "UR4=0x1008 UR5=0 UR7=1", "UR6=0x97169514 UR7=1"),
    ("ULDC.64 UR4,[UR4],!UPT", "UR4=0x1008 UR5=0", "UR4=0x9b1a9918 UR5=0x9f1e9d1c"),
    ("LDCU.128 UR4,[UR4],!UPT", "UR4=0x1000 UR5=0", "UR4=0x93129110 UR5=0x97169514 UR6=0x9b1a9918 UR7=0x9f1e9d1c"),
    // Loads; registers of addresses are 64 bits or 32.
    ("LDG.E.U.64.CONSTANT.SYS R0,[UR4]", "UR4=0x1008 UR5=0", "R0=0x9b1a9918 R1=0x9f1e9d1c"),
    ("LDG.E R0,desc[UR4][R2.64+0x4]", "R2=0x1000 R3=0 UR4=0 UR5=0x12f00000", "R0=0x97169514"),
    ("LDG.E.U8 R0,[R2.64+0x1]", "R2=0x1000 R3=0", "R0=0x91"),
    ("LDG.E.S8 R0,[R2.64+0x1]", "R2=0x1000 R3=0", "R0=0xffffff91"),
    ("LDG.E.S16 R0,[R2.64]", "R2=0x1000 R3=0", "R0=0xffff9110"),
    ("LDG.E.64.STRONG.SYS R0,[R2.64+-0x8]", "R2=0x1008 R3=0", "R0=0x93129110 R1=0x97169514"),
    ("LD.E.128 R4,[R2.64]", "R2=0x1000 R3=0", "R4=0x93129110 R5=0x97169514 R6=0x9b1a9918 R7=0x9f1e9d1c"),
    ("LD.E.64 R4,[R2+0x8]", "R2=0x1000 R3=0", "R4=0x9b1a9918 R5=0x9f1e9d1c"),
    ("LDG.E R0,[R2.64+UR4]", "R2=0x10 R3=0 UR4=0xff4 UR5=0", "R0=0x97169514"),
    ("LDG.E R0,[R2.U32+UR4]", "R2=0x10 R3=? UR4=0xff4 UR5=0", "R0=0x97169514"),
    ("LDS R0,[R2+UR4+0x4]", "R2=2 UR4=0xfffffffe", "R0=0x97169514"),
    ("LDL.U16 R0,[R2]", "R2=2", "R0=0x9312"),
    // What one thread does not notice.
    ("MEMBAR.SC.SYS", "R0=1", "R0=1"),
    ("BAR.SYNC.DEFER_BLOCKING 0x0", "R0=1", "R0=1"),
    ("ERRBAR", "R0=1", "R0=1"),
    ("CGAERRBAR", "R0=1", "R0=1"),
    ("CCTL.IVALL", "R0=1", "R0=1"),
    ("BSSY B0,0x50", "R0=1", "R0=1"),
    ("BSYNC B0", "R0=1", "R0=1"),
    ("NOP", "R0=1", "R0=1"),
    ("YIELD", "R0=1", "R0=1"),
    ("WARPSYNC.ALL", "R0=1", "R0=1"),
    ("DEPBAR.LE SB5,0x1", "R0=1", "R0=1"),
    // A guard that is false.
    ("@!P0 MOV R0,R1", "R0=1 R1=2 P0=1", "R0=1"),
];

#[test]
fn every_instruction_computes_what_was_computed_by_hand() {
    for (text, before, after) in CASES {
        let (thread, done) = run(text, before);
        assert_eq!(done, Ok(()), "{text}");
        check(&thread, after, &format!("{text} with {before}"));
    }
}

fn check(thread: &Thread, after: Values, text: &str) {
    for (name, value) in assignments(after) {
        let (found, width) = match place(name) {
            Place::Register(register) => (thread.half(register, 0), 32),
            Place::Predicate(predicate) => (thread.predicate(predicate), 1),
        };
        assert_eq!(found, bits(value, width), "{name} after `{text}`");
    }
}

#[test]
fn accesses_to_256_bits_have_two_halves_without_gaps_between_registers() {
    let run = |text: &str, before: &str| {
        let (mut thread, step) = (thread(before), step(text, WORD));
        let at = thread.memory.add(MemoryRegion::new(0x3000, (0..32).collect(), true));
        let done = (step.run)(&mut thread, &step);
        (thread, at, done)
    };
    let (thread, _, done) = run("LDG.E.ENL2.256 R12,R8,[R2.64],0xd4", "R2=0x3000 R3=0 R9=1 R15=1");
    assert_eq!(done, Ok(()));
    let words = "R8=0x0b0a0908 R9=1 R12=0x13121110 R13=0x1b1a1918 R14=0x1f1e1d1c R15=1";
    check(&thread, words, "the words 2, and 4, 6 and 7");
    let (thread, at, done) = run("STG.E.ENL2.256 [R2.64],R8,R4,0x81", "R2=0x3000 R3=0 R8=0x04030201 R4=0x08070605");
    let expected: Vec<u8> = (1..5).chain(4..28).chain(5..9).collect();
    assert_eq!((done, thread.memory.region(at).data()), (Ok(()), &expected[..]));
    let (.., done) = run("LDG.E.ENL2.256 R12,R8,[R2.64]", "R2=0x3010 R3=0");
    assert_eq!(done, Err(Halt::Trap(Fault::Misaligned(0x3010))));
}

#[test]
fn stores_write_what_they_say_and_nothing_else() {
    for (text, before, at, bytes) in [
        (
            "STG.E desc[UR4][R2.64],R0",
            "R0=0x44332211 R2=0x1004 R3=0 UR4=0 UR5=0x12f00000",
            4,
            &[0x11, 0x22, 0x33, 0x44][..],
        ),
        ("ST.E.U8 [R2.64+0x1],R0", "R0=0x1ff R2=0x1000 R3=0", 1, &[0xff]),
        ("STG.E.64 [R2.64],R0", "R0=0x4030201 R1=0x8070605 R2=0x1008 R3=0", 8, &[1, 2, 3, 4, 5, 6, 7, 8]),
        ("STG.E.U16 [R2.64],RZ", "R2=0x1002 R3=0", 2, &[0, 0]),
        ("STS.U8 [R2],R0", "R0=5 R2=3", 0x13, &[5]),
        ("STL [R2],R0", "R0=5 R2=4", 0x24, &[5, 0, 0, 0]),
    ] {
        // The regions one after another: global, shared, local.
        let all = |thread: &Thread| (0..3).flat_map(|at| thread.memory.region(at).data().to_vec()).collect::<Vec<u8>>();
        let mut expected = all(&thread(before));
        expected[at..at + bytes.len()].copy_from_slice(bytes);
        let (thread, done) = run(text, before);
        assert_eq!(done, Ok(()), "{text}");
        assert_eq!(all(&thread), expected, "{text}");
    }
    let (thread, done) = run("STG.E [R2.64],R0", "R0=0x11/0xff R2=0x1000 R3=0");
    assert_eq!(done, Ok(()));
    assert_eq!(thread.memory.region(0).defined()[..5], [0xff, 0, 0, 0, 0xff], "what is undefined stays so in memory");
}

/// The instruction, registers before, the destination after, and the bytes at the start of the memory after.
#[rustfmt::skip]
const ATOMICS: &[(&str, Values, Values, &[u8])] = &[
    ("ATOMG.E.ADD.STRONG.GPU PT,R4,desc[UR4][R2.64],R5", "R5=1 UR4=0 UR5=0x12f00000", "R4=0x93129110", &[0x11, 0x91, 0x12, 0x93]),
    ("ATOMG.E.ADD.64.STRONG.GPU PT,R4,[R2.64],R6", "R6=0xffffffff R7=0", "R4=0x93129110 R5=0x97169514", &[0x0f, 0x91, 0x12, 0x93, 0x15]),
    ("RED.E.ADD.STRONG.GPU [R2.64],R5", "R5=1", "R5=1", &[0x11, 0x91, 0x12, 0x93]),
    ("RED.E.AND.64.STRONG.SYS [R2.64],R6", "R6=0xffffffff R7=0", "R6=0xffffffff", &[0x10, 0x91, 0x12, 0x93, 0, 0, 0, 0]),
    ("REDG.E.ADD.STRONG.GPU desc[UR4][R2.64],R5", "R5=1 UR4=0 UR5=0x12f00000", "R5=1", &[0x11, 0x91, 0x12, 0x93]),
    ("ATOMG.E.MIN.STRONG.GPU PT,R4,[R2.64],R5", "R5=0", "R4=0x93129110", &[0; 4]),
    ("ATOMG.E.MIN.S32.STRONG.GPU PT,R4,[R2.64],R5", "R5=0", "R4=0x93129110", &[0x10, 0x91, 0x12, 0x93]),
    ("ATOMG.E.MAX.S64.STRONG.GPU PT,RZ,[R2.64],R6", "R6=1 R7=0", "", &[1, 0, 0, 0, 0, 0, 0, 0]),
    ("ATOMG.E.AND.STRONG.GPU PT,R4,[R2.64],R5", "R5=0xff", "R4=0x93129110", &[0x10, 0, 0, 0]),
    ("ATOMG.E.OR.STRONG.GPU PT,R4,[R2.64],R5", "R5=0xff", "R4=0x93129110", &[0xff, 0x91]),
    ("ATOMG.E.XOR.STRONG.GPU PT,R4,[R2.64],R5", "R5=0xff", "R4=0x93129110", &[0xef, 0x91]),
    ("ATOMG.E.INC.STRONG.GPU PT,R4,[R2.64],R5", "R5=0xffffffff", "R4=0x93129110", &[0x11, 0x91]),
    ("ATOMG.E.INC.STRONG.GPU PT,R4,[R2.64],R5", "R5=0x93129110", "R4=0x93129110", &[0; 4]),
    ("ATOMG.E.DEC.STRONG.GPU PT,R4,[R2.64],R5", "R5=5", "R4=0x93129110", &[5, 0, 0, 0]),
    ("ATOMG.E.EXCH.128.STRONG.GPU PT,R4,[R2.64],R8", "R8=1 R9=2 R10=3 R11=4", "R7=0x9f1e9d1c", &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4]),
    ("ATOMG.E.CAS.STRONG.GPU PT,R4,[R2],R5,R6", "R5=0x93129110 R6=7", "R4=0x93129110", &[7, 0, 0, 0]),
    ("ATOMG.E.CAS.STRONG.GPU PT,R4,[R2],R5,R6", "R5=0x93129111 R6=7", "R4=0x93129110", &[0x10, 0x91]),
    ("ATOM.E.CAST.SPIN.STRONG.SM PT,R4,[R2],R5,R6", "R5=0x93129110 R6=7", "R4=1", &[7, 0, 0, 0]),
    ("ATOM.E.CAST.SPIN.STRONG.SM PT,R4,[R2],R5,R6", "R5=0 R6=7", "R4=0", &[0x10, 0x91]),
    // A small number plus 1, and two halves: 1 - 0.00062, 1 - 0.00086.
    ("ATOM.E.ADD.F32.FTZ.RN.STRONG.GPU P0,R4,[R2.64],R5", "R5=0x3f800000", "R4=0x93129110 P0=1", &[0, 0, 0x80, 0x3f]),
    ("ATOMG.E.ADD.F16x2.RN.STRONG.GPU PT,R4,[R2.64],R5", "R5=0x3c003c00", "R4=0x93129110", &[0xff, 0x3b, 0xfe, 0x3b]),
    ("ATOMG.E.MAX.BF16x2.RN.STRONG.GPU PT,R4,[R2.64],R5", "R5=0xc0003f80", "R4=0x93129110", &[0x80, 0x3f, 0x12, 0x93]),
    ("ATOMG.E.ADD.F64.RN.STRONG.GPU PT,RZ,[R2.64],R6", "R6=0 R7=0x3ff00000", "", &[0, 0, 0, 0, 0, 0, 0xf0, 0x3f]),
];

#[test]
fn atomic_operations_return_what_was_there() {
    for (text, before, after, bytes) in ATOMICS {
        let before = &format!("R2=0x1000 R3=0 {before}");
        let (thread, done) = run(text, before);
        assert_eq!(done, Ok(()), "{text}");
        check(&thread, after, text);
        assert_eq!(&thread.memory.region(0).data()[..bytes.len()], *bytes, "{text} with {before}");
    }
    let (thread, done) = run("ATOMS.ADD R4,[R2+UR4],R5", "R2=0 UR4=4 R5=1");
    assert_eq!((done, thread.memory.region(1).data()[4]), (Ok(()), 0x15));
    let (thread, done) = run("ATOMS.CAST.SPIN P0,[R2],R4,R5", "R2=0 R4=0x93129110 R5=7 P0=0");
    check(&thread, "P0=1", "the words are equal");
    assert_eq!((done, thread.memory.region(1).data()[0]), (Ok(()), 7));
    let (thread, done) = run("ATOMS.POPC.INC.32 RZ,[UR4]", "UR4=4");
    assert_eq!((done, thread.memory.region(1).data()[4]), (Ok(()), 0x15));
    // In shared memory, some do nothing but say so.
    let (thread, done) = run("ATOM.E.ADD.F32.FTZ.RN.STRONG.GPU P0,R4,[R2.64],R5", "R2=0 R3=0x7f01 R4=1 R5=1");
    check(&thread, "P0=0 R4=?", "in shared memory");
    assert_eq!((done, thread.memory.region(1).data()[0]), (Ok(()), 0x10));
}

#[test]
fn stores_and_reductions_change_the_surface() {
    for (text, before, at, bytes) in [
        (
            "SUST.D.BA.2D.STRONG.SM.TRAP [R2],R0,UR4,0x0",
            "R0=0x44332211 R2=4 R3=1 UR4=3",
            20,
            &[0x11, 0x22, 0x33, 0x44][..],
        ),
        ("SUST.D.BA.2D.U8.STRONG.SM [R2],R0,UR4,0x0", "R0=0xabff R2=99 R3=0 UR4=3", 15, &[0xff]),
        ("SUST.D.BA.2D.64.STRONG.SM.IGN [R2],R0,UR4,0x0", "R0=1 R1=2 R2=0 R3=2 UR4=3", 0, &[]),
        ("SUST.P.2D.STRONG.SM.R.TRAP [R2],R0,UR4,0x0", "R0=0x7fffffff R2=1 R3=1 UR4=3", 20, &[0xff, 0xff, 0xff, 0x7f]),
        ("SURED.D.BA.2D.ADD.STRONG.SYS [R2],R0,UR4,0x0", "R0=1 R2=0 R3=0 UR4=3", 0, &[1, 1, 2, 3]),
        (
            "SURED.D.BA.2D.MAX.U64.STRONG.SYS.TRAP [R2],R0,UR4,0x0",
            "R0=1 R1=0xffffffff R2=8 R3=0 UR4=3",
            8,
            &[1, 0, 0, 0, 255, 255, 255, 255],
        ),
        ("SURED.D.2D.MIN.SD32.STRONG.SYS.TRAP [R2],R0,UR4,0x0", "R0=0xffffffff R2=1 R3=0 UR4=3", 4, &[4, 5, 6, 7]),
    ] {
        let mut expected: Vec<u8> = (0..32).collect();
        expected[at..at + bytes.len()].copy_from_slice(bytes);
        let (thread, done) = run(text, before);
        assert_eq!(done, Ok(()), "{text}");
        assert_eq!(thread.surface.expect("a surface").surface().data, expected, "{text}");
    }
}

#[test]
fn a_product_with_one_is_a_sum() {
    let sum = |opcode, word: u128, before| {
        let (thread, done) = run_word(&format!("{opcode} R0,R1,1,1,R2"), before, word << 32);
        done.map(|()| thread.half(Register { index: 0, uniform: false, wide: false }, 0))
    };
    assert_eq!(sum("HFMA2.MMA", 0x3c00_3c00, "R1=0x40003c00 R2=0x3c003c00"), Ok(Bits::from(0x4200_4000_u32)));
    assert_eq!(sum("HFMA2.MMA.BF16_V2", 0x3f80_3f80, "R1=0x40003f80 R2=0x3f803f80"), Ok(Bits::from(0x4040_4000_u32)));
    assert!(matches!(sum("HFMA2.MMA", 0x4000_4000, "R1=0 R2=0"), Err(Halt::Unknown(_))), "two is another factor");
}

#[test]
fn each_opcode_has_a_case() {
    let source = include_str!("opcodes.rs");
    for name in ptx_sass::opcode::names() {
        let said = ["\"", " "]
            .iter()
            .any(|before| [".", " ", "\""].iter().any(|after| source.contains(&format!("{before}{name}{after}"))));
        assert!(said, "{name} has no case");
    }
}

#[test]
fn branches_go_where_the_word_says() {
    // The word was printed as if it were at 0x40, and is the seventh of its section.
    for (text, before, next) in [
        ("BRA 0x40", "", 6),
        ("BRA 0x60", "", 8),
        ("@P0 BRA 0x60", "P0=0", 7),
        ("BRA P0,0x60", "P0=1", 8),
        ("CALL.REL.NOINC 0x20", "", 4),
        ("RET.REL.NODEC R2,-0x20", "R2=0x90 R3=0", 9),
    ] {
        let (thread, done) = run(text, before);
        assert_eq!((thread.next, done), (next, Ok(())), "{text}");
    }
}

#[test]
fn what_cannot_go_on_stops_the_thread() {
    let undefined = |what| Halt::Undefined(what);
    for (text, before, stop) in [
        ("EXIT", "", Halt::Exit),
        ("BPT.TRAP 0x1", "", Halt::unknown("the stack is too small")),
        ("LDG.E R0,[R2.64]", "R2=0x5000 R3=0", Halt::Trap(Fault::Nothing(0x5000))),
        ("LDG.E.64 R0,[R2.64]", "R2=0x1004 R3=0", Halt::Trap(Fault::Misaligned(0x1004))),
        ("STG.E [R2.64],R0", "R0=1 R2=0x2000 R3=0", Halt::Trap(Fault::ReadOnly(0x2000))),
        ("LDG.E R0,[R2.64]", "R2=0x1000 R3=?", undefined("an address")),
        ("LDG.E R0,desc[UR4][R2.64]", "R2=0x1000 R3=0 UR4=0 UR5=0/0x7fffffff", undefined("a memory descriptor")),
        ("SULD.D.BA.2D.STRONG.SM.TRAP R0,[R2],UR4,0x0", "R2=0 R3=2 UR4=3", Halt::Trap(Fault::OutsideSurface)),
        ("SULD.D.BA.2D.STRONG.SM.TRAP R0,[R2],UR4,0x0", "R2=0 R3=0 UR4=4", Halt::Trap(Fault::NoSurface(4))),
        ("SULD.D.BA.2D.STRONG.SM.TRAP R0,[R2],UR4,0x0", "R2=0 R3=? UR4=3", undefined("a coordinate")),
        ("SUST.D.BA.2D.STRONG.SM.TRAP [R2],R0,UR4,0x0", "R0=0 R2=0 R3=0 UR4=?", undefined("a handle")),
        ("ATOMG.E.CAS.STRONG.GPU PT,R4,[R2],R5,R6", "R2=0x1000 R3=0 R5=? R6=7", undefined("a comparison")),
        ("LDC R0,c[0x3][R1]", "R1=?", undefined("an address of a constant")),
        ("ULDC UR4,[UR4],!UPT", "UR4=0x5000 UR5=0", Halt::Trap(Fault::Nothing(0x5000))),
        ("ULDC.64 UR4,[UR4],!UPT", "UR4=0x1004 UR5=0", Halt::Trap(Fault::Misaligned(0x1004))),
        ("LDCU.128 UR4,[UR4],!UPT", "UR4=0x1008 UR5=0", Halt::Trap(Fault::Misaligned(0x1008))),
        ("ULDC UR4,[UR4],!UPT", "UR4=0x1000 UR5=?", undefined("an address")),
        ("@P0 MOV R0,R1", "P0=?", undefined("a guard")),
        ("SHF.L.U32 R0,R1,R2,RZ", "R1=1 R2=?", undefined("a count to shift by")),
        ("PRMT R0,R1,R2,RZ", "R1=1 R2=?", undefined("a selector of bytes")),
    ] {
        assert_eq!(run(text, before).1, Err(stop), "{text}");
    }
    for text in [
        "HFMA2.MMA R5,R1,R2,2,1",
        "S2R R0,SR_CLOCKLO",
        "LOP3.LUT R6,R0,R1,RZ,0xc0",
        "LOP3.LUT R6,R0,R1,RZ,0x1c0,!PT",
        "ULDC UR4,[UR4],UP0",
        "ULDC UR4,[UR4]",
        "ULDC UR4,R1",
        // Each modifier that chooses a meaning is asked for by its name: without one, none is guessed.
        "ISETP.AND P0,PT,R0,R1,PT",
        "ISETP.GE P0,PT,R0,R1,PT",
        "F2I.TRUNC R0,R1",
        "VIMNMX R0,P0,PT,R1,R2,!PT",
    ] {
        assert!(matches!(run(text, "R0=1 R1=1 R2=1").1, Err(Halt::Unknown(_))), "{text}");
    }
}

#[test]
fn what_is_not_in_the_table_is_unknown() {
    let step = |opcode| {
        let instruction = MachineInstruction::parse("", opcode, "R0,R1").expect("an instruction");
        Step::new(&instruction, 0, 0, 0).map(drop)
    };
    assert_eq!(step("FROB"), Err(Unknown::Opcode("FROB".to_owned())));
    assert_eq!(step("MOV.FROB"), Err(Unknown::Modifier("MOV".to_owned(), "FROB".to_owned())));
    assert_eq!(step("MOV.WIDE"), Err(Unknown::Modifier("MOV".to_owned(), "WIDE".to_owned())), "known elsewhere");
    assert_eq!(step("STG.E.STRONG.GPU"), Ok(()), "order and caches");
}
