// Scalar functions of cuda::ptx: bfind, bmsk, prmt, shl, shr, shfl_sync, special registers, exit, trap.
// targets: 90+
// cuda: 13.0+
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void scalars(unsigned *out, unsigned long long *wide, unsigned x, unsigned y, short h)
{
    int n = 0;
    out[n++] = ptx::bfind(x), out[n++] = ptx::bfind_shiftamt((int)x), out[n++] = ptx::bfind(wide[9]);
    out[n++] = ptx::bmsk_clamp(x, y), out[n++] = ptx::bmsk_wrap(x, y), out[n++] = ptx::prmt(x, y, 0x3210u);
    out[n++] = ptx::prmt_b4e(x, y, 1u), out[n++] = ptx::prmt_rc8(x, y, 2u), out[n++] = ptx::prmt_ecr(x, y, 3u);
    out[n++] = ptx::shl(x, y), out[n++] = ptx::shr((int)x, y), out[n++] = ptx::shl(h, 3u), out[n++] = ptx::shr(h, 2u);
    wide[0] = ptx::shr((long long)wide[1], y);
    bool inside;
    out[n++] = ptx::shfl_sync_up(x, inside, 1, 0, ~0u) + inside;
    out[n++] = ptx::shfl_sync_idx(x, 1, 31, ~0u);
    out[n++] = ptx::get_sreg_laneid() + ptx::get_sreg_lanemask_lt() + ptx::get_sreg_smid() + ptx::get_sreg_nctaid_y();
    out[n++] = ptx::get_sreg_cluster_ctarank() + ptx::get_sreg_is_explicit_cluster() + ptx::get_sreg_clock();
    wide[2] = ptx::get_sreg_globaltimer() + ptx::get_sreg_clock64() + ptx::get_sreg_gridid();
    out[n++] = ptx::elect_sync(~0u);
    out[n++] = ptx::getctarank(ptx::space_cluster, out);
    ptx::barrier_cluster_arrive(ptx::sem_release);
    ptx::barrier_cluster_wait(ptx::sem_acquire);
    ptx::fence(ptx::sem_sc, ptx::scope_gpu), ptx::fence(ptx::sem_acq_rel, ptx::scope_cluster), ptx::fence_proxy_alias();
    ptx::prefetch_L1(out), ptx::prefetch_L2_evict_last(out), ptx::prefetch_tensormap(out);
    if (x == 3) ptx::exit();
    if (x == 4) ptx::trap();
}
