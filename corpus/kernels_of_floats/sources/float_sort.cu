#include "floats.h"
FN s32 key(u32 b) { return (s32)(b ^ ((u32)((s32)b >> 31) >> 1)); }
FN u32 before(f32 a, f32 b) { return a < b || (a == a && b != b); }
// By totalOrder, where bits decide; and by comparisons, NaNs last, with what is equal in its order.
KERNEL(float_sort) {
    u32 *o = out + n, nans = 0, zeros = 0, below = 0;
    ROLLED for (u32 i = 0; i < n; i++) { u32 x = in[i], j = i; ROLLED while (j && key(out[j - 1]) > key(x)) { out[j] = out[j - 1]; j--; } out[j] = x; }
    ROLLED for (u32 i = 0; i < n; i++) { u32 x = in[i], j = i; ROLLED while (j && before(f32_of(x), f32_of(o[j - 1]))) { o[j] = o[j - 1]; j--; } o[j] = x; }
    ROLLED for (u32 i = 0; i < n; i++) { f32 v = f32_of(o[i]); nans += v != v; zeros += v == 0; below += !(v >= 1); }
    o[n] = nans | zeros << 8 | below << 16;
}
