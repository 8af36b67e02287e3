// Bits: reverse, count, find, extract, insert, funnel shifts, byte permutation, three-input logic.
// targets: 50+
extern "C" __global__ void bits32(unsigned *out, const unsigned *in, int n)
{
    unsigned x = in[threadIdx.x], y = in[threadIdx.x + 1], z = in[threadIdx.x + 2];
    out[0] = __brev(x);
    out[1] = __clz(x);
    out[2] = __popc(x);
    out[3] = __ffs(x);
    out[4] = __byte_perm(x, y, 0x5140);
    out[5] = __byte_perm(x, y, z);
    out[6] = __funnelshift_l(x, y, n);
    out[7] = __funnelshift_lc(x, y, n);
    out[8] = __funnelshift_r(x, y, n);
    out[9] = __funnelshift_rc(x, y, n);
    out[10] = (x >> 7) & 0x3f;
    out[11] = (x & ~0x3f0u) | ((y & 0x3f) << 4);
    out[12] = (x & y) | (~x & z);
    out[13] = (x & y) ^ (x & z) ^ (y & z);
    out[14] = x << n | y >> (32 - n);
    out[15] = ~(x ^ y) + (int(x) >> n);
    out[16] = __fns(x, n, 2);
    out[17] = (x << 5) | (x >> 27);
}

extern "C" __global__ void bits64(unsigned long long *out, const unsigned long long *in, int n)
{
    unsigned long long x = in[threadIdx.x], y = in[threadIdx.x + 1];
    out[0] = __brevll(x);
    out[1] = __clzll(x);
    out[2] = __popcll(x);
    out[3] = __ffsll(x);
    out[4] = x << n | y >> (64 - n);
    out[5] = (long long)x >> n;
    out[6] = (x >> 20) & 0xfffff;
    out[7] = ~x & y ^ 0xf0f0f0f0f0f0f0f0;
}

extern "C" __global__ void bits_asm(int *out, long long *wide, short *half)
{
    int x = out[0], y = out[1], z = out[2];
    long long p = wide[0], q = wide[1];
    short h = half[0], k = half[1];
    asm("bfe.s32 %0, %1, 5, 11;" : "=r"(out[3]) : "r"(x));
    asm("bfe.u64 %0, %1, %2, %3;" : "=l"(wide[2]) : "l"(p), "r"(x), "r"(y));
    asm("bfi.b64 %0, %1, %2, %3, 4;" : "=l"(wide[3]) : "l"(p), "l"(q), "r"(x));
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(out[4]) : "r"(x), "r"(y), "r"(z));
    asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(out[5]) : "r"(x), "r"(y), "r"(z));
    asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(out[6]) : "r"(x), "r"(y), "r"(z));
    asm("prmt.b32.ecl %0, %1, %2, 1;" : "=r"(out[7]) : "r"(x), "r"(y));
    asm("shl.b16 %0, %1, %2;" : "=h"(half[2]) : "h"(h), "r"(x));
    asm("shr.s16 %0, %1, 3;" : "=h"(half[3]) : "h"(h));
    asm("and.b16 %0, %1, %2;" : "=h"(half[4]) : "h"(h), "h"(k));
    asm("xor.b64 %0, %1, %2;" : "=l"(wide[4]) : "l"(p), "l"(q));
    asm("not.b16 %0, %1;" : "=h"(half[5]) : "h"(h));
}
