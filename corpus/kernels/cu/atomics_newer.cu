// Atomics from sm_90 on: vectors, 128 bits, bf16, min and max of f16, cache policies.
// targets: 90+
// cuda: 12.4+
extern "C" __global__ void vectors(float *f, unsigned *u, short *h, long long policy)
{
    float a = f[0], b = f[1], c, d;
    asm volatile("atom.global.gpu.relaxed.add.v2.f32 {%0, %1}, [%2], {%3, %4};"
                 : "=f"(c), "=f"(d) : "l"(f + 2), "f"(a), "f"(b));
    asm volatile("atom.global.v4.f32.add {%0, %1, %0, %1}, [%2], {%3, %4, %3, %4};" ::"f"(c), "f"(d), "l"(f), "f"(a), "f"(b));
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %2, %1};" ::"l"(f + 4), "f"(c), "f"(d));
    asm volatile("red.global.v2.f32.add [%0], {%1, %2};" ::"l"(f + 4), "f"(c), "f"(d));
    asm volatile("red.relaxed.gpu.global.min.noftz.v4.f16x2 [%0], {%1, %1, %2, %2};" ::"l"(f), "r"(u[0]), "r"(u[1]));
    asm volatile("red.global.v2.bf16.add.noftz [%0], {%1, %1};" ::"l"(f), "h"(h[0]));
    asm volatile("atom.global.max.noftz.v4.bf16 {%0, %0, %0, %0}, [%1], {%2, %2, %3, %3};" :"=h"(h[4]): "l"(f), "h"(h[0]), "h"(h[1]));
    asm volatile("atom.add.noftz.bf16 %0, [%1], %2;" : "=h"(h[2]) : "l"(h), "h"(h[1]));
    asm volatile("red.add.noftz.bf16x2 [%0], %1;" ::"l"(u), "r"(u[3]));
    asm volatile("atom.global.add.L2::cache_hint.u32 %0, [%1], %2, %3;" : "=r"(u[2]) : "l"(u), "r"(u[4]), "l"(policy));
    asm volatile("red.global.add.L2::cache_hint.v2.f32 [%0], {%1, %2}, %3;" ::"l"(f), "f"(a), "f"(b), "l"(policy));
}
extern "C" __global__ void large(unsigned __int128 *q, long long *l)
{
    asm volatile("{ .reg .b128 expected, fresh, old;\n\t"
                 "mov.b128 expected, {%2, %3};\n\tmov.b128 fresh, {%3, %2};\n\t"
                 "atom.cas.b128 old, [%4], expected, fresh;\n\t"
                 "atom.acq_rel.gpu.global.exch.b128 old, [%4], old;\n\t"
                 "mov.b128 {%0, %1}, old; }"
                 : "=l"(l[0]), "=l"(l[1]) : "l"(l[2]), "l"(l[3]), "l"(q) : "memory");
    asm volatile("{ .reg .b128 v;\n\tld.relaxed.gpu.global.b128 v, [%0];\n\tst.release.sys.global.b128 [%0+16], v; }" ::"l"(q));
}
