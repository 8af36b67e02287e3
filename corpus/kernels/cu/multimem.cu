// multimem of sm_90: reducing loads, reductions and stores on multicast addresses.
// targets: 90+
// cuda: 12.9+
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void multicast(unsigned *u, long long *l, float *f, double *d)
{
    u[0] = ptx::multimem_ld_reduce(ptx::sem_weak, ptx::op_min, u + 1);
    u[2] = ptx::multimem_ld_reduce(ptx::sem_acquire, ptx::scope_gpu, ptx::op_and_op, u + 3);
    l[0] = ptx::multimem_ld_reduce(ptx::sem_relaxed, ptx::scope_sys, ptx::op_max, (cuda::std::int64_t *)l + 1);
    ptx::multimem_red(ptx::sem_release, ptx::scope_cluster, ptx::op_add, u, 7u);
    ptx::multimem_red(ptx::sem_relaxed, ptx::scope_cta, ptx::op_xor_op, u, 7u);
    ptx::multimem_st(ptx::sem_weak, u + 4, 5u);
    ptx::multimem_st(ptx::sem_release, ptx::scope_sys, l + 4, 5ll);
    float x, y, z, w;
    asm volatile("multimem.ld_reduce.relaxed.gpu.global.add.f32 %0, [%1];" : "=f"(x) : "l"(f) : "memory");
    asm volatile("multimem.ld_reduce.weak.global.add.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(f) : "memory");
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.acc::f32.v4.bf16x2 {%0, %1, %2, %3}, [%4];"
                 : "=r"(u[5]), "=r"(u[6]), "=r"(u[7]), "=r"(u[8]) : "l"(f) : "memory");
    asm volatile("multimem.ld_reduce.global.max.v2.f16x2 {%0, %1}, [%2];" : "=r"(u[5]), "=r"(u[6]) : "l"(f) : "memory");
    asm volatile("multimem.red.relaxed.sys.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(f + 4), "f"(x), "f"(y), "f"(z), "f"(w) : "memory");
    asm volatile("multimem.red.release.gpu.global.add.f64 [%0], %1;" ::"l"(d), "d"(d[1]) : "memory");
    asm volatile("multimem.st.relaxed.sys.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(f + 8), "f"(x), "f"(y), "f"(z), "f"(w) : "memory");
    asm volatile("multimem.st.weak.global.v2.bf16x2 [%0], {%1, %2};" ::"l"(f + 8), "r"(u[5]), "r"(u[6]) : "memory");
}
