#include "one_thread.h"
#define Q(a, b, c, d) a += b; d ^= a; d = d << 16 | d >> 16; c += d; b ^= c; b = b << 12 | b >> 20; a += b; d ^= a; d = d << 8 | d >> 24; c += d; b ^= c; b = b << 7 | b >> 25;
KERNEL(chacha) {
    u32 x[16]; (void)n;
    for (u32 i = 0; i < 16; i++) x[i] = in[i];
#pragma unroll 1
    for (u32 r = 0; r < 10; r++) { Q(x[0], x[4], x[8], x[12]) Q(x[1], x[5], x[9], x[13]) Q(x[2], x[6], x[10], x[14]) Q(x[3], x[7], x[11], x[15]) Q(x[0], x[5], x[10], x[15]) Q(x[1], x[6], x[11], x[12]) Q(x[2], x[7], x[8], x[13]) Q(x[3], x[4], x[9], x[14]) }
    for (u32 i = 0; i < 16; i++) out[i] = x[i] + in[i];
}
