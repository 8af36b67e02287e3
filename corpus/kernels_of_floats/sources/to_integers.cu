#include "floats.h"
#ifdef HOST
// Rounds to nearest even, to zero, down, up; then to the closest integer that there is. A NaN is 0, or only the highest bit.
FN u64 integer(f64 v, u32 mode, u32 width, u32 has_sign, u32 high) {
    u64 b = bits64(v), m = (b & 0xfffffffffffffull) | 1ull << 52; s32 e = (s32)(b >> 52 & 2047) - 1075; u64 minus = b >> 63, whole, rest, half;
    if (v != v) return high ? ~0ull << (width - 1) & (has_sign ? ~0ull : ~0ull >> (64 - width)) : 0;
    if (v == 0) m = 0;
    if (e >= 0) { whole = e > 11 ? ~0ull : m << e; rest = half = 0; if (e <= 11 && e > 0 && m >> (64 - e)) whole = ~0ull; }
    else { u32 cut = e < -60 ? 60 : (u32)-e; whole = m >> cut; rest = m & ((1ull << cut) - 1); half = 1ull << (cut - 1); }
    if (rest) whole += mode == 0 ? rest > half || (rest == half && (whole & 1)) : mode == 1 ? 0 : mode == 2 ? minus : !minus;
    u64 limit = has_sign ? (1ull << (width - 1)) - !minus : minus ? 0 : ~0ull >> (64 - width);
    if (whole > limit) whole = limit;
    return minus ? 0 - whole : whole;
}
#define TO(name, T, F, c, text, mode, width, has_sign, high) FN T name(F v) { return (T)integer(v, mode, width, has_sign, high); }
#else
#define TO(name, T, F, c, text, mode, width, has_sign, high) FN T name(F v) { T r; asm("cvt." text " %0, %1;" : "=" c(r) : ROUND_##F(v)); return r; }
#define ROUND_f32(v) "f"(v)
#define ROUND_f64(v) "d"(v)
#endif
TO(a0, u32, f32, "r", "rni.s32.f32", 0, 32, 1, 0) TO(a1, u32, f32, "r", "rzi.u32.f32", 1, 32, 0, 0) TO(a2, u32, f32, "r", "rmi.s16.f32", 2, 16, 1, 0) TO(a3, u32, f32, "r", "rpi.u8.f32", 3, 8, 0, 0)
TO(a4, u64, f32, "l", "rzi.s64.f32", 1, 64, 1, 1) TO(a5, u64, f32, "l", "rni.u64.f32", 0, 64, 0, 1) TO(a6, u32, f32, "r", "rpi.s8.f32", 3, 8, 1, 0)
TO(b0, u32, f64, "r", "rmi.s32.f64", 2, 32, 1, 1) TO(b1, u32, f64, "r", "rni.u32.f64", 0, 32, 0, 1) TO(b2, u64, f64, "l", "rpi.s64.f64", 3, 64, 1, 1) TO(b3, u64, f64, "l", "rzi.u64.f64", 1, 64, 0, 1)
INLINE void put(u32 *o, u64 v) { *(u64 *)o = v; }
KERNEL(to_integers) {
    ROLLED for (u32 i = 0; i + 1 < n; i += 2) {
        f32 a = f32_of(in[i + 1]); f64 b = f64_at(in + i); u32 *o = out + 7 * i;
        o[0] = a0(a); o[1] = a1(a); o[2] = (a2(a) & 0xffff) | (a3(a) & 255) << 16 | a6(a) << 24; put(o + 4, a4(a)); put(o + 6, a5(a));
        o[3] = b0(b); o[8] = b1(b); put(o + 10, b2(b)); put(o + 12, b3(b));
    }
}
