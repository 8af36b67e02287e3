#include "floats.h"
typedef struct { f64 high, low; } Two;
FN Two two_sum(f64 a, f64 b) { Two r; r.high = a + b; f64 t = r.high - a; r.low = (a - (r.high - t)) + (b - t); return r; }
FN Two quick_sum(f64 a, f64 b) { Two r; r.high = a + b; r.low = b - (r.high - a); return r; }
FN Two two_product(f64 a, f64 b) { Two r; r.high = a * b; r.low = FMA(a, b, -r.high); return r; }
// Without fma, by Dekker and Veltkamp.
FN Two split(f64 a) { Two r; f64 c = 134217729.0 * a; r.high = c - (c - a); r.low = a - r.high; return r; }
FN Two dekker(f64 a, f64 b) { Two r, x = split(a), y = split(b); r.high = a * b; r.low = ((x.high * y.high - r.high) + x.high * y.low + x.low * y.high) + x.low * y.low; return r; }
FN Two plus(Two a, Two b) { Two s = two_sum(a.high, b.high), t = two_sum(a.low, b.low); s = quick_sum(s.high, s.low + t.high); return quick_sum(s.high, s.low + t.low); }
FN Two times(Two a, Two b) { Two p = two_product(a.high, b.high); return quick_sum(p.high, p.low + (a.high * b.low + a.low * b.high)); }
FN u32 *put(u32 *o, Two a) { put64(o, a.high); put64(o + 2, a.low); return o + 4; }
// Sums and products of two f64 that are exact, a sum of products, and a power.
KERNEL(error_free) {
    Two sum, power; u32 *o = out; sum.high = sum.low = 0; power.high = 1; power.low = 0;
    ROLLED for (u32 i = 0; i + 3 < n; i += 4) {
        f64 a = f64_at(in + i), b = f64_at(in + i + 2); Two p = two_product(a, b), d = dekker(a, b);
        o = put(o, two_sum(a, b)); o = put(o, p); sum = plus(sum, p); power = times(power, quick_sum(1.0, a * 1e-3)); o[0] = d.high == p.high && d.low == p.low; o += 2; o = put(o, sum);
    }
    put(o, power);
}
