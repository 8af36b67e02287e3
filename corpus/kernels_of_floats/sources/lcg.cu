#include "floats.h"
FN u64 next(u64 *state) { *state = *state * 6364136223846793005ull + 1442695040888963407ull; return *state; }
FN f32 unit32(u64 x) { return (f32)(u32)(x >> 40) * 0x1p-24f; }
FN f64 unit64(u64 x) { return (f64)(x >> 11) * 0x1p-53; }
FN f64 from_bits(u64 x) { return f64_of(x >> 12 | 0x3ffull << 52) - 1.0; }
// Random numbers from 0 to below 1, in a range, points in a circle, and a sum of twelve.
KERNEL(lcg) {
    for (u32 i = 0; i < n; i++) {
        u64 s = in[i]; u32 *o = out + 10 * i, inside = 0; f64 normal = -6; f32 r = unit32(next(&s));
        o[0] = bits32(r); o[1] = bits32(-3.0f + 10.0f * unit32(next(&s))); put64(o + 2, unit64(next(&s))); put64(o + 4, from_bits(next(&s)));
        ROLLED for (u32 k = 0; k < 12; k++) { f64 x = unit64(next(&s)), y = from_bits(next(&s)); inside += x * x + y * y < 1.0; normal += x; }
        put64(o + 6, normal); o[8] = inside; o[9] = (u32)(r * 6.0f) + 1;
    }
}
