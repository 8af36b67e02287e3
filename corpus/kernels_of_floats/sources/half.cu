#include "floats.h"
#include "small_formats.h"
#ifdef HOST
// The nearest half of a double: it is first cut to an f32, so that its last bit tells of the rest.
FN u32 half_of(f64 v) {
    f32 s = (f32)v; u32 b = bits32(s), sign = b >> 16 & 0x8000;
    if (v == v && (f64)s != v) { if (ABS((f64)s) > ABS(v)) b--; b |= 1; }
    return v != v ? 0x7fff : nearest(b, 10, 15, 0x7c00, 0x7fff) | sign;
}
FN f64 value(u32 h) { u32 a = h & 0x7fff; f64 v = a > 0x7c00 ? (f64)f32_of(0x7fc00000) : a == 0x7c00 ? (f64)f32_of(0x7f800000) : (f64)number(a, 10, 15); return h & 0x8000 ? -v : v; }
FN u32 add(u32 a, u32 b) { return half_of(value(a) + value(b)); }
FN u32 sub(u32 a, u32 b) { return half_of(value(a) - value(b)); }
FN u32 mul(u32 a, u32 b) { return half_of(value(a) * value(b)); }
FN u32 fma_(u32 a, u32 b, u32 c) {
    f64 p = value(a) * value(b), v = value(c), s = p + v, t = s - p, e = (p - (s - t)) + (v - t); u64 k = bits64(s);
    if (s != s || s - s != 0 || e == 0) return half_of(s);
    if ((e < 0) != (s < 0)) k--;
    return half_of(f64_of(k | 1));
}
FN u32 less(u32 a, u32 b) { return value(a) < value(b); }
FN u32 narrow(f32 v) { return half_of((f64)v); }
FN f32 wide(u32 a) { return (f32)value(a); }
#else
#define BINARY(name, text) FN u32 name(u32 a, u32 b) { u16 r; asm(text " %0, %1, %2;" : "=h"(r) : "h"((u16)a), "h"((u16)b)); return r; }
BINARY(add, "add.rn.f16") BINARY(sub, "sub.rn.f16") BINARY(mul, "mul.rn.f16")
FN u32 fma_(u32 a, u32 b, u32 c) { u16 r; asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"((u16)a), "h"((u16)b), "h"((u16)c)); return r; }
FN u32 less(u32 a, u32 b) { u32 r; asm("{ .reg .pred p; setp.lt.f16 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "h"((u16)a), "h"((u16)b)); return r; }
FN u32 narrow(f32 v) { u16 r; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(v)); return r; }
FN f32 wide(u32 a) { f32 r; asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"((u16)a)); return r; }
#endif
FN u32 shown(u32 h) { f32 v = wide(h); return v != v ? 0x7e00 : h; }
// Arithmetic of halves by instructions; on the host by their bits.
KERNEL(half) {
    ROLLED for (u32 i = 0; i + 1 < n; i += 2) {
        u32 a = in[i] & 0xffff, b = in[i] >> 16, c = in[i + 1] & 0xffff, *o = out + 3 * i; f32 w = wide(a) * wide(b) + wide(c);
        o[0] = shown(add(a, b)) | shown(sub(a, b)) << 16; o[1] = shown(mul(a, b)) | shown(fma_(a, b, c)) << 16; o[2] = bits32(wide(a));
        o[3] = shown(narrow(w)) | shown(narrow(f32_of(in[i + 1]))) << 16; o[4] = less(a, b) | less(b, c) << 1 | less(c, c) << 2; o[5] = shown(narrow(wide(a))) | shown(nearest(bits32(w), 10, 15, 0x7c00, 0x7fff)) << 16;
    }
}
