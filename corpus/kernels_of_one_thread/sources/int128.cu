#include "one_thread.h"
#ifndef NO_INT128
typedef unsigned __int128 u128;
KERNEL(int128) {
    for (u32 i = 0; i + 3 < n; i += 4) {
        u128 a = (u128)((u64)in[i] << 32 | in[i + 1]) << 64 | ((u64)in[i + 2] << 32 | in[i + 3]);
        u128 b = a * (a >> 7) + 12345; b ^= b << 77; __int128 c = (__int128)b >> (in[i] & 127);
        if (c < 0) c = -c;
        u128 d = a - b;
        out[i] = (u32)(u128)c; out[i + 1] = (u32)((u128)c >> 64) ^ (u32)((u128)c >> 96); out[i + 2] = (u32)(d >> 31); out[i + 3] = a > b;
    }
}
#endif
