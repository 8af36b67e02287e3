// Loops: counted, unrolled, with continue and break, while, nested with varying bounds; small real programs.
// targets: 50+
// variants: -G, -lineinfo
extern "C" __global__ void mandelbrot(unsigned char *image, int width, float left, float top, float step)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y, i = 0;
    if (column >= width) return;
    float cx = left + column * step, cy = top + row * step, x = 0, y = 0;
    while (i < 255 && x * x + y * y < 4) {
        float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        i++;
    }
    image[row * width + column] = i;
}
extern "C" __global__ void sieve(char *composite, int limit)
{
    for (int i = 2 + threadIdx.x; (long long)i * i < limit; i += blockDim.x) {
        if (composite[i]) continue;
        for (int j = i * i; j < limit; j += i) composite[j] = 1;
    }
}
extern "C" __global__ void collatz(unsigned *steps, const unsigned long long *start)
{
    unsigned long long n = start[threadIdx.x];
    unsigned count = 0;
    do {
        if (n == 1) break;
        n = n & 1 ? 3 * n + 1 : n >> 1;
        if (++count == 0xffffffffu) return;
    } while (true);
    steps[threadIdx.x] = count;
}
extern "C" __global__ void fir(float *out, const float *in, const float *__restrict__ taps, int n)
{
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 16; k++) sum += in[threadIdx.x + k] * taps[k];
#pragma unroll 1
    for (int k = 16; k < n; k++) sum = fmaf(in[threadIdx.x + k], taps[k], sum);
#pragma unroll 4
    for (int k = n; k > 0; k /= 2) sum -= taps[k];
    out[threadIdx.x] = sum;
}
