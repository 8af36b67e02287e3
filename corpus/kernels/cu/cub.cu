// Block and warp algorithms of CUB: reduction, scan, radix sort, histogram, shuffle, vectorised loads.
// targets: 75+
// cuda: 12.9+
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
extern "C" __global__ void __launch_bounds__(128) block(int *out, const int *in)
{
    using Load = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_VECTORIZE>;
    using Sort = cub::BlockRadixSort<int, 128, 4>;
    using Scan = cub::BlockScan<int, 128>;
    using Reduce = cub::BlockReduce<int, 128>;
    __shared__ union { Load::TempStorage load; Sort::TempStorage sort; Scan::TempStorage scan; Reduce::TempStorage reduce; } room;
    int items[4], total;
    Load(room.load).Load(in, items);
    __syncthreads();
    Sort(room.sort).Sort(items);
    __syncthreads();
    Scan(room.scan).InclusiveSum(items, items, total);
    __syncthreads();
    int most = Reduce(room.reduce).Sum(items[0] ^ total);
    cub::StoreDirectBlockedVectorized(threadIdx.x, out, items);
    if (threadIdx.x == 0) out[512] = most;
}
extern "C" __global__ void __launch_bounds__(64) warp(double *out, const double *in, unsigned char *bytes, unsigned *counts)
{
    using Reduce = cub::WarpReduce<double>;
    using Histogram = cub::BlockHistogram<unsigned char, 64, 2, 256>;
    __shared__ Reduce::TempStorage room[2];
    __shared__ Histogram::TempStorage bins;
    double sum = Reduce(room[threadIdx.x / 32]).Sum(in[threadIdx.x]);
    unsigned char mine[2] = {bytes[threadIdx.x], bytes[threadIdx.x + 64]};
    Histogram(bins).Histogram(mine, counts);
    if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = sum;
}
