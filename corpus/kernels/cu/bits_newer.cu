// Bits: the newer instructions szext, bmsk (sm_70) and lop3 with a predicate.
// targets: 70+
extern "C" __global__ void newer(int *out, const int *in)
{
    int x = in[0], y = in[1], z = in[2];
    asm("szext.wrap.u32 %0, %1, %2;" : "=r"(out[0]) : "r"(x), "r"(y));
    asm("szext.clamp.s32 %0, %1, %2;" : "=r"(out[1]) : "r"(x), "r"(y));
    asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(out[2]) : "r"(x), "r"(y));
    asm("bmsk.wrap.b32 %0, 3, %1;" : "=r"(out[3]) : "r"(y));
    asm("{\n\t"
        ".reg .pred p, q;\n\t"
        "setp.lt.s32 q, %1, %2;\n\t"
        "lop3.or.b32 %0|p, %1, %2, %3, 0xe8, q;\n\t"
        "selp.s32 %0, %0, -1, p;\n\t"
        "}"
        : "=r"(out[4]) : "r"(x), "r"(y), "r"(z));
    asm("{\n\t"
        ".reg .pred p;\n\t"
        "lop3.and.b32 _|p, %1, %2, 0x0f, 0x80, 1;\n\t"
        "@!p mov.b32 %0, 0;\n\t"
        "}"
        : "+r"(out[5]) : "r"(x), "r"(y));
}
