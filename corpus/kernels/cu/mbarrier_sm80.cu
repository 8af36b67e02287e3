// mbarrier as sm_80 has it: init, arrive, drop, test_wait with a state, pending count, inval, and awbarrier functions.
// targets: 80+
#include <cuda_awbarrier.h>
extern "C" __global__ void plain(int *out, unsigned long long *wide)
{
    __shared__ __align__(8) unsigned long long slot;
    unsigned at = __cvta_generic_to_shared(&slot);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x) : "memory");
    __syncthreads();
    asm volatile("{\n\t.reg .b64 state;\n\t.reg .pred done;\n\t"
                 "mbarrier.arrive.shared.b64 state, [%0];\n\t"
                 "AGAIN_%=:\n\tmbarrier.test_wait.shared.b64 done, [%0], state;\n\t@!done bra AGAIN_%=;\n\t}" ::"r"(at) : "memory");
    asm volatile("mbarrier.arrive.noComplete.b64 %0, [%1], 1;" : "=l"(wide[0]) : "l"(&slot) : "memory");
    asm volatile("mbarrier.arrive_drop.noComplete.shared.b64 %0, [%1], 3;" : "=l"(wide[1]) : "r"(at) : "memory");
    asm volatile("mbarrier.arrive_drop.b64 %0, [%1];" : "=l"(wide[2]) : "l"(&slot) : "memory");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(out[0]) : "l"(wide[0]));
    asm volatile("mbarrier.inval.b64 [%0];" ::"l"(&slot) : "memory");
}
extern "C" __global__ void functions(unsigned *out)
{
    __shared__ __mbarrier_t barrier;
    __mbarrier_init(&barrier, 64);
    auto token = __mbarrier_arrive(&barrier);
    while (!__mbarrier_test_wait(&barrier, token)) {}
    token = __mbarrier_arrive_and_drop(&barrier);
    out[0] = __mbarrier_token_pending_count(token);
    __mbarrier_inval(&barrier);
}
