#include "floats.h"
TABLE f32 C[8] = { 1.0f, 1.0f, 0.5f, 0.16666667f, 0.041666668f, 0.0083333338f, 0.0013888889f, 0.0001984127f };
TABLE f64 D[8] = { 1.0, -0.5, 0.33333333333333331, -0.25, 0.2, -0.16666666666666666, 0.14285714285714285, -0.125 };
FN f32 estrin(f32 x) { f32 x2 = x * x, x4 = x2 * x2; return ((C[7] * x + C[6]) * x2 + (C[5] * x + C[4])) * x4 + ((C[3] * x + C[2]) * x2 + (C[1] * x + C[0])); }
// By Horner without fma and with it, and by Estrin.
KERNEL(polynomial) {
    for (u32 i = 0; i < n; i++) {
        f32 x = f32_of(in[i]), a = C[7], b = C[7]; f64 y = x, c = D[7], d = D[7]; u32 *o = out + 8 * i;
        ROLLED for (s32 k = 6; k >= 0; k--) { a = a * x + C[k]; b = FMAF(b, x, C[k]); c = c * y + D[k]; d = FMA(d, y, D[k]); }
        o[0] = bits32(a); o[1] = bits32(b); o[2] = bits32(estrin(x)); put64(o + 4, c); put64(o + 6, d);
    }
}
