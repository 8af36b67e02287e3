// 32-bit floating point: arithmetic, rounding intrinsics, division, roots, min and max, fused multiply-add.
// targets: 50+
// variants: -ftz=true -prec-div=false -prec-sqrt=false, -fmad=false, --use_fast_math
extern "C" __global__ void basic(float *out, const float *in, int i)
{
    float x = in[i], y = in[i + 1], z = in[i + 2];
    out[0] = x + y;
    out[1] = x - y * z;
    out[2] = x * y;
    out[3] = x / y;
    out[4] = sqrtf(x);
    out[5] = fmaf(x, y, z);
    out[6] = fabsf(x) - z;
    out[7] = -y;
    out[8] = fminf(x, y);
    out[9] = fmaxf(y, z);
    out[10] = rsqrtf(x);
    out[11] = 1.0f / z;
    out[12] = __saturatef(x * 2.5f);
    out[13] = fmodf(x, y);
    out[14] = copysignf(x, y);
    out[15] = floorf(x) + ceilf(y) + truncf(z) + rintf(x) + roundf(z) + nearbyintf(y);
    out[16] = fdimf(x, y);
    out[17] = ldexpf(x, i);
    out[18] = hypotf(x, y);
}

#define ROUND(r)                                                                                            \
    extern "C" __global__ void rounding_##r(float *out, float x, float y, float z)                          \
    {                                                                                                       \
        out[0] = __fadd_##r(x, y);                                                                          \
        out[1] = __fsub_##r(x, y);                                                                          \
        out[2] = __fmul_##r(x, y);                                                                          \
        out[3] = __fmaf_##r(x, y, z);                                                                       \
        out[4] = __fdiv_##r(x, y);                                                                          \
        out[5] = __fsqrt_##r(x);                                                                            \
        out[6] = __frcp_##r(x);                                                                             \
        out[7] = __fmaf_ieee_##r(x, y, z);                                                                  \
    }
ROUND(rn)
ROUND(rz)
ROUND(rd)
ROUND(ru)

extern "C" __global__ void fast(float *out, float x, float y)
{
    out[0] = __fdividef(x, y);
    out[1] = __frsqrt_rn(x);
    out[2] = __expf(x) + __exp10f(y);
    out[3] = __logf(x) + __log2f(y) + __log10f(x);
    out[4] = __sinf(x) + __cosf(y);
    out[5] = __tanf(x);
    out[6] = __powf(x, y);
    __sincosf(y, out + 7, out + 8);
}
