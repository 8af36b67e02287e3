// Device functions: not inlined, with structs as parameters and results, recursive, and called through pointers.
// targets: 50+
// variants: -G, -rdc=true
struct Pair { double first; int second; char third[5]; };
__device__ __noinline__ int plain(int a, short b, unsigned char c) { return a * b + c; }
__device__ __noinline__ Pair structured(Pair p, float4 v)
{
    p.first += v.x * v.w;
    p.third[p.second & 3] = 7;
    return p;
}
__device__ __noinline__ void nothing() { asm volatile("membar.gl;"); }
__device__ unsigned ackermann(unsigned m, unsigned n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
typedef float (*Unary)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ float square(float x) { return x * x; }
__device__ __noinline__ float inverse(float x) { return 1 / x; }
__device__ Unary table[3] = {twice, square, inverse};
__device__ long long (*changing)(long long, const int *, bool);

extern "C" __global__ void direct(int *out, Pair *pairs, const float4 *v)
{
    out[0] = plain(out[1], out[2], out[3]);
    pairs[0] = structured(pairs[1], v[0]);
    nothing();
    out[4] = ackermann(out[5], out[6]);
}
extern "C" __global__ void indirect(float *out, int i, const int *data)
{
    out[0] = table[i](out[1]);
    Unary f = i > 3 ? twice : inverse;
    out[2] = f(out[3]);
    if (changing) out[4] = changing(i, data, out[5] > 0);
}
