//! Each opcode by hand-computed cases: an instruction as the disassembler prints it, registers before and after.

mod cases;
mod floats;
mod integers;

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

/// An instruction, registers before, and registers after.
type Case = (&'static str, Values, Values);

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
        Ok(true) => step.execute(&mut thread),
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

#[test]
fn every_instruction_computes_what_was_computed_by_hand() {
    for (text, before, after) in
        cases::CASES.iter().chain(integers::CASES).chain(floats::FLOATS).chain(floats::CONVERSIONS)
    {
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
        let done = step.execute(&mut thread);
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
}

#[test]
fn each_opcode_has_a_case() {
    let source =
        [include_str!("main.rs"), include_str!("cases.rs"), include_str!("integers.rs"), include_str!("floats.rs")]
            .concat();
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
        ("BRA P0,0x60", "P0=0", 7),
        ("EXIT P0", "P0=0", 7),
        ("CALL.REL.NOINC 0x20", "", 4),
        ("RET.REL.NODEC R2,-0x20", "R2=0x90 R3=0", 9),
        ("CALL.REL.NOINC R22,0x0", "R22=0x60 R23=0", 8),
        // The distance is from the next instruction.
        ("BRX R4,-0x70", "R4=0x20 R5=0", 2),
        ("BRXU UR6,-0x70", "UR6=0x30 UR7=0", 3),
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
        ("EXIT P0", "P0=1", Halt::Exit),
        ("EXIT !P0", "P0=?", undefined("a guard")),
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
}

#[test]
fn what_is_not_in_the_table_is_unknown() {
    let step = |opcode| {
        let instruction = MachineInstruction::parse("", opcode, "R0,R1").expect("an instruction");
        Step::new(&instruction, 0, 0, 0).map(drop)
    };
    assert_eq!(step("FROB"), Err(Unknown::Opcode("FROB".to_owned())));
    assert!(step("MOV.WIDE").is_err_and(|why| why.to_string() == "MOV.WIDE: its modifiers are unknown together"));
    assert_eq!(
        step("MOV.FROB"),
        Err(Unknown::Shape("MOV.FROB".to_owned(), "its modifiers are unknown together".into()))
    );
    let stored = MachineInstruction::parse("", "STG.E.STRONG.GPU", "[R2.64],R0").expect("an instruction");
    assert!(Step::new(&stored, 0, 0, 0).is_ok(), "order and caches");
}

#[test]
fn what_is_unknown_is_known_to_be_before_it_runs() {
    let unknown = |text: &str| {
        let (opcode, operands) = text.split_once(' ').unwrap_or((text, ""));
        let instruction = MachineInstruction::parse("", opcode, operands).expect("an instruction");
        Step::new(&instruction, 6, WORD, 0x40).is_err()
    };
    for text in UNKNOWN {
        assert!(unknown(text), "{text}");
    }
}

/// Instructions with modifiers or operands that nothing is known about, or that lack some.
const UNKNOWN: &[&str] = &[
    "LDG.E.FROB R0,[R2.64]",
    "LDG.E R0,[R2.64],P0",
    "LDG.E R0,R2",
    "STG.E [R2.64],0x1",
    "LDG.E.256 R0,[R2.64]",
    "ATOMG.E.ADD.F32.RZ PT,R4,[R2.64],R5",
    "ATOMG.E.ADD.128 PT,R4,[R2.64],R8",
    "ATOMG.E.CAS PT,R4,[R2.64],R5",
    "ATOMS.ADD P0,[R2],R5",
    "QSPC.E P0,RZ,[R2]",
    "SULD.D.2D R0,[R2],UR4,0x0",
    "SULD.D.BA R0,[R2],UR4,0x0",
    "SULD.D.BA.2D R0,[R2],UR4,0x1",
    "SURED.D.BA.2D.XOR [R2],R0,UR4,0x0",
    "SUST.P.2D.64.R [R2],R0,UR4,0x0",
    "TXQ RZ,R5,R5,TEX_HEADER_DIMENSION,UR4,0x0,0x3",
    "S2R R0,SR_CLOCKLO",
    "LOP3.LUT R6,R0,R1,RZ,0xc0",
    "LOP3.LUT R6,R0,R1,RZ,0x1c0,!PT",
    "ULDC UR4,[UR4],UP0",
    "ULDC UR4,[UR4]",
    "ULDC UR4,R1",
    // Each modifier that chooses a meaning is asked for by its name: without one, none is guessed.
    "ISETP.AND P0,PT,R0,R1,PT",
    "ISETP.GE P0,PT,R0,R1,PT",
    "VIMNMX R0,P0,PT,R1,R2,!PT",
    "I2I.S32.S32.SAT R0,R1",
    "I2I.U8.S32 R0,R1",
    "I2IP.U4.S32.SAT R0,R1,R2,R3",
    "I2IP.U4.S32.SAT R0,R1,R2,R3.28",
    "SEL R0,R1,R2,P0,R3",
    "SEL R0,-R1,R2,P0",
    "FLO.U32 R0,R1,R2",
    "FLO R0,|R1|",
    "IMAD R0,P0,R1,R2,R3",
    "IMAD.WIDE R0,P0,R1,R2,-R4",
    "IMAD.WIDE R0,R1,R2,R4,P0",
    "IMAD.WIDE.U32 R0,-R1,R2,R4",
    "IMAD.WIDE.HI R0,R1,R2,R4",
    "IADD3 R0,P0,P1,P2,R1,R2,R3",
    "IADD3 R0,R1,|R2|,R3",
    "IADD3.64 R0,P0,PT,R2,R4,R6",
    "IADD.64 R0,P0,P1,R2,R4",
    "LEA R0,R1,R2,0x20",
    "LEA.SX32 R0,R1,R2,0x2",
    "SHF.L R0,R1,R2,R3",
    "VIMNMX.U32.RELU R0,R1,R2,PT",
    "VIMNMX.S64 R0,P0,R2,R4,PT,!PT",
    "IMNMX.S64 PT,PT,R4,R4,R6,PT,P0",
    "VIADDMNMX.S64 R0,R2,R4,R6,PT",
    "CCTL.E.DML2 [R2]",
    "DEPBAR.LE SB6,0x1",
    "DEPBAR.LE SB1,0x0,{6}",
    "VOTE.EQ R0,PT,P0",
    "R2P R0,0x80",
    "EXIT R0",
    "WARPSYNC.COLLECTIVE R4,0x10",
];
