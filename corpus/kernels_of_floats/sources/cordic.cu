#include "floats.h"
TABLE f32 ARCS[24] = { 0.78539819f, 0.46364760f, 0.24497867f, 0.12435499f, 0.062418811f, 0.031239834f, 0.015623729f, 0.0078123412f, 0.0039062302f, 0.0019531226f, 0.00097656219f, 0.00048828121f, 0.00024414062f, 0.00012207031f, 0.000061035156f, 0.000030517578f, 0.000015258789f, 0.0000076293945f, 0.0000038146973f, 0.0000019073486f, 9.5367432e-7f, 4.7683716e-7f, 2.3841858e-7f, 1.1920929e-7f };
// Turns (x, y) by an angle, or to the axis: then the angle is the result.
FN f32 turned(f32 *x, f32 *y, f32 z, u32 to_axis) {
    f32 two = 1.0f;
    ROLLED for (u32 k = 0; k < 24; k++, two *= 0.5f) { f32 d = (to_axis ? *y <= 0.0f : z >= 0.0f) ? 1.0f : -1.0f, t = *x - d * *y * two; *y = *y + d * *x * two; *x = t; z -= d * ARCS[k]; }
    return z;
}
KERNEL(cordic) {
    for (u32 i = 0; i < n; i++) {
        f32 angle = (f32)(s32)in[i] * 7.3145904e-10f, x = 0.60725296f, y = 0.0f; u32 *o = out + 5 * i;
        o[2] = bits32(turned(&x, &y, angle, 0)); o[0] = bits32(x); o[1] = bits32(y);
        o[3] = bits32(turned(&x, &y, 0.0f, 1)); o[4] = bits32(x);
    }
}
