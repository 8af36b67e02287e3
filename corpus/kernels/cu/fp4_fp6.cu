// 4-bit and 6-bit floats, scale factors, stochastic rounding: conversions that some families of sm_100 have.
// targets: 100a 103a 120a 121a 100f
// cuda: 12.9+
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
extern "C" __global__ void headers(unsigned char *out, unsigned short *wide, const float2 *f, __half2 *h)
{
    out[0] = __nv_cvt_float2_to_fp4x2(f[0], __NV_E2M1, cudaRoundNearest);
    wide[0] = __nv_cvt_float2_to_fp6x2(f[1], __NV_E2M3, cudaRoundNearest);
    wide[1] = __nv_cvt_float2_to_fp6x2(f[2], __NV_E3M2, cudaRoundNearest);
    out[1] = __nv_cvt_float_to_e8m0(f[3].x, __NV_SATFINITE, cudaRoundZero);
    wide[2] = __nv_cvt_float2_to_e8m0x2(f[4], __NV_SATFINITE, cudaRoundPosInf);
    h[0] = __half2(__nv_cvt_fp4x2_to_halfraw2(out[2], __NV_E2M1));
    h[1] = __half2(__nv_cvt_fp6x2_to_halfraw2(wide[3], __NV_E2M3));
    h[2] = __half2(__nv_cvt_fp6x2_to_halfraw2(wide[4], __NV_E3M2));
}
extern "C" __global__ void in_asm(short *out, unsigned *wide, float x, float y, short s, unsigned p)
{
    asm("cvt.rn.satfinite.e2m3x2.f32 %0, %1, %2;" : "=h"(out[0]) : "f"(x), "f"(y));
    asm("cvt.rn.satfinite.relu.e3m2x2.f32 %0, %1, %2;" : "=h"(out[1]) : "f"(x), "f"(y));
    asm("{ .reg .b8 b;\n\tcvt.rn.satfinite.relu.e2m1x2.f32 b, %1, %2;\n\tcvt.u16.u8 %0, b; }"
        : "=h"(out[2]) : "f"(x), "f"(y));
    asm("cvt.rp.satfinite.ue8m0x2.f32 %0, %1, %2;" : "=h"(out[3]) : "f"(x), "f"(y));
    asm("cvt.rz.ue8m0x2.bf16x2 %0, %1;" : "=h"(out[4]) : "r"(p));
    asm("cvt.rn.bf16x2.ue8m0x2 %0, %1;" : "=r"(wide[0]) : "h"(s));
    asm("cvt.rn.relu.f16x2.e2m3x2 %0, %1;" : "=r"(wide[1]) : "h"(s));
    asm("cvt.rn.f16x2.e3m2x2 %0, %1;" : "=r"(wide[2]) : "h"(s));
    asm("{ .reg .b8 b, c;\n\tmov.b16 {b, c}, %1;\n\tcvt.rn.f16x2.e2m1x2 %0, b; }" : "=r"(wide[3]) : "h"(s));
}
