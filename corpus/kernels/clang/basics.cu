// Arithmetic, comparisons and memory of all types, as clang writes them.
// targets: sm_50 sm_60 sm_70 sm_80 sm_90 sm_100
#include "cuda_min.h"
#define ONE(name, type)                                                                               \
    extern "C" __global__ void arith_##name(type *out, const type *a, const type *b, int n)           \
    {                                                                                                 \
        int i = TID + CTAID * NTID;                                                                   \
        if (i >= n) return;                                                                           \
        type x = a[i], y = b[i];                                                                      \
        out[i] = x + y, out[i + n] = x - y, out[i + 2 * n] = x * y;                                   \
        out[i + 3 * n] = y != 0 ? x / y : x, out[i + 4 * n] = x < y ? x : y, out[i + 5 * n] = -x;      \
    }
ONE(char, signed char) ONE(uchar, unsigned char) ONE(short, short) ONE(ushort, unsigned short)
ONE(int, int) ONE(uint, unsigned) ONE(long, long long) ONE(ulong, unsigned long long)
ONE(float, float) ONE(double, double)
#if __clang_major__ >= 19
ONE(int128, __int128)
#endif
template <class T, class U> __device__ void convert(T *out, const U *in, int i) { out[i] = (T)in[i]; }
extern "C" __global__ void conversions(void *out, const void *in, int i)
{
    convert((char *)out, (const float *)in, i), convert((short *)out, (const double *)in, i + 1);
    convert((int *)out, (const float *)in, i + 2), convert((unsigned *)out, (const double *)in, i + 3);
    convert((long long *)out, (const float *)in, i + 4), convert((float *)out, (const unsigned long long *)in, i + 5);
    convert((double *)out, (const short *)in, i + 6), convert((float *)out, (const double *)in, i + 7);
    convert((double *)out, (const float *)in, i + 8), convert((unsigned char *)out, (const long long *)in, i + 9);
    convert((bool *)out, (const int *)in, i + 10), convert((long long *)out, (const signed char *)in, i + 11);
}
extern "C" __global__ void bits(unsigned *out, unsigned long long *wide, unsigned x, unsigned y, int n)
{
    out[0] = __builtin_popcount(x), out[1] = __builtin_clz(x), out[2] = __builtin_ctz(x), out[3] = __builtin_bswap32(x);
    out[4] = __builtin_bitreverse32(x), out[5] = (x << 7) | (x >> 25), out[6] = (x & y) ^ (~x & n), out[7] = x >> n;
    out[8] = __builtin_rotateleft32(x, n), out[9] = (int)x >> n, out[10] = __builtin_ffs(x);
    wide[0] = __builtin_popcountll(wide[1]), wide[2] = __builtin_bitreverse64(wide[3]), wide[4] = __builtin_rotateright64(wide[5], n);
    wide[6] = __builtin_clzll(wide[7]), wide[8] = (unsigned __int128)wide[9] * wide[10] >> 64;
    int sum;
    out[11] = __builtin_sadd_overflow(x, y, &sum) + sum;
    out[12] = __builtin_umul_overflow(x, y, out + 13);
}
