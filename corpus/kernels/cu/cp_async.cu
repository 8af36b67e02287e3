// cp.async in inline assembly and __pipeline_memcpy_async: sizes, hints, zero fill, groups, mbarrier arrivals.
// targets: 80+
#include <cuda_pipeline.h>
extern "C" __global__ void copies(float *out, const float *in, int valid, long long policy)
{
    __shared__ __align__(128) float buffer[512];
    __shared__ unsigned long long barrier;
    unsigned to = __cvta_generic_to_shared(buffer), gate = __cvta_generic_to_shared(&barrier);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in));
    asm volatile("cp.async.ca.shared.global.L2::128B [%0+16], [%1+32], 8, %2;" ::"r"(to), "l"(in), "r"(valid));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + 64), "l"(in + 16));
    asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16, 12;" ::"r"(to + 80), "l"(in + 20));
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(to + 96), "l"(in + 24), "l"(policy));
    asm volatile("{ .reg .pred p;\n\tsetp.eq.s32 p, %2, 0;\n\tcp.async.ca.shared.global [%0], [%1], 4, p; }" ::"r"(to), "l"(in), "r"(valid));
    asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 1;\n\tcp.async.wait_all;" ::: "memory");
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(gate) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.b64 [%0];" ::"l"(&barrier) : "memory");
    __pipeline_memcpy_async(buffer + threadIdx.x * 4, in + threadIdx.x * 4, 16, 4);
    __pipeline_memcpy_async(buffer + 256 + threadIdx.x, in + threadIdx.x, 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __pipeline_wait_prior(0);
    out[threadIdx.x] = buffer[threadIdx.x ^ 3];
}
