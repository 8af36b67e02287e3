// 8-bit floats: conversions of cuda_fp8.h, which are instructions from sm_89 on and integer code before.
// targets: 75+
// cuda: 12.4+
#include <cuda_fp8.h>
extern "C" __global__ void to_fp8(unsigned char *out, unsigned short *pairs, const float *f, const __half *h,
                                  const __nv_bfloat16 *b, const double *d)
{
    out[0] = __nv_cvt_float_to_fp8(f[0], __NV_SATFINITE, __NV_E4M3);
    out[1] = __nv_cvt_float_to_fp8(f[1], __NV_NOSAT, __NV_E5M2);
    out[2] = __nv_cvt_double_to_fp8(d[0], __NV_SATFINITE, __NV_E5M2);
    out[3] = __nv_cvt_halfraw_to_fp8(h[0], __NV_SATFINITE, __NV_E4M3);
    out[4] = __nv_cvt_bfloat16raw_to_fp8(b[0], __NV_SATFINITE, __NV_E4M3);
    pairs[0] = __nv_cvt_float2_to_fp8x2(make_float2(f[2], f[3]), __NV_SATFINITE, __NV_E4M3);
    pairs[1] = __nv_cvt_halfraw2_to_fp8x2(__halves2half2(h[1], h[2]), __NV_SATFINITE, __NV_E5M2);
    ((__nv_fp8x4_e4m3 *)pairs)[1] = __nv_fp8x4_e4m3(make_float4(f[4], f[5], f[6], f[7]));
}
extern "C" __global__ void from_fp8(float *f, __half2 *h, const __nv_fp8_e4m3 *a, const __nv_fp8_e5m2 *b,
                                    const unsigned short *pairs)
{
    f[0] = float(a[0]) * float(b[0]);
    f[1] = double(a[1]) + int(b[1]);
    h[0] = __half2(__nv_cvt_fp8x2_to_halfraw2(pairs[0], __NV_E4M3));
    h[1] = __half2(__nv_cvt_fp8x2_to_halfraw2(pairs[1], __NV_E5M2));
    ((float4 *)f)[1] = float4(((const __nv_fp8x4_e5m2 *)pairs)[1]);
}
