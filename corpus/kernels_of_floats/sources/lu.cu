#include "floats.h"
// The factors of a 3x3 matrix with rows exchanged, its determinant, and the solution for one right side.
KERNEL(lu) {
    f64 m[3][3], b[3], x[3], det = 1; u32 order[3] = { 0, 1, 2 }, k = 0; (void)n;
    ROLLED for (u32 i = 0; i < 9; i++) m[i / 3][i % 3] = f64_at(in + 2 * i);
    for (u32 i = 0; i < 3; i++) b[i] = f64_at(in + 18 + 2 * i);
    ROLLED for (u32 c = 0; c < 3; c++) {
        u32 p = c; for (u32 i = c + 1; i < 3; i++) if (ABS(m[i][c]) > ABS(m[p][c])) p = i;
        if (p != c) { for (u32 j = 0; j < 3; j++) { f64 t = m[c][j]; m[c][j] = m[p][j]; m[p][j] = t; } u32 t = order[c]; order[c] = order[p]; order[p] = t; det = -det; }
        det *= m[c][c];
        for (u32 i = c + 1; i < 3; i++) { m[i][c] /= m[c][c]; for (u32 j = c + 1; j < 3; j++) m[i][j] -= m[i][c] * m[c][j]; }
    }
    for (u32 i = 0; i < 3; i++) { x[i] = b[order[i]]; for (u32 j = 0; j < i; j++) x[i] -= m[i][j] * x[j]; }
    for (s32 i = 2; i >= 0; i--) { for (u32 j = (u32)i + 1; j < 3; j++) x[i] -= m[i][j] * x[j]; x[i] /= m[i][i]; }
    ROLLED for (u32 i = 0; i < 9; i++, k += 2) put64(out + k, m[i / 3][i % 3]);
    for (u32 i = 0; i < 3; i++, k += 2) put64(out + k, x[i]);
    put64(out + k, det); out[k + 2] = order[0] | order[1] << 8 | order[2] << 16;
}
