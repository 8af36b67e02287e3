// Instructions of sm_90: 16-bit pairs in add, min and max, relu, and the scalar atomics and selects around them.
// targets: 90+
// cuda: 12.4+
#define P2(text) asm(text " %0, %1, %2;" : "=r"(out[n++]) : "r"(x), "r"(y));
extern "C" __global__ void pairs(unsigned *out, unsigned x, unsigned y)
{
    int n = 0;
    P2("add.u16x2") P2("add.s16x2") P2("min.s16x2") P2("max.u16x2") P2("min.relu.s16x2") P2("max.relu.s16x2")
    P2("max.relu.s32") P2("min.relu.s32")
}
