// Conversions: every integer and floating point pair, rounding intrinsics, reinterpretation, saturation.
// targets: 50+
template <class To, class From> __device__ void one(void *out, const void *in, int at)
{
    ((To *)out)[at] = (To)((const From *)in)[at];
}
template <class To> __device__ void all(char *out, const void *in)
{
    one<To, signed char>(out, in, 0);
    one<To, unsigned char>(out + 100, in, 1);
    one<To, short>(out + 200, in, 2);
    one<To, unsigned short>(out + 300, in, 3);
    one<To, int>(out + 400, in, 4);
    one<To, unsigned>(out + 500, in, 5);
    one<To, long long>(out + 600, in, 6);
    one<To, unsigned long long>(out + 700, in, 7);
    one<To, float>(out + 800, in, 8);
    one<To, double>(out + 900, in, 9);
}
extern "C" __global__ void casts(char *out, const void *in)
{
    all<signed char>(out, in);
    all<unsigned char>(out + 1000, in);
    all<short>(out + 2000, in);
    all<unsigned short>(out + 3000, in);
    all<int>(out + 4000, in);
    all<unsigned>(out + 5000, in);
    all<long long>(out + 6000, in);
    all<unsigned long long>(out + 7000, in);
    all<float>(out + 8000, in);
    all<double>(out + 9000, in);
}
#define ROUND(r)                                                                                          \
    extern "C" __global__ void round_##r(int *i, long long *l, float *f, double *d, float x, double y)    \
    {                                                                                                     \
        i[0] = __float2int_##r(x), i[1] = __float2uint_##r(x), i[2] = __double2int_##r(y);                \
        i[3] = __double2uint_##r(y), l[0] = __float2ll_##r(x), l[1] = __float2ull_##r(x);                 \
        l[2] = __double2ll_##r(y), l[3] = __double2ull_##r(y);                                            \
        f[0] = __int2float_##r(i[4]), f[1] = __uint2float_##r(i[5]), f[2] = __ll2float_##r(l[4]);         \
        f[3] = __ull2float_##r(l[5]), f[4] = __double2float_##r(y);                                       \
        d[0] = __ll2double_##r(l[6]), d[1] = __ull2double_##r(l[7]);                                      \
    }
ROUND(rn)
ROUND(rz)
ROUND(rd)
ROUND(ru)
extern "C" __global__ void reinterpret(int *i, long long *l, float x, double y)
{
    i[0] = __float_as_int(x), i[1] = __double2hiint(y), i[2] = __double2loint(y);
    l[0] = __double_as_longlong(y) + (long long)__longlong_as_double(l[1]);
    i[3] = (int)__int_as_float(i[4]) + (int)__int2double_rn(i[5]) + (int)__uint2double_rn(i[6]);
}
