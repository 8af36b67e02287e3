// sm_80
#include "floats.h"
#include "small_formats.h"
INLINE u32 shown(u32 h) { f32 v = f32_of(h << 16); return v != v ? 0x7fff : h; }
FN u32 rounded(u32 b) { return shown(nearest(b, 7, 127, 0x7f80, 0x7fff) | (b >> 16 & 0x8000)); }
FN u32 stochastic(u32 b, u32 random) { return (b & 0x7f800000) == 0x7f800000 ? rounded(b) : (b + (random & 0xffff)) >> 16; }
#ifdef HOST
FN u32 narrow(f32 v) { return rounded(bits32(v)); }
FN u32 cut(f32 v) { u32 b = bits32(v); return shown(b >> 16); }
FN u32 positive(f32 v) { u32 r = narrow(v); return v != v ? 0x7fff : r & 0x8000 ? 0 : r; }
FN u32 two(f32 high, f32 low) { return narrow(high) << 16 | narrow(low); }
// The product is exact in f64; where the sum is not, its last bit tells.
FN u32 fused(u32 a, u32 b, u32 c) {
    f64 p = (f64)f32_of(a << 16) * (f64)f32_of(b << 16), v = f32_of(c << 16), s = p + v, t = s - p, e = (p - (s - t)) + (v - t); u64 k = bits64(s);
    if (s == s && s - s == 0 && e != 0) { if ((e < 0) != (s < 0)) k--; k |= 1; }
    s = f64_of(k); f32 r = (f32)s; u32 w = bits32(r);
    if (s == s && (f64)r != s) { if (ABS((f64)r) > ABS(s)) w--; w |= 1; }
    return rounded(w);
}
#else
FN u32 narrow(f32 v) { u16 r; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(v)); return shown(r); }
FN u32 cut(f32 v) { u16 r; asm("cvt.rz.bf16.f32 %0, %1;" : "=h"(r) : "f"(v)); return shown(r); }
FN u32 positive(f32 v) { u16 r; asm("cvt.rn.relu.bf16.f32 %0, %1;" : "=h"(r) : "f"(v)); return shown(r); }
FN u32 two(f32 high, f32 low) { u32 r; asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low)); return shown(r >> 16) << 16 | shown(r & 0xffff); }
FN u32 fused(u32 a, u32 b, u32 c) { u16 r; asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r) : "h"((u16)a), "h"((u16)b), "h"((u16)c)); return shown(r); }
#endif
KERNEL(bf16) {
    u32 state = 1;
    ROLLED for (u32 i = 0; i < n; i++) {
        u32 b = in[i], next = in[(i + 1) % n], *o = out + 4 * i; f32 v = f32_of(b), w = f32_of(next); state = state * 1664525 + 1013904223;
        o[0] = rounded(b) | stochastic(b, state >> 16) << 16; o[1] = narrow(v) | cut(v) << 16; o[2] = two(v, w); o[3] = positive(v) | fused(b >> 16, next >> 16, in[(i + 2) % n] >> 16) << 16;
    }
}
