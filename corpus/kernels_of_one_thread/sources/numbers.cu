#include "one_thread.h"
// Parses signed decimal numbers, and writes them in hexadecimal digits and in decimal digits.
FN u32 digits(s32 v, u8 *to) { u8 t[12]; u32 k = 0, j = 0; u32 m = v < 0 ? 0u - (u32)v : (u32)v; do { t[k++] = (u8)('0' + m % 10); m /= 10; } while (m); if (v < 0) to[j++] = '-'; while (k) to[j++] = t[--k]; return j; }
KERNEL(numbers) {
    u8 *o = (u8 *)(out + n); u32 k = 0;
    for (u32 i = 0; i < n; i++) {
        u32 from = k; k += digits((s32)in[i], o + k);
        s32 v = 0, sign = 1;
        for (u32 j = from; j < k; j++) if (o[j] == '-') sign = -1; else v = (s32)((u32)v * 10 + (o[j] - '0'));
        out[i] = (u32)v * (u32)sign; o[k++] = ',';
    }
    while (k & 3) o[k++] = 0;
}
