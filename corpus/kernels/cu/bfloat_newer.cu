// bfloat16 from sm_90 on: native add, sub, mul, setp, ex2 and tanh, and conversions to and from integers.
// targets: 90+
// cuda: 12.4+
#define B1(text) asm(text " %0, %1;" : "=h"(out[n++]) : "h"(x));
#define B2(text) asm(text " %0, %1, %2;" : "=h"(out[n++]) : "h"(x), "h"(y));
#define P1(text) asm(text " %0, %1;" : "=r"(pairs[m++]) : "r"(p));
#define P2(text) asm(text " %0, %1, %2;" : "=r"(pairs[m++]) : "r"(p), "r"(q));
extern "C" __global__ void native(short *out, unsigned *pairs, short x, short y, unsigned p, unsigned q)
{
    int n = 0, m = 0;
    B1("ex2.approx.ftz.bf16") B1("tanh.approx.bf16") B2("add.bf16") B2("sub.rn.bf16") B2("mul.bf16")
    P1("ex2.approx.ftz.bf16x2") P1("tanh.approx.bf16x2") P2("add.rn.bf16x2") P2("sub.bf16x2") P2("mul.bf16x2")
    P2("set.ne.bf16x2.bf16x2") P2("set.gtu.u32.bf16x2")
    asm("fma.rn.oob.bf16 %0, %1, %2, %1;" : "=h"(out[n++]) : "h"(x), "h"(y));
    asm("fma.rn.oob.relu.f16x2 %0, %1, %2, %1;" : "=r"(pairs[m++]) : "r"(p), "r"(q));
    asm("{ .reg .pred p, q;\n\tsetp.lt.bf16x2 p|q, %1, %2;\n\tsetp.ge.or.bf16x2 p|q, %2, %1, !p;\n\t@p setp.geu.bf16 q, %3, %4;\n\t"
        "selp.b16 %0, %3, %4, q; }"
        : "=h"(out[n++]) : "r"(p), "r"(q), "h"(x), "h"(y));
    B1("cvt.bf16.f16") B1("cvt.rni.bf16.bf16") B1("cvt.f16.bf16") 
    asm("cvt.rn.bf16.u32 %0, %1;" : "=h"(out[n++]) : "r"(p));
    asm("cvt.rz.bf16.s64 %0, %1;" : "=h"(out[n++]) : "l"((long long)p));
    asm("cvt.rni.s32.bf16 %0, %1;" : "=r"(pairs[m++]) : "h"(x));
    asm("cvt.rzi.u16.bf16 %0, %1;" : "=h"(out[n++]) : "h"(y));
    asm("cvt.rm.bf16.f64 %0, %1;" : "=h"(out[n++]) : "d"((double)q));
    asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(pairs[m++]) : "f"((float)q));
    asm("cvt.rz.relu.tf32.f32 %0, %1;" : "=r"(pairs[m++]) : "f"((float)q));
}
