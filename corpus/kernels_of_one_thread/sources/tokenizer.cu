#include "one_thread.h"
// A state machine over bytes: counts of words, numbers, signs and so on.
KERNEL(tokenizer) {
    const u8 *b = (const u8 *)in; u32 state = 0, count[8] = {0, 0, 0, 0, 0, 0, 0, 0}, value = 0;
    for (u32 i = 0; i < 4 * n; i++) {
        u8 c = b[i] & 127;
        u32 kind = c >= 'a' && c <= 'z' ? 1 : c >= '0' && c <= '9' ? 2 : c == ' ' ? 0 : c < 32 ? 3 : c == '"' ? 4 : 5;
        switch (state * 6 + kind) {
        case 1: case 13: state = 1; count[0]++; break;
        case 2: state = 2; count[1]++; value = c - '0'; break;
        case 7: count[2]++; break;
        case 8: count[3] += c; break;
        case 14: value = value * 10 + c - '0'; break;
        case 6: case 12: state = 0; count[4] ^= value; break;
        case 4: case 10: case 16: state = 3; break;
        case 22: state = 0; count[5]++; break;
        case 18: case 19: case 20: case 21: case 23: count[6] = count[6] * 31 + c; break;
        default: state = 0; count[7]++;
        }
    }
    for (u32 i = 0; i < 8; i++) out[i] = count[i];
}
