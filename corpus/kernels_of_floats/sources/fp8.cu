// sm_89
#include "floats.h"
#include "small_formats.h"
// Numbers in blocks of four to e4m3 and e5m2 with a scale of each block, and back.
FN u32 e4m3(f32 x) { return nearest(bits32(x), 3, 7, 0x7e, 0x7f) | (x == x ? bits32(x) >> 24 & 0x80 : 0); }
FN u32 e5m2(f32 x) { return nearest(bits32(x), 2, 15, 0x7b, 0x7f) | (x == x ? bits32(x) >> 24 & 0x80 : 0); }
#ifdef HOST
FN u32 two_e4m3(f32 high, f32 low) { return e4m3(high) << 8 | e4m3(low); }
FN u32 two_e5m2(f32 high, f32 low) { return e5m2(high) << 8 | e5m2(low); }
#else
FN u32 two_e4m3(f32 high, f32 low) { u16 r; asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(r) : "f"(high), "f"(low)); return r; }
FN u32 two_e5m2(f32 high, f32 low) { u16 r; asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(r) : "f"(high), "f"(low)); return r; }
#endif
KERNEL(fp8) {
    for (u32 i = 0; i + 3 < n; i += 4) {
        f32 top = 0, back = 0; u32 *o = out + 2 * i, a = 0, b = 0;
        ROLLED for (u32 k = 0; k < 4; k++) { f32 x = ABSF(f32_of(in[i + k])); if (x > top && x < 1e30f) top = x; }
        f32 scale = top > 1e-30f ? top / 448.0f : 1.0f;
        ROLLED for (u32 k = 0; k < 4; k++) { f32 x = f32_of(in[i + k]) / scale; u32 q = e4m3(x); a = a << 8 | q; b = b << 8 | e5m2(x); f32 v = number(q & 0x7f, 3, 7) * scale; back += q & 0x80 ? -v : v; }
        f32 x[4]; ROLLED for (u32 k = 0; k < 4; k++) x[k] = f32_of(in[i + k]) / scale;
        o[0] = bits32(scale); o[1] = a; o[2] = b; o[3] = bits32(back);
        o[4] = two_e4m3(x[0], x[1]) << 16 | two_e4m3(x[2], x[3]); o[5] = two_e5m2(x[0], x[1]) << 16 | two_e5m2(x[2], x[3]);
        o[6] = two_e4m3(f32_of(in[i]), f32_of(in[i + 1])); o[7] = two_e5m2(f32_of(in[i + 2]), f32_of(in[i + 3]));
    }
}
