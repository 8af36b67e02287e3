#include "floats.h"
FN f64 reciprocal(f64 a) { f64 x = f64_of(0x7fde6238502484baull - bits64(a)); ROLLED for (u32 k = 0; k < 5; k++) { f64 e = FMA(-a, x, 1.0); x = FMA(x, e, x); } return x; }
FN f64 root(f64 a) { f64 x = f64_of(0x5fe6eb50c7b537a9ull - (bits64(a) >> 1)); ROLLED for (u32 k = 0; k < 5; k++) x = x * (1.5 - 0.5 * a * x * x); f64 s = a * x, r = FMA(-s, s, a); return FMA(r, 0.5 * x, s); }
FN f32 cube_root(f32 a) { f32 x = f32_of(bits32(a) / 3 + 0x2a5137a0u); ROLLED for (u32 k = 0; k < 4; k++) x = x - (x * x * x - a) / (3.0f * x * x); return x; }
// The reciprocal and the root by steps of Newton and by the instruction.
KERNEL(newton) {
    for (u32 i = 0; i + 1 < n; i += 2) {
        f64 a = ABS(f64_at(in + i)); u32 *o = out + 5 * i;
        put64(o, reciprocal(a)); put64(o + 2, 1.0 / a); put64(o + 4, root(a)); put64(o + 6, SQRT(a)); o[8] = bits32(cube_root((f32)a)); o[9] = bits32(SQRTF((f32)a));
    }
}
