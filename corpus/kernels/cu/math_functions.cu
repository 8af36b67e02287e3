// Mathematical functions: what libdevice makes of them, precise and with fast math.
// targets: 50+
// variants: --use_fast_math
#define F(f) out[n++] = f(x);
extern "C" __global__ void single(float *out, float x, float y)
{
    int n = 0;
    F(sinf) F(cosf) F(tanf) F(asinf) F(acosf) F(atanf) F(sinhf) F(coshf) F(tanhf) F(asinhf) F(acoshf) F(atanhf)
    F(expf) F(exp2f) F(exp10f) F(expm1f) F(logf) F(log2f) F(log10f) F(log1pf) F(cbrtf) F(rcbrtf)
    F(erff) F(erfcf) F(erfinvf) F(normcdff) F(tgammaf) F(lgammaf) F(j0f) F(y1f) F(sinpif) F(cospif) F(logbf)
    out[n++] = powf(x, y) + atan2f(y, x);
    out[n++] = remainderf(x, y) + nextafterf(x, y);
    int quotient;
    out[n++] = remquof(x, y, &quotient) + quotient;
    out[n++] = norm3df(x, y, x) + rnorm4df(x, y, x, y) + ilogbf(y);
    out[n++] = frexpf(x, &quotient) * quotient;
    out[n++] = modff(y, out);
    sincosf(x, out + n, out + n + 1);
}

extern "C" __global__ void twice(double *out, double x, double y)
{
    int n = 0;
    F(sin) F(tan) F(asin) F(acos) F(atan) F(cosh) F(tanh) F(exp) F(exp2) F(log) F(log2) F(cbrt) F(erf) F(tgamma)
    out[n++] = pow(x, y);
    out[n++] = atan2(x, y) + hypot(x, y) + fmod(x, y) + ldexp(x, n) + ilogb(y);
}
