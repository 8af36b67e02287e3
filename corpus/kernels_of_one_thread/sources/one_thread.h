// What the kernels share. They are compiled for a GPU, and for the host to learn what they compute.
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned int u32; typedef unsigned long long u64;
typedef signed char s8; typedef short s16; typedef int s32; typedef long long s64;
#if defined(HOST)
#define KERNEL(name) void name(u32 *out, const u32 *in, u32 n)
#define FN static __attribute__((noinline))
#define TABLE static const
#define SCRATCH static
#elif defined(__clang__)
#define KERNEL(name) extern "C" __attribute__((global)) void name(u32 *out, const u32 *in, u32 n)
#define FN static __attribute__((device)) __attribute__((noinline))
#define TABLE static __attribute__((constant)) const
#define SCRATCH static __attribute__((shared))
#else
#define KERNEL(name) extern "C" __global__ void name(u32 *out, const u32 *in, u32 n)
#define FN static __device__ __noinline__
#define TABLE static __constant__ const
#define SCRATCH __shared__
#endif
