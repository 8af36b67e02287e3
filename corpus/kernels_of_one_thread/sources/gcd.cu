#include "one_thread.h"
KERNEL(gcd) {
    for (u32 i = 0; i + 1 < n; i += 2) {
        s64 a = (s32)in[i], b = (s32)in[i + 1], x = 1, y = 0, u = 0, v = 1;
        while (b) { s64 q = a / b, t = a - q * b; a = b; b = t; t = x - q * u; x = u; u = t; t = y - q * v; y = v; v = t; }
        out[2 * i] = (u32)a; out[2 * i + 1] = (u32)x; out[2 * i + 2] = (u32)y; out[2 * i + 3] = (u32)(x >> 32);
    }
}
