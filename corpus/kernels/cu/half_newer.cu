// Half precision from sm_75 on: ex2 and tanh in f16, min and max with NaN, relu, abs, neg, shuffles and atomics.
// targets: 86+
#include <cuda_fp16.h>
#define H1(text) asm(text " %0, %1;" : "=h"(out[n++]) : "h"(x));
#define H2(text) asm(text " %0, %1, %2;" : "=h"(out[n++]) : "h"(x), "h"(y));
#define H3(text) asm(text " %0, %1, %2, %1;" : "=h"(out[n++]) : "h"(x), "h"(y));
#define P1(text) asm(text " %0, %1;" : "=r"(pairs[m++]) : "r"(p));
#define P2(text) asm(text " %0, %1, %2;" : "=r"(pairs[m++]) : "r"(p), "r"(q));
#define P3(text) asm(text " %0, %1, %2, %1;" : "=r"(pairs[m++]) : "r"(p), "r"(q));
extern "C" __global__ void in_asm(short *out, unsigned *pairs, short x, short y, unsigned p, unsigned q)
{
    int n = 0, m = 0;
    H1("ex2.approx.f16") H1("tanh.approx.f16") H1("abs.f16") H1("neg.ftz.f16")
    H2("add.f16") H2("add.rn.ftz.f16") H2("sub.sat.f16") H2("mul.f16") H2("min.f16") H2("max.NaN.f16")
    H2("min.ftz.NaN.xorsign.abs.f16") H3("fma.rn.f16") H3("fma.rn.relu.f16") H3("fma.rn.ftz.sat.f16")
    P1("ex2.approx.f16x2") P1("tanh.approx.f16x2") P1("abs.f16x2") P1("neg.f16x2")
    P2("add.rn.f16x2") P2("sub.f16x2") P2("mul.rn.sat.f16x2") P2("max.f16x2") P2("min.NaN.f16x2")
    P2("max.ftz.xorsign.abs.f16x2") P3("fma.rn.relu.f16x2") P3("fma.rn.ftz.f16x2")
    P2("set.eq.f16x2.f16x2") P2("set.nan.ftz.f16x2.f16x2")
    asm("{ .reg .pred p, q;\n\t.reg .b16 h;\n\tsetp.gt.and.f16x2 p|q, %1, %2, 1;\n\tsetp.lt.ftz.f16 p, %3, %4;\n\t"
        "set.ge.f16.f16 h, %3, %4;\n\tselp.b16 %0, h, %3, p; }"
        : "=h"(out[n]) : "r"(p), "r"(q), "h"(x), "h"(y));
}
extern "C" __global__ void intrinsics(__half2 *out, __half *one, float2 *f, const __half2 *in)
{
    __half2 x = in[0], y = in[1];
    out[0] = __hmax2_nan(x, y), out[1] = __hmin2_nan(x, y), out[2] = __hfma2_relu(x, y, x);
    out[3] = __shfl_sync(~0u, x, 3), out[4] = __shfl_xor_sync(~0u, y, 1), out[5] = __hcmadd(x, y, x);
    one[0] = __hmax_nan(x.x, y.y), one[1] = __hfma_relu(x.x, y.x, y.y), one[2] = hexp2(x.x);
    out[6] = __ldcs(in + 2), out[7] = __ldcg(in + 3), out[8] = __ldlu(in + 4);
    __stwt(out + 9, x), __stcs(out + 10, y);
    atomicAdd(out + 11, x), atomicAdd(one + 3, y.x);
    f[0] = __half22float2(y);
}
