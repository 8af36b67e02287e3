// Control flow, calls, pointers to functions, virtual functions, recursion, switches, local arrays, shared memory.
// targets: sm_60 sm_75 sm_90
#include "cuda_min.h"
struct Pair { int first; double second; char tail[3]; };
__device__ __noinline__ Pair change(Pair p, short by) { p.first += by, p.tail[1] = by; return p; }
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ float half(float x) { return x / 2; }
__device__ float twice(float x) { return x * 2; }
__device__ float (*table[2])(float) = {half, twice};
struct Base { __device__ virtual int get(int x) { return x; } int field; };
struct Derived : Base { __device__ int get(int x) override { return x * field; } };
extern "C" __global__ void calls(Pair *p, float *f, Base **objects, int n)
{
    p[0] = change(p[1], n);
    p[2].first = fibonacci(n) + objects[n]->get(n);
    f[0] = table[n & 1](f[1]);
}
extern "C" __device__ int vprintf(const char *, const char *);
extern "C" __global__ void prints(int n) { int arguments[2] = {n, 7}; vprintf("n is %d; not %d // {\n", (const char *)arguments); }
extern "C" __global__ void __launch_bounds__(128, 2) choose(int *out, int x)
{
    int y = out[TID];
    switch (x) {
    case 0: y += 3; break;
    case 1: y *= out[5]; break;
    case 2: out[y] = 4; break;
    case 3: y = out[y]; [[fallthrough]];
    case 4: y ^= 77; break;
    case 5: return;
    case 6: y = -y; break;
    case 9: out[1]++; break;
    default: __builtin_trap();
    }
    out[TID] = y;
}
extern "C" __global__ void blocks(float *out, int n)
{
    __shared__ float tile[128];
    float local[16];
    for (int i = 0; i < 16; i++) local[i] = out[i * n];
    tile[TID] = local[n];
    __nvvm_bar_sync(0);
    float sum = 0;
    for (int i = 0; i < n; i++) sum += tile[(TID + i) & 127];
    out[TID] = sum;
    __nvvm_bar_sync(1);
    __nvvm_membar_cta(), __nvvm_membar_gl(), __nvvm_membar_sys();
}
__constant__ int limits[3] = {1, 2, 3};
__device__ struct { char c; double d; const int *p; } mixed = {'x', 2.5, limits};
extern "C" __global__ void globals(double *out, int i) { out[0] = mixed.c + mixed.d + *mixed.p + limits[i]; mixed.c = i; }
