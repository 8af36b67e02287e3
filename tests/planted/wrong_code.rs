//! Wrong machine code: each wrong changes what the disassembler prints for instructions of the line under test, as it
//! would look if `ptxas` had written something else.
//!
//! A wrong is data: a condition on the axes of executed forms that says when it can show, the axes that its finding must
//! name, and a function that changes the code of a kernel.

use ptx_conform::engine::sass::{CodeChange, PrintedWord};
use ptx_conform::line_case::LineCase;

/// One wrong.
pub(crate) struct WrongCode {
    /// The instruction, then a short name: `ld-s8-zero-extended`.
    pub(crate) name: &'static str,
    /// What is wrong, in a sentence.
    pub(crate) says: &'static str,
    /// When it can show: a condition as in a divergence. It shows nowhere else.
    pub(crate) when: &'static str,
    /// The axes that a finding must name.
    pub(crate) names: &'static [&'static str],
    /// Changes the code of a kernel.
    pub(crate) change: CodeChange,
}

impl WrongCode {
    /// The instruction whose code is wrong.
    pub(crate) fn instruction(&self) -> &'static str {
        self.name.split('-').next().unwrap_or_default()
    }
}

const fn wrong(
    name: &'static str,
    says: &'static str,
    when: &'static str,
    names: &'static [&'static str],
    change: CodeChange,
) -> WrongCode {
    WrongCode { name, says, when, names, change }
}

/// An instruction, if there is one.
type FoundWord<'c> = Option<&'c mut PrintedWord>;

/// The opcode of an instruction without its modifiers.
fn opcode(word: &PrintedWord) -> &str {
    word.opcode.split('.').next().unwrap_or_default()
}

/// Whether the line has all of these modifiers.
fn line(case: &LineCase, modifiers: &[&str]) -> bool {
    let opcode = case.line.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default();
    let has = |modifier: &&str| opcode.split('.').any(|known| known == *modifier);
    modifiers.iter().all(has)
}

fn guarded(case: &LineCase) -> bool {
    case.line.starts_with('@')
}

/// The code between the fence before the line and that behind it. The results are stored there as well, after the line.
/// What a line computes in registers may be before it.
fn fenced(code: &mut [PrintedWord]) -> &mut [PrintedWord] {
    let fence = |word: &PrintedWord| word.opcode == "MEMBAR.SC.SYS";
    let start = code.iter().position(fence).map_or(code.len(), |at| at + 1);
    let rest = &mut code[start..];
    let end = rest.iter().position(fence).unwrap_or(rest.len());
    &mut rest[..end]
}

/// The first instruction between the fences that has one of these opcodes.
fn first<'c>(code: &'c mut [PrintedWord], opcodes: &[&str]) -> FoundWord<'c> {
    fenced(code).iter_mut().find(|word| opcodes.contains(&opcode(word)))
}

/// The first instruction with this text, anywhere: opcode and operands.
fn having<'c>(code: &'c mut [PrintedWord], opcodes: &[&str], text: &str) -> FoundWord<'c> {
    code.iter_mut().find(|word| opcodes.contains(&opcode(word)) && word.operands.contains(text))
}

/// The access to memory of a load or store: the first one of its kind behind the fence.
fn access<'c>(case: &LineCase, code: &'c mut [PrintedWord]) -> FoundWord<'c> {
    let loads = line(case, &["ld"]);
    let opcodes: &[&str] = match () {
        () if line(case, &["const"]) || line(case, &["param"]) => return None,
        () if line(case, &["param::entry"]) || line(case, &["param::func"]) => return None,
        () if line(case, &["local"]) => &["LDL", "STL"],
        () if line(case, &["global"]) => &["LDG", "STG"],
        () if ["shared", "shared::cta", "shared::cluster"].iter().any(|space| line(case, &[space])) => {
            &["LDS", "LD", "STS", "ST"]
        }
        () => &["LDG", "LD", "LDS", "LDL", "STG", "ST", "STS", "STL"],
    };
    let kind = if loads { "LD" } else { "ST" };
    let opcodes: Vec<&str> = opcodes.iter().copied().filter(|opcode| opcode.starts_with(kind)).collect();
    first(code, &opcodes)
}

/// An atomic operation.
fn atomic(code: &mut [PrintedWord]) -> FoundWord<'_> {
    first(code, &["ATOM", "ATOMG", "ATOMS"])
}

/// An access to a surface, or a query.
fn surface(code: &mut [PrintedWord]) -> FoundWord<'_> {
    first(code, &["SULD", "SUST", "SURED", "TXQ"])
}

/// The last sum before the results are stored: that of the line.
fn sum(code: &mut [PrintedWord]) -> FoundWord<'_> {
    let sums = ["IADD3", "VIADD", "IADD3.X", "IMAD.X", "IMAD.IADD", "VIADD.16x2"];
    let end = code.iter().rposition(|word| word.opcode == "MEMBAR.SC.SYS").unwrap_or(0);
    code[..end].iter_mut().rfind(|word| sums.contains(&word.opcode.as_str()) && !word.operands.contains("UR"))
}

/// What lets a guarded line run: the predicate of its access, or the branch around it.
fn guard<'c>(case: &LineCase, code: &'c mut [PrintedWord]) -> FoundWord<'c> {
    let lines =
        ["LDG", "LD", "LDS", "LDL", "STG", "ST", "STS", "STL", "ATOM", "ATOMG", "ATOMS", "SULD", "SURED", "LDC"];
    let first = fenced(code).iter_mut().find(|word| opcode(word) == "BRA" || lines.contains(&opcode(word)))?;
    (guarded(case) && !first.predicate.is_empty()).then_some(first)
}

/// Replaces a modifier, or removes it if the new name is empty.
fn modifier(word: FoundWord<'_>, from: &str, to: &str) {
    let Some(word) = word else { return };
    let changed = |name: &str| if name == from { to.to_owned() } else { name.to_owned() };
    let names: Vec<String> = word.opcode.split('.').map(changed).filter(|name| !name.is_empty()).collect();
    word.opcode = names.join(".");
}

/// Adds a modifier to instructions that have none of the given ones.
fn added(word: FoundWord<'_>, unless: &[&str], name: &str) {
    let Some(word) = word else { return };
    if !word.opcode.split('.').any(|known| unless.contains(&known)) {
        word.opcode = format!("{}.{name}", word.opcode);
    }
}

/// Waits for nothing, wherever it waits for what an instruction loads.
fn without_waits(code: &mut [PrintedWord]) {
    for word in fenced(code) {
        word.word &= !(0x3f << 116);
    }
}

/// Replaces a part of the operands.
fn operands(word: FoundWord<'_>, from: &str, to: &str) {
    if let Some(word) = word {
        word.operands = word.operands.replace(from, to);
    }
}

/// Changes one operand.
fn operand(word: FoundWord<'_>, at: usize, change: fn(&str) -> String) {
    let Some(word) = word else { return };
    let mut all: Vec<String> = word.operands.split(',').map(str::to_owned).collect();
    if let Some(operand) = all.get_mut(at) {
        *operand = change(operand);
    }
    word.operands = all.join(",");
}

/// Exchanges two operands.
fn swapped(word: FoundWord<'_>, a: usize, b: usize) {
    let Some(word) = word else { return };
    let mut all: Vec<&str> = word.operands.split(',').collect();
    if a.max(b) < all.len() {
        all.swap(a, b);
    }
    word.operands = all.join(",");
}

/// Does nothing instead.
fn lost(word: FoundWord<'_>) {
    let Some(word) = word else { return };
    (word.predicate, word.opcode, word.operands) = (String::new(), "NOP".to_owned(), String::new());
}

/// Runs always; a branch around the line is never taken then.
fn unguarded(word: FoundWord<'_>) {
    match word {
        Some(word) if word.opcode.starts_with("BRA") => lost(Some(word)),
        Some(word) => word.predicate.clear(),
        None => {}
    }
}

/// Runs if it should not, and the other way round.
fn inverted(word: FoundWord<'_>) {
    let Some(word) = word else { return };
    word.predicate = match word.predicate.strip_prefix("@!") {
        Some(name) => format!("@{name}"),
        None => word.predicate.replacen('@', "@!", 1),
    };
}

/// The number of the first register in an operand changed.
fn renumbered(text: &str, prefix: &str, to: impl Fn(u32) -> u32) -> String {
    let bytes = text.as_bytes();
    let starts = |at: usize| {
        let before = at.checked_sub(1).map(|at| bytes[at]);
        text[at..].starts_with(prefix)
            && bytes.get(at + prefix.len()).is_some_and(u8::is_ascii_digit)
            && !before.is_some_and(|byte| byte.is_ascii_alphanumeric())
    };
    let Some(at) = (0..text.len()).find(|&at| starts(at)) else { return text.to_owned() };
    let digits = at + prefix.len();
    let end = text[digits..].find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |length| digits + length);
    let number: u32 = text[digits..end].parse().unwrap_or_default();
    format!("{}{}{}", &text[..digits], to(number), &text[end..])
}

/// The register after it.
fn next(text: &str) -> String {
    renumbered(text, "R", |number| number + 1)
}

/// A register that nothing writes.
fn unwritten(text: &str) -> String {
    renumbered(text, "R", |_| 240)
}

/// A uniform register that nothing writes.
fn unwritten_uniform(text: &str) -> String {
    renumbered(text, "UR", |_| 50)
}

#[rustfmt::skip]
/// All wrongs.
pub(crate) const WRONG_CODE: &[WrongCode] = &[
    // Sums.
    wrong("add-carry-lost", "The upper half of a sum lacks the carry.", "{ type: [.u64, .s64] }", &["type"],
        |_, code| operands(sum(code).filter(|word| word.opcode.ends_with(".X")), "P0,!PT", "!PT,!PT")),
    wrong("add-carry-kept", "The upper half of a sum always has a carry.", "{ type: [.u64, .s64] }", &["type"],
        |_, code| operands(sum(code).filter(|word| word.opcode.ends_with(".X")), "P0,!PT", "PT,!PT")),
    wrong("add-saturates-too-low", "The largest sum is one too small.", "{ sat: .sat }", &["sat"],
        |_, code| operands(having(code, &["SEL"], "0x7fffffff"), "0x7fffffff", "0x7ffffffe")),
    wrong("add-saturates-at-zero", "The smallest sum is 0.", "{ sat: .sat }", &["sat"],
        |_, code| operands(having(code, &["SEL"], "0x80000000"), "0x80000000", "0x0")),
    wrong("add-overflow-table", "The test for overflow has another truth table.", "{ sat: .sat }", &["sat"],
        |_, code| operands(having(code, &["PLOP3"], "0x40,0x0"), "0x40,0x0", "0x42,0x0")),
    wrong("add-halves-carry", "The sum of the lower halves carries into the upper ones.", "{ type: [.u16x2, .s16x2] }", &["type"],
        |_, code| modifier(sum(code), "16x2", "")),
    wrong("add-immediate", "An immediate is one too large.", "{ type: [.s32, .u32], sat: none, b.type: integer }", &["b.type"],
        |case, code| if case.line.ends_with(", 1;") && !line(case, &["sat"]) && (line(case, &["s32"]) || line(case, &["u32"])) {
            operands(sum(code), "0x1", "0x2");
        }),
    wrong("add-source-twice", "The first source is added to itself.", "{ type: [.u16, .s16], b.type: [not, integer] }", &["type"],
        |case, code| if !case.line.ends_with(", 1;") && !case.line.contains(", 1,") && (line(case, &["u16"]) || line(case, &["s16"])) {
            let Some(word) = sum(code) else { return };
            let all: Vec<&str> = word.operands.split(',').collect();
            let at = all.len().saturating_sub(if all.last() == Some(&"RZ") { 2 } else { 1 });
            let mut other = all.clone();
            if let (true, Some(source)) = (at > 1, all.get(1)) {
                other[at] = source;
            }
            word.operands = other.join(",");
        }),
    wrong("add-source-unwritten", "A source is a register that nothing writes.", "{ type: .u32 }", &["type"],
        |case, code| if line(case, &["u32"]) { operand(sum(code), 1, unwritten) }),
    wrong("add-guard-inverted", "The guard is inverted.", "{ guard: '@!p' }", &["guard"],
        // Of sums that write the carry, those of 64 bits show it as well: another condition.
        |case, code| if case.line.starts_with("@!") && !line(case, &["cc"]) {
            let end = code.iter().rposition(|word| word.opcode == "MEMBAR.SC.SYS").unwrap_or(0);
            inverted(code[..end].iter_mut().rfind(|word| !word.predicate.is_empty() && opcode(word) != "EXIT"));
        }),
    // Loads.
    wrong("ld-s8-zero-extended", "A signed byte is zero-extended.", "{ type: .s8 }", &["type"],
        |case, code| modifier(access(case, code), "S8", "U8")),
    wrong("ld-s16-zero-extended", "Signed 16 bits are zero-extended.", "{ type: .s16 }", &["type"],
        |case, code| modifier(access(case, code), "S16", "U16")),
    wrong("ld-u8-sign-extended", "An unsigned byte is sign-extended.", "{ type: .u8 }", &["type"],
        |case, code| if line(case, &["u8"]) { modifier(access(case, code), "U8", "S8") }),
    wrong("ld-u16-as-byte", "Of 16 bits, 8 are loaded.", "{ type: .u16 }", &["type"],
        |case, code| if line(case, &["u16"]) { modifier(access(case, code), "U16", "U8") }),
    wrong("ld-f64-as-32-bits", "Of 64 bits, 32 are loaded.", "{ type: .f64 }", &["type"],
        |case, code| if line(case, &["f64"]) { modifier(access(case, code), "64", "") }),
    wrong("ld-128-as-64-bits", "Of 128 bits, 64 are loaded.", "{ type: .f32, vec: .v4 }", &["type", "vec"],
        |case, code| if line(case, &["f32", "v4"]) { modifier(access(case, code), "128", "64") }),
    wrong("ld-offset-lost", "The offset of the address is lost.", "{ ss: .global, a.offset: positive }", &["ss", "a.offset"],
        |case, code| if line(case, &["global"]) { operands(access(case, code), "+0x20]", "]") }),
    wrong("ld-offset-positive", "The sign of the offset is lost.", "{ a.offset: negative }", &["a.offset"],
        |case, code| operands(access(case, code), "+-0x20]", "+0x20]")),
    wrong("ld-destination-next", "The value goes to the next register.", "{ type: .b32, vec: none }", &["type"],
        |case, code| if line(case, &["b32"]) && !case.line.contains(".v") { operand(access(case, code), 0, next) }),
    wrong("ld-address-unwritten", "The address is in registers that nothing writes.", "{ ss: .shared }", &["ss"],
        |case, code| if line(case, &["shared"]) { operand(access(case, code), 1, unwritten) }),
    wrong("ld-guard-dropped", "The line runs even if its guard is false.", "{ guard: ['@p', '@!p'] }", &["guard"],
        |case, code| unguarded(guard(case, code))),
    wrong("ld-guard-inverted", "The guard is inverted.", "{ guard: '@!p' }", &["guard"],
        |case, code| if case.line.starts_with("@!") { inverted(guard(case, code)) }),
    wrong("ld-guard-unwritten", "The guard is a predicate that nothing writes.", "{ guard: '@p' }", &["guard"],
        |case, code| if case.line.starts_with("@%") && let Some(word) = guard(case, code) {
            word.predicate = "@P6".to_owned();
        }),
    wrong("ld-volatile-lost", "A volatile load is left out.", "", &[],
        |case, code| if line(case, &["volatile"]) { lost(access(case, code)) }),
    wrong("ld-descriptor-unwritten", "The memory descriptor is in registers that nothing writes.", "", &[],
        |case, code| if line(case, &["nc"]) { operand(access(case, code), 1, unwritten_uniform) }),
    wrong("ld-s32-upper-half", "The upper half of sign-extended 32 bits is 0 or 1.", "{ type: .s32 }", &["type", "d.type"],
        |case, code| if line(case, &["s32"]) {
            modifier(fenced(code).iter_mut().find(|word| word.opcode == "SHF.R.S32.HI" && word.operands.contains("0x1f")), "S32", "U32");
        }),
    wrong("ld-lane-sign", "The first signed byte of a vector has 7 bits.", "{ type: .s8, vec: [not, none] }", &["type", "vec"],
        |case, code| if line(case, &["s8"]) { operands(having(code, &["SGXT"], ",0x8"), ",0x8", ",0x7") }),
    wrong("ld-lane-byte", "The second byte of a vector is the third.", "{ type: .b8, vec: [not, none] }", &["type", "vec"],
        |case, code| if line(case, &["b8"]) { operands(having(code, &["PRMT"], "0x7771"), "0x7771", "0x7772") }),
    wrong("ld-local-elsewhere", "A load from local memory is 4 bytes too high.", "{ ss: .local }", &["ss"],
        |case, code| if line(case, &["local"]) { operands(access(case, code), "]", "+0x4]") }),
    // Stores.
    wrong("st-b8-as-half", "A byte is stored as 16 bits.", "{ type: .b8 }", &["type"],
        |case, code| if line(case, &["b8"]) { modifier(access(case, code), "U8", "U16") }),
    wrong("st-u16-as-byte", "Of 16 bits, 8 are stored.", "{ type: .u16 }", &["type"],
        |case, code| if line(case, &["u16"]) { modifier(access(case, code), "U16", "U8") }),
    wrong("st-f64-as-32-bits", "Of 64 bits, 32 are stored.", "{ type: .f64 }", &["type"],
        |case, code| if line(case, &["f64"]) { modifier(access(case, code), "64", "") }),
    wrong("st-128-as-64-bits", "Of 128 bits, 64 are stored.", "{ type: .f32, vec: .v4 }", &["type", "vec"],
        |case, code| if line(case, &["f32", "v4"]) { modifier(access(case, code), "128", "64") }),
    wrong("st-data-unwritten", "What is stored is in a register that nothing writes.", "", &[],
        |case, code| if line(case, &["volatile"]) { operand(access(case, code), 1, unwritten) }),
    wrong("st-data-next", "The next register is stored.", "{ type: .s32 }", &["type"],
        |case, code| if line(case, &["s32"]) { operand(access(case, code), 1, next) }),
    wrong("st-address-unwritten", "The address is in a register that nothing writes.", "{ ss: .shared }", &["ss"],
        |case, code| if line(case, &["shared"]) { operand(access(case, code), 0, unwritten) }),
    wrong("st-offset-lost", "The offset of the address is lost.", "{ ss: .local, a.offset: positive }", &["ss", "a.offset"],
        |case, code| if line(case, &["local"]) { operands(access(case, code), "+0x20]", "]") }),
    wrong("st-guard-dropped", "The line runs even if its guard is false.", "{ ss: .global, guard: ['@p', '@!p'] }", &["ss", "guard"],
        |case, code| if line(case, &["global"]) { unguarded(guard(case, code)) }),
    wrong("st-guard-inverted", "The guard is inverted.", "{ guard: '@!p' }", &["guard"],
        |case, code| if case.line.starts_with("@!") { inverted(guard(case, code)) }),
    wrong("st-wt-lost", "A store with .wt is left out.", "{ cop: .wt }", &["cop"],
        |case, code| if line(case, &["wt"]) { lost(access(case, code)) }),
    wrong("st-bytes-swapped", "Two bytes of a vector are swapped.", "{ type: .u8, vec: [not, none] }", &["type", "vec"],
        |case, code| if line(case, &["u8"]) { operands(having(code, &["PRMT"], "0x7604"), "0x7604", "0x7640") }),
    // Atomic operations.
    wrong("atom-min-as-max", "A minimum is a maximum.", "{ op: .min, type: .s32 }", &["op", "type"],
        |case, code| if line(case, &["min", "s32"]) { modifier(atomic(code), "MIN", "MAX") }),
    wrong("atom-s32-unsigned", "Signed integers are compared as unsigned ones.", "{ op: [.min, .max], type: .s32 }", &["op", "type"],
        |case, code| if line(case, &["s32"]) { modifier(atomic(code), "S32", "") }),
    wrong("atom-u64-signed", "Unsigned integers are compared as signed ones.", "{ op: [.min, .max], type: .u64 }", &["op", "type"],
        |case, code| if line(case, &["u64"]) && !line(case, &["add"]) { modifier(atomic(code), "64", "S64") }),
    wrong("atom-and-as-or", "A conjunction is a disjunction.", "{ op: .and, type: .b32 }", &["op"],
        |case, code| if line(case, &["and", "b32"]) { modifier(atomic(code), "AND", "OR") }),
    wrong("atom-xor-as-or", "An exclusive disjunction is an ordinary one.", "{ op: .xor, type: .b64 }", &["op"],
        |case, code| if line(case, &["xor", "b64"]) { modifier(atomic(code), "XOR", "OR") }),
    wrong("atom-inc-as-dec", "A counter counts down.", "{ op: .inc }", &["op"],
        |case, code| if line(case, &["inc"]) { modifier(atomic(code), "INC", "DEC") }),
    wrong("atom-cas-swapped", "What is compared and what is stored are swapped.", "", &[],
        |case, code| if line(case, &["cas", "global"]) { swapped(atomic(code), 3, 4) }),
    wrong("atom-add-u64-short", "Of a sum of 64 bits, 32 are computed.", "{ op: .add, type: .u64 }", &["op", "type"],
        |case, code| if line(case, &["add", "u64"]) { modifier(atomic(code), "64", "") }),
    wrong("atom-exch-source-unwritten", "What is stored is in a register that nothing writes.", "{ op: .exch }", &["op"],
        |case, code| if line(case, &["exch"]) { operand(atomic(code).filter(|word| opcode(word) == "ATOMG"), 3, unwritten) }),
    wrong("atom-result-next", "The result goes to the next register.", "{ op: .dec }", &["op"],
        |case, code| if line(case, &["dec", "global"]) { operand(atomic(code), 1, next) }),
    wrong("atom-shared-dec-as-inc", "A counter in shared memory counts up.", "{ op: .dec }", &["op"],
        |case, code| if line(case, &["dec"]) {
            modifier(atomic(code).filter(|word| opcode(word) == "ATOMS"), "DEC", "INC");
        }),
    wrong("atom-f32-not-flushed", "Subnormal results are not flushed.", "{ op: .add, type: .f32 }", &["op", "type"],
        |case, code| if line(case, &["add", "f32"]) { modifier(atomic(code), "FTZ", "") }),
    wrong("atom-f16x2-as-bf16x2", "Halves are added in another format.", "{ type: .f16x2 }", &["type"],
        |case, code| if line(case, &["f16x2", "add"]) { modifier(atomic(code), "F16x2", "BF16x2") }),
    wrong("atom-halves-swapped", "The halves of a vector are swapped.", "{ vec: .v2, type: .f16 }", &["vec", "type"],
        |case, code| if line(case, &["f16", "v2", "add"]) { operands(having(code, &["PRMT"], "0x5410"), "0x5410", "0x1054") }),
    wrong("atom-loop-table", "The loop for a conjunction has the table of a disjunction.", "{ op: .and, type: .b64 }", &["op"],
        |case, code| if line(case, &["and", "b64"]) { operands(first(code, &["LOP3"]), "0xc0", "0xfc") }),
    wrong("atom-guard-dropped", "The line runs even if its guard is false.", "{ guard: ['@p', '@!p'], op: .exch }", &["guard"],
        |case, code| if line(case, &["exch"]) { unguarded(guard(case, code)) }),
    // Loads from surfaces.
    wrong("suld-trap-ignored", "An access outside is ignored instead of trapping.", "{ geom: .2d, clamp: .trap }", &["geom", "clamp"],
        |case, code| if line(case, &["2d"]) { modifier(surface(code), "TRAP", "IGN") }),
    wrong("suld-zero-traps", "An access outside traps.", "{ geom: .1d, clamp: .zero }", &["geom", "clamp"],
        |case, code| if line(case, &["1d"]) { modifier(surface(code), "IGN", "TRAP") }),
    wrong("suld-clamp-zero", "An access outside is 0 instead of the nearest one.", "{ geom: .3d, clamp: .clamp }", &["geom", "clamp"],
        |case, code| if line(case, &["3d"]) { added(surface(code), &["TRAP", "IGN"], "IGN") }),
    wrong("suld-b8-sign-extended", "A byte is sign-extended.", "{ dtype: .b8, vec: none }", &["dtype"],
        |case, code| if line(case, &["b8"]) { modifier(surface(code), "U8", "S8") }),
    wrong("suld-b16-as-byte", "Of 16 bits, 8 are loaded.", "{ dtype: .b16, vec: none }", &["dtype"],
        |case, code| if line(case, &["b16"]) { modifier(surface(code), "U16", "U8") }),
    wrong("suld-b64-as-32-bits", "Of 64 bits, 32 are loaded.", "{ dtype: .b64 }", &["dtype"],
        |case, code| if line(case, &["b64"]) { modifier(surface(code), "64", "") }),
    wrong("suld-128-as-64-bits", "Of 128 bits, 64 are loaded.", "{ dtype: .b64, vec: .v2 }", &["dtype", "vec"],
        |case, code| if line(case, &["b64", "v2"]) { modifier(surface(code), "128", "64") }),
    wrong("suld-coordinates-next", "The coordinates begin with the next register.", "{ geom: .a1d }", &["geom"],
        |case, code| if line(case, &["a1d"]) { operand(surface(code), 1, next) }),
    wrong("suld-handle-unwritten", "The handle is in a register that nothing writes.", "{ cop: .cs }", &["cop"],
        |case, code| if line(case, &["cs"]) { operand(surface(code), 2, unwritten_uniform) }),
    wrong("suld-guard-dropped", "The line runs even if its guard is false.", "{ guard: ['@p', '@!p'] }", &["guard"],
        |case, code| unguarded(guard(case, code).filter(|word| opcode(word) == "BRA"))),
    wrong("suld-lane-byte", "The second byte of a vector is the third.", "{ dtype: .b8, vec: .v4 }", &["dtype", "vec"],
        |case, code| if line(case, &["b8", "v4"]) { operands(having(code, &["PRMT"], "0x7771"), "0x7771", "0x7772") }),
    wrong("suld-result-too-early", "Nothing waits for what is loaded.", "{ geom: .3d }", &["geom"],
        |case, code| if line(case, &["3d"]) { without_waits(code) }),
    // Stores to surfaces.
    wrong("sust-trap-ignored", "An access outside is ignored instead of trapping.", "{ geom: .3d, clamp: .trap }", &["geom", "clamp"],
        |case, code| if line(case, &["3d"]) { modifier(surface(code), "TRAP", "IGN") }),
    wrong("sust-clamp-ignored", "An access outside is ignored instead of going to the nearest one.", "{ geom: .a2d, clamp: .clamp }", &["geom", "clamp"],
        |case, code| if line(case, &["a2d"]) { added(surface(code), &["TRAP", "IGN"], "IGN") }),
    wrong("sust-b8-as-half", "A byte is stored as 16 bits.", "{ ctype: .b8, vec: none }", &["ctype"],
        |case, code| if line(case, &["b8"]) { modifier(surface(code), "U8", "U16") }),
    wrong("sust-b64-as-32-bits", "Of 64 bits, 32 are stored.", "{ ctype: .b64, vec: none }", &["ctype"],
        |case, code| if line(case, &["b64"]) { modifier(surface(code), "64", "") }),
    wrong("sust-p-one-component", "Of two components, one is stored.", "{ vec: .v2 }", &["vec"],
        |case, code| if line(case, &["p"]) { modifier(surface(code), "RG", "R") }),
    wrong("sust-data-unwritten", "What is stored is in a register that nothing writes.", "{ cop: .wt }", &["cop"],
        |case, code| if line(case, &["wt"]) { operand(surface(code), 1, unwritten) }),
    wrong("sust-cs-lost", "A store with .cs is left out.", "{ cop: .cs }", &["cop"],
        |case, code| if line(case, &["cs"]) { lost(surface(code)) }),
    wrong("sust-coordinates-next", "The coordinates begin with the next register.", "{ geom: .2d }", &["geom"],
        |case, code| if line(case, &["2d", "b"]) { operand(surface(code), 0, next) }),
    wrong("sust-handle-offset", "The handle is loaded from a wrong place of the constant bank.", "{ a.type: surfref }", &["a.type"],
        |_, code| operands(having(code, &["ULDC"], "c[0x0][0x230]").filter(|word| word.operands.starts_with("UR6")), "0x230", "0x238")),
    // Reductions on surfaces.
    wrong("sured-min-as-max", "A minimum is a maximum.", "{ op: .min }", &["op"],
        |case, code| if line(case, &["min", "b"]) { modifier(surface(code), "MIN", "MAX") }),
    wrong("sured-max-unsigned", "A maximum of signed integers is unsigned.", "{ op: .max, ctype: .s32 }", &["op", "ctype"],
        |case, code| if line(case, &["max", "s32"]) { modifier(surface(code), "S32", "") }),
    wrong("sured-and-as-or", "A conjunction is a disjunction.", "{ op: .and }", &["op"],
        |case, code| if line(case, &["and", "b"]) { modifier(surface(code), "AND", "OR") }),
    wrong("sured-zero-traps", "An access outside traps.", "{ geom: .2d, clamp: .zero }", &["geom", "clamp"],
        |case, code| if line(case, &["2d"]) { modifier(surface(code), "IGN", "TRAP") }),
    wrong("sured-add-u64-short", "Of a sum of 64 bits, 32 are computed.", "{ op: .add, ctype: .u64 }", &["op", "ctype"],
        |case, code| if line(case, &["add", "u64"]) { modifier(surface(code), "U64", "") }),
    wrong("sured-data-unwritten", "A source is in a register that nothing writes.", "{ op: .or }", &["op"],
        |case, code| if line(case, &["or", "b"]) { operand(surface(code), 1, unwritten) }),
    wrong("sured-coordinates-next", "The coordinates begin with the next register.", "{ geom: .3d }", &["geom"],
        |case, code| if line(case, &["3d", "b"]) { operand(surface(code), 0, next) }),
    wrong("sured-guard-dropped", "The line runs even if its guard is false.", "{ guard: ['@p', '@!p'] }", &["guard"],
        |case, code| unguarded(guard(case, code).filter(|word| opcode(word) == "BRA"))),
    // Queries.
    wrong("suq-width-as-height", "The width is the height.", "{ query: .width }", &["query"],
        |case, code| if line(case, &["width"]) { operands(surface(code), "0x0,0x1", "0x0,0x2") }),
    wrong("suq-height-as-depth", "The height is the depth.", "{ query: .height }", &["query"],
        |case, code| if line(case, &["height"]) { operands(surface(code), "0x0,0x2", "0x0,0x4") }),
    wrong("suq-depth-unwritten", "The handle is in a register that nothing writes.", "{ query: .depth }", &["query"],
        |case, code| if line(case, &["depth"]) { operand(surface(code), 4, unwritten_uniform) }),
    wrong("suq-array-size-elsewhere", "The array size is loaded from 4 bytes before it.", "{ query: .array_size }", &["query"],
        |case, code| if line(case, &["array_size"]) { operands(having(code, &["IMAD", "UIMAD"], ",0x1c"), ",0x1c", ",0x18") }),
    wrong("suq-result-too-early", "Nothing waits for the result.", "{ query: .height }", &["query"],
        |case, code| if line(case, &["height"]) { without_waits(code) }),
    wrong("suq-result-next", "The result goes to the next register.", "{ query: .width }", &["query"],
        |case, code| if line(case, &["width"]) { operand(surface(code), 1, next) }),
];
