// mbarrier through cuda::ptx and inline assembly: init, arrive, expect_tx, test_wait, try_wait, phases, inval.
// targets: 90+
// cuda: 12.9+
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void barriers(int *out, unsigned parity)
{
    __shared__ unsigned long long slot;
    auto *bar = (cuda::std::uint64_t *)&slot;
    ptx::mbarrier_init(bar, 32);
    auto state = ptx::mbarrier_arrive(bar);
    state = ptx::mbarrier_arrive_no_complete(bar, 2);
    state = ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar);
    state = ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, bar, 3);
    state = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar, 128);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, bar, 64);
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, bar);
    while (!ptx::mbarrier_try_wait(bar, state)) {}
    while (!ptx::mbarrier_try_wait(bar, state, 1000)) {}
    while (!ptx::mbarrier_try_wait(ptx::sem_acquire, ptx::scope_cluster, bar, state)) {}
    while (!ptx::mbarrier_try_wait_parity(bar, parity)) {}
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, bar, parity, 500)) {}
    out[0] = ptx::mbarrier_test_wait(bar, state) + ptx::mbarrier_test_wait_parity(bar, parity);
    out[1] = ptx::mbarrier_test_wait(ptx::sem_acquire, ptx::scope_cluster, bar, state);
}
extern "C" __global__ void in_asm(int *out, unsigned long long *wide)
{
    __shared__ unsigned long long slot;
    unsigned at = __cvta_generic_to_shared(&slot);
    asm volatile("mbarrier.init.shared.b64 [%0], 5;" ::"r"(at) : "memory");
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(wide[0]) : "r"(at) : "memory");
    asm volatile("mbarrier.arrive.noComplete.shared::cta.b64 %0, [%1], 2;" : "=l"(wide[1]) : "r"(at) : "memory");
    asm volatile("mbarrier.arrive_drop.b64 _, [%0];" ::"l"(&slot) : "memory");
    asm volatile("mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%0], 4;" ::"r"(at) : "memory");
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 256;" ::"r"(at) : "memory");
    asm volatile("mbarrier.complete_tx.shared::cluster.b64 [%0+8], 16;" ::"r"(at) : "memory");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(out[0]) : "l"(wide[0]));
    asm volatile("{\n\t.reg .pred P1;\n\tLAB_WAIT:\n\t"
                 "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 P1, [%0], %1, 0x989680;\n\t"
                 "@P1 bra.uni DONE;\n\tbra.uni LAB_WAIT;\n\tDONE:\n\t}" ::"r"(at), "r"(out[1]) : "memory");
    asm volatile("{\n\t.reg .pred p;\n\tmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
                 : "=r"(out[2]) : "r"(at), "r"(out[1]) : "memory");
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at) : "memory");
}
