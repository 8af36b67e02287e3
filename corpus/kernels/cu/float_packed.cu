// From sm_100 on: f32x2 arithmetic, mixed precision add, sub and fma, three-input min and max, 256-bit accesses.
// targets: 100+
// cuda: 12.9+
#define X2(text) asm(text " %0, %1, %2;" : "=l"(out[n++]) : "l"(p), "l"(q));
#define X3(text) asm(text " %0, %1, %2, %1;" : "=l"(out[n++]) : "l"(p), "l"(q));
#define M(text) asm(text " %0, %1, %2;" : "=f"(one[m++]) : "h"(h), "f"(x));
extern "C" __global__ void packed(long long *out, float *one, long long p, long long q, short h, float x, float y)
{
    int n = 0, m = 0;
    X2("add.f32x2") X2("add.rz.ftz.f32x2") X2("sub.rn.f32x2") X2("mul.f32x2") X2("mul.rp.ftz.f32x2")
    X3("fma.rn.f32x2") X3("fma.rm.ftz.f32x2")
    M("add.f32.f16") M("add.rz.sat.f32.bf16") M("sub.rn.f32.f16") M("sub.rp.f32.bf16")
    asm("fma.rn.f32.f16 %0, %1, %1, %2;" : "=f"(one[m++]) : "h"(h), "f"(x));
    asm("fma.rz.sat.f32.bf16 %0, %1, %1, %2;" : "=f"(one[m++]) : "h"(h), "f"(x));
    asm("min.f32 %0, %1, %2, %2;" : "=f"(one[m++]) : "f"(x), "f"(y));
    asm("max.ftz.NaN.abs.f32 %0, %1, %2, %1;" : "=f"(one[m++]) : "f"(x), "f"(y));
}
struct alignas(32) Wide
{
    double d[4];
};
extern "C" __global__ void wide(Wide *out, const Wide *in, float *f)
{
    out[threadIdx.x] = in[threadIdx.x];
    double4_32a v = ((const double4_32a *)in)[9];
    ((double4_32a *)out)[7] = v;
    float a, b, c, d, e, g, h, i;
    asm volatile("ld.global.nc.L2::evict_last.v8.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
                 : "=f"(a), "=f"(b), "=f"(c), "=f"(d), "=f"(e), "=f"(g), "=f"(h), "=f"(i) : "l"(f));
    asm volatile("st.global.v8.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8};"
                 :: "l"(f + 8), "f"(i), "f"(h), "f"(g), "f"(e), "f"(d), "f"(c), "f"(b), "f"(a));
    long long p, q, r, s;
    asm volatile("ld.global.L1::no_allocate.L2::evict_first.v4.b64 {%0, %1, %2, %3}, [%4+64];"
                 : "=l"(p), "=l"(q), "=l"(r), "=l"(s) : "l"(f));
    asm volatile("st.weak.global.L1::evict_normal.L2::evict_normal.v4.b64 [%0], {%1, %2, %3, %4};"
                 :: "l"(f + 32), "l"(s), "l"(r), "l"(q), "l"(p));
}
