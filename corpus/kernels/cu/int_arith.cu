// Integer arithmetic: every size and sign, division, remainder, high halves, averages, absolute differences.
// targets: 50+
#define ONE(name, type)                                                              \
    extern "C" __global__ void arith_##name(type *out, const type *a, const type *b) \
    {                                                                                \
        int i = threadIdx.x + blockIdx.x * blockDim.x;                               \
        type x = a[i], y = b[i];                                                     \
        out[8 * i + 0] = x + y;                                                      \
        out[8 * i + 1] = x - y;                                                      \
        out[8 * i + 2] = x * y;                                                      \
        out[8 * i + 3] = y ? x / y : x;                                              \
        out[8 * i + 4] = y ? x % y : y;                                              \
        out[8 * i + 5] = x < y ? x : y;                                              \
        out[8 * i + 6] = x > y ? x : y;                                              \
        out[8 * i + 7] = -x * 3 + y;                                                 \
    }
ONE(s8, signed char)
ONE(u8, unsigned char)
ONE(s16, short)
ONE(u16, unsigned short)
ONE(s32, int)
ONE(u32, unsigned)
ONE(s64, long long)
ONE(u64, unsigned long long)

extern "C" __global__ void wide(long long *out, const int *a, const unsigned *b, const short *c)
{
    int i = threadIdx.x;
    out[0] = (long long)a[i] * a[i + 1];
    out[1] = (long long)((unsigned long long)b[i] * b[i + 1]);
    out[2] = (long long)a[i] * a[i + 2] + out[7];
    out[3] = c[i] * c[i + 1];
    out[4] = (unsigned short)c[i + 2] * (unsigned short)c[i + 3];
    out[5] = __mul64hi(out[8], out[9]);
    out[6] = __umul64hi(out[10], out[11]) + b[i];
}

extern "C" __global__ void helpers(int *out, const int *a, const unsigned *b)
{
    int x = a[threadIdx.x], y = a[threadIdx.x + 1];
    unsigned u = b[threadIdx.x], v = b[threadIdx.x + 1];
    out[0] = __mulhi(x, y);
    out[1] = __umulhi(u, v);
    out[2] = __mul24(x, y);
    out[3] = __umul24(u, v) + x;
    out[4] = __sad(x, y, u);
    out[5] = __usad(u, v, u);
    out[6] = __hadd(x, y);
    out[7] = __uhadd(u, v);
    out[8] = __rhadd(x, y);
    out[9] = __urhadd(u, v);
    out[10] = abs(x);
    out[11] = u / 7;
    out[12] = x / 10 + x % 10;
    out[13] = x / 8 + x % 8;
}
