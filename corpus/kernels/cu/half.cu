// Half precision: scalar and packed arithmetic, comparison, conversion and functions of cuda_fp16.h.
// targets: 53+
// variants: -ftz=true
#include <cuda_fp16.h>
extern "C" __global__ void scalar(__half *out, const __half *in, const float *f)
{
    __half x = in[0], y = in[1], z = in[2];
    int n = 0;
    out[n++] = __hadd(x, y), out[n++] = __hsub(x, y), out[n++] = __hmul(x, y), out[n++] = __hdiv(x, y);
    out[n++] = __hfma(x, y, z), out[n++] = __hadd_sat(x, y), out[n++] = __hsub_sat(x, y);
    out[n++] = __hmul_sat(x, y), out[n++] = __hfma_sat(x, y, z), out[n++] = __hneg(x), out[n++] = __habs(x);
    out[n++] = hsqrt(x), out[n++] = hrsqrt(y), out[n++] = hrcp(z), out[n++] = hexp(x), out[n++] = hexp2(y);
    out[n++] = hlog(x), out[n++] = hlog2(y), out[n++] = hlog10(z), out[n++] = hsin(x), out[n++] = hcos(y);
    out[n++] = hfloor(x), out[n++] = hceil(y), out[n++] = htrunc(z), out[n++] = hrint(x);
    out[n++] = __hlt(x, y) ? z : __hgeu(y, z) ? x : y, out[n++] = __hisnan(x) ? y : z;
    out[n++] = __hne(x, y) || __hequ(y, z) || __hgt(x, z) || __hleu(x, y) ? x : z;
    out[n++] = __float2half_rn(f[0]), out[n++] = __float2half_rz(f[1]), out[n++] = __float2half_ru(f[2]);
    out[n++] = __float2half_rd(f[3]), out[n++] = __hmax(x, y), out[n++] = __hmin(x, y);
}
extern "C" __global__ void packed(__half2 *out, const __half2 *in, const float2 *f)
{
    __half2 x = in[0], y = in[1], z = in[2];
    int n = 0;
    out[n++] = __hadd2(x, y), out[n++] = __hsub2(x, y), out[n++] = __hmul2(x, y), out[n++] = __hfma2(x, y, z);
    out[n++] = __hadd2_sat(x, y), out[n++] = __hmul2_sat(x, y), out[n++] = __hfma2_sat(x, y, z);
    out[n++] = __hneg2(x), out[n++] = __habs2(x), out[n++] = __h2div(x, y), out[n++] = h2sqrt(x), out[n++] = h2exp(y);
    out[n++] = __heq2(x, y), out[n++] = __hltu2(x, y), out[n++] = __hge2(x, y), out[n++] = __hneu2(x, y);
    out[n++] = __hisnan2(x), out[n++] = __lowhigh2highlow(x), out[n++] = __highs2half2(x, y);
    out[n++] = __float22half2_rn(f[0]), out[n++] = __hmax2(x, y), out[n++] = h2rint(z);
    out[n++] = __hbeq2(x, y) ? __hbgtu2(y, z) ? x : y : z;
}
extern "C" __global__ void conversions(__half *out, int *i, long long *l, float *f, const __half *in)
{
    i[0] = __half2int_rn(in[0]), i[1] = __half2uint_rz(in[1]), l[0] = __half2ll_rd(in[2]), l[1] = __half2ull_ru(in[3]);
    i[2] = __half2short_rn(in[4]), i[3] = __half2ushort_rd(in[5]), f[0] = __half2float(in[6]);
    out[0] = __int2half_rn(i[4]), out[1] = __uint2half_rz(i[5]), out[2] = __ll2half_rd(l[2]);
    out[3] = __short2half_ru(i[6]), out[4] = __ull2half_rn(l[3]), out[5] = __double2half(f[1]);
    out[6] = __ldg(in + 7), out[7] = __ushort_as_half(i[7]), i[8] = __half_as_short(in[8]);
}
