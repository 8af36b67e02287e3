// Vector loads and stores of all element types, and packing and unpacking moves.
// targets: 50+
template <class T> __device__ void copy(T *out, const T *in, int &n) { out[n * 2] = in[n * 2 + 1]; n++; }
extern "C" __global__ void vectors(void *out, const void *in)
{
    int n = 0;
    copy((char2 *)out, (const char2 *)in, n), copy((uchar4 *)out, (const uchar4 *)in, n);
    copy((short2 *)out, (const short2 *)in, n), copy((ushort4 *)out, (const ushort4 *)in, n);
    copy((int2 *)out, (const int2 *)in, n), copy((uint4 *)out, (const uint4 *)in, n);
    copy((longlong2 *)out, (const longlong2 *)in, n), copy((float2 *)out, (const float2 *)in, n);
    copy((float4 *)out, (const float4 *)in, n), copy((double2 *)out, (const double2 *)in, n);
    copy((int3 *)out, (const int3 *)in, n), copy((double4 *)out, (const double4 *)in, n);
}
extern "C" __global__ void packing(int *i, long long *l, short *h, double *d)
{
    asm("mov.b32 {%0, %1}, %2;" : "=h"(h[0]), "=h"(h[1]) : "r"(i[0]));
    asm("mov.b32 %0, {%1, %2};" : "=r"(i[1]) : "h"(h[2]), "h"(h[3]));
    asm("mov.b64 {%0, %1}, %2;" : "=r"(i[2]), "=r"(i[3]) : "l"(l[0]));
    asm("mov.b64 %0, {%1, %2};" : "=d"(d[0]) : "r"(i[4]), "r"(i[5]));
    asm("mov.b64 {%0, %1, %2, %3}, %4;" : "=h"(h[4]), "=h"(h[5]), "=h"(h[6]), "=h"(h[7]) : "l"(l[1]));
    asm("{ .reg .b8 a, b, c, d;\n\tmov.b32 {a, b, c, d}, %1;\n\tmov.b32 %0, {d, c, b, a}; }" : "=r"(i[6]) : "r"(i[7]));
    asm("mov.b64 {%0, _}, %1;" : "=r"(i[8]) : "l"(l[2]));
    asm("{ .reg .v2 .f32 v;\n\tmov.b64 {v.x, v.y}, %1;\n\tmov.b64 %0, {v.y, v.x}; }" : "=l"(l[3]) : "l"(l[4]));
}
extern "C" __global__ void in_asm(int *i, float *f, short *h)
{
    int a, b, c, d;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4+16];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(i));
    asm volatile("st.global.v4.u8 [%0+-4], {%1, %2, %3, %4};" ::"l"(i + 4), "r"(a), "r"(b), "r"(c), "r"(d));
    asm volatile("ld.v2.s8 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(h));
    asm volatile("ld.global.nc.v2.u16 {%0, %1}, [%2];" : "=h"(h[0]), "=h"(h[1]) : "l"(h + 2));
    asm volatile("st.wb.global.v2.f32 [%0], {%1, 0f3F800000};" ::"l"(f), "f"(f[2]));
    asm volatile("st.cs.global.v4.b32 [%0+0x10], {%1, %2, 7, -1};" ::"l"(i), "r"(a), "r"(b));
    asm volatile("ld.global.ca.b64 %0, [%1];" : "=d"(*(double *)f) : "l"(i + 10));
    i[0] = a + b + c + d;
}
