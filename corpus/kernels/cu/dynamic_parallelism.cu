// Dynamic parallelism: kernels that launch kernels, calls of the device runtime.
// targets: 50+
// options: -rdc=true
// cuda: 12.4+
struct Work { int first, last; float factor; };
extern "C" __global__ void child(float *data, Work work)
{
    int i = work.first + threadIdx.x;
    if (i < work.last) data[i] *= work.factor;
}
extern "C" __global__ void parent(float *data, int n)
{
    if (threadIdx.x == 0) {
        Work work = {0, n / 2, 1.5f};
        child<<<1, n / 2>>>(data, work);
        cudaStream_t stream;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        child<<<dim3(2, 3), dim3(8, 4, 2), 256, stream>>>(data, work);
        if (cudaGetLastError() != cudaSuccess) data[0] = -1;
        cudaStreamDestroy(stream);
    }
}
extern "C" __global__ void tree(float *data, int n)
{
    if (n > 1) tree<<<2, 1, 0, cudaStreamFireAndForget>>>(data, n / 2);
    data[n + blockIdx.x] += 1;
}
