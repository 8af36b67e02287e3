// Tensor cores through nvcuda::wmma: half, bf16, tf32, double, int8, int4 and single bits, all layouts.
// targets: 80+
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda::wmma;
template <int M, int N, int K, class In, class Out, class LayoutA, class LayoutB, class Element>
__device__ void multiply(Out *c, const Element *a, const Element *b, layout_t order)
{
    fragment<matrix_a, M, N, K, In, LayoutA> left;
    fragment<matrix_b, M, N, K, In, LayoutB> right;
    fragment<accumulator, M, N, K, Out> sum, first;
    load_matrix_sync(left, a, 64);
    load_matrix_sync(right, b, 64);
    load_matrix_sync(first, c, 64, order);
    mma_sync(sum, left, right, first);
    store_matrix_sync(c, sum, 64, order);
}
extern "C" __global__ void floats(float *f, __half *h, __nv_bfloat16 *b, double *d)
{
    multiply<16, 16, 16, __half, float, row_major, col_major>(f, h, h + 256, mem_row_major);
    multiply<16, 16, 16, __half, __half, col_major, row_major>(h, h + 512, h + 256, mem_col_major);
    multiply<32, 8, 16, __half, float, row_major, row_major>(f, h, h + 256, mem_col_major);
    multiply<8, 32, 16, __half, __half, col_major, col_major>(h, h, h + 256, mem_row_major);
    multiply<16, 16, 16, __nv_bfloat16, float, row_major, col_major>(f, b, b + 256, mem_row_major);
    multiply<16, 16, 8, precision::tf32, float, row_major, col_major>(f, f + 512, f + 256, mem_row_major);
    multiply<8, 8, 4, double, double, row_major, col_major>(d, d + 512, d + 256, mem_col_major);
}
extern "C" __global__ void integers(int *i, signed char *s, unsigned char *u)
{
    multiply<16, 16, 16, signed char, int, row_major, col_major>(i, s, s + 256, mem_row_major);
    multiply<8, 32, 16, unsigned char, int, col_major, row_major>(i, u, u + 256, mem_col_major);
}
#if __CUDA_ARCH__ < 900
extern "C" __global__ void narrow(int *i, int *words)
{
    multiply<8, 8, 32, experimental::precision::s4, int, row_major, col_major>(i, words, words + 99, mem_row_major);
    multiply<8, 8, 32, experimental::precision::u4, int, row_major, col_major>(i, words, words + 99, mem_row_major);
    fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> left;
    fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> right;
    fragment<accumulator, 8, 8, 128, int> sum;
    load_matrix_sync(left, words, 128);
    load_matrix_sync(right, words + 64, 128);
    fill_fragment(sum, 0);
    bmma_sync(sum, left, right, sum, experimental::bmmaBitOpXOR);
    bmma_sync(sum, left, right, sum, experimental::bmmaBitOpAND);
    store_matrix_sync(i, sum, 8, mem_row_major);
}
#endif
