#include "floats.h"
#ifdef HOST
// An integer with so many bits kept, rounded to nearest even, to zero, down, up, as an f64.
FN f64 kept(u64 m, u32 minus, u32 mode, u32 bits) {
    u32 cut = 0; while (m >> cut >> bits) cut++;
    u64 whole = m >> cut, rest = m - (whole << cut), half = cut ? 1ull << (cut - 1) : 0;
    if (rest) whole += mode == 0 ? rest > half || (rest == half && (whole & 1)) : mode == 1 ? 0 : mode == 2 ? minus : !minus;
    f64 v = (f64)(s64)whole * f64_of((u64)(cut + 1023) << 52); return minus ? -v : v;
}
#define FROM(name, F, T, S, text, c, d, mode, bits) FN F name(T v) { u32 minus = (S)v < 0; return (F)kept(minus ? 0 - (u64)(S)v : (u64)v, minus, mode, bits); }
#else
#define FROM(name, F, T, S, text, c, d, mode, bits) FN F name(T v) { F r; asm("cvt." text " %0, %1;" : "=" c(r) : d(v)); return r; }
#endif
FROM(a0, f32, u32, s32, "rn.f32.s32", "f", "r", 0, 24) FROM(a1, f32, u32, s64, "rz.f32.u32", "f", "r", 1, 24) FROM(a2, f32, u64, s64, "rm.f32.s64", "f", "l", 2, 24) FROM(a3, f64, u64, s64, "rp.f64.s64", "d", "l", 3, 53)
FROM(a4, f64, u32, s32, "rn.f64.s32", "d", "r", 0, 53) FROM(a5, f64, u64, s64, "rn.f64.s64", "d", "l", 0, 53)
// And as compilers convert; then up and down to whole numbers and to f32.
INLINE f32 whole(f32 v, u32 how) {
#if defined(HOST) || defined(__clang__)
    return how == 0 ? __builtin_rintf(v) : how == 1 ? __builtin_truncf(v) : how == 2 ? __builtin_floorf(v) : __builtin_ceilf(v);
#else
    return how == 0 ? rintf(v) : how == 1 ? truncf(v) : how == 2 ? floorf(v) : ceilf(v);
#endif
}
KERNEL(from_integers) {
    for (u32 i = 0; i + 1 < n; i += 2) {
        u64 w = (u64)in[i + 1] << 32 | in[i]; u32 v = in[i], *o = out + 9 * i; f32 q = (f32)(s32)v * 0x1p-20f;
        o[0] = bits32(a0(v)); o[1] = bits32(a1(v)); o[2] = bits32(a2(w)); put64(o + 4, a3(w)); put64(o + 6, a4(v)); put64(o + 8, a5(w));
        o[3] = bits32((f32)w); o[10] = bits32((f32)(s64)w); put64(o + 12, (f64)w); o[11] = bits32((f32)(f64)(s64)w);
        ROLLED for (u32 k = 0; k < 4; k++) o[14 + k] = bits32(whole(q, k));
    }
}
