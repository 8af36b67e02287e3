// wgmma of sm_90a in inline assembly: fences, groups, shapes, types, operands in registers, sparse.
// targets: 90a
// cuda: 12.4+
#define D8 "{%0, %1, %2, %3, %4, %5, %6, %7}"
#define FLOATS "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3]), "+f"(f[4]), "+f"(f[5]), "+f"(f[6]), "+f"(f[7])
#define WORDS "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7])
#define SHARED(text, out, tail) \
    asm volatile("wgmma.mma_async.sync.aligned." text " " D8 ", %8, %9, " tail ";" : out : "l"(a), "l"(b) : "memory");
#define GUARDED(text, out, tail)                                                                       \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %10, 0;\nwgmma.mma_async.sync.aligned." text " " D8 \
                 ", %8, %9, p, " tail ";\n}\n" : out : "l"(a), "l"(b), "r"(accumulate) : "memory");
extern "C" __global__ void all(float *f, unsigned *d, unsigned long long a, unsigned long long b, int accumulate)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    GUARDED("m64n16k16.f32.f16.f16", FLOATS, "1, 1, 0, 1")
    GUARDED("m64n16k16.f32.bf16.bf16", FLOATS, "-1, 1, 0, 0")
    GUARDED("m64n16k8.f32.tf32.tf32", FLOATS, "1, -1")
    GUARDED("m64n16k32.f32.e4m3.e5m2", FLOATS, "1, 1")
    SHARED("m64n16k32.s32.s8.u8", WORDS, "1")
    SHARED("m64n16k32.s32.u8.u8.satfinite", WORDS, "0")
    SHARED("m64n16k256.s32.b1.b1.and.popc", WORDS, "1")
    SHARED("m64n32k16.f16.f16.f16", WORDS, "1, 1, 1, 0, 0")
    SHARED("m64n32k32.f16.e5m2.e5m2", WORDS, "1, 1, 1")
    asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 " D8 ", {%8, %9, %8, %9}, %10, 1, 1, 1, 1;"
                 : FLOATS : "r"(d[8]), "r"(d[9]), "l"(b) : "memory");
    asm volatile("wgmma.mma_async.sp.sync.aligned.m64n16k32.f32.f16.f16 " D8 ", %8, %9, %10, 0, 1, 1, 1, 0, 0;"
                 : FLOATS : "l"(a), "l"(b), "r"(d[10]) : "memory");
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}
