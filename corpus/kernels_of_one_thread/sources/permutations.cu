#include "one_thread.h"
KERNEL(permutations) {
    u8 p[5]; u32 k = 0; (void)n; for (u32 i = 0; i < 5; i++) p[i] = (u8)(i + (in[0] & 7));
    for (;;) {
        u32 w = 0; for (u32 i = 0; i < 5; i++) w = w << 4 | p[i]; out[k++] = w;
        s32 i = 3; while (i >= 0 && p[i] > p[i + 1]) i--; if (i < 0) break;
        s32 j = 4; while (p[j] < p[i]) j--; u8 t = p[i]; p[i] = p[j]; p[j] = t;
        for (s32 l = i + 1, r = 4; l < r; l++, r--) { t = p[l]; p[l] = p[r]; p[r] = t; }
    }
}
