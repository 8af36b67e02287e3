// 64-bit floating point: arithmetic, rounding intrinsics, division, roots, min and max.
// targets: 50+
extern "C" __global__ void basic(double *out, const double *in, int i)
{
    double x = in[i], y = in[i + 1], z = in[i + 2];
    out[0] = x + y;
    out[1] = x - y * z;
    out[2] = x * y;
    out[3] = x / y;
    out[4] = sqrt(x);
    out[5] = fma(x, y, z);
    out[6] = fabs(x) - z;
    out[7] = -y;
    out[8] = fmin(x, y);
    out[9] = fmax(y, z);
    out[10] = rsqrt(x);
    out[11] = 1.0 / z;
    out[12] = copysign(x, y);
    out[13] = floor(x) + ceil(y) + trunc(z) + rint(x) + round(z);
    out[14] = __hiloint2double(__double2hiint(x), __double2loint(y));
    out[15] = isnan(x) ? y : isinf(y) ? z : signbit(z) ? x : y;
}

#define ROUND(r)                                                                          \
    extern "C" __global__ void rounding_##r(double *out, double x, double y, double z)    \
    {                                                                                     \
        out[0] = __dadd_##r(x, y);                                                        \
        out[1] = __dsub_##r(x, y);                                                        \
        out[2] = __dmul_##r(x, y);                                                        \
        out[3] = __fma_##r(x, y, z);                                                      \
        out[4] = __ddiv_##r(x, y);                                                        \
        out[5] = __dsqrt_##r(x);                                                          \
        out[6] = __drcp_##r(x);                                                           \
    }
ROUND(rn)
ROUND(rz)
ROUND(rd)
ROUND(ru)
