// Loads and stores of cuda::ptx: sizes of 8 to 256 bits, non-coherent, evictions, prefetch sizes, cache policies.
// targets: 100+
// cuda: 13.0+
#include <cuda/ptx>
namespace ptx = cuda::ptx;
template <class T> __device__ void moves(T *out, const T *in, unsigned long long policy)
{
    int n = 0;
    ptx::st(ptx::space_global, out + n++, ptx::ld(ptx::space_global, in + n));
    ptx::st(ptx::space_global, out + n++, ptx::ld_nc(ptx::space_global, in + n));
    ptx::st(ptx::space_global, out + n++, ptx::ld_L2_256B(ptx::space_global, in + n));
    ptx::st(ptx::space_global, out + n++, ptx::ld_L1_evict_last(ptx::space_global, in + n));
    ptx::st(ptx::space_global, out + n++, ptx::ld_nc_L1_no_allocate(ptx::space_global, in + n));
    ptx::st(ptx::space_global, out + n++, ptx::ld_L2_cache_hint(ptx::space_global, in + n, policy));
    ptx::st_L1_evict_first(ptx::space_global, out + n++, in[n]);
    ptx::st_L2_cache_hint(ptx::space_global, out + n++, in[n], policy);
    ptx::st_L1_no_allocate_L2_cache_hint(ptx::space_global, out + n++, in[n], policy);
}
struct alignas(32) Eight
{
    int words[8];
};
extern "C" __global__ void all(char *c, short *s, int *i, double *d, int4 *v, Eight *e, unsigned long long policy)
{
    moves(c, c + 100, policy);
    moves(s, s + 100, policy);
    moves(i, i + 100, policy);
    moves(d, d + 100, policy);
    moves(v, v + 100, policy);
    e[0] = ptx::ld(ptx::space_global, e + 1);
    ptx::st(ptx::space_global, e + 2, e[3]);
}
