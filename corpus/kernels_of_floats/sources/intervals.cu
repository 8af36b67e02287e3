#include "floats.h"
#ifdef HOST
#include <fenv.h>
#define DIRECTED(name, T, c, text, mode, op) FN T name(T a, T b) { volatile T x = a, y = b, r; fesetround(mode); r = x op y; fesetround(FE_TONEAREST); return r; }
FN f32 root_down(f32 a) { volatile f32 x = a, r; fesetround(FE_DOWNWARD); r = SQRTF(x); fesetround(FE_TONEAREST); return r; }
FN f32 root_up(f32 a) { volatile f32 x = a, r; fesetround(FE_UPWARD); r = SQRTF(x); fesetround(FE_TONEAREST); return r; }
#else
#define DIRECTED(name, T, c, text, mode, op) FN T name(T a, T b) { T r; asm(text " %0, %1, %2;" : "=" c(r) : c(a), c(b)); return r; }
FN f32 root_down(f32 a) { f32 r; asm("sqrt.rm.f32 %0, %1;" : "=f"(r) : "f"(a)); return r; }
FN f32 root_up(f32 a) { f32 r; asm("sqrt.rp.f32 %0, %1;" : "=f"(r) : "f"(a)); return r; }
#endif
DIRECTED(add_down, f32, "f", "add.rm.f32", FE_DOWNWARD, +) DIRECTED(add_up, f32, "f", "add.rp.f32", FE_UPWARD, +)
DIRECTED(sub_down, f32, "f", "sub.rm.f32", FE_DOWNWARD, -) DIRECTED(sub_up, f32, "f", "sub.rp.f32", FE_UPWARD, -)
DIRECTED(mul_down, f32, "f", "mul.rm.f32", FE_DOWNWARD, *) DIRECTED(mul_up, f32, "f", "mul.rp.f32", FE_UPWARD, *)
DIRECTED(div_down, f32, "f", "div.rm.f32", FE_DOWNWARD, /) DIRECTED(div_up, f32, "f", "div.rp.f32", FE_UPWARD, /)
DIRECTED(wide_down, f64, "d", "add.rm.f64", FE_DOWNWARD, +) DIRECTED(wide_up, f64, "d", "mul.rp.f64", FE_UPWARD, *) DIRECTED(wide_cut, f64, "d", "div.rz.f64", FE_TOWARDZERO, /)
INLINE f32 least(f32 a, f32 b) { return a < b ? a : b; }
INLINE f32 most(f32 a, f32 b) { return a > b ? a : b; }
FN f32 product_down(f32 a, f32 b, f32 c, f32 d) { return least(least(mul_down(a, c), mul_down(a, d)), least(mul_down(b, c), mul_down(b, d))); }
FN f32 product_up(f32 a, f32 b, f32 c, f32 d) { return most(most(mul_up(a, c), mul_up(a, d)), most(mul_up(b, c), mul_up(b, d))); }
// The limits of x, x - y, x y, and the root of x y + x; of x / y where y is positive.
KERNEL(intervals) {
    ROLLED for (u32 i = 0; i + 1 < n; i += 2) {
        f32 x = f32_of(in[i]), y = f32_of(in[i + 1]), a = add_down(x, -0.001f), b = add_up(x, 0.001f), c = mul_down(y, 0.999f), d = mul_up(y, 1.001f), p, q; u32 *o = out + 8 * i;
        if (y < 0.0f) { c = mul_down(y, 1.001f); d = mul_up(y, 0.999f); }
        p = product_down(a, b, c, d); q = product_up(a, b, c, d);
        f32 all[10] = { a, b, sub_down(a, d), sub_up(b, c), p, q, root_down(add_down(p, a)), root_up(add_up(q, b)), div_down(a, a < 0.0f ? c : d), div_up(b, b < 0.0f ? d : c) };
        ROLLED for (u32 k = 0; k < 10; k++) o[k] = bits32(all[k]);
        put64(o + 10, wide_down((f64)x, (f64)y * 1e-9)); put64(o + 12, wide_up((f64)x * 1.1, (f64)y * 1.3)); put64(o + 14, wide_cut((f64)x, (f64)y));
    }
}
