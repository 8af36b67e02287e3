#include "floats.h"
FN u32 steps32(f32 a, f32 b, f32 *at) { f32 x = 0, y = 0; u32 k = 0; while (k < 40 && x * x + y * y <= 4.0f) { f32 t = x * x - y * y + a; y = 2.0f * x * y + b; x = t; k++; } at[0] = x; at[1] = y; return k; }
FN u32 steps64(f64 a, f64 b, f64 *at) { f64 x = 0, y = 0; u32 k = 0; while (k < 40 && x * x + y * y <= 4.0) { f64 t = x * x - y * y + a; y = 2.0 * x * y + b; x = t; k++; } at[0] = x; at[1] = y; return k; }
// How long points stay, and where they end.
KERNEL(mandelbrot) {
    ROLLED for (u32 i = 0; i + 1 < n; i += 2) {
        f64 a = (f64)(s32)in[i] * 0x1p-30, b = (f64)(s32)in[i + 1] * 0x1p-30, d[2]; f32 s[2]; u32 *o = out + 8 * (i / 2);
        o[0] = steps32((f32)a, (f32)b, s) | steps64(a, b, d) << 16; o[1] = bits32(s[0]); o[2] = bits32(s[1]); put64(o + 4, d[0]); put64(o + 6, d[1]);
    }
}
