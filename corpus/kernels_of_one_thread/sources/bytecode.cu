#include "one_thread.h"
KERNEL(bytecode) {
    u32 s[16], top = 0, pc = 0, steps = 0;
    for (u32 i = 0; i < 16; i++) s[i] = 0;
    while (pc < n && steps++ < 500) {
        u32 w = in[pc++], a = w >> 8, x = s[(top - 1) & 15], y = s[(top - 2) & 15];
        switch (w & 15) {
        case 0: s[top++ & 15] = a; break;
        case 1: s[(--top - 1) & 15] = y + x; break;
        case 2: s[(--top - 1) & 15] = y - x; break;
        case 3: s[(--top - 1) & 15] = y * x; break;
        case 4: s[(--top - 1) & 15] = x ? y / x : 0; break;
        case 5: s[(--top - 1) & 15] = x ? (u32)((s32)y % (s32)(x | 1)) : 7; break;
        case 6: s[(--top - 1) & 15] = y << (x & 31); break;
        case 7: s[(--top - 1) & 15] = (u32)((s32)y >> (x & 31)); break;
        case 8: s[top & 15] = x; top++; break;
        case 9: s[(top - 1) & 15] = y; s[(top - 2) & 15] = x; break;
        case 10: top--; if (x) pc = a % n; break;
        case 11: s[(top - 1) & 15] = ~x; break;
        case 12: s[(top - 1) & 15] = x - 1; break;
        case 13: s[(--top - 1) & 15] = y ^ x; break;
        case 14: top--; break;
        default: pc = n;
        }
    }
    for (u32 i = 0; i < 16; i++) out[i] = s[i];
    out[16] = top; out[17] = steps;
}
