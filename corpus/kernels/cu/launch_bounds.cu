// Kernel directives: maxntid, minnctapersm, maxnreg, reqntid, cluster dimensions, noreturn, pragmas.
// targets: 90+
// cuda: 12.4+
extern "C" __global__ void __launch_bounds__(256) at_most(int *out) { out[threadIdx.x] = 1; }
extern "C" __global__ void __launch_bounds__(128, 4) occupied(int *out) { out[threadIdx.x] = 2; }
extern "C" __global__ void __launch_bounds__(128, 4, 8) clustered(int *out) { out[threadIdx.x] = 3; }
extern "C" __global__ void __maxnreg__(40) limited(int *out) { out[threadIdx.x] = 4; }
extern "C" __global__ void __cluster_dims__(2, 2, 1) dimensions(int *out) { out[threadIdx.x] = 5; }
#if __CUDACC_VER_MAJOR__ >= 13
extern "C" __global__ void __block_size__((32, 4, 1), (2, 1, 1)) sized(int *out) { out[threadIdx.x] = 6; }
#endif
__device__ __noinline__ __attribute__((noreturn)) void leave(int code)
{
    if (code) asm volatile("exit;");
    __trap();
}
extern "C" __global__ void stops(int *out, int x)
{
#pragma unroll 1
    for (int k = 0; k < x; k++) out[k] += k;
#pragma unroll 1
    for (int k = 0; k < 7; k++) out[k] *= out[k + 9];
    if (out[1]) leave(x);
    out[0] = 8;
}
