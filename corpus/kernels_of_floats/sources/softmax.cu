#include "floats.h"
// 2^k e^r, where r is at most half of ln 2; 0 below all normal numbers.
FN f32 exponential(f32 x) {
    f32 k = (x * 1.44269504f + 12582912.0f) - 12582912.0f, r = FMAF(k, -0.693145752f, x), p = 0.0013888889f;
    r = FMAF(k, -1.42860677e-6f, r);
    p = FMAF(p, r, 0.0083333338f); p = FMAF(p, r, 0.041666668f); p = FMAF(p, r, 0.16666667f); p = FMAF(p, r, 0.5f); p = FMAF(p, r, 1.0f); p = FMAF(p, r, 1.0f);
    return k < -125.0f ? 0.0f : p * f32_of((u32)((s32)k + 127) << 23);
}
KERNEL(softmax) {
    f32 top = f32_of(in[0]), sum = 0;
    ROLLED for (u32 i = 1; i < n; i++) { f32 x = f32_of(in[i]); if (x > top) top = x; }
    ROLLED for (u32 i = 0; i < n; i++) { f32 e = exponential(f32_of(in[i]) - top); out[i] = bits32(e); sum += e; }
    ROLLED for (u32 i = 0; i < n; i++) out[n + i] = bits32(f32_of(out[i]) / sum);
    out[2 * n] = bits32(sum);
}
