#include "one_thread.h"
#define P 65521u
FN u32 inverse(u32 a) { u32 r = 1, e = P - 2; while (e) { if (e & 1) r = r * a % P; a = a * a % P; e >>= 1; } return r; }
// The inverse of a 4x4 matrix modulo a prime; zeros if there is none.
KERNEL(matrix_inverse) {
    u32 m[4][8]; (void)n;
    for (u32 i = 0; i < 4; i++) for (u32 j = 0; j < 4; j++) { m[i][j] = in[4 * i + j] % P; m[i][4 + j] = i == j; }
    for (u32 c = 0; c < 4; c++) {
        u32 p = c; while (p < 4 && m[p][c] == 0) p++;
        if (p == 4) { for (u32 i = 0; i < 16; i++) out[i] = 0; return; }
        for (u32 j = 0; j < 8; j++) { u32 t = m[c][j]; m[c][j] = m[p][j]; m[p][j] = t; }
        u32 v = inverse(m[c][c]);
        for (u32 j = 0; j < 8; j++) m[c][j] = m[c][j] * v % P;
        for (u32 i = 0; i < 4; i++) if (i != c) { u32 f = m[i][c]; for (u32 j = 0; j < 8; j++) m[i][j] = (m[i][j] + (P - f) * m[c][j]) % P; }
    }
    for (u32 i = 0; i < 16; i++) out[i] = m[i / 4][4 + i % 4];
}
