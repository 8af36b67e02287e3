#include "floats.h"
#ifdef HOST
FN f32 flushed(f32 v) { u32 b = bits32(v); return b & 0x7f800000 ? v : f32_of(b & 0x80000000); }
FN f32 saturated(f32 v) { return !(v > 0) ? 0.0f : v > 1 ? 1.0f : v; }
#define BINARY(name, text, value, finish) FN f32 name(f32 x, f32 y) { f32 a = flushed(x), b = flushed(y); (void)b; return finish(value); }
#define flushed_and_saturated(v) saturated(flushed(v))
#else
#define BINARY(name, text, value, finish) FN f32 name(f32 a, f32 b) { f32 r; asm(text : "=f"(r) : "f"(a), "f"(b)); return r; }
#endif
BINARY(add, "add.rn.ftz.f32 %0, %1, %2;", a + b, flushed) BINARY(sub_sat, "sub.rn.ftz.sat.f32 %0, %1, %2;", a - b, flushed_and_saturated)
BINARY(mul, "mul.rn.ftz.f32 %0, %1, %2;", a * b, flushed) BINARY(mul_sat, "mul.rn.ftz.sat.f32 %0, %1, %2;", a * b, flushed_and_saturated)
BINARY(fma_, "fma.rn.ftz.f32 %0, %1, %2, %1;", FMAF(a, b, a), flushed) BINARY(fma_sat, "fma.rn.ftz.sat.f32 %0, %1, %1, %2;", FMAF(a, a, b), flushed_and_saturated)
BINARY(divide, "div.rn.ftz.f32 %0, %1, %2;", a / b, flushed) BINARY(root, "sqrt.rn.ftz.f32 %0, %1;", SQRTF(a) , flushed) BINARY(inverse, "rcp.rn.ftz.f32 %0, %2;", 1.0f / b, flushed)
// Subnormal numbers as zeros, and results from 0 to 1; beside those as IEEE has them.
KERNEL(flush) {
    ROLLED for (u32 i = 0; i + 1 < n; i += 2) {
        f32 a = f32_of(in[i]), b = f32_of(in[i + 1]); u32 *o = out + 7 * i;
        o[0] = bits32(add(a, b)); o[1] = bits32(sub_sat(a, b)); o[2] = bits32(mul(a, b)); o[3] = bits32(mul_sat(a, b)); o[4] = bits32(fma_(a, b)); o[5] = bits32(fma_sat(a, b));
        o[6] = bits32(divide(a, b)); o[7] = bits32(root(a, b)); o[8] = bits32(inverse(a, b)); o[9] = bits32(a + b); o[10] = bits32(a * b); o[11] = bits32(a / b); o[12] = bits32(SQRTF(a)); o[13] = bits32((f32)((f64)a * (f64)b));
    }
}
