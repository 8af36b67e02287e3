#include "one_thread.h"
FN void quick(u32 *a, s32 lo, s32 hi) {
    while (lo < hi) {
        u32 p = a[(lo + hi) / 2]; s32 i = lo - 1, j = hi + 1;
        for (;;) { do i++; while (a[i] < p); do j--; while (a[j] > p); if (i >= j) break; u32 t = a[i]; a[i] = a[j]; a[j] = t; }
        quick(a, lo, j); lo = j + 1;
    }
}
KERNEL(quicksort) { for (u32 i = 0; i < n; i++) out[i] = in[i]; quick(out, 0, (s32)n - 1); }
