// What only sm_90a and the sm_100 families can: multicast, tensormap.replace, setmaxnreg, gather and scatter.
// targets: 90a 100a 100f 103a 110a 120a
// cuda: 12.9+
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void features(void *map, void *global, int x, int y)
{
    __shared__ alignas(128) char buffer[4096];
    __shared__ cuda::std::uint64_t bar;
    const int c2[2] = {x, y};
    ptx::tensormap_replace_global_address(ptx::space_shared, buffer, global);
    ptx::tensormap_replace_rank(ptx::space_shared, buffer, 3);
    ptx::tensormap_replace_box_dim(ptx::space_shared, buffer, ptx::n32_t<1>{}, x);
    ptx::tensormap_replace_global_dim(ptx::space_global, map, ptx::n32_t<0>{}, y);
    ptx::tensormap_replace_global_stride(ptx::space_shared, buffer, ptx::n32_t<2>{}, 64ull);
    ptx::tensormap_replace_elemtype(ptx::space_shared, buffer, ptx::n32_t<7>{});
    ptx::tensormap_replace_swizzle_mode(ptx::space_shared, buffer, ptx::n32_t<3>{});
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, map, buffer, ptx::n32_t<128>{});
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, map, ptx::n32_t<128>{});
#if !(__CUDA_ARCH__ >= 1200)
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, buffer, global, 64, &bar, 3);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, buffer, map, c2, &bar, 3);
#endif
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
}
#if __CUDA_ARCH__ >= 1000
extern "C" __global__ void blackwell(void *map, int x, unsigned *out)
{
    __shared__ alignas(128) char buffer[4096];
    __shared__ cuda::std::uint64_t bar;
    const int row[5] = {x, x + 1, x + 5, x + 7, x + 9};
    (void)row, (void)bar;
#if __CUDA_ARCH__ < 1200
    ptx::cp_async_bulk_tensor_tile_gather4(ptx::space_cluster, ptx::space_global, buffer, map, row, &bar, 1);
    ptx::cp_async_bulk_tensor_tile_scatter4(ptx::space_global, ptx::space_shared, map, row, buffer);
#if __CUDA_ARCH__ < 1100
    float least;
    asm volatile("redux.sync.min.abs.NaN.f32 %0, %1, -1;" : "=f"(least) : "f"((float)x));
    out[0] = least;
#endif
#endif
}
#endif
