// Module variables: constant, global, managed, aligned, initialised with numbers, floats, strings, addresses, structs.
// targets: 50+
// variants: -rdc=true
struct Item { char tag; double value; short pair[2]; const int *where; };
__device__ int plain = -7;
__device__ float ratios[4] = {0.5f, -1e30f, 3.14159274f, 1.0f / 0.0f};
__device__ double precise[3] = {1e-300, -0.0, 2.718281828459045};
__device__ unsigned char bytes[5] = {0, 255, 128, 7};
__device__ long long wide[2][3] = {{1, -2, 3}, {0x7fffffffffffffffLL}};
__device__ const char greeting[] = "hello \"world\"\n";
__device__ const int *pointer = &plain;
__device__ unsigned long long inner = 5;
__device__ Item items[2] = {{'a', 2.5, {1, 2}, &plain}, {'b', -1, {3}, nullptr}};
__constant__ float weights[64] = {1, 2, 3};
__constant__ Item fixed = {'c', 9, {4, 5}, &plain};
__device__ __align__(64) int aligned[3];
__device__ __managed__ int managed = 3;
static __device__ int hidden[4] = {4, 3, 2, 1};
extern "C" { __constant__ unsigned char named[16]; }
namespace outer { __device__ short nested; }
extern "C" __global__ void use(double *out, int i)
{
    out[0] = plain++ + ratios[i] + precise[i] + bytes[i] + wide[1][i] + greeting[i];
    out[1] = *pointer + items[i].value + items[1].pair[i] + *items[0].where + fixed.tag + fixed.value;
    out[2] = weights[i] + weights[7] + aligned[i] + managed + hidden[i] + named[i] + inner + outer::nested;
    hidden[i] = 5, aligned[1] = i, items[i].tag = 'z', pointer = hidden + i, outer::nested = 3;
}
