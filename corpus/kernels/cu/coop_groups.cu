// Cooperative groups: blocks, tiles, coalesced groups, reductions, scans, partitions, a grid barrier.
// targets: 70+
// cuda: 12.4+
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void groups(int *out, float *f)
{
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    auto small = cg::tiled_partition<4>(tile);
    out[0] = cg::reduce(tile, out[block.thread_rank()], cg::plus<int>());
    f[0] = cg::reduce(small, f[tile.thread_rank()], cg::greater<float>());
    out[1] = cg::inclusive_scan(tile, out[2]) + cg::exclusive_scan(small, out[3], cg::bit_or<int>());
    out[4] = tile.shfl(out[5], 3) + tile.shfl_down(out[6], 1) + small.any(out[7]) + tile.ballot(out[8]);
    out[9] = tile.match_any(out[10]) + tile.meta_group_rank() + small.size();
    block.sync();
    if (out[11] > 3) {
        auto active = cg::coalesced_threads();
        out[12] = cg::reduce(active, out[13], cg::bit_xor<int>()) + active.thread_rank();
        active.sync();
        if (active.thread_rank() == 0) atomicAdd(out + 14, active.size());
    }
    auto parts = cg::binary_partition(tile, bool(out[15] & 1));
    out[16] = parts.size() + cg::labeled_partition(tile, out[17]).thread_rank();
}
extern "C" __global__ void whole(int *out)
{
    auto grid = cg::this_grid();
    out[grid.thread_rank()] = grid.size();
    grid.sync();
    out[grid.size() + grid.thread_rank()] = grid.block_rank() + cg::this_thread_block().group_index().y;
}
