// Integer instructions that C cannot say: mad.hi, mul24.hi, saturation, cnot, 64-bit and 16-bit sad, bfind.
// targets: 50+
#define OP3(text, c, x, y, z) asm(text " %0, %1, %2, %3;" : "=" c(x) : c(x), c(y), c(z))
#define OP2(text, c, x, y) asm(text " %0, %1, %2;" : "=" c(x) : c(x), c(y))
#define OP1(text, c, x) asm(text " %0, %1;" : "=" c(x) : c(x))

extern "C" __global__ void three(int *out, short *out16, long long *out64)
{
    int x = out[0], y = out[1], z = out[2];
    OP3("mad.hi.s32", "r", x, y, z);
    OP3("mad.hi.u32", "r", x, y, z);
    OP3("mad.hi.sat.s32", "r", x, y, z);
    OP3("mad24.lo.s32", "r", x, y, z);
    OP3("mad24.hi.u32", "r", x, y, z);
    OP3("mad24.hi.sat.s32", "r", x, y, z);
    OP3("sad.s32", "r", x, y, z);
    out[3] = x;
    short h = out16[0], k = out16[1], m = out16[2];
    OP3("mad.lo.s16", "h", h, k, m);
    OP3("mad.hi.u16", "h", h, k, m);
    OP3("sad.u16", "h", h, k, m);
    out16[3] = h;
    long long p = out64[0], q = out64[1], r = out64[2];
    OP3("mad.hi.s64", "l", p, q, r);
    OP3("mad.lo.u64", "l", p, q, r);
    OP3("sad.s64", "l", p, q, r);
    asm("mad.wide.s32 %0, %1, %2, %0;" : "+l"(p) : "r"(x), "r"(y));
    asm("mad.wide.u16 %0, %1, %2, %0;" : "+r"(x) : "h"(h), "h"(k));
    out64[3] = p + x;
}

extern "C" __global__ void two(int *out, short *out16, long long *out64)
{
    int x = out[0], y = out[1];
    OP2("add.sat.s32", "r", x, y);
    OP2("sub.sat.s32", "r", x, y);
    OP2("mul24.hi.s32", "r", x, y);
    OP2("mul24.lo.u32", "r", x, y);
    OP1("cnot.b32", "r", x);
    OP1("bfind.s32", "r", x);
    OP1("bfind.shiftamt.u32", "r", x);
    out[2] = x;
    short h = out16[0], k = out16[1];
    OP2("mul.hi.s16", "h", h, k);
    OP2("div.s16", "h", h, k);
    OP2("rem.u16", "h", h, k);
    OP1("cnot.b16", "h", h);
    OP1("neg.s16", "h", h);
    out16[2] = h;
    long long p = out64[0], q = out64[1];
    OP1("cnot.b64", "l", p);
    OP1("abs.s64", "l", p);
    OP2("min.u64", "l", p, q);
    asm("bfind.u64 %0, %1;" : "=r"(out[3]) : "l"(p));
    out64[2] = p;
}
