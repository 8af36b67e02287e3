#include "one_thread.h"
KERNEL(edit_distance) {
    const u8 *a = (const u8 *)in, *b = a + 2 * n; u16 d[2][40]; u32 m = 2 * n > 39 ? 39 : 2 * n;
    for (u32 j = 0; j <= m; j++) d[0][j] = (u16)j;
    for (u32 i = 1; i <= m; i++) {
        u16 *p = d[(i - 1) & 1], *q = d[i & 1]; q[0] = (u16)i;
        for (u32 j = 1; j <= m; j++) { u16 v = (u16)(p[j - 1] + ((a[i - 1] ^ b[j - 1]) & 3 ? 1 : 0)); if (p[j] + 1 < v) v = p[j] + 1; if (q[j - 1] + 1 < v) v = q[j - 1] + 1; q[j] = v; }
    }
    for (u32 j = 0; j <= m; j++) out[j] = d[m & 1][j];
}
