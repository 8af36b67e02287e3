// 8-bit floats in inline assembly (sm_89): packed conversions with satfinite and relu.
// targets: 89+
// cuda: 12.4+
extern "C" __global__ void convert(short *out, unsigned *wide, float x, float y, unsigned p, short s)
{
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(out[0]) : "f"(x), "f"(y));
    asm("cvt.rn.satfinite.relu.e5m2x2.f32 %0, %1, %2;" : "=h"(out[1]) : "f"(x), "f"(y));
    asm("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;" : "=h"(out[2]) : "r"(p));
    asm("cvt.rn.satfinite.relu.e5m2x2.f16x2 %0, %1;" : "=h"(out[3]) : "r"(p));
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(wide[0]) : "h"(s));
    asm("cvt.rn.relu.f16x2.e5m2x2 %0, %1;" : "=r"(wide[1]) : "h"(s));
}
