#include "floats.h"
// b^2 - 4 a c with one rounding more than the exact one.
FN f64 discriminant(f64 a, f64 b, f64 c) { f64 p = b * b, q = 4.0 * a * c, d = p - q; if (3.0 * ABS(d) >= p + q) return d; return d + (FMA(b, b, -p) - FMA(4.0 * a, c, -q)); }
FN u32 roots(f64 a, f64 b, f64 c, f64 *x) {
    if (a == 0) { x[0] = -c / b; return b != 0; }
    f64 d = discriminant(a, b, c); if (d < 0) { x[0] = -b / (2.0 * a); x[1] = SQRT(-d) / (2.0 * a); return 0; }
    f64 s = SQRT(d), q = -0.5 * (b < 0 ? b - s : b + s); x[0] = q / a; x[1] = q == 0 ? 0.0 : c / q;
    if (x[0] > x[1]) { f64 t = x[0]; x[0] = x[1]; x[1] = t; }
    return d == 0 ? 1 : 2;
}
KERNEL(quadratic) {
    ROLLED for (u32 i = 0; i + 2 < n; i += 3) {
        f64 x[2] = { 0, 0 }; u32 *o = out + 6 * (i / 3);
        o[0] = roots(f32_of(in[i]), f32_of(in[i + 1]), f32_of(in[i + 2]), x); put64(o + 2, x[0]); put64(o + 4, x[1]);
    }
}
