// sm_100a
#include "floats.h"
#include "small_formats.h"
// Numbers in blocks of eight to e2m1 with a scale of e4m3 or a power of two, and back.
FN u32 e2m1(f32 x) { return nearest(bits32(x), 1, 1, 7, 7) | (x == x ? bits32(x) >> 28 & 8 : 0); }
#ifdef HOST
FN u32 two_e2m1(f32 high, f32 low) { return e2m1(high) << 4 | e2m1(low); }
FN u32 power(f32 x) { u32 b = bits32(x) & 0x7fffffff; return x != x ? 255 : b >= 0x7f800000 ? 254 : (b + 0x7fffff) >> 23 > 254 ? 254 : (b + 0x7fffff) >> 23; }
#else
FN u32 two_e2m1(f32 high, f32 low) { u32 r; asm("{ .reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, %1, %2; cvt.u32.u8 %0, t; }" : "=r"(r) : "f"(high), "f"(low)); return r; }
// The power of two that is not less, as its exponent.
FN u32 power(f32 x) { u16 r; asm("cvt.rp.satfinite.ue8m0x2.f32 %0, 0f00000000, %1;" : "=h"(r) : "f"(x)); return r & 255; }
#endif
KERNEL(fp4) {
    for (u32 i = 0; i + 7 < n; i += 8) {
        f32 top = 0, back = 0; u32 *o = out + i, a = 0, b = 0, c = 0;
        ROLLED for (u32 k = 0; k < 8; k++) { f32 x = ABSF(f32_of(in[i + k])); if (x > top && x < 1e30f) top = x; }
        u32 s = nearest(bits32(top / 6.0f), 3, 7, 0x7e, 0x7f), p = power(top / 6.0f); if (s == 0) s = 1; if (p == 0) p = 1;
        f32 scale = number(s, 3, 7), two = f32_of(p << 23);
        ROLLED for (u32 k = 0; k < 8; k++) { f32 x = f32_of(in[i + k]) / scale; u32 q = e2m1(x); a = a << 4 | q; f32 v = number(q & 7, 1, 1) * scale; back += q & 8 ? -v : v; }
        ROLLED for (u32 k = 0; k < 8; k += 2) { b = b << 8 | two_e2m1(f32_of(in[i + k]) / scale, f32_of(in[i + k + 1]) / scale); c = c << 8 | two_e2m1(f32_of(in[i + k]) / two, f32_of(in[i + k + 1]) / two); }
        o[0] = s; o[1] = p; o[2] = a; o[3] = b; o[4] = c; o[5] = bits32(back); o[6] = bits32(scale); o[7] = bits32(two);
    }
}
