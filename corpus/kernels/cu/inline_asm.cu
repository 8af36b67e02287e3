// Inline assembly as people write it: braces, labels, several instructions, comments, odd spacing, dollar names, hex floats.
// targets: 70+
__device__ __forceinline__ unsigned lane()
{
    unsigned ret;
    asm("mov.u32 %0, %laneid;" : "=r"(ret));
    return ret;
}
__device__ __forceinline__ float load_or(const float *p, bool guard, float other)
{
    float value;
    asm volatile("{\n"
                 "  .reg .pred p;\n"
                 "  setp.ne.b32 p, %2, 0;\n"
                 "  mov.b32 %0, %3; // the other value; if not guarded\n"
                 "  @p ld.global.nc.L1::no_allocate.f32 %0, [%1];\n"
                 "}\n" : "=f"(value) : "l"(p), "r"((int)guard), "f"(other));
    return value;
}
extern "C" __global__ void people(float *out, unsigned *words, unsigned long long *wide, int x)
{
    out[0] = load_or(out + lane(), x > 3, 2.0f);
    asm volatile("{ .reg .pred p; .reg .u32 t1,t2;setp.gt.s32 p,%1,0;@p bra $L_%=;add.u32 t1,%1,1;mul.lo.u32 t2,t1,t1;"
                 "mov.u32 %0,t2;bra.uni $M_%=;$L_%=:mov.u32 %0,0xFFFFFFFF;$M_%=: }" : "=r"(words[0]) : "r"(x));
    asm("{.reg .u32 %%lo, $hi, _mid;\n\tmov.b64 {%%lo,$hi},%1;\n\tadd.u32\t_mid , %%lo,$hi ;\n\t\n\tcvt.u64.u32 %0 , _mid;\n}" : "=l"(wide[0]) : "l"(wide[1]));
    asm("add.f32 %0, %1, 0f40490FDB;\n\tmul.f32 %0, %0, 0F3f000000; /* a comment ; with { odd } things */\n\tfma.rn.f32 %0,%0,%0,-0.5;" : "=f"(out[1]) : "f"(out[2]));
    asm("{ .reg .f64 d; cvt.f64.f32 d, %1; add.f64 d, d, 0d3FF0000000000000; mul.f64 d, d, 1.5e-3; cvt.rn.f32.f64 %0, d; }" : "=f"(out[3]) : "f"(out[4]));
    asm("{\n\t.reg .b32 r<4>;\n\t.reg .pred q<2>;\n\tmov.b32 r0, 0b1011;\n\tmov.b32 r1, 017;\n\tmov.b32 r2, 0x1FU;\n\t"
        "xor.b32 r3, r0, r1;\n\t{ .reg .b32 r0; mov.b32 r0, r2; or.b32 r3, r3, r0; }\n\t"
        "setp.eq.u32 q0|q1, r3, 10 + 2 * 3;\n\t@!q1 and.b32 r3, r3, ~0x3;\n\tmov.b32 %0, r3;\n\t}" : "=r"(words[1]));
    asm volatile("{\n\t.reg .pred more;\n\t.reg .u32 i;\n\tmov.u32 i, 0;\nLOOP_%=:\n\tst.global.u32 [%0], i;\n\t"
                 "add.u32 i, i, 1;\n\tsetp.lt.u32 more, i, %1;\n\t@more bra LOOP_%=;\n\t}" ::"l"(words + 2), "r"(x) : "memory");
    asm volatile("{ .reg .b32 t; .reg .u64 a; .shared .align 4 .b8 scratch[128]; mov.u32 t, %tid.x; shl.b32 t, t, 2;"
                 "cvt.u64.u32 a, t; mov.u64 %0, scratch; add.u64 a, a, %0; st.shared.u32 [a], 0; bar.sync 0;"
                 "ld.shared.u32 t, [scratch + 4]; cvt.u64.u32 %0, t; }" : "=l"(wide[2]) :: "memory");
    asm volatile(".pragma \"nounroll\";");
    asm volatile("" ::: "memory");
}
