// Instructions that nvcc seldom writes: cvt.pack, ldu, istypep, prefetchu, shf.wrap, mad.wide, sub and abs forms, tanh, vectors of half words.
// targets: 75+
extern "C" __global__ void rarer(int *r, unsigned long long *l, float *f, short *h, int x, int y)
{
    asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(r[0]) : "r"(x), "r"(y));
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(r[1]) : "r"(x), "r"(y), "r"(r[2]));
    asm("cvt.pack.sat.s4.s32.b32 %0, %1, %2, %3;" : "=r"(r[3]) : "r"(x), "r"(y), "r"(r[4]));
    asm volatile("ldu.global.u32 %0, [%1];" : "=r"(r[5]) : "l"(r + 6));
    asm volatile("ldu.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(f[0]), "=f"(f[1]), "=f"(f[2]), "=f"(f[3]) : "l"(f + 4));
    asm volatile("ldu.global.v2.u16 {%0, %1}, [%2];" : "=h"(h[0]), "=h"(h[1]) : "l"(h + 2));
    asm("{ .reg .pred p;\n\tistypep.texref p, %1;\n\tselp.b32 %0, 1, 0, p; }" : "=r"(r[7]) : "l"(l[0]));
    asm("shf.l.wrap.b32 %0, %1, %2, 7;" : "=r"(r[8]) : "r"(x), "r"(y));
    asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(r[9]) : "r"(x), "r"(y), "r"(r[10]));
    asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(l[1]) : "r"(x), "r"(y), "l"(l[2]));
    asm("mad.wide.s16 %0, %1, %2, -9;" : "=r"(r[11]) : "h"(h[4]), "h"(h[5]));
    asm("mul.wide.u16 %0, %1, 3;" : "=r"(r[12]) : "h"(h[4]));
    asm("tanh.approx.f32 %0, %1;" : "=f"(f[8]) : "f"(f[9]));
    asm("fns.b32 %0, %1, %2, 1;" : "=r"(r[13]) : "r"(x), "r"(y));
    asm("popc.b64 %0, %1;" : "=r"(r[14]) : "l"(l[3]));
    asm("clz.b64 %0, %1;" : "=r"(r[15]) : "l"(l[3]));
    asm("brev.b64 %0, %1;" : "=l"(l[4]) : "l"(l[3]));
    asm("{ .reg .f16 a, b;\n\tmov.b16 a, %1;\n\tmov.b16 b, a;\n\tadd.f16 a, a, b;\n\tmov.b16 %0, a; }" : "=h"(h[6]) : "h"(h[7]));
    asm("cvt.s32.s8 %0, %1;\n\tcvt.u8.u32 %0, %0;\n\tcvt.s64.s16 %2, %3;" : "=r"(r[16]), "+r"(x), "=l"(l[5]) : "h"(h[8]));
    asm("selp.f64 %0, 0d4000000000000000, 1.0, 1;" : "=d"(*(double *)l));
    asm volatile("ld.const.u32 %0, [%1];" : "=r"(r[17]) : "l"(l[6]));
    asm volatile("{ .reg .u32 t;\n\tld.shared.u8 t, [%1+3];\n\tst.shared.u16 [%1], t;\n\tmov.u32 %0, t; }" : "=r"(r[18]) : "r"(x));
}
