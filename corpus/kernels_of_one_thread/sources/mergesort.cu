#include "one_thread.h"
KERNEL(mergesort) {
    s32 a[32], b[32]; if (n > 32) n = 32;
    for (u32 i = 0; i < n; i++) a[i] = (s32)in[i];
    for (u32 s = 1; s < n; s *= 2) {
        for (u32 l = 0; l < n; l += 2 * s) {
            u32 m = l + s < n ? l + s : n, h = l + 2 * s < n ? l + 2 * s : n, i = l, j = m;
            for (u32 k = l; k < h; k++) b[k] = i < m && (j >= h || a[i] <= a[j]) ? a[i++] : a[j++];
        }
        for (u32 i = 0; i < n; i++) a[i] = b[i];
    }
    for (u32 i = 0; i < n; i++) out[i] = (u32)a[i];
}
