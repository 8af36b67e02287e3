#include "floats.h"
// The logistic map: any other rounding shows after some steps.
KERNEL(logistic) {
    for (u32 i = 0; i < n; i++) {
        f32 x = (f32)in[i] * 0x1p-32f, y = x; f64 z = (f64)in[i] * 0x1p-32, w = z; u32 *o = out + 6 * i;
        ROLLED for (u32 k = 0; k < 100; k++) { x = 3.9f * x * (1.0f - x); y = FMAF(-3.9f * y, y, 3.9f * y); z = 3.99 * z * (1.0 - z); w = 3.99 * (w - w * w); }
        o[0] = bits32(x); o[1] = bits32(y); put64(o + 2, z); put64(o + 4, w);
    }
}
