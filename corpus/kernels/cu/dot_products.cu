// Integer dot products: dp4a and dp2a, signed and unsigned, intrinsics and inline assembly.
// targets: 61+
extern "C" __global__ void dots(int *out, unsigned *u, const int *a, const unsigned *b)
{
    int x = a[threadIdx.x], y = a[threadIdx.x + 1];
    unsigned p = b[threadIdx.x], q = b[threadIdx.x + 1];
    out[0] = __dp4a(x, y, out[1]), u[0] = __dp4a(p, q, u[1]);
    out[2] = __dp2a_lo(x, y, out[3]), out[4] = __dp2a_hi(x, y, out[5]);
    u[2] = __dp2a_lo(p, q, u[3]), u[4] = __dp2a_hi(p, q, u[5]);
    out[6] = __dp4a(((const char4 *)a)[3], ((const char4 *)a)[4], x);
    out[7] = __dp2a_lo(((const short2 *)a)[3], ((const char4 *)a)[4], x);
    asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(out[8]) : "r"(x), "r"(y), "r"(p));
    asm("dp4a.s32.u32 %0, %1, %2, -7;" : "=r"(out[9]) : "r"(x), "r"(y));
    asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(out[10]) : "r"(x), "r"(y), "r"(q));
    asm("dp2a.hi.u32.s32 %0, %1, %2, %3;" : "=r"(out[11]) : "r"(x), "r"(y), "r"(q));
}
