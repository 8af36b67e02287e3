// Clusters (sm_90): cooperative groups cluster, distributed shared memory, mapa, getctarank, barrier.cluster, registers.
// targets: 90+
// cuda: 12.4+
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void __cluster_dims__(4, 1, 1) distributed(int *out, const int *in)
{
    __shared__ int bins[64];
    auto cluster = cg::this_cluster();
    bins[threadIdx.x] = 0;
    cluster.sync();
    int value = in[blockIdx.x * blockDim.x + threadIdx.x];
    int *remote = cluster.map_shared_rank(bins, value / 64 % cluster.num_blocks());
    atomicAdd(remote + value % 64, 1);
    auto token = cluster.barrier_arrive();
    out[1] = cluster.query_shared_rank(remote) + cluster.thread_rank();
    cluster.barrier_wait(cg::cluster_group::arrival_token(token));
    out[threadIdx.x + cluster.block_rank() * 64] = bins[threadIdx.x] + cluster.block_index().x + cluster.dim_threads().y;
}
#define R(name) asm volatile("mov.u32 %0, %%" name ";" : "=r"(out[n++]));
extern "C" __global__ void in_asm(unsigned *out, unsigned long long *wide)
{
    __shared__ unsigned word;
    int n = 0;
    unsigned address = __cvta_generic_to_shared(&word), remote;
    R("clusterid.x") R("clusterid.z") R("nclusterid.y") R("cluster_ctaid.x") R("cluster_nctaid.z") R("cluster_ctarank")
    R("cluster_nctarank") R("aggr_smem_size") R("reserved_smem_offset_begin") R("reserved_smem_offset_1")
    asm volatile("{ .reg .pred p;\n\tmov.pred p, %%is_explicit_cluster;\n\tselp.u32 %0, 1, 0, p; }" : "=r"(out[n++]));
    asm volatile("mapa.shared::cluster.u32 %0, %1, 2;" : "=r"(remote) : "r"(address));
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(wide[0]) : "l"(&word), "r"(n));
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(out[n++]) : "r"(remote));
    asm volatile("getctarank.u64 %0, %1;" : "=r"(out[n++]) : "l"(wide[0]));
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    asm volatile("barrier.cluster.arrive.relaxed;\n\tbarrier.cluster.wait;" ::: "memory");
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(out[n++]) : "r"(remote) : "memory");
    asm volatile("st.shared::cluster.u32 [%0], 7;" ::"r"(remote) : "memory");
    asm volatile("atom.add.shared::cluster.u32 %0, [%1], 1;" : "=r"(out[n++]) : "r"(remote) : "memory");
    asm volatile("red.relaxed.cluster.shared::cta.max.u32 [%0], 9;" ::"r"(address) : "memory");
    asm volatile("atom.acq_rel.cluster.global.add.u32 %0, [%1], 1;" : "=r"(out[n++]) : "l"(out) : "memory");
    asm volatile("{ .reg .pred p;\n\tisspacep.shared::cluster p, %1;\n\t@p isspacep.shared::cta p, %1;\n\tselp.b32 %0, 1, 0, p; }"
                 : "=r"(out[n++]) : "l"(wide[0]));
    asm volatile("{ .reg .pred p;\n\telect.sync _|p, 0xffffffff;\n\t@p st.global.u32 [%0], 5; }" ::"l"(out) : "memory");
}
