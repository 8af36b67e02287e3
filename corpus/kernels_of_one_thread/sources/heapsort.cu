#include "one_thread.h"
FN void sift(s16 *a, u32 i, u32 n) {
    for (;;) { u32 c = 2 * i + 1; if (c >= n) return; if (c + 1 < n && a[c] < a[c + 1]) c++; if (a[i] >= a[c]) return; s16 t = a[i]; a[i] = a[c]; a[c] = t; i = c; }
}
KERNEL(heapsort) {
    s16 a[64]; if (n > 64) n = 64;
    for (u32 i = 0; i < n; i++) a[i] = (s16)in[i];
    for (u32 i = n / 2; i-- > 0;) sift(a, i, n);
    for (u32 m = n; m-- > 1;) { s16 t = a[0]; a[0] = a[m]; a[m] = t; sift(a, 0, m); }
    for (u32 i = 0; i < n; i++) out[i] = (u32)(s32)a[i];
}
