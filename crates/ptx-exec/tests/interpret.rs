//! The interpreter on small modules whose results are computed by hand.

use std::path::Path;

use ptx_exec::interpret::Interpreter;
use ptx_exec::kernel_case::{Buffer, KernelAnswer, KernelArgument, KernelCase, KernelLaunch};
use ptx_spec::spec::Spec;

fn spec() -> Spec {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
    Spec::load(&path).unwrap_or_else(|errors| panic!("{}", errors[0].render(false)))
}

/// An entry with the body of a case. Its parameter is the address of a buffer of 32 bytes, which hold 0, 1, 2 and so on; the
/// address is in `%o`.
fn case(outside: &str, body: &str, block: u32) -> KernelCase {
    let module = format!(
        ".version 8.8\n.target sm_90\n.address_size 64\n{outside}\n\
         .entry k(.param .b64 out) {{ .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %o, %d<9>; .reg .pred %p<9>; .reg .b128 %q<3>;\n\
         ld.param.b64 %o, [out];\n{body}\n}}"
    );
    KernelCase {
        module,
        buffers: vec![Buffer { name: "out".to_owned(), data: (0..32).collect() }],
        launches: vec![KernelLaunch {
            entry: "k".to_owned(),
            grid: [1; 3],
            block: [block, 1, 1],
            arguments: vec![KernelArgument::Address("out".to_owned())],
        }],
    }
}

/// The first bytes of the buffer, as hexadecimal numbers of 32 bits with `?` for undefined digits, or the ending.
fn show(answer: KernelAnswer, words: usize) -> String {
    let result = match answer {
        KernelAnswer::Returned(result) => result,
        KernelAnswer::Trapped(why) => return format!("trapped: {why}"),
        KernelAnswer::Undefined(why) => return format!("undefined: {why}"),
        KernelAnswer::Skipped(why) => return format!("skipped: {why}"),
        KernelAnswer::Failed(why) => return format!("failed: {why}"),
    };
    let data = result.buffers.get("out").cloned().unwrap_or_else(|| (0..32).collect());
    let undefined = result.undefined.get("out").cloned().unwrap_or_else(|| vec![0; 32]);
    let word = |at: usize| {
        let digit = |nibble: usize| {
            let (byte, shift) = (at * 4 + nibble / 2, nibble % 2 * 4);
            match undefined[byte] >> shift & 15 {
                0 => format!("{:x}", data[byte] >> shift & 15),
                _ => "?".to_owned(),
            }
        };
        (0..8).rev().map(digit).collect::<String>()
    };
    (0..words).map(word).collect::<Vec<_>>().join(" ")
}

/// Bodies, and what the first words are afterwards, or how the ending begins.
const STRAIGHT: &[(&str, &str)] = &[
    ("ld.global.b32 %r1, [%o]; add.u32 %r1, %r1, 1; st.global.b32 [%o], %r1; ret;", "03020101"),
    // Without an end, a body returns.
    ("st.b32 [%o+4], 5;", "03020100 00000005"),
    ("st.v2.b32 [%o], {7, _};", "00000007 07060504"),
    ("ld.v2.b32 {%r1, %r2}, [%o]; st.v2.b32 [%o], {%r2, %r1};", "07060504 03020100"),
    ("ld.b128 %q1, [%o]; st.b128 [%o+16], %q1; ret;", "03020100 07060504 0b0a0908 0f0e0d0c 03020100 07060504"),
    ("ld.volatile.global.u8 %r1, [%o+3]; st.b32 [%o], %r1;", "00000003"),
    ("st.b8 [%o], 0x85; ld.s8 %r1, [%o]; st.b32 [%o], %r1;", "ffffff85"),
    ("st.b8 [%o], 0x85; ld.s8 %h1, [%o]; mov.b32 %r1, {%h1, %h1}; st.b32 [%o], %r1;", "ff85ff85"),
    ("mov.b64 {%r1, %r2}, 0x100000002; st.v2.b32 [%o], {%r1, %r2};", "00000002 00000001"),
    ("mov.b64 {_, %r2}, 0x100000002; st.b32 [%o], %r2;", "00000001"),
    (".reg .v2 .b32 v; mov.b32 v.x, 1; mov.b32 v.y, 2; st.v2.b32 [%o], v;", "00000001 00000002"),
    // Guards.
    ("setp.eq.u32 %p1, 1, 1; @%p1 st.b32 [%o], 1; @!%p1 st.b32 [%o], 2;", "00000001"),
    ("setp.lt.u32 %p1|%p2, 2, 1; @%p2 st.b32 [%o], 1; @%p1 st.b32 [%o], 2;", "00000001"),
    ("setp.eq.u32 %p1, 1, 1; setp.ne.and.u32 %p2, 1, 2, !%p1; selp.b32 %r1, 5, 6, %p2; st.b32 [%o], %r1;", "00000006"),
    // The carry travels from line to line.
    ("add.cc.u32 %r1, 0xffffffff, 1; addc.cc.u32 %r2, 0, 0; addc.u32 %r3, 5, 5; st.v2.b32 [%o], {%r2, %r3};", "00000001 0000000a"),
    ("sub.cc.u32 %r1, 0, 1; subc.u32 %r2, 0, 0; st.v2.b32 [%o], {%r1, %r2};", "ffffffff ffffffff"),
    ("mad.lo.cc.u32 %r1, 0x10000, 0x10000, 1; madc.hi.u32 %r2, 0x10000, 0x10000, 0; st.v2.b32 [%o], {%r1, %r2};", "00000001 00000001"),
    // Undefined values travel.
    ("st.b32 [%o], %r1;", "????????"),
    ("and.b32 %r2, %r1, 0xff; st.b32 [%o], %r2;", "000000??"),
    ("or.b32 %r2, %r1, 0xff; st.b32 [%o], %r2;", "??????ff"),
    ("add.u32 %r2, %r1, 0xff; st.b8 [%o], %r2;", "030201??"),
    ("addc.u32 %r1, 0, 0; st.b32 [%o], %r1;", "????????"),
    ("mov.b32 %r1, 0; div.u32 %r1, 5, %r1; st.b32 [%o], %r1;", "????????"),
    ("mov.b32 %r2, 5; @%p1 mov.b32 %r2, 4; st.b32 [%o], %r2;", "0000000?"),
    ("mov.u32 %r1, %clock; st.b32 [%o], %r1;", "????????"),
    ("@%p1 st.b32 [%o], 1;", "undefined: line 6 `@%p1 st.b32 [%o], 1;`: the guard is undefined"),
    ("@%p1 bra L; L: ret;", "undefined: line 6 `@%p1 bra L;`: the guard is undefined"),
    ("st.b32 [%d1], 1;", "undefined: line 6 `st.b32 [%d1], 1;`: the address is undefined"),
    ("st.b32 [%o+1], 1;", "undefined: line 6"),
    ("ld.v2.b32 {%r1, %r2}, [%o+4];", "undefined: line 6"),
    ("st.b32 [%o+32], 1;", "undefined: line 6"),
    // Special registers, and addresses.
    ("mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.y; st.v2.b32 [%o], {%r1, %r2};", "00000001 00000000"),
    ("mov.b64 %d1, {%tid.x, %nctaid.z}; st.b64 [%o], %d1;", "00000000 00000001"),
    ("cvta.to.global.u64 %d1, %o; st.global.b32 [%d1], 1;", "00000001"),
    ("cvta.global.u64 %d1, %o; st.b32 [%d1+4], 1;", "03020100 00000001"),
    ("mov.b64 %d1, out; ld.param.b64 %d2, [%d1]; st.b32 [%d2], 9;", "00000009"),
    ("cvta.to.shared.u64 %d1, %o; st.b64 [%o], %d1;", "???????? ????????"),
    // Branches and blocks.
    ("bra L; st.b32 [%o], 1; L: st.b32 [%o+4], 2;", "03020100 00000002"),
    ("mov.b32 %r1, 0; L: add.u32 %r1, %r1, 3; setp.lt.u32 %p1, %r1, 10; @%p1 bra L; st.b32 [%o], %r1;", "0000000c"),
    (".reg .b32 a; mov.b32 a, 1; { .reg .b32 a; mov.b32 a, 2; bra L; L: st.b32 [%o], a; } st.b32 [%o+4], a; L: ret;", "00000002 00000001"),
    ("{ { bra L; } st.b32 [%o], 1; } L: st.b32 [%o+4], 1; exit; st.b32 [%o], 2;", "03020100 00000001"),
    // What has no semantics is noticed where it is reached.
    ("bra L; add.u31 %r1, %r2, %r3; L: st.b32 [%o], 1;", "00000001"),
    ("st.b32 [%o], 1; add.u31 %r1, %r2, %r3;", "skipped: line 6 `add.u31 %r1, %r2, %r3;`: "),
    ("ret", "skipped: the module cannot be read: line"),
];

#[test]
fn straight_lines() {
    let spec = spec();
    let interpreter = Interpreter::new(&spec);
    check(&interpreter, STRAIGHT.iter().map(|(body, expected)| ("", *body, *expected)));
}

/// Executes cases of declarations, body and expectation.
fn check<'c>(interpreter: &Interpreter<'_>, cases: impl Iterator<Item = (&'c str, &'c str, &'c str)>) {
    let wrong = cases.filter_map(|(outside, body, expected)| {
        let shown = show(interpreter.execute(&case(outside, body, 1)), expected.split(' ').count().min(8));
        let ending = expected.contains(':');
        let right = if ending { shown.starts_with(expected) } else { shown == expected };
        (!right).then(|| format!("{outside} {body}\n  expected {expected}\n  got      {shown}"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn threads_are_executed_one_after_the_other() {
    let spec = spec();
    let body = "mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d1, %o; mov.u32 %r2, %lanemask_le; st.b32 [%d1], %r2;";
    let shown = show(Interpreter::new(&spec).execute(&case("", body, 3)), 4);
    assert_eq!(shown, "00000001 00000003 00000007 0f0e0d0c");
}
