// Comparison and selection: setp, set, selp, slct and logic on predicates, ordered and unordered.
// targets: 50+
template <class T> __device__ int count(T x, T y, T z)
{
    int n = x < y;
    n += 2 * (x <= z) + 4 * (y > z) + 8 * (x >= y) + 16 * (x == z) + 32 * (y != z);
    n += !(x < z) + !(y <= x) * 3 + !(x > z) * 5 + !(z >= y) * 7;
    return (x < y && y < z) || (x != z && !(y >= x)) ? n : -n;
}
extern "C" __global__ void compare(int *out, const short *h, const unsigned *u, const long long *l, const float *f,
                                   const double *d)
{
    out[0] = count(h[0], h[1], h[2]);
    out[1] = count(u[0], u[1], u[2]);
    out[2] = count(l[0], l[1], l[2]);
    out[3] = count(f[0], f[1], f[2]);
    out[4] = count(d[0], d[1], d[2]);
    out[5] = isnan(f[3]) + 2 * !(f[4] < f[5] || f[4] >= f[5]) + 4 * (f[6] < f[7] || f[6] > f[7]) + isfinite(d[3]);
    out[6] = (out[7] & 1) != 0 ? out[8] : out[9];
    bool p = f[0] < 1, q = d[0] > 2, r = u[0] == 3;
    out[10] = (p ^ q) | (q & r) | (!p & !r);
}
#define SET(text, co, o, ci, a, b) asm(text " %0, %1, %2;" : "=" co(o) : ci(a), ci(b));
extern "C" __global__ void in_asm(int *r, float *f, short *h, long long *l, double *d)
{
    SET("set.lt.u32.s32", "r", r[0], "r", r[1], r[2])
    SET("set.ltu.s32.f32", "r", r[3], "f", f[0], f[1])
    SET("set.geu.ftz.f32.f32", "f", f[2], "f", f[3], f[4])
    SET("set.nan.f32.f64", "f", f[5], "d", d[0], d[1])
    SET("set.hs.u32.u64", "r", r[4], "l", l[0], l[1])
    SET("set.eq.f32.b16", "f", f[6], "h", h[0], h[1])
    asm("{ .reg .pred p, q, r;\n\t"
        "setp.eq.and.s32 p|q, %1, %2, !r;\n\t"
        "setp.num.xor.f32 r|_, %3, 0f3F800000, p;\n\t"
        "setp.lo.or.u16 q, %4, 7, r;\n\t"
        "and.pred p, p, q;\n\txor.pred q, q, r;\n\tor.pred r, p, q;\n\tnot.pred p, r;\n\tmov.pred q, p;\n\t"
        "set.gt.and.u32.f32 %0, %3, 0f00000000, q;\n\t"
        "@!q selp.b32 %0, %1, %0, p; }"
        : "+r"(r[5]) : "r"(r[6]), "r"(r[7]), "f"(f[7]), "h"(h[2]));
    asm("slct.s32.s32 %0, %1, %2, %3;" : "=r"(r[8]) : "r"(r[9]), "r"(r[10]), "r"(r[11]));
    asm("slct.ftz.f64.f32 %0, %1, %2, %3;" : "=d"(d[2]) : "d"(d[3]), "d"(d[4]), "f"(f[8]));
    asm("slct.b16.f32 %0, %1, %2, %3;" : "=h"(h[3]) : "h"(h[4]), "h"(h[5]), "f"(f[9]));
    asm("slct.u64.s32 %0, %1, 12, %2;" : "=l"(l[2]) : "l"(l[3]), "r"(r[12]));
}
