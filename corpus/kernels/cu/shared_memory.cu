// Shared memory: static, dynamic and volatile; a transposition, a block reduction, a scan and a bitonic sort.
// targets: 50+
// variants: -G
extern __shared__ float dynamic[];
extern "C" __global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
extern "C" __global__ void sum(float *out, const float *in)
{
    volatile float *data = dynamic;
    int i = threadIdx.x;
    data[i] = in[blockIdx.x * blockDim.x + i];
    for (int half = blockDim.x / 2; half > 32; half /= 2) {
        __syncthreads();
        if (i < half) data[i] += data[i + half];
    }
    if (i < 32)
        for (int half = 32; half > 0; half /= 2) data[i] += data[i + half];
    if (i == 0) out[blockIdx.x] = data[0];
}
extern "C" __global__ void scan(int *data)
{
    __shared__ int buffer[2][256];
    int i = threadIdx.x, from = 0;
    buffer[0][i] = i > 0 ? data[i - 1] : 0;
    for (int by = 1; by < 256; by *= 2, from = 1 - from) {
        __syncthreads();
        buffer[1 - from][i] = buffer[from][i] + (i >= by ? buffer[from][i - by] : 0);
    }
    data[i] = buffer[from][i];
}
extern "C" __global__ void bitonic(double *data)
{
    __shared__ __align__(16) double keys[512];
    int i = threadIdx.x;
    keys[i] = data[i];
    for (int size = 2; size <= 512; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int j = i ^ stride;
            if (j > i && (keys[i] > keys[j]) == ((i & size) == 0)) {
                double swap = keys[i];
                keys[i] = keys[j];
                keys[j] = swap;
            }
        }
    data[i] = keys[i];
}
