#include "one_thread.h"
KERNEL(life) {
    u32 a[8], b[8]; for (u32 i = 0; i < 8; i++) a[i] = in[i % n];
    for (u32 t = 0; t < 5; t++) {
        for (u32 y = 0; y < 8; y++) { u32 w = 0; for (u32 x = 0; x < 32; x++) { u32 c = 0; for (u32 k = 0; k < 9; k++) if (k != 4) c += a[(y + k / 3 + 7) & 7] >> ((x + k % 3 + 31) & 31) & 1; if (c == 3 || (c == 2 && a[y] >> x & 1)) w |= 1u << x; } b[y] = w; }
        for (u32 i = 0; i < 8; i++) a[i] = b[i];
    }
    for (u32 i = 0; i < 8; i++) out[i] = a[i];
}
