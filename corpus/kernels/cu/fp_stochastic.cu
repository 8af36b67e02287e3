// Stochastic rounding (sm_100a, sm_103a): conversions of floats to f16x2, bf16x2, fp8x4, fp6x4 and fp4x4.
// targets: 100a 103a
// cuda: 12.9+
extern "C" __global__ void stochastic(unsigned *out, short *narrow, float a, float b, float c, float d, unsigned r)
{
    asm("cvt.rs.f16x2.f32 %0, %1, %2, %3;" : "=r"(out[0]) : "f"(a), "f"(b), "r"(r));
    asm("cvt.rs.relu.satfinite.bf16x2.f32 %0, %1, %2, %3;" : "=r"(out[1]) : "f"(a), "f"(b), "r"(r));
    asm("cvt.rs.satfinite.e4m3x4.f32 %0, {%1, %2, %3, %4}, %5;"
        : "=r"(out[2]) : "f"(a), "f"(b), "f"(c), "f"(d), "r"(r));
    asm("cvt.rs.relu.satfinite.e5m2x4.f32 %0, {%1, %2, %3, %4}, %5;"
        : "=r"(out[3]) : "f"(a), "f"(b), "f"(c), "f"(d), "r"(r));
    asm("cvt.rs.satfinite.e2m3x4.f32 %0, {%1, %2, %3, %4}, %5;"
        : "=r"(out[4]) : "f"(a), "f"(b), "f"(c), "f"(d), "r"(r));
    asm("cvt.rs.satfinite.e3m2x4.f32 %0, {%1, %2, %3, %4}, %5;"
        : "=r"(out[5]) : "f"(a), "f"(b), "f"(c), "f"(d), "r"(r));
    asm("cvt.rs.satfinite.e2m1x4.f32 %0, {%1, %2, %3, %4}, %5;"
        : "=h"(narrow[0]) : "f"(a), "f"(b), "f"(c), "f"(d), "r"(r));
}
