// sm_86
#include "floats.h"
#ifdef HOST
// -0 is less than 0, and a NaN is passed over.
FN f32 least(f32 a, f32 b) { if (a != a) return b; if (b != b) return a; if (a == b) return f32_of(bits32(a) | bits32(b)); return a < b ? a : b; }
FN f32 most(f32 a, f32 b) { if (a != a) return b; if (b != b) return a; if (a == b) return f32_of(bits32(a) & bits32(b)); return a > b ? a : b; }
FN f64 least64(f64 a, f64 b) { if (a != a) return b; if (b != b) return a; if (a == b) return f64_of(bits64(a) | bits64(b)); return a < b ? a : b; }
FN f64 most64(f64 a, f64 b) { if (a != a) return b; if (b != b) return a; if (a == b) return f64_of(bits64(a) & bits64(b)); return a > b ? a : b; }
FN f32 least_or_nan(f32 a, f32 b) { return a != a || b != b ? f32_of(0x7fc00000) : least(a, b); }
FN f32 most_with_sign(f32 a, f32 b, u32 sign) { return f32_of(bits32(most(ABSF(a), ABSF(b))) | sign); }
FN f32 saturated(f32 a) { return !(a > 0) ? 0.0f : a > 1 ? 1.0f : a; }
FN f32 sign_of(f32 of, f32 value) { return f32_of((bits32(value) & 0x7fffffff) | (bits32(of) & 0x80000000)); }
#else
#define BINARY(name, T, c, text) FN T name(T a, T b) { T r; asm(text " %0, %1, %2;" : "=" c(r) : c(a), c(b)); return r; }
BINARY(least, f32, "f", "min.f32") BINARY(most, f32, "f", "max.f32") BINARY(least64, f64, "d", "min.f64") BINARY(most64, f64, "d", "max.f64")
BINARY(least_or_nan, f32, "f", "min.NaN.f32") BINARY(most_xor, f32, "f", "max.xorsign.abs.f32") BINARY(sign_of, f32, "f", "copysign.f32")
FN f32 most_with_sign(f32 a, f32 b, u32 sign) { (void)sign; return most_xor(a, b); }
FN f32 saturated(f32 a) { f32 r; asm("cvt.sat.f32.f32 %0, %1;" : "=f"(r) : "f"(a)); return r; }
#endif
KERNEL(clamp) {
    f32 low = f32_of(0x80000000), chain = f32_of(0x7fc00000);
    ROLLED for (u32 i = 0; i + 1 < n; i += 2) {
        f32 a = f32_of(in[i]), b = f32_of(in[i + 1]); f64 c = a, d = b; u32 *o = out + 5 * i;
        o[0] = bits32(least(a, b)); o[1] = bits32(most(a, b)); put64(o + 2, least64(c, d)); put64(o + 4, most64(c, d)); o[6] = bits32(least_or_nan(a, b));
        o[7] = a == a && b == b ? bits32(most_with_sign(a, b, (in[i] ^ in[i + 1]) & 0x80000000)) : 0; o[8] = bits32(saturated(a)); chain = least(most(chain, low), most(a, saturated(b)));
        o[9] = bits32(a == a ? sign_of(b == b ? b : a, chain) : chain);
    }
}
