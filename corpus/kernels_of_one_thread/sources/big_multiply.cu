#include "one_thread.h"
KERNEL(big_multiply) {
    u32 h = n / 2;
    for (u32 i = 0; i < 2 * h; i++) out[i] = 0;
    for (u32 i = 0; i < h; i++) {
        u64 c = 0;
        for (u32 j = 0; j < h; j++) { c += (u64)in[i] * in[h + j] + out[i + j]; out[i + j] = (u32)c; c >>= 32; }
        out[i + h] = (u32)c;
    }
}
