// Separate compilation: extern functions and variables, weak and static linkage, common symbols, visible names.
// targets: 50+
// options: -rdc=true
extern __device__ int elsewhere(int x, const float *f);
extern "C" __device__ double named(double);
extern __device__ float table[];
extern __constant__ int limits[4];
__device__ int exported = 4;
static __device__ int local_only;
extern __shared__ int dynamic[];
template <class T> __device__ __noinline__ T weak(T x) { return x * x + 1; }
__device__ __noinline__ float offered(float x) { return x + table[3]; }
static __device__ __noinline__ int hidden(int x) { return x * limits[1] + local_only++; }
__device__ int (*callback)(int, const float *) = elsewhere;
extern "C" __global__ void use(double *out, const float *f, int x)
{
    out[0] = elsewhere(x, f) + named(out[1]) + weak(x) + weak(2.5f) + offered(f[0]) + hidden(x) + exported;
    out[2] = callback(x, f + 3) + dynamic[x];
}
