//! The interpreter on small modules whose results are computed by hand.

#[path = "interpret/carries.rs"]
mod carries;

use std::path::Path;

use ptx_exec::interpret::{Interpreter, Limits};
use ptx_exec::kernel_case::{KernelAnswer, KernelArgument, KernelBuffer, KernelCase, KernelLaunch};
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
        module: module.into(),
        buffers: vec![KernelBuffer { name: "out".to_owned(), data: (0..32).collect() }],
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
    ("st.v2.b32 [%o], {7, 8};", "00000007 00000008"),
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
    (
        "add.cc.u32 %r1, 0xffffffff, 1; addc.cc.u32 %r2, 0, 0; addc.u32 %r3, 5, 5; st.v2.b32 [%o], {%r2, %r3};",
        "00000001 0000000a",
    ),
    ("sub.cc.u32 %r1, 0, 1; subc.u32 %r2, 0, 0; st.v2.b32 [%o], {%r1, %r2};", "ffffffff ffffffff"),
    (
        "mad.lo.cc.u32 %r1, 0x10000, 0x10000, 1; madc.hi.u32 %r2, 0x10000, 0x10000, 0; st.v2.b32 [%o], {%r1, %r2};",
        "00000001 00000001",
    ),
    // Undefined values travel.
    ("st.b32 [%o], %r1;", "????????"),
    ("and.b32 %r2, %r1, 0xff; st.b32 [%o], %r2;", "000000??"),
    ("or.b32 %r2, %r1, 0xff; st.b32 [%o], %r2;", "??????ff"),
    ("add.u32 %r2, %r1, 0xff; st.b8 [%o], %r2;", "030201??"),
    ("addc.u32 %r1, 0, 0; st.b32 [%o], %r1;", "????????"),
    ("mov.b32 %r1, 0; div.u32 %r1, 5, %r1; st.b32 [%o], %r1;", "????????"),
    ("mov.b32 %r2, 5; @%p1 mov.b32 %r2, 4; st.b32 [%o], %r2;", "0000000?"),
    ("mov.u32 %r1, %clock; st.b32 [%o], %r1;", "????????"),
    ("@%p1 st.b32 [%o], 1;", "undefined: line 7 `@%p1 st.b32 [%o], 1;`: the guard is undefined"),
    ("@%p1 bra L; L: ret;", "undefined: line 7 `@%p1 bra L;`: the guard is undefined"),
    ("st.b32 [%d1], 1;", "undefined: line 7 `st.b32 [%d1], 1;`: the address is undefined"),
    ("st.b32 [%o+1], 1;", "undefined: line 7"),
    ("ld.v2.b32 {%r1, %r2}, [%o+4];", "undefined: line 7"),
    ("st.b32 [%o+32], 1;", "undefined: line 7"),
    // Some NaN is quiet, unless one that signals may be passed on.
    ("mul.f32 %r1, 0f7fc00001, 0f3f800000; and.b32 %r1, %r1, 0x400000; st.b32 [%o], %r1;", "00400000"),
    ("mul.f32 %r1, 0f7f800001, 0f3f800000; and.b32 %r1, %r1, 0x400000; st.b32 [%o], %r1;", "00?00000"),
    ("mul.f32 %r1, 0f7f800000, 0f00000000; and.b32 %r1, %r1, 0x400000; st.b32 [%o], %r1;", "00400000"),
    // Either way it is a NaN.
    (
        "mul.f32 %r1, 0f7f800001, 0f3f800000; setp.nan.f32 %p1, %r1, %r1; selp.b32 %r1, 7, 0, %p1; st.b32 [%o], %r1;",
        "00000007",
    ),
    // Beside another NaN it is not passed on.
    ("mul.f32 %r1, 0f7f800001, 0f7fffffff; and.b32 %r1, %r1, 0x400000; st.b32 [%o], %r1;", "00400000"),
    (
        "mul.f64 %d1, 0d7ff0000000000001, 0d3ff0000000000000; shr.b64 %d1, %d1, 51; st.b64 [%o], %d1;",
        "0000?ff? 00000000",
    ),
    (
        "mov.b16 %h1, 0x7c01; mov.b16 %h2, 0x3c00; mul.f16 %h1, %h1, %h2; and.b16 %h1, %h1, 0x200; st.b16 [%o], %h1;",
        "03020?00",
    ),
    // Special registers, and addresses.
    ("mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.y; st.v2.b32 [%o], {%r1, %r2};", "00000001 00000000"),
    // Blanks and comments may stand before a component.
    ("mov.u32 %r1, %ntid .x; mov.u32 %r2, %tid /* a */ .y; st.v2.b32 [%o], {%r1, %r2};", "00000001 00000000"),
    (".reg .v2 .b32 v; mov.b32 v .x, 1; mov.b32 v\t.y, 2; st.v2.b32 [%o], v;", "00000001 00000002"),
    ("mov.b64 %d1, {%tid.x, %nctaid.z}; st.b64 [%o], %d1;", "00000000 00000001"),
    ("cvta.to.global.u64 %d1, %o; st.global.b32 [%d1], 1;", "00000001"),
    ("cvta.global.u64 %d1, %o; st.b32 [%d1+4], 1;", "03020100 00000001"),
    ("mov.b64 %d1, out; ld.param.b64 %d2, [%d1]; st.b32 [%d2], 9;", "00000009"),
    ("cvta.to.shared.u64 %d1, %o; st.b64 [%o], %d1;", "???????? ????????"),
    // Branches and blocks.
    ("bra L; st.b32 [%o], 1; L: st.b32 [%o+4], 2;", "03020100 00000002"),
    ("mov.b32 %r1, 0; L: add.u32 %r1, %r1, 3; setp.lt.u32 %p1, %r1, 10; @%p1 bra L; st.b32 [%o], %r1;", "0000000c"),
    (
        ".reg .b32 a; mov.b32 a, 1; { .reg .b32 a; mov.b32 a, 2; bra L; L: st.b32 [%o], a; } st.b32 [%o+4], a; L: ret;",
        "00000002 00000001",
    ),
    ("{ { bra L; } st.b32 [%o], 1; } L: st.b32 [%o+4], 1; exit; st.b32 [%o], 2;", "03020100 00000001"),
    // What has no semantics is noticed where it is reached.
    ("bra L; add.u31 %r1, %r2, %r3; L: st.b32 [%o], 1;", "00000001"),
    ("st.b32 [%o], 1; add.u31 %r1, %r2, %r3;", "skipped: line 7 `add.u31 %r1, %r2, %r3;`: "),
    ("ret", "skipped: the module cannot be read: line 7: expected"),
];

/// Declarations outside of the body, bodies, and what happens.
const MODULES: &[(&str, &str, &str)] = &[
    // Branches through a list.
    (
        "",
        "mov.b32 %r1, 1; T: .branchtargets A, B, C; brx.idx %r1, T; A: st.b32 [%o], 1; B: st.b32 [%o+4], 2; ret; C: trap;",
        "03020100 00000002",
    ),
    (
        "",
        "mov.b32 %r1, 3; T: .branchtargets A, B; brx.idx %r1, T; A: B: ret;",
        "undefined: line 7 `brx.idx %r1, T;`: the index 3 is beyond the list of 2 labels",
    ),
    ("", "T: .branchtargets A; brx.idx %r1, T; A: ret;", "undefined: line 7 `brx.idx %r1, T;`: the index is undefined"),
    // Endings.
    ("", "st.b32 [%o], 1; trap;", "trapped: line 7 `trap;`: the thread traps"),
    ("", "brkpt;", "undefined: line 7 `brkpt;`"),
    ("", "L: bra L;", "failed: line 7 `bra L;`: a thread takes more than 100000 steps"),
    // Variables in each space, with and without initial values.
    (
        ".global .b32 g; .const .v2 .b32 c[2] = {{1, 2}, {3}};",
        "ld.global.b32 %r1, [g]; ld.const.v2.b32 {%r2, %r3}, [c+8]; ld.const.b32 %r4, [c+4]; st.v4.b32 [%o], {%r1, %r2, %r3, %r4};",
        "00000000 00000003 00000000 00000002",
    ),
    (
        ".shared .align 8 .b8 s[16];",
        "ld.shared.b32 %r1, [s]; st.b32 [%o], %r1; st.shared.b32 [s+4], 5; mov.b64 %d1, s; ld.shared.b32 %r2, [%d1+4]; cvta.shared.u64 %d2, %d1; ld.b32 %r3, [%d2+4]; st.v2.b32 [%o+8], {%r2, %r3};",
        "???????? 07060504 00000005 00000005",
    ),
    (
        "",
        ".local .b32 l[2]; st.local.b32 [l+4], 3; mov.b64 %d1, l; cvta.local.u64 %d1, %d1; ld.v2.b32 {%r1, %r2}, [%d1];",
        "undefined: line 7 `ld.v2.b32 {%r1, %r2}, [%d1];`: address",
    ),
    (
        "",
        ".local .align 8 .b32 l[2]; st.local.b32 [l+4], 3; mov.b64 %d1, l; cvta.local.u64 %d1, %d1; ld.v2.b32 {%r1, %r2}, [%d1]; st.v2.b32 [%o], {%r1, %r2};",
        "???????? 00000003",
    ),
    ("", ".shared .b32 s; st.shared.b32 [s], 6; ld.shared.b32 %r1, [s]; st.b32 [%o], %r1;", "00000006"),
    (
        ".global .b32 g[3] = {7, 8, 9}; .global .align 16 .b64 p[2] = {generic(g)+4, g};",
        "ld.global.v2.b64 {%d1, %d2}, [p]; ld.b32 %r1, [%d1]; ld.global.b32 %r2, [%d2+8]; st.v2.b32 [%o], {%r1, %r2};",
        "00000008 00000009",
    ),
    (
        ".global .align 4 .u8 m[4] = {0xff(g), 0xFF00(g), 0xff(258), 0xff00(258)}; .global .align 4 .b32 g;",
        "ld.global.v2.u8 {%h1, %h2}, [m+2]; mov.b64 %d1, g; cvt.u32.u64 %r3, %d1; ld.global.u16 %h3, [m]; cvt.u16.u64 %h4, %d1; sub.u16 %h3, %h3, %h4; st.b8 [%o], %h1; st.b8 [%o+1], %h2; st.b16 [%o+2], %h3;",
        "00000102",
    ),
    (".global .b32 g;", "st.global.b32 [g+4], 1;", "undefined: line 7 `st.global.b32 [g+4], 1;`: nothing is at"),
    (
        ".const .b32 c = 1;",
        "mov.b64 %d1, c; cvta.const.u64 %d1, %d1; st.b32 [%d1], 1;",
        "undefined: line 7 `st.b32 [%d1], 1;`: address 0x7e0000001004 may not be written",
    ),
    (
        ".extern .global .b32 e;",
        "ld.global.b32 %r1, [e]; st.b32 [%o], %r1;",
        "skipped: line 7 `ld.global.b32 %r1, [e];`: `e` is nothing that has a value",
    ),
    (
        ".shared .b32 s;",
        "mov.b64 %d1, s; isspacep.shared %p1, %o; cvta.shared.u64 %d2, %d1; isspacep.shared %p2, %d2; selp.b32 %r1, 1, 0, %p1; selp.b32 %r2, 1, 0, %p2; st.v2.b32 [%o], {%r1, %r2};",
        "00000000 00000001",
    ),
    (
        "",
        "mov.b64 %d1, out; cvta.param.u64 %d1, %d1; isspacep.global %p1, %d1; isspacep.param %p2, %o; selp.b32 %r1, 1, 0, %p1; selp.b32 %r2, 1, 0, %p2; ld.b64 %d2, [%d1]; st.v2.b32 [%d2], {%r1, %r2};",
        "00000001 00000000",
    ),
    // Calls, direct and indirect.
    (INCREMENT, "call (%r1), inc, (5); st.b32 [%o], %r1;", "00000006"),
    (
        INCREMENT,
        "{ .param .b32 a; .param .b32 b; st.param.b32 [a], 7; call.uni (b), incp, (a); ld.param.b32 %r1, [b]; } st.b32 [%o], %r1;",
        "00000008",
    ),
    (
        INCREMENT,
        "mov.u64 %d1, inc; P: .callprototype (.reg .b32 _) _ (.reg .b32 _); call (%r1), %d1, (9), P; st.b32 [%o], %r1;",
        "0000000a",
    ),
    (INCREMENT, "mov.u64 %d1, inc; T: .calltargets inc, dec; call (%r1), %d1, (9), T; st.b32 [%o], %r1;", "0000000a"),
    (
        INCREMENT,
        "mov.u64 %d1, inc; T: .calltargets dec; call (%r1), %d1, (9), T; st.b32 [%o], %r1;",
        "undefined: line 7 `call (%r1), %d1, (9), T;`: the function is not in the list",
    ),
    (
        INCREMENT,
        "mov.b64 %d1, 5; P: .callprototype (.reg .b32 _) _ (.reg .b32 _); call (%r1), %d1, (9), P;",
        "undefined: line 7 `call (%r1), %d1, (9), P;`: no function is at address 0x5",
    ),
    (
        INCREMENT,
        "mov.u64 %d1, incp; P: .callprototype _ (); call %d1, P;",
        "undefined: line 7 `call %d1, P;`: the function that is called has other numbers",
    ),
    (
        TABLE_OF_FUNCTIONS,
        "ld.global.b64 %d1, [table+8]; P: .callprototype (.reg .b32 _) _ (.reg .b32 _); call (%r1), %d1, (9), P; st.b32 [%o], %r1;",
        "00000008",
    ),
    // Recursion, and locals of each call.
    (FACTORIAL, "call (%r1), fact, (10); st.b32 [%o], %r1;", "00375f00"),
    (
        FACTORIAL,
        "call (%r1), fact, (100000);",
        "failed: line 6 `call (b), fact, (b);`: calls are nested more than 10000 deep",
    ),
    (
        LOCALS,
        "call f, (3); ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [g]; st.v4.b32 [%o], {%r1, %r2, %r3, %r4};",
        "00000000 00000001 00000002 00000003",
    ),
    (".func f() { exit; }", "call f; st.b32 [%o], 1;", "03020100"),
    (".func f() { .reg .pred p; setp.eq.u32 p, 1, 1; @p ret; trap; }", "call f; st.b32 [%o], 1;", "00000001"),
    // The carry is lost in a call, and a result that was not written is undefined.
    (".func f() { ret; }", "add.cc.u32 %r1, 1, 1; call f; addc.u32 %r2, 0, 0; st.b32 [%o], %r2;", "????????"),
    (".func (.reg .b32 r) f() { ret; }", "call (%r1), f, (); st.b32 [%o], %r1;", "????????"),
    (
        ".func (.param .align 4 .b8 r[8]) f() { st.param.b32 [r+4], 5; ret; }",
        ".param .align 4 .b8 x[8]; call (x), f, (); ld.param.b32 %r1, [x]; ld.param.b32 %r2, [x+4]; st.v2.b32 [%o], {%r1, %r2};",
        "???????? 00000005",
    ),
    (".extern .func f();", "call f;", "skipped: line 7 `call f;`: the module does not define `f`"),
    // Arguments of any number, as compilers pass them.
    (
        SUM,
        ".param .b32 n; .param .align 8 .b8 v[8]; .param .b32 s; st.param.b32 [n], 2; st.param.b32 [v], 30; st.param.b32 [v+4], 12; call (s), sum, (n, v); ld.param.b32 %r1, [s]; st.b32 [%o], %r1;",
        "0000002a",
    ),
    (
        SUM,
        ".param .b32 n; .param .align 8 .b8 v[8]; .param .b32 s; st.param.b32 [n], 3; st.param.b32 [v], 30; st.param.b32 [v+4], 12; call (s), sum, (n, v);",
        "undefined: line 6 `ld.b32 x, [p];`: nothing is at",
    ),
    // The address of a parameter of a function is one in local memory.
    (
        ".global .b32 g; .func f(.param .align 4 .b8 a[8]) { .reg .b64 d; .reg .b32 r; mov.b64 d, a; ld.local.b32 r, [d+4]; st.global.b32 [g], r; ret; }",
        ".param .align 4 .b8 x[8]; st.param.b32 [x], 1; st.param.b32 [x+4], 2; call f, (x); ld.global.b32 %r1, [g]; st.b32 [%o], %r1;",
        "00000002",
    ),
    // The stack.
    (
        "",
        "stacksave.u64 %d3; alloca.u64 %d1, 8; st.local.b32 [%d1], 4; ld.local.b32 %r1, [%d1]; st.b32 [%o], %r1; stackrestore.u64 %d3; ld.local.b32 %r1, [%d1];",
        "undefined: line 7 `ld.local.b32 %r1, [%d1];`: nothing is at",
    ),
    (
        "",
        "alloca.u64 %d1, 8, 64; and.b64 %d2, %d1, 63; st.local.b64 [%d1], %d2; ld.local.b64 %d3, [%d1]; st.b64 [%o], %d3;",
        "00000000 00000000",
    ),
    ("", "stackrestore.u64 %o;", "undefined: line 7 `stackrestore.u64 %o;`: the stack pointer is none"),
    ("", "mov.b64 %d1, 0x100000000; alloca.u64 %d2, %d1;", "failed: line 7 `alloca.u64 %d2, %d1;`: more than"),
    // Atomic operations.
    (
        "",
        "atom.global.add.u32 %r1, [%o], 1; red.global.max.s32 [%o+4], -1; atom.cas.b32 %r2, [%o+8], 0x0b0a0908, 5; st.v2.b32 [%o+16], {%r1, %r2};",
        "03020101 07060504 00000005 0f0e0d0c 03020100 0b0a0908",
    ),
    (
        "",
        "atom.inc.u32 %r1, [%o], 5; atom.exch.b64 %d1, [%o+8], 1; red.and.b32 [%o+4], 0xff; atom.dec.u32 _, [%o+16], 3;",
        "00000000 00000004 00000001 00000000 00000003",
    ),
    ("", "atom.add.relaxed.gpu.global.u32 %r1, [%o], 1; st.b32 [%o+4], %r1;", "03020101 03020100"),
    ("", "atom.add.u32 %r1, [%o], %r2; st.b32 [%o+4], %r1;", "???????? 03020100"),
    (
        "",
        "st.b32 [%o], 0f40000000; atom.add.f32 %r1, [%o], 0f3f800000; st.b32 [%o+4], %r1; st.b32 [%o+8], 0x40003c00; mov.b32 %r2, 0x3c003c00; red.add.noftz.f16x2 [%o+8], %r2;",
        "40400000 40000000 42004000",
    ),
    ("", "st.b32 [%o], 1; red.add.f32 [%o], 0f00000000;", "0000000?"),
    ("", "atom.global.add.v2.f32 {%r1, %r2}, [%o], {%r1, %r2};", "skipped: line 7"),
    // A product and a difference without rounding modifiers may be one fused multiply-add.
    (
        "",
        "mov.b32 %r1, 0f3f800001; mul.rn.f32 %r2, %r1, %r1; sub.f32 %r3, %r2, 0f3f800002; st.b32 [%o], %r3;",
        "00000000",
    ),
    (
        "",
        "mov.b32 %r1, 0f3f800001; mul.f32 %r2, %r1, %r1; sub.rn.f32 %r3, %r2, 0f3f800002; st.b32 [%o], %r3;",
        "00000000",
    ),
    ("", "mov.b32 %r1, 0f3f800001; mul.f32 %r2, %r1, %r1; sub.f32 %r3, %r2, 0f3f800002; st.b32 [%o], %r3;", "???00000"),
    (
        "",
        "mov.b32 %r1, 0f3f800001; mul.f32 %r2, %r1, %r1; neg.f32 %r2, %r2; add.f32 %r3, 0f3f800002, %r2; st.b32 [%o], %r3;",
        "???00000",
    ),
    // What one thread does not notice.
    (
        "",
        "prefetch.global.L1 [%o]; membar.gl; fence.acq_rel.gpu; bar.sync 0; barrier.sync 1; nanosleep.u32 5; pmevent 1; st.b32 [%o], 1;",
        "00000001",
    ),
    (
        "",
        "setp.eq.u32 %p1, 1, 1; bar.red.popc.u32 %r1, 0, !%p1; bar.red.or.pred %p2, 0, %p1; selp.b32 %r2, 1, 0, %p2; st.v2.b32 [%o], {%r1, %r2};",
        "00000000 00000001",
    ),
    (
        ".global .align 128 .b8 g[128];",
        "discard.global.L2 [g], 128; ld.global.b32 %r1, [g]; st.b32 [%o], %r1;",
        "????????",
    ),
    (
        "",
        "shfl.sync.idx.b32 %r1, %r2, 0, 31, 1;",
        "skipped: line 7 `shfl.sync.idx.b32 %r1, %r2, 0, 31, 1;`: there is no model of `shfl`",
    ),
];

const INCREMENT: &str = ".func (.reg .b32 b) inc(.reg .b32 a) { add.u32 b, a, 1; ret; } .func (.reg .b32 b) dec(.reg .b32 a) { sub.u32 b, a, 1; } \
    .func (.param .b32 r) incp(.param .b32 a) { .reg .b32 x; ld.param.b32 x, [a]; add.u32 x, x, 1; st.param.b32 [r], x; ret; }";
const TABLE_OF_FUNCTIONS: &str = ".func (.reg .b32 b) inc(.reg .b32 a) { add.u32 b, a, 1; ret; } .func (.reg .b32 b) dec(.reg .b32 a) { sub.u32 b, a, 1; } \
    .global .b64 table[2] = {inc, dec};";
const FACTORIAL: &str = "\n.func (.reg .b32 r) fact(.reg .b32 a) { .reg .b32 b; .reg .pred p; setp.eq.u32 p, a, 0; mov.b32 r, 1; @p ret; sub.u32 b, a, 1;\n\
    call (b), fact, (b); mul.lo.u32 r, a, b; ret; }";
const LOCALS: &str = ".global .align 16 .b32 g[4]; .func f(.reg .b32 a) { .local .b32 l; .reg .b64 d, e; .reg .b32 b; .reg .pred p; st.local.b32 [l], a; \
    setp.ne.u32 p, a, 0; sub.u32 b, a, 1; @p call f, (b); ld.local.b32 b, [l]; mul.wide.u32 d, b, 4; mov.b64 e, g; add.u64 d, d, e; st.global.b32 [d], b; ret; }";
const SUM: &str = "\n.func (.param .b32 r) sum(.param .b32 n, .param .align 8 .b8 v[]) { .reg .b32 c, x, t; .reg .b64 p; .reg .pred q; ld.param.b32 c, [n]; mov.b32 t, 0; mov.b64 p, v; cvta.local.u64 p, p;\n\
    L: ld.b32 x, [p]; add.u32 t, t, x; add.u64 p, p, 4; sub.u32 c, c, 1; setp.ne.u32 q, c, 0; @q bra L; st.param.b32 [r], t; ret; }";

#[test]
fn modules() {
    let spec = spec();
    let limits = Limits { steps: 100_000, ..Limits::default() };
    check(&Interpreter::new(&spec).with_limits(limits), MODULES.iter().copied());
}

#[test]
fn straight_lines() {
    let spec = spec();
    let interpreter = Interpreter::new(&spec);
    check(&interpreter, STRAIGHT.iter().map(|(body, expected)| ("", *body, *expected)));
}

#[test]
fn carries_travel_until_they_are_replaced() {
    let spec = spec();
    let stored = |(body, expected): &(&str, &'static str), store: &str| (format!("{body} {store}"), *expected);
    let words = carries::WORDS.iter().map(|of| stored(of, "st.v2.b32 [%o], {%r2, %r3};"));
    let cases: Vec<_> =
        words.chain(carries::PAIRS.iter().map(|of| stored(of, "st.v2.b64 [%o], {%d2, %d3};"))).collect();
    check(&Interpreter::new(&spec), cases.iter().map(|(body, expected)| ("", body.as_str(), *expected)));
    let missing = carries::without_case(&spec);
    assert!(missing.is_empty(), "no line computed by hand has {missing:?}");
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
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Bodies of three threads, and what happens.
const THREADS: &[(&str, &str)] = &[
    ("st.b32 [%d1], %r2;", "00000001 00000003 00000007 0f0e0d0c"),
    ("red.global.add.u32 [%o+12], 1;", "03020100 07060504 0b0a0908 0f0e0d0f"),
    ("ld.b32 %r3, [%o+12]; st.b32 [%d1], %r3;", "0f0e0d0c 0f0e0d0c 0f0e0d0c 0f0e0d0c"),
    (
        "st.b32 [%d1], %r2; ld.b32 %r3, [%o];",
        "undefined: line 7 `ld.b32 %r3, [%o];` of thread [1, 0, 0] in block [0, 0, 0]: another thread",
    ),
    ("ld.b32 %r3, [%o+4]; st.b32 [%d1], %r2;", "undefined: line 7 `st.b32 [%d1], %r2;` of thread [1, 0, 0]"),
    ("atom.global.add.u32 %r3, [%o], 1;", "undefined: line 7 `atom.global.add.u32 %r3, [%o], 1;` of thread [1, 0, 0]"),
    (
        "bar.sync 0;",
        "skipped: line 7 `bar.sync 0;` of thread [0, 0, 0] in block [0, 0, 0]: barriers of several threads",
    ),
    // Local memory and parameters are each thread's own.
    (
        ".local .b32 l; st.local.b32 [l], %r2; ld.local.b32 %r3, [l]; st.b32 [%d1], %r3;",
        "00000001 00000003 00000007 0f0e0d0c",
    ),
];

#[test]
fn threads_are_executed_one_after_the_other() {
    let spec = spec();
    let interpreter = Interpreter::new(&spec);
    for (body, expected) in THREADS {
        let own = "mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d1, %o; mov.u32 %r2, %lanemask_le; ";
        let shown = show(interpreter.execute(&case("", &format!("{own}{body}"), 3)), 4);
        assert!(shown.starts_with(expected), "{body}\n  expected {expected}\n  got      {shown}");
    }
    let shown = show(interpreter.execute(&case("", "ret;", 1025)), 1);
    assert_eq!(shown, "failed: a launch of `k` has no blocks, or blocks of 1025 threads");
}

#[test]
fn an_interpreter_is_shared_by_threads() {
    fn shared<T: Sync + Send>(_: &T) {}
    let spec = spec();
    shared(&Interpreter::new(&spec));
}

/// Modules that ask for more than there is, and what the answer begins with.
const LARGE: &[(&str, &str, &str)] = &[
    (".global .b8 g[1000000000000];", "", "skipped: the variable `g`: there is no room for it"),
    (".shared .b8 g[18446744073709551615];", "", "skipped: the variable `g`: there is no room for it"),
    ("", ".reg .b32 x<4000000000>;", "skipped: a body has too many registers"),
    ("", ".local .b8 l[3000000000];", "failed: k: more than 1073741824 bytes"),
    ("", ".local .align 1073741824 .b8 l[5000000000];", "failed: k: "),
    (".func f() { .local .b8 l[1000000]; call f; }", "call f;", "failed: line 4 `call f;`: more than 1073741824 bytes"),
];

#[test]
fn what_is_too_large_is_refused() {
    let spec = spec();
    check(&Interpreter::new(&spec), LARGE.iter().copied());
    let none = Limits { steps: 0, ..Limits::default() };
    let answer = Interpreter::new(&spec).with_limits(none).execute(&case("", "ret;", 1));
    assert!(show(answer, 1).ends_with("a thread takes more than 0 steps"));
}

#[test]
fn lines_without_semantics_are_known_before() {
    let spec = spec();
    let module = case("", "shfl.sync.idx.b32 %r1, %r2, 0, 31, 1; add.u31 %r1, %r2, %r3; ret;", 1).module;
    let found = Interpreter::new(&spec).unmodelled(&module).expect("a module");
    let lines: Vec<&str> = found.iter().map(|(at, _)| &module[at.clone()]).collect();
    assert_eq!(lines, ["shfl.sync.idx.b32 %r1, %r2, 0, 31, 1;", "add.u31 %r1, %r2, %r3;"]);
}
