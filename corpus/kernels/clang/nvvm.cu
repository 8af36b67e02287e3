// The builtins of NVVM: rounding, approximations, special registers, shuffles, votes, atomics, ldg, fences.
// targets: sm_70 sm_80 sm_90
#include "cuda_min.h"
extern "C" __global__ void floats(float *out, double *d, float x, float y)
{
    int n = 0, m = 0;
    out[n++] = __nvvm_add_rz_f(x, y), out[n++] = __nvvm_add_rp_ftz_f(x, y), out[n++] = __nvvm_mul_rm_f(x, y);
    out[n++] = __nvvm_fma_rn_ftz_f(x, y, x), out[n++] = __nvvm_div_approx_f(x, y), out[n++] = __nvvm_div_rn_f(x, y);
    out[n++] = __nvvm_rcp_rn_f(x), out[n++] = __nvvm_sqrt_rz_f(x), out[n++] = __nvvm_sqrt_approx_f(y);
    out[n++] = __nvvm_rsqrt_approx_ftz_f(x), out[n++] = __nvvm_sin_approx_f(x), out[n++] = __nvvm_cos_approx_ftz_f(y);
    out[n++] = __nvvm_ex2_approx_f(x), out[n++] = __nvvm_lg2_approx_f(y), out[n++] = __nvvm_fabs_f(x);
    out[n++] = __nvvm_floor_f(x), out[n++] = __nvvm_ceil_ftz_f(y), out[n++] = __nvvm_round_f(x), out[n++] = __nvvm_saturate_f(y);
    out[n++] = __nvvm_fmin_f(x, y), out[n++] = __nvvm_fmax_ftz_f(x, y), out[n++] = __nvvm_i2f_rm(n), out[n++] = __nvvm_f2i_rp(x);
    d[m++] = __nvvm_add_rm_d(x, y), d[m++] = __nvvm_fma_rz_d(x, y, x), d[m++] = __nvvm_rcp_approx_ftz_d(x);
    d[m++] = __nvvm_div_rp_d(x, y), d[m++] = __nvvm_sqrt_rn_d(y), d[m++] = __nvvm_d2ll_rn(y), d[m++] = __nvvm_ull2d_rp(m);
    d[m++] = __builtin_fma(x, y, 2.0), d[m++] = __builtin_sqrt(x), out[n++] = __builtin_fmaxf(x, y), out[n++] = __builtin_truncf(x);
}
extern "C" __global__ void warps(int *out, int x)
{
    int n = 0;
    out[n++] = __nvvm_shfl_sync_idx_i32(-1, x, 3, 31), out[n++] = __nvvm_shfl_sync_bfly_i32(-1, x, 1, 31);
    out[n++] = __nvvm_vote_ballot_sync(-1, x > 3), out[n++] = __nvvm_vote_all_sync(-1, x < 9), out[n++] = __nvvm_vote_any_sync(7, x == 1);
    out[n++] = __nvvm_bar0_popc(x), out[n++] = __nvvm_bar0_and(x), out[n++] = __nvvm_bar0_or(x);
    out[n++] = __nvvm_read_ptx_sreg_laneid() + __nvvm_read_ptx_sreg_lanemask_gt() + __nvvm_read_ptx_sreg_smid();
    out[n++] = __nvvm_read_ptx_sreg_clock() + __nvvm_read_ptx_sreg_nctaid_y();
    out[n++] = __nvvm_mulhi_i(x, n), out[n++] = __nvvm_sad_i(x, n, 3), out[n++] = __nvvm_prmt(x, n, 0x5410), out[n++] = __nvvm_mul24_ui(x, 9);
    __nvvm_bar_warp_sync(-1), __nvvm_barrier_sync(2), __nvvm_barrier_sync_cnt(3, 64);
}
extern "C" __global__ void atomics(int *i, unsigned *u, long long *l, float *f, double *d, int x)
{
    i[9] = __atomic_fetch_add(i, x, __ATOMIC_RELAXED), i[10] = __atomic_exchange_n(i + 1, x, __ATOMIC_RELAXED);
    i[11] = __sync_val_compare_and_swap(i + 2, x, 3), u[9] = __nvvm_atom_inc_gen_ui(u, 5), u[10] = __nvvm_atom_dec_gen_ui(u + 1, 5);
    l[9] = __nvvm_atom_max_gen_ll(l, x), f[9] = __nvvm_atom_add_gen_f(f, 1.5f), d[9] = __nvvm_atom_add_gen_d(d, 2.5);
    i[12] = __nvvm_atom_cta_add_gen_i(i + 3, x), i[13] = __nvvm_atom_sys_xor_gen_i(i + 4, x), i[14] = __nvvm_atom_min_gen_i(i + 5, x);
    f[10] = __nvvm_ldg_f(f + 11), i[15] = __nvvm_ldg_i(i + 16), l[10] = __nvvm_ldg_ll(l + 11);
}
#if __clang_major__ >= 19
typedef _Float16 h;
typedef _Float16 h2 __attribute__((ext_vector_type(2)));
extern "C" __global__ void halves(h *out, h2 *pairs, float *f, h x, h y, h2 p)
{
    out[0] = x + y, out[1] = x * y - x, out[2] = x < y ? x : y, out[3] = (h)f[0], f[1] = y, out[4] = x / y;
    pairs[0] = p + pairs[1], pairs[2] = p * pairs[3], pairs[4] = -p;
}
#endif
typedef float f4 __attribute__((ext_vector_type(4)));
typedef int i2 __attribute__((ext_vector_type(2)));
typedef unsigned char c4 __attribute__((ext_vector_type(4)));
extern "C" __global__ void vectors(f4 *f, i2 *i, c4 *c) { f[0] = f[1] * f[2] + f[3].wzyx, i[0] = i[1] + i[2].yx, c[0] = c[1] + c[2]; }
