#include "floats.h"
FN f32 pairwise(const u32 *in, u32 n) { if (n == 1) return f32_of(in[0]); u32 half = n / 2; return pairwise(in, half) + pairwise(in + half, n - half); }
// Sums: as they come, with compensation by Kahan and by Neumaier, of pairs, and in f64.
KERNEL(kahan) {
    f32 plain = 0, sum = 0, rest = 0, s = 0, c = 0; f64 wide = 0; u32 *o = out;
    ROLLED for (u32 i = 0; i < n; i++) {
        f32 x = f32_of(in[i]), y, t;
        plain += x; wide += x;
        y = x - rest; t = sum + y; rest = (t - sum) - y; sum = t;
        t = s + x; if (ABSF(s) >= ABSF(x)) c += (s - t) + x; else c += (x - t) + s; s = t;
        *o++ = bits32(plain); *o++ = bits32(sum); *o++ = bits32(s + c);
    }
    *o++ = bits32(pairwise(in, n)); put64(o + 1, wide);
}
