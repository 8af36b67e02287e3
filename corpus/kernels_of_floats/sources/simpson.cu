#include "floats.h"
typedef f64 (*Function)(f64);
FN f64 arc(f64 x) { return 4.0 / (1.0 + x * x); }
FN f64 circle(f64 x) { f64 y = 4.0 - x * x; return y > 0.0 ? SQRT(y) : 0.0; }
FN f64 cubic(f64 x) { return ((x - 2.0) * x + 0.5) * x - 7.0; }
FN f64 refined(Function f, f64 a, f64 b, f64 left, f64 middle, f64 right, f64 whole, f64 most, u32 depth, u32 *calls) {
    f64 m = 0.5 * (a + b), h = (b - a) / 12.0, l = f(0.5 * (a + m)), r = f(0.5 * (m + b)); *calls += 2;
    f64 first = h * (left + 4.0 * l + middle), second = h * (middle + 4.0 * r + right), rest = first + second - whole;
    if (depth == 0 || ABS(rest) <= 15.0 * most) return first + second + rest / 15.0;
    return refined(f, a, m, left, l, middle, first, 0.5 * most, depth - 1, calls) + refined(f, m, b, middle, r, right, second, 0.5 * most, depth - 1, calls);
}
FN f64 integral(Function f, f64 a, f64 b, u32 *calls) { f64 l = f(a), m = f(0.5 * (a + b)), r = f(b); return refined(f, a, b, l, m, r, (b - a) / 6.0 * (l + 4.0 * m + r), 1e-4, 6, calls); }
// Integrals by Simpson, with finer steps where they are needed.
KERNEL(simpson) {
    const Function all[3] = { arc, circle, cubic };
    ROLLED for (u32 i = 0; i < n; i++) {
        f64 b = (f64)(in[i] >> 8) * 0x1p-23; u32 calls = 3;
        put64(out + 4 * i, integral(all[i % 3], 0.0, b, &calls)); out[4 * i + 2] = calls;
    }
}
