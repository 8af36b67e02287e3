// tcgen05 of the sm_100 family through cuda::ptx: allocation, loads, stores, copies, products, commits, fences.
// targets: 100a 100f 103a 110a
// cuda: 12.9+
#include <cuda/ptx>
namespace ptx = cuda::ptx;
using u32 = cuda::std::uint32_t;
using u64 = cuda::std::uint64_t;
extern "C" __global__ void products(u64 a, u64 b, u32 shape, bool more, u32 *out)
{
    __shared__ u32 base;
    __shared__ u64 bar;
    ptx::tcgen05_alloc(ptx::cta_group_1, &base, 128);
    ptx::tcgen05_relinquish_alloc_permit(ptx::cta_group_1);
    u32 at = base, mask[4] = {1, 2, 3, 4};
    ptx::tcgen05_cp_128x256b(ptx::cta_group_1, at, a);
    ptx::tcgen05_cp_4x256b(ptx::cta_group_2, at, a);
    ptx::tcgen05_cp_64x128b_warpx2_02_13(ptx::cta_group_1, at, a);
    ptx::tcgen05_cp_32x128b_warpx4_b8x16_b4x16_p64(ptx::cta_group_1, at, a);
#ifdef __CUDA_ARCH_SPECIFIC__
    ptx::tcgen05_shift_down(ptx::cta_group_1, at);
#endif
#if __CUDA_ARCH__ < 1100
    ptx::tcgen05_mma(ptx::kind_f16, ptx::cta_group_1, at, a, b, shape, more, ptx::n32_t<3>{});
    ptx::tcgen05_mma(ptx::kind_tf32, ptx::cta_group_1, at, a, b, shape, mask, more, ptx::n32_t<15>{});
    ptx::tcgen05_mma_tmem_a(ptx::kind_f16, ptx::cta_group_2, at, at + 64, b, shape, more, ptx::n32_t<1>{});
#endif
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %4, 0;\n\t"
                 "tcgen05.mma.cta_group::2.kind::f8f6f4 [%0], %1, %2, %3, {%5, %5, %5, %5, %5, %5, %5, %5}, p;\n\t"
                 "tcgen05.mma.cta_group::1.kind::f16 [%0], [%0], %2, %3, p;\n\t"
                 "tcgen05.mma.cta_group::1.kind::f8f6f4.collector::a::lastuse [%0], %1, %2, %3, !p;\n\t}"
                 ::"r"(at), "l"(a), "l"(b), "r"(shape), "r"((u32)more), "r"(mask[0]) : "memory");
#ifdef __CUDA_ARCH_SPECIFIC__
    ptx::tcgen05_mma_block_scale_vec_1x(ptx::kind_mxf8f6f4, ptx::cta_group_1, at, a, b, shape, at + 1, at + 2, more);
    ptx::tcgen05_mma_block_scale_vec_2x(ptx::kind_mxf4, ptx::cta_group_1, at, a, b, shape, at + 1, at + 2, more);
#endif
    ptx::tcgen05_mma_ws_collector_b0_fill(ptx::cta_group_1, ptx::kind_f16, at, a, b, shape, more);
    ptx::tcgen05_commit(ptx::cta_group_1, &bar);
    ptx::tcgen05_commit_multicast(ptx::cta_group_2, &bar, 3);
    ptx::tcgen05_fence_before_thread_sync();
    ptx::tcgen05_fence_after_thread_sync();
    ptx::tcgen05_dealloc(ptx::cta_group_1, at, 128);
}
extern "C" __global__ void moves(u32 at, u32 *out)
{
    u32 one[1], four[4], sixteen[16], many[64];
    ptx::tcgen05_ld_16x64b(one, at);
    ptx::tcgen05_ld_32x32b(four, at);
    ptx::tcgen05_ld_16x256b(sixteen, at);
    ptx::tcgen05_ld_32x32b(many, at);
    ptx::tcgen05_ld_16x128b_pack_16b(four, at + 8);
    ptx::tcgen05_ld_16x32bx2(four, at, ptx::n32_t<2>{});
    ptx::tcgen05_wait_ld();
    ptx::tcgen05_st_16x64b(at, one);
    ptx::tcgen05_st_32x32b_unpack_16b(at, four);
    ptx::tcgen05_st_16x256b(at + 4, sixteen);
    ptx::tcgen05_st_32x32b(at + 8, many);
    ptx::tcgen05_wait_st();
    out[0] = one[0] + four[1] + sixteen[7] + many[63];
}
