#include "one_thread.h"
SCRATCH s32 best[101];
KERNEL(knapsack) {
    for (u32 c = 0; c <= 100; c++) best[c] = 0;
    for (u32 i = 0; i < n; i++) { s32 w = (s32)(in[i] % 40) + 1, v = (s32)(in[i] >> 8 & 1023) - 100; for (s32 c = 100; c >= w; c--) { s32 t = best[c - w] + v; if (t > best[c]) best[c] = t; } }
    for (u32 i = 0; i <= 100; i += 4) out[i / 4] = (u32)best[i];
}
