#include "one_thread.h"
FN u64 times(u64 a, u64 b, u64 m) { u64 r = 0; a %= m; while (b) { if (b & 1) { r = r >= m - a ? r - (m - a) : r + a; } a = a >= m - a ? a - (m - a) : a + a; b >>= 1; } return r; }
KERNEL(power_modulo) {
    for (u32 i = 0; i + 3 < n; i += 4) {
        u64 b = (u64)in[i] << 32 | in[i + 1], e = in[i + 2], m = ((u64)in[i + 3] << 31) | 1, r = 1 % m;
        while (e) { if (e & 1) r = times(r, b, m); b = times(b, b, m); e >>= 1; }
        out[i] = (u32)r; out[i + 1] = (u32)(r >> 32); out[i + 2] = (u32)(b % 1000003); out[i + 3] = (u32)(b / 1000003);
    }
}
