#include "one_thread.h"
KERNEL(division) {
    for (u32 i = 0; i + 3 < n; i += 4) {
        s32 a = (s32)in[i], b = (s32)(in[i + 1] | 1), q = b == -1 ? 0 : a / b, r = b == -1 ? 0 : a % b;
        s64 c = (s64)((u64)in[i] << 32 | in[i + 1]), d = (s64)(in[i + 2] | 1) - 0x40000000;
        u64 e = (u64)c / (in[i + 3] | 1u), f = (u64)c % 1000000007u; s16 g = (s16)((s16)a / 7), h = (s16)((s16)a % 7);
        if (d == 0) d = 3;
        out[i] = (u32)q ^ (u32)r << 16; out[i + 1] = (u32)(c / d) ^ (u32)(c % d); out[i + 2] = (u32)e ^ (u32)(e >> 32) ^ (u32)f; out[i + 3] = (u32)(s32)g * 31u + (u32)(s32)h + (u32)((u32)a / 10) + (u32)(a / 16);
    }
}
