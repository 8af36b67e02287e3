// Video instructions: the SIMD-in-a-word intrinsics, and scalar and SIMD video instructions in inline assembly.
// targets: 50+
#define TWO(f) out[n++] = f(x, y);
extern "C" __global__ void simd(unsigned *out, const unsigned *in)
{
    unsigned x = in[threadIdx.x], y = in[threadIdx.x + 1];
    int n = 0;
    TWO(__vadd2) TWO(__vadd4) TWO(__vaddss2) TWO(__vaddus4) TWO(__vsub2) TWO(__vsubss4) TWO(__vsubus2)
    TWO(__vavgs2) TWO(__vavgu4) TWO(__vhaddu2) TWO(__vabsdiffs2) TWO(__vabsdiffs4) TWO(__vabsdiffu4)
    TWO(__vmaxs2) TWO(__vmaxu4) TWO(__vmins4) TWO(__vminu2) TWO(__vsads4) TWO(__vsadu2)
    TWO(__vcmpeq2) TWO(__vcmpgts4) TWO(__vcmpleu2) TWO(__vcmpne4) TWO(__vcmpltu4)
    TWO(__vseteq4) TWO(__vsetges2) TWO(__vsetgtu4) TWO(__vsetlts4) TWO(__vsetne2)
    out[n++] = __vabs2(x);
    out[n++] = __vabsss4(x);
    out[n++] = __vneg2(x);
    out[n++] = __vnegss4(x);
}

extern "C" __global__ void video(int *out, const int *in)
{
    int x = in[0], y = in[1], z = in[2];
    asm("vadd.s32.u32.s32.sat %0, %1.b1, %2.h0;" : "=r"(out[0]) : "r"(x), "r"(y));
    asm("vadd.u32.u32.u32.add %0, %1.b3, %2.b2, %3;" : "=r"(out[1]) : "r"(x), "r"(y), "r"(z));
    asm("vsub.s32.s32.u32.sat.min %0, %1.h1, %2, %3;" : "=r"(out[2]) : "r"(x), "r"(y), "r"(z));
    asm("vabsdiff.u32.s32.s32.add %0, %1.h0, %2.h1, %3;" : "=r"(out[3]) : "r"(x), "r"(y), "r"(z));
    asm("vmin.s32.s32.s32 %0.h0, %1.b0, %2.b1, %3;" : "=r"(out[4]) : "r"(x), "r"(y), "r"(z));
    asm("vmax.u32.u32.u32.max %0, %1, %2, %3;" : "=r"(out[5]) : "r"(x), "r"(y), "r"(z));
    asm("vshl.u32.u32.u32.sat.clamp %0, %1, %2;" : "=r"(out[6]) : "r"(x), "r"(y));
    asm("vshr.s32.s32.u32.wrap.add %0, %1.h1, %2.b0, %3;" : "=r"(out[7]) : "r"(x), "r"(y), "r"(z));
    asm("vmad.s32.s32.s32 %0, %1.h0, %2.h1, %3;" : "=r"(out[8]) : "r"(x), "r"(y), "r"(z));
    asm("vmad.u32.u32.u32.sat.shr7 %0, %1, %2.b0, %3;" : "=r"(out[9]) : "r"(x), "r"(y), "r"(z));
    asm("vmad.u32.u32.u32.po.shr15 %0, %1.b0, %2.b1, %3;" : "=r"(out[10]) : "r"(x), "r"(y), "r"(z));
    asm("vset.s32.u32.lt %0, %1.b0, %2.h1;" : "=r"(out[11]) : "r"(x), "r"(y));
    asm("vset.u32.u32.ge.add %0, %1, %2, %3;" : "=r"(out[12]) : "r"(x), "r"(y), "r"(z));
    asm("vadd2.s32.s32.s32.sat %0.h10, %1.h10, %2.h32, %3;" : "=r"(out[13]) : "r"(x), "r"(y), "r"(z));
    asm("vavrg4.u32.u32.u32 %0.b3210, %1.b3210, %2.b7654, %3;" : "=r"(out[14]) : "r"(x), "r"(y), "r"(z));
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(out[15]) : "r"(x), "r"(y), "r"(z));
    asm("vset4.u32.u32.ne %0, %1, %2, %3;" : "=r"(out[16]) : "r"(x), "r"(y), "r"(z));
    asm("vmax2.s32.u32.s32 %0.h0, %1.h21, %2.h03, %3;" : "=r"(out[17]) : "r"(x), "r"(y), "r"(z));
}
