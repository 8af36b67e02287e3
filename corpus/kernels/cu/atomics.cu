// Atomic functions of CUDA C++, with and without use of the result, on global, shared and generic addresses.
// targets: 50+
extern "C" __global__ void with_result(int *i, unsigned *u, unsigned long long *l, float *f, int x, unsigned y)
{
    int n = 0;
    i[n++] = atomicAdd(i + 100, x), i[n++] = atomicSub(i + 101, x), i[n++] = atomicExch(i + 102, x);
    i[n++] = atomicMin(i + 103, x), i[n++] = atomicMax(i + 104, x), i[n++] = atomicAnd(i + 105, x);
    i[n++] = atomicOr(i + 106, x), i[n++] = atomicXor(i + 107, x), i[n++] = atomicCAS(i + 108, x, 7);
    u[n++] = atomicInc(u + 100, y), u[n++] = atomicDec(u + 101, y), u[n++] = atomicMin(u + 102, y);
    u[n++] = atomicMax(u + 103, y), u[n++] = atomicAdd(u + 104, 1u), u[n++] = atomicExch(u + 105, 0u);
    l[n++] = atomicAdd(l + 100, 3ull), l[n++] = atomicExch(l + 101, y), l[n++] = atomicCAS(l + 102, 5ull, y);
    l[n++] = atomicMin(l + 103, 9ull), l[n++] = atomicMax(l + 104, y), l[n++] = atomicAnd(l + 105, 9ull);
    l[n++] = atomicOr(l + 106, 9ull), l[n++] = atomicXor(l + 107, y);
    l[n++] = atomicMin((long long *)l + 108, -3ll), l[n++] = atomicMax((long long *)l + 109, x);
    f[n++] = atomicAdd(f + 100, 1.5f), f[n++] = atomicExch(f + 101, x);
}
extern "C" __global__ void without_result(int *i, unsigned *u, unsigned long long *l, float *f, int x)
{
    atomicAdd(i, x), atomicSub(i + 1, x), atomicMin(i + 2, x), atomicMax(i + 3, x), atomicAnd(i + 4, x);
    atomicOr(i + 5, x), atomicXor(i + 6, x), atomicExch(i + 7, x), atomicCAS(i + 8, x, 1);
    atomicInc(u, 7), atomicDec(u + 1, 7), atomicMin(u + 2, 9u), atomicAdd(l, 7ull), atomicOr(l + 1, 9ull);
    atomicAdd(f, -2.0f);
}
extern "C" __global__ void histogram(unsigned *out, const unsigned char *in, int n)
{
    __shared__ unsigned bins[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(bins + in[i], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(out + i, bins[i]);
}
extern "C" __global__ void shared_lock(double *sum, int *flags, double value)
{
    __shared__ int lock;
    __shared__ unsigned long long ticket;
    __shared__ float total;
    if (threadIdx.x == 0) lock = 0, ticket = 0, total = 0;
    __syncthreads();
    while (atomicCAS(&lock, 0, 1) != 0) {}
    *sum += value;
    __threadfence();
    atomicExch(&lock, 0);
    atomicAdd(&ticket, 1ull), atomicAdd(&total, 1.0f), atomicMax(flags, atomicInc((unsigned *)&lock, 31));
}
