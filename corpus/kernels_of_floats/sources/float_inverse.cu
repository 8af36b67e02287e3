#include "floats.h"
FN f32 minor(const f32 *m, u32 row, u32 column) {
    f32 s[9]; u32 k = 0; ROLLED for (u32 i = 0; i < 16; i++) if (i / 4 != row && i % 4 != column) s[k++] = m[i];
    return s[0] * (s[4] * s[8] - s[5] * s[7]) - s[1] * (s[3] * s[8] - s[5] * s[6]) + s[2] * (s[3] * s[7] - s[4] * s[6]);
}
// The inverse of a 4x4 matrix by its cofactors, and its product with the matrix.
KERNEL(float_inverse) {
    f32 m[16], c[16], det = 0; (void)n;
    ROLLED for (u32 i = 0; i < 16; i++) m[i] = f32_of(in[i]);
    ROLLED for (u32 i = 0; i < 16; i++) { f32 v = minor(m, i / 4, i % 4); c[i] = (i / 4 + i % 4) & 1 ? -v : v; }
    for (u32 j = 0; j < 4; j++) det += m[j] * c[j];
    ROLLED for (u32 i = 0; i < 16; i++) out[i] = bits32(c[i % 4 * 4 + i / 4] / det);
    ROLLED for (u32 i = 0; i < 16; i++) { f32 s = 0; ROLLED for (u32 k = 0; k < 4; k++) s = FMAF(m[i / 4 * 4 + k], f32_of(out[4 * k + i % 4]), s); out[16 + i] = bits32(s); }
    out[32] = bits32(det);
}
