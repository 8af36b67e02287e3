#include "one_thread.h"
// Bit by bit: the quotient and remainder of numbers of four words.
KERNEL(big_divide) {
    for (u32 k = 0; k + 8 <= n; k += 8) {
        u32 q[4] = {0, 0, 0, 0}, r[4] = {0, 0, 0, 0};
        for (s32 b = 127; b >= 0; b--) {
            u32 c = in[k + b / 32] >> (b % 32) & 1;
            for (u32 i = 0; i < 4; i++) { u32 t = r[i] >> 31; r[i] = r[i] << 1 | c; c = t; }
            s32 ge = 1;
            for (s32 i = 3; i >= 0; i--) if (r[i] != in[k + 4 + i]) { ge = r[i] > in[k + 4 + i]; break; }
            if (ge || c) {
                u64 br = 0;
                for (u32 i = 0; i < 4; i++) { u64 d = (u64)r[i] - in[k + 4 + i] - br; r[i] = (u32)d; br = d >> 63; }
                q[b / 32] |= 1u << (b % 32);
            }
        }
        for (u32 i = 0; i < 4; i++) { out[k + i] = q[i]; out[k + 4 + i] = r[i]; }
    }
}
