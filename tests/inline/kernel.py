"""`asm("...")` in a text is read where it is a statement."""
import triton.language as tl

SOURCE = r"""
__device__ unsigned lane() {
    unsigned x;
    asm("mov.u32 %0, %%laneid;" : "=r"(x));
    asm("mov.u32 %0, %%laneidx;" : "=r"(x));
    return x;
}
"""
TANH = "tanh.approx.f32 $0, $1;"


def kernel(x, llvm, T, kind):
    a = tl.inline_asm_elementwise(
        asm="""
        {
            .reg .b32 half;
            shr.u32 half, $1, 1;
            ad.u32 $0, half, $2;
        }
        """,
        constraints="=r,r,r",
        args=[x, x], dtype=tl.int32, is_pure=True, pack=1,
    )
    b = tl.inline_asm_elementwise(TANH, "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1)
    c = llvm.inline_asm(T.i32(), [x], "mov.b32 $0, $1;", "=r,r", has_side_effects=False)
    d = llvm.inline_asm(None, [], f"bar.sync {x};", "", has_side_effects=True)
    e = llvm.inline_asm(None, [], "bar.sync %d;" % x, "", has_side_effects=True)
    f = llvm.inline_asm(T.i32(), [x], ("cvt.rni"
                                       ".s32.f32 $0, $1;"), "=r,f,~{memory}")
    return a, b, c, d, e, f
