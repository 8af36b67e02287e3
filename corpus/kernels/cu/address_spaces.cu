// Address spaces: cvta and isspacep in both directions, generic accesses, __cvta_ functions, pointers to params.
// targets: 70+
__constant__ int table[8] = {1, 2, 3};
__device__ int counter;
extern "C" __global__ void spaces(long long *out, int *any, int which)
{
    __shared__ int fast[16];
    int slow[9];
    for (int k = 0; k < 9; k++) slow[k] = any[k];
    int *p = which == 0 ? fast : which == 1 ? slow : which == 2 ? &counter : any;
    *p += 3;
    out[0] = __isGlobal(p) + 2 * __isShared(p) + 4 * __isLocal(p) + 8 * __isConstant(table);
    out[1] = __cvta_generic_to_shared(fast) + __cvta_generic_to_global(any);
    out[2] = __cvta_generic_to_local(slow) + __cvta_generic_to_constant(table + which);
    out[3] = *(int *)__cvta_shared_to_generic(which) + slow[which];
    out[4] = (long long)__cvta_global_to_generic(out[5]) + table[which];
}
extern "C" __global__ void in_asm(long long *out, void *p, int *data)
{
    asm("{ .reg .pred p, q;\n\tisspacep.global p, %1;\n\tisspacep.shared q, %1;\n\tor.pred p, p, q;\n\t"
        "isspacep.const q, %1;\n\txor.pred p, p, q;\n\tisspacep.local q, %1;\n\tand.pred p, p, q;\n\tselp.s64 %0, 1, 0, p; }"
        : "=l"(out[0]) : "l"(p));
    asm("{ .reg .u64 t;\n\tcvta.to.global.u64 t, %1;\n\tcvta.global.u64 %0, t;\n\tcvta.to.shared.u64 t, %0;\n\t"
        "cvta.shared.u64 t, t;\n\tcvta.to.local.u64 t, t;\n\tcvta.local.u64 %0, t;\n\tcvta.to.const.u64 t, %0;\n\t"
        "cvta.const.u64 %0, t; }"
        : "=l"(out[1]) : "l"(p));
    asm("{ .reg .u32 a;\n\t.shared .align 8 .b8 room[64];\n\tmov.u32 a, room;\n\tst.shared.u32 [a+4], %1;\n\t"
        "ld.shared.v2.u32 {%0, a}, [room+8];\n\tadd.s32 %0, %0, a; }"
        : "=r"(data[0]) : "r"(data[1]));
    asm("{ .local .b32 spill;\n\tst.local.u32 [spill], %1;\n\tld.local.u32 %0, [spill]; }" : "=r"(data[2]) : "r"(data[3]));
}
extern "C" __global__ void param_pointer(const __grid_constant__ int4 values, int *out, int i)
{
    const int *p = (const int *)&values;
    out[0] = p[i];
}
