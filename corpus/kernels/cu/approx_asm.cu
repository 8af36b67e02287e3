// Approximations and properties of floats in inline assembly: sin, ex2, lg2, rcp, rsqrt, testp, copysign, .sat.
// targets: 50+
#define F1(text) asm(text " %0, %1;" : "=f"(out[n++]) : "f"(x));
#define F2(text) asm(text " %0, %1, %2;" : "=f"(out[n++]) : "f"(x), "f"(y));
#define F3(text) asm(text " %0, %1, %2, %1;" : "=f"(out[n++]) : "f"(x), "f"(y));
#define D1(text) asm(text " %0, %1;" : "=d"(out64[m++]) : "d"(d));
#define D2(text) asm(text " %0, %1, %2;" : "=d"(out64[m++]) : "d"(d), "d"(e));
#define T(kind, type, c, v)                                                                                     \
    asm("{ .reg .pred p; testp." kind "." type " p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(tests[t++]) : c(v));
extern "C" __global__ void approx(float *out, double *out64, int *tests, float x, float y, double d, double e)
{
    int n = 0, m = 0, t = 0;
    F1("sin.approx.f32") F1("sin.approx.ftz.f32") F1("cos.approx.f32") F1("cos.approx.ftz.f32")
    F1("ex2.approx.f32") F1("ex2.approx.ftz.f32") F1("lg2.approx.f32") F1("lg2.approx.ftz.f32")
    F1("rcp.approx.f32") F1("rcp.approx.ftz.f32") F1("rcp.rn.f32") F1("rcp.rz.ftz.f32")
    F1("rsqrt.approx.f32") F1("rsqrt.approx.ftz.f32") F1("sqrt.approx.f32") F1("sqrt.approx.ftz.f32")
    F1("sqrt.rn.f32") F1("sqrt.rp.ftz.f32") F1("abs.f32") F1("abs.ftz.f32") F1("neg.ftz.f32")
    F2("div.approx.f32") F2("div.approx.ftz.f32") F2("div.full.f32") F2("div.full.ftz.f32") F2("div.rm.ftz.f32")
    F2("add.f32") F2("add.sat.f32") F2("add.rz.ftz.sat.f32") F2("sub.rm.f32") F2("mul.ftz.f32") F2("mul.rp.sat.f32")
    F2("min.ftz.f32") F2("max.f32") F2("copysign.f32")
    F3("fma.rn.f32") F3("fma.rz.ftz.f32") F3("fma.rn.sat.f32") F3("mad.rz.f32") F3("mad.rn.ftz.sat.f32")
    D1("rcp.approx.ftz.f64") D1("rcp.rn.f64") D1("rsqrt.approx.f64") D1("sqrt.rz.f64") D1("abs.f64") D1("neg.f64")
    D2("add.f64") D2("add.rm.f64") D2("sub.rn.f64") D2("mul.rp.f64") D2("div.rn.f64") D2("min.f64") D2("max.f64")
    D2("copysign.f64")
    T("finite", "f32", "f", x) T("infinite", "f64", "d", d) T("number", "f32", "f", y) T("notanumber", "f64", "d", e)
    T("normal", "f32", "f", x) T("subnormal", "f64", "d", d)
}
