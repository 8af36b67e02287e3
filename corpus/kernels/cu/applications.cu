// Small whole programs: SHA-256, n bodies, the game of life, a hash table, Monte Carlo with xorshift, a matrix product.
// targets: 50+
// variants: -G, -lineinfo, --use_fast_math
typedef unsigned u32;
__device__ u32 rotate(u32 x, int n) { return (x >> n) | (x << (32 - n)); }
extern "C" __global__ void sha256(u32 *state, const u32 *block, const u32 *keys)
{
    u32 w[64], s[8];
    for (int i = 0; i < 16; i++) w[i] = __byte_perm(block[i], 0, 0x0123);
    for (int i = 16; i < 64; i++) {
        u32 a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ (a >> 3)) + (rotate(b, 17) ^ rotate(b, 19) ^ (b >> 10));
    }
    for (int i = 0; i < 8; i++) s[i] = state[i];
#pragma unroll 8
    for (int i = 0; i < 64; i++) {
        u32 x = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + keys[i] + w[i];
        u32 y = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        for (int k = 7; k > 0; k--) s[k] = s[k - 1];
        s[4] += x, s[0] = x + y;
    }
    for (int i = 0; i < 8; i++) state[i] += s[i];
}
extern "C" __global__ void bodies(float4 *force, const float4 *body, int n)
{
    __shared__ float4 tile[128];
    float4 me = body[blockIdx.x * blockDim.x + threadIdx.x], sum = {};
    for (int from = 0; from < n; from += 128) {
        tile[threadIdx.x] = body[from + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; k++) {
            float x = tile[k].x - me.x, y = tile[k].y - me.y, z = tile[k].z - me.z;
            float near = rsqrtf(x * x + y * y + z * z + 1e-6f), pull = tile[k].w * near * near * near;
            sum.x += x * pull, sum.y += y * pull, sum.z += z * pull;
        }
        __syncthreads();
    }
    force[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void insert(unsigned long long *slots, const u32 *keys, u32 size)
{
    u32 key = keys[blockIdx.x * blockDim.x + threadIdx.x], at = (key * 2654435761u) % size;
    while (true) {
        unsigned long long old = atomicCAS(slots + at, ~0ull, (unsigned long long)key << 32 | 1);
        if (old == ~0ull) return;
        if (old >> 32 == key) { atomicAdd(slots + at, 1ull); return; }
        at = at + 1 == size ? 0 : at + 1;
    }
}
extern "C" __global__ void monte_carlo(unsigned long long *inside, u32 seed, int tries)
{
    u32 s = seed ^ (threadIdx.x * 747796405u), hits = 0;
    for (int i = 0; i < tries; i++) {
        s ^= s << 13, s ^= s >> 17, s ^= s << 5;
        float x = (s >> 16) / 65536.0f, y = (s & 0xffff) / 65536.0f;
        hits += x * x + y * y < 1;
    }
    atomicAdd(inside, hits);
}
template <int T> __device__ void product(double *c, const double *a, const double *b, int n)
{
    __shared__ double left[T][T], right[T][T + 1];
    double sum = 0;
    int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
    for (int k = 0; k < n; k += T) {
        left[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        right[threadIdx.x][threadIdx.y] = b[(k + threadIdx.y) * n + column];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < T; i++) sum += left[threadIdx.y][i] * right[threadIdx.x][i];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
extern "C" __global__ void product16(double *c, const double *a, const double *b, int n) { product<16>(c, a, b, n); }
