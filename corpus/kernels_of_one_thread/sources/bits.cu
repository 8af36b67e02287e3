#include "one_thread.h"
FN u32 ones(u32 x) { x -= x >> 1 & 0x55555555; x = (x & 0x33333333) + (x >> 2 & 0x33333333); return (x + (x >> 4) & 0x0f0f0f0f) * 0x01010101 >> 24; }
FN u32 reversed(u32 x) { x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555); x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333); x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f); x = x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24; return x; }
KERNEL(bits) {
    for (u32 i = 0; i < n; i++) {
        u32 x = in[i], lead = 0; while (lead < 32 && !(x >> (31 - lead) & 1)) lead++;
        s16 h = (s16)x; u8 b = (u8)(x >> 8); s8 s = (s8)(x >> 16);
        u32 m = x >= 0x80000000u ? x / 3 : x * 3; m ^= (u32)(h >> 3) + b * 5u; m += (u32)(s32)(s % 7) - (b / 9);
        out[i] = ones(x) ^ reversed(x) ^ lead << 9 ^ m;
    }
}
