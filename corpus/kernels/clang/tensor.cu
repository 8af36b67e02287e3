// Tensor cores through clang's builtins, cp.async, and sm_80 reductions.
// targets: sm_80 sm_90
// clang: 19+
#include "cuda_min.h"
extern "C" __global__ void product(float *c, const int *a, const int *b, int *s)
{
    int x[8], y[8];
    float d[8];
    __hmma_m16n16k16_ld_a(x, a, 64, 0);
    __hmma_m16n16k16_ld_b(y, b, 64, 1);
    __hmma_m16n16k16_ld_c_f32(d, c, 64, 0);
    __hmma_m16n16k16_mma_f32f32(d, x, y, d, 1, 0);
    __hmma_m16n16k16_st_c_f32(c, d, 64, 1);
    __imma_m8n32k16_ld_a_s8(x, a, 64, 0);
    __imma_m8n32k16_ld_b_s8(y, b, 64, 1);
    int e[8] = {};
    __imma_m8n32k16_mma_s8(e, x, y, e, 1, 1);
    __imma_m8n32k16_st_c_i32(s, e, 64, 0);
    s[99] = __nvvm_redux_sync_add(s[98], -1) + __nvvm_redux_sync_umax(s[97], 7);
    __nvvm_cp_async_commit_group(), __nvvm_cp_async_wait_group(1), __nvvm_cp_async_wait_all();
}
