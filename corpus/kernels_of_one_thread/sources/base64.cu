#include "one_thread.h"
KERNEL(base64) {
    const u8 *b = (const u8 *)in; u8 *o = (u8 *)out;
    for (u32 i = 0; i + 2 < 4 * n; i += 3) {
        u32 w = b[i] << 16 | b[i + 1] << 8 | b[i + 2];
        for (u32 k = 0; k < 4; k++) { u32 d = w >> (18 - 6 * k) & 63; *o++ = (u8)(d < 26 ? 'A' + d : d < 52 ? 'a' + d - 26 : d < 62 ? '0' + d - 52 : d == 62 ? '+' : '/'); }
    }
}
