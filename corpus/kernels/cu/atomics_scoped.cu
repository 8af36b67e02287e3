// Atomic functions from sm_60 and sm_70 on: block and system scope, doubles, 16-bit compare-and-swap, half.
// targets: 70+
#include <cuda_fp16.h>
extern "C" __global__ void scopes(int *i, unsigned *u, unsigned long long *l, float *f, double *d, int x)
{
    i[100] = atomicAdd_block(i, x), i[101] = atomicSub_system(i + 1, x), i[102] = atomicExch_block(i + 2, x);
    i[103] = atomicMin_system(i + 3, x), i[104] = atomicMax_block(i + 4, x), i[105] = atomicCAS_system(i + 5, x, 3);
    u[100] = atomicInc_block(u, 5), u[101] = atomicDec_system(u + 1, 5), u[102] = atomicAnd_block(u + 2, 5u);
    u[103] = atomicOr_system(u + 3, 5u), u[104] = atomicXor_block(u + 4, 5u);
    l[100] = atomicAdd_system(l, 5ull), l[101] = atomicCAS_block(l + 1, 5ull, 6ull);
    f[100] = atomicAdd_block(f, 1.0f), d[100] = atomicAdd(d, 2.0), d[101] = atomicAdd_system(d + 1, 3.0);
    atomicAdd_block(i + 7, 1), atomicMax_system(u + 7, 9u), atomicAdd_block(d + 7, 1.0), atomicAnd_system(l + 8, 1ull);
}
extern "C" __global__ void narrow(unsigned short *s, __half *h, __half2 *p, unsigned short x)
{
    s[0] = atomicCAS(s + 1, x, (unsigned short)7);
    h[0] = atomicAdd(h + 1, h[2]), atomicAdd(h + 3, h[4]);
    p[2] = atomicAdd(p + 3, p[4]);
}
extern "C" __global__ void in_asm(int *i, long long *l, float *f, short *s, int x, long long y, float z)
{
    asm volatile("atom.global.acquire.gpu.add.u32 %0, [%1], %2;" : "=r"(i[0]) : "l"(i + 1), "r"(x) : "memory");
    asm volatile("atom.release.cta.or.b32 %0, [%1+8], 255;" : "=r"(i[2]) : "l"(i) : "memory");
    asm volatile("atom.acq_rel.sys.global.exch.b64 %0, [%1], %2;" : "=l"(l[0]) : "l"(l + 1), "l"(y) : "memory");
    asm volatile("atom.relaxed.gpu.global.cas.b64 %0, [%1], %2, 0;" : "=l"(l[2]) : "l"(l + 1), "l"(y) : "memory");
    asm volatile("atom.cas.b16 %0, [%1], %2, %2;" : "=h"(s[0]) : "l"(s + 1), "h"(s[2]) : "memory");
    asm volatile("atom.max.s64 %0, [%1], %2;" : "=l"(l[3]) : "l"(l + 4), "l"(y) : "memory");
    asm volatile("atom.global.inc.u32 _, [%0], %1;" ::"l"(i + 4), "r"(x) : "memory");
    asm volatile("red.release.gpu.global.add.s32 [%0], %1;" ::"l"(i + 3), "r"(x) : "memory");
    asm volatile("red.relaxed.sys.max.u64 [%0], %1;" ::"l"(l + 5), "l"(y) : "memory");
    asm volatile("red.global.xor.b32 [%0+-4], %1;" ::"l"(i + 9), "r"(x) : "memory");
    asm volatile("red.cta.global.add.f32 [%0], %1;" ::"l"(f), "f"(z) : "memory");
    asm volatile("red.add.noftz.f16x2 [%0], %1;" ::"l"(f + 2), "r"(x) : "memory");
}
