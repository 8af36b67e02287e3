#include "floats.h"
typedef struct { f32 re, im; } Complex;
FN Complex times(Complex a, Complex b) { Complex c; c.re = a.re * b.re - a.im * b.im; c.im = a.re * b.im + a.im * b.re; return c; }
TABLE f32 ROOTS[8] = { 1.0f, 0.0f, 0.70710678f, -0.70710678f, 0.0f, -1.0f, -0.70710678f, -0.70710678f };
// In place, of 8 numbers; the conjugate roots lead back.
FN void transform(Complex *x, f32 sign) {
    ROLLED for (u32 i = 0; i < 8; i++) { u32 j = (i & 1) << 2 | (i & 2) | i >> 2; if (i < j) { Complex t = x[i]; x[i] = x[j]; x[j] = t; } }
    ROLLED for (u32 half = 1; half < 8; half *= 2) ROLLED for (u32 at = 0; at < 8; at += 2 * half) ROLLED for (u32 k = 0; k < half; k++) {
        Complex w; w.re = ROOTS[8 / half * k]; w.im = sign * ROOTS[8 / half * k + 1];
        Complex a = x[at + k], b = times(x[at + k + half], w);
        x[at + k].re = a.re + b.re; x[at + k].im = a.im + b.im; x[at + k + half].re = a.re - b.re; x[at + k + half].im = a.im - b.im;
    }
}
KERNEL(fft) {
    Complex x[8]; (void)n;
    ROLLED for (u32 i = 0; i < 8; i++) { x[i].re = (f32)(s32)in[2 * i] / 1000.0f; x[i].im = (f32)(s32)in[2 * i + 1] / 1000.0f; }
    transform(x, 1.0f); ROLLED for (u32 i = 0; i < 8; i++) { out[2 * i] = bits32(x[i].re); out[2 * i + 1] = bits32(x[i].im); }
    transform(x, -1.0f); ROLLED for (u32 i = 0; i < 8; i++) { out[16 + 2 * i] = bits32(x[i].re * 0.125f); out[17 + 2 * i] = bits32(x[i].im * 0.125f); }
}
