//! Properties of whole files.

use arbitrary::Unstructured;

use super::drawn::mutate;
use super::shipped::Shipped;
use ptx_spec::check::{Checker, smallest_header};

/// Any text is checked as a file: every instruction counts as one thing, and every diagnostic is about a part of the
/// text and can be explained. The text is made of bytes, or of a file that is changed in a few places.
pub fn any_file_is_checked(u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let spec = &Shipped::get().spec;
    let text = if u.ratio(1, 4)? {
        String::from_utf8_lossy(u.bytes(u.len())?).into_owned()
    } else {
        let mut bytes = FILE.as_bytes().to_vec();
        for _ in 0..u.int_in_range(1..=8)? {
            mutate(&mut bytes, u)?;
        }
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let checker = Checker { spec, limit: usize::MAX, remark: None, tolerated: None, sample: true };
    let checked = checker.check(&text);
    let counts = &checked.counts;
    let judged = counts.valid + counts.invalid + counts.tolerated + counts.unknown() + counts.unjudged;
    assert_eq!(judged, counts.instructions, "{counts:?}: {text}");
    assert_eq!(checked.unkept(), 0, "{text}");
    let mut before = 0;
    for diagnostic in &checked.diagnostics {
        assert!(diagnostic.at.start >= before, "the order of the file: {text}");
        before = diagnostic.at.start;
        let details = diagnostic.details(spec);
        let parts = details.parts.iter().map(|part| &part.at).chain([&diagnostic.at]);
        for at in parts {
            assert!(text.get(at.clone()).is_some(), "{at:?} of {diagnostic:?}: {text}");
        }
    }
    if u.ratio(1, 32)? {
        smallest_header(spec, &checked);
    }
    Ok(())
}

/// A file with much of what files have.
const FILE: &str = r#".version 8.0
.target sm_90, debug
.address_size 64
.file 1 "a.cu", 12, 34
.extern .func (.param .b32 r) f (.param .b64 a, .param .align 8 .b8 b[8]);
.visible .global .align 4 .b8 g[2][2] = {{1, 2}, {0xff(g), 4}};
.visible .entry k(.param .u64 .ptr .global .align 8 p, .param .b32 q) .maxntid 32, 1, 1 .pragma "x"; {
    .reg .pred %p<3>; .reg .b32 %r<9>, x; .reg .v4 .f32 v; .reg .b64 %rd<9>;
    .loc 1 2 3, function_name $s+4, inlined_at 1 2 3
    ld.param.u64 %rd1, [p];
    @!%p1 bra L; // a comment
    { .param .b64 a; .param .b32 r; st.param.b64 [a+0], %rd1;
      t: .callprototype (.param .b32 _) _ (.param .b64 _); call (r), %rd1, (a), t; ld.param.b32 %r1, [r]; }
    atom.global.add.u32 %r2, [%rd1+4], -0x1F; /* another */ add.s32 x, %r1, WARP_SZ;
L:  mov.f32 v.x, 0f3F800000; setp.eq.s32 %p1|%p2, x, %tid.x; ret;
}
.func (.param .b32 r) h(.reg .b32 a) { st.param.b32 [r], a; M: bra M; }
.section .debug_str { $s: .b8 95, 0 .b32 $s+4 }
"#;
