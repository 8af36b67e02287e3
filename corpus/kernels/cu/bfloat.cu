// bfloat16: arithmetic, comparison, conversions and functions of cuda_bf16.h, and inline assembly.
// targets: 80+
#include <cuda_bf16.h>
typedef __nv_bfloat16 B;
typedef __nv_bfloat162 B2;
extern "C" __global__ void scalar(B *out, const B *in, int *i, long long *l, const float *f, double d)
{
    B x = in[0], y = in[1], z = in[2];
    int n = 0;
    out[n++] = __hadd(x, y), out[n++] = __hsub(x, y), out[n++] = __hmul(x, y), out[n++] = __hdiv(x, y);
    out[n++] = __hfma(x, y, z), out[n++] = __hfma_relu(x, y, z), out[n++] = __hadd_sat(x, y);
    out[n++] = __hneg(x), out[n++] = __habs(y), out[n++] = __hmax(x, y), out[n++] = __hmin_nan(x, z);
    out[n++] = hsqrt(x), out[n++] = hrcp(y), out[n++] = hexp2(z), out[n++] = hlog(x), out[n++] = hsin(y);
    out[n++] = hfloor(x), out[n++] = hrint(y), out[n++] = __hlt(x, y) ? z : __hneu(y, z) ? x : y;
    out[n++] = __float2bfloat16_rn(f[0]), out[n++] = __float2bfloat16_rz(f[1]), out[n++] = __float2bfloat16_ru(f[2]);
    out[n++] = __double2bfloat16(d), out[n++] = __int2bfloat16_rn(i[0]), out[n++] = __ull2bfloat16_rz(l[0]);
    out[n++] = __short2bfloat16_rd(i[1]);
    i[2] = __bfloat162int_rn(x), i[3] = __bfloat162uint_rz(y), l[1] = __bfloat162ll_ru(z);
}
extern "C" __global__ void packed(B2 *out, const B2 *in, float2 *f)
{
    B2 x = in[0], y = in[1], z = in[2];
    int n = 0;
    out[n++] = __hadd2(x, y), out[n++] = __hsub2(x, y), out[n++] = __hmul2(x, y), out[n++] = __hfma2(x, y, z);
    out[n++] = __hfma2_relu(x, y, z), out[n++] = __hneg2(x), out[n++] = __habs2(y), out[n++] = __hmax2(x, y);
    out[n++] = __hmin2_nan(y, z), out[n++] = __heq2(x, y), out[n++] = __hgtu2(y, z), out[n++] = h2exp2(x);
    out[n++] = __floats2bfloat162_rn(f[0].x, f[0].y), f[1] = __bfloat1622float2(x), out[n++] = __lows2bfloat162(x, y);
    atomicAdd(out + n, x), atomicAdd((B *)out, y.x);
}
extern "C" __global__ void in_asm(short *out, unsigned *pairs, short x, short y, unsigned p, unsigned q, float f)
{
    asm("fma.rn.bf16 %0, %1, %2, %1;" : "=h"(out[0]) : "h"(x), "h"(y));
    asm("fma.rn.relu.bf16x2 %0, %1, %2, %1;" : "=r"(pairs[0]) : "r"(p), "r"(q));
#if __CUDA_ARCH__ >= 860
    asm("min.NaN.xorsign.abs.bf16 %0, %1, %2;" : "=h"(out[1]) : "h"(x), "h"(y));
#endif
    asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(pairs[1]) : "r"(p), "r"(q));
    asm("abs.bf16 %0, %1;" : "=h"(out[2]) : "h"(x));
    asm("neg.bf16x2 %0, %1;" : "=r"(pairs[2]) : "r"(p));
    asm("cvt.rn.relu.bf16.f32 %0, %1;" : "=h"(out[3]) : "f"(f));
    asm("cvt.rz.bf16x2.f32 %0, %1, %1;" : "=r"(pairs[3]) : "f"(f));
    asm("cvt.rn.relu.f16x2.f32 %0, %1, %1;" : "=r"(pairs[4]) : "f"(f));
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(pairs[5]) : "f"(f));
    asm("mov.b32 %0, {%1, %2};" : "=r"(pairs[6]) : "h"(x), "h"(y));
}
