//! Carries that travel from line to line, and lines that leave them alone, computed by hand.

use std::collections::BTreeSet;

use ptx_exec::semantics;
use ptx_spec::space::{Diagram, Draw};
use ptx_spec::spec::{Choice, Form, Spec};

/// Lines that write `%r2` and `%r3`, and both registers afterwards.
pub(crate) const WORDS: &[(&str, &str)] = &[
    // A line without `.cc` leaves the carry alone, whether it reads it or not.
    ("add.cc.u32 %r1, 0xffffffff, 1; add.u32 %r2, 1, 1; addc.u32 %r3, 0, 0;", "00000002 00000001"),
    ("add.cc.u32 %r1, 0xffffffff, 1; addc.u32 %r2, 3, 4; addc.u32 %r3, 0, 0;", "00000008 00000001"),
    ("add.cc.u32 %r1, 1, 1; addc.u32 %r2, 0xffffffff, 4; addc.u32 %r3, 0, 0;", "00000003 00000000"),
    ("sub.cc.u32 %r1, 0, 1; subc.u32 %r2, 9, 4; subc.u32 %r3, 9, 4;", "00000004 00000004"),
    ("add.cc.u32 %r1, 0xffffffff, 1; madc.lo.u32 %r2, 3, 5, 7; addc.u32 %r3, 0, 0;", "00000017 00000001"),
    ("add.cc.u32 %r1, 0xffffffff, 1; madc.hi.u32 %r2, 0x10000, 0x30000, 7; addc.u32 %r3, 0, 0;", "0000000b 00000001"),
    ("add.cc.u32 %r1, 0xffffffff, 1; mad.lo.u32 %r2, 3, 5, 7; addc.u32 %r3, 0, 0;", "00000016 00000001"),
    // A guard that is false leaves it alone as well.
    (
        "setp.ne.u32 %p1, 1, 1; add.cc.u32 %r1, 0xffffffff, 1; mov.b32 %r2, 6; @%p1 add.cc.u32 %r2, 0, 0; addc.u32 %r3, 0, 0;",
        "00000006 00000001",
    ),
    // A line with `.cc` replaces it.
    ("add.cc.u32 %r1, 0xffffffff, 1; add.cc.u32 %r2, 1, 1; addc.u32 %r3, 0, 0;", "00000002 00000000"),
    ("add.cc.u32 %r1, 0xffffffff, 1; madc.lo.cc.u32 %r2, 0xffffffff, 1, 0; addc.u32 %r3, 0, 0;", "00000000 00000001"),
    ("add.cc.s32 %r1, -1, 1; madc.lo.cc.s32 %r2, -2, 3, 5; addc.u32 %r3, 0, 0;", "00000000 00000001"),
    ("add.cc.s32 %r1, -1, 1; madc.hi.cc.s32 %r2, -2, 3, 5; addc.u32 %r3, 0, 0;", "00000005 00000001"),
    ("add.cc.s32 %r1, 1, 1; madc.hi.s32 %r2, -2, 3, 5; addc.u32 %r3, 0, 0;", "00000004 00000000"),
    ("sub.cc.u32 %r1, 0, 1; subc.cc.u32 %r2, 0, 0; subc.u32 %r3, 5, 1;", "ffffffff 00000003"),
    ("sub.cc.u32 %r1, 1, 1; subc.cc.u32 %r2, 7, 7; subc.u32 %r3, 5, 1;", "00000000 00000004"),
    // A sign makes no difference: the carry is that of the unsigned numbers, not an overflow.
    ("add.cc.s32 %r1, -1, 1; addc.cc.s32 %r2, 0x7fffffff, 0; addc.s32 %r3, 5, 0;", "80000000 00000005"),
    ("add.cc.s32 %r1, -1, 1; addc.cc.s32 %r2, -1, 0; addc.s32 %r3, 5, 0;", "00000000 00000006"),
    ("sub.cc.s32 %r1, 0, 1; subc.cc.s32 %r2, -2147483648, 0; subc.s32 %r3, 5, 1;", "7fffffff 00000004"),
    ("sub.cc.s32 %r1, 0, 1; subc.cc.s32 %r2, 0, 0; subc.s32 %r3, 5, 1;", "ffffffff 00000003"),
];

/// Lines that write `%d2` and `%d3`, and both registers afterwards, the lower half of each first.
pub(crate) const PAIRS: &[(&str, &str)] = &[
    (
        "add.cc.u64 %d1, 0xffffffffffffffff, 1; addc.cc.u64 %d2, 0xffffffffffffffff, 0; addc.u64 %d3, 2, 2;",
        "00000000 00000000 00000005 00000000",
    ),
    (
        "add.cc.s64 %d1, -1, 1; addc.cc.s64 %d2, 0x7fffffffffffffff, 0; addc.s64 %d3, 2, 2;",
        "00000000 80000000 00000004 00000000",
    ),
    ("sub.cc.u64 %d1, 0, 1; subc.cc.u64 %d2, 0, 0; subc.u64 %d3, 5, 1;", "ffffffff ffffffff 00000003 00000000"),
    (
        "sub.cc.s64 %d1, 0, 1; mov.b64 %d2, 0x8000000000000000; subc.cc.s64 %d2, %d2, 0; subc.s64 %d3, 5, 1;",
        "ffffffff 7fffffff 00000004 00000000",
    ),
    (
        "add.cc.u64 %d1, 0xffffffffffffffff, 1; madc.lo.cc.u64 %d2, 0xffffffffffffffff, 1, 0; \
         madc.hi.u64 %d3, 0x100000000, 0x300000000, 4;",
        "00000000 00000000 00000008 00000000",
    ),
    (
        "add.cc.s64 %d1, -1, 1; madc.hi.cc.s64 %d2, -2, 3, 5; madc.lo.s64 %d3, -2, 3, 5;",
        "00000005 00000000 00000000 00000000",
    ),
];

/// The choices of the lines that read a carry, which no row executes, and that none of the lines above makes.
pub(crate) fn without_case(spec: &Spec) -> BTreeSet<String> {
    let lines: Vec<Vec<&str>> = WORDS
        .iter()
        .chain(PAIRS)
        .flat_map(|(body, _)| body.split(';'))
        .filter_map(|line| line.split_whitespace().find(|word| !word.starts_with('@')))
        .map(|mnemonic| mnemonic.split('.').collect())
        .collect();
    let mut missing = BTreeSet::new();
    for opcode in semantics::opcodes() {
        let forms = spec.instruction(opcode).map_or(&[][..], |instruction| &instruction.forms);
        for form in forms.iter().filter(|form| reads_carry(spec, form)) {
            let valid = Diagram::valid(form);
            let modifiers = (0..form.axes.len()).filter(|axis| form.axes[*axis].choice == Choice::Modifier);
            let values = modifiers.flat_map(|axis| (0..).zip(&form.axes[axis].values).map(move |value| (axis, value)));
            for (axis, (number, value)) in values {
                let Some(word) = value.strip_prefix('.').filter(|_| valid.has(axis, number)) else { continue };
                if !lines.iter().any(|words| words[0] == opcode && words[1..].contains(&word)) {
                    missing.insert(format!("{opcode} {value}"));
                }
            }
        }
    }
    missing
}

/// True if the lines of a form read the carry.
fn reads_carry(spec: &Spec, form: &Form) -> bool {
    let drawn = Draw::named(&form.id, 0).variant(&Diagram::valid(form).all());
    let computation = drawn.and_then(|values| semantics::computation(&spec.isa, form, &values, None));
    matches!(computation, Some(Ok(of)) if of.reads_carry())
}
