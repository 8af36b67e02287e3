// The tensor memory accelerator (sm_90) through cuda::ptx: bulk and tensor copies, reductions, prefetches, groups.
// targets: 90+
// cuda: 12.9+
#include <cuda/ptx>
namespace ptx = cuda::ptx;
using u16 = cuda::std::uint16_t;
using u64 = cuda::std::uint64_t;
extern "C" __global__ void bulk(void *global, int *ints, double *doubles, unsigned size)
{
    __shared__ alignas(128) char buffer[1024];
    __shared__ u64 bar;
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, buffer, global, size, &bar);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, buffer, buffer, size, &bar);
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, global, buffer, size);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, ints, (int *)buffer, size);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, doubles, (double *)buffer, size);
    ptx::cp_reduce_async_bulk(ptx::space_cluster, ptx::space_shared, ptx::op_xor_op, (int *)buffer, (int *)buffer, size, &bar);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<2>{});
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    ptx::fence_proxy_async(ptx::space_shared);
}
extern "C" __global__ void tensors(const __grid_constant__ char4 dummy, const void *map, int x, int y, int z)
{
    __shared__ alignas(128) char buffer[4096];
    __shared__ u64 bar;
    const int c1[1] = {x}, c2[2] = {x, y}, c3[3] = {x, y, z}, c4[4] = {x, y, z, 0}, c5[5] = {x, y, z, 0, 1};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, buffer, map, c1, &bar);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, buffer, map, c3, &bar);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, buffer, map, c5, &bar);
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, c2, buffer);
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, c4, buffer);
    ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, map, c2, buffer);
    ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_or_op, map, c3, buffer);
    unsigned to = __cvta_generic_to_shared(buffer), gate = __cvta_generic_to_shared(&bar);
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4, %2}], [%5], {%6, %7};" ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(z), "r"(gate),
                 "h"((u16)1), "h"((u16)2) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
                 "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(gate), "l"(0x14F0000000000000) : "memory");
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(map), "r"(x), "r"(y));
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], 256;" ::"l"(map));
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group.L2::cache_hint [%0, {%1, %2, %3}], [%4], %5;"
                 ::"l"(map), "r"(x), "r"(y), "r"(z), "r"(to), "l"((u64)x) : "memory");
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.s32 [%0], {%1, %2}, [%3];" ::"r"(to), "r"(x), "r"(y), "r"(gate) : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [%0], %1, [%2];" ::"r"(to), "r"(x), "r"(gate) : "memory");
}
