// Warp intrinsics: shuffles of all types, votes, matches, active mask, lane registers.
// targets: 70+
extern "C" __global__ void shuffles(int *i, unsigned long long *l, float *f, double *d, int lane)
{
    unsigned mask = __activemask();
    i[0] = __shfl_sync(mask, i[1], lane), i[2] = __shfl_up_sync(mask, i[3], 2, 8);
    i[4] = __shfl_down_sync(~0u, i[5], 1), i[6] = __shfl_xor_sync(~0u, i[7], 16, 32);
    l[0] = __shfl_sync(mask, l[1], 5, 4), f[0] = __shfl_down_sync(mask, f[1], lane), d[0] = __shfl_xor_sync(mask, d[1], 3);
}
extern "C" __global__ void votes(int *out, int x, unsigned long long wide)
{
    int whole;
    out[0] = __all_sync(~0u, x > 2), out[1] = __any_sync(0xffff, x < 3), out[2] = __ballot_sync(~0u, x & 1);
    out[3] = __uni_sync(~0u, x == 8), out[4] = __match_any_sync(~0u, x), out[5] = __match_all_sync(~0u, wide, &whole);
    out[6] = whole, out[7] = __match_any_sync(~0u, wide), out[8] = __match_all_sync(7, x, &whole) + whole;
}
extern "C" __global__ void in_asm(int *out, int x, int y)
{
    asm volatile("{ .reg .pred p;\n\tshfl.sync.up.b32 %0|p, %1, %2, 0, -1;\n\t@p add.s32 %0, %0, %1; }"
                 : "=r"(out[0]) : "r"(x), "r"(y));
    asm volatile("{ .reg .pred p, q;\n\tsetp.ne.s32 p, %1, 0;\n\tvote.sync.any.pred q, !p, -1;\n\t"
                 "vote.sync.ballot.b32 %0, q, %2;\n\t@!q bra DONE;\n\tvote.sync.uni.pred q, p, 0xf;\n\t"
                 "selp.b32 %0, 1, 2, q;\nDONE:\n\t}"
                 : "=r"(out[1]) : "r"(x), "r"(y));
    asm volatile("{ .reg .pred p;\n\tmatch.all.sync.b32 %0|p, %1, %2;\n\tmatch.any.sync.b64 %0, %3, -1; }"
                 : "=r"(out[2]) : "r"(x), "r"(y), "l"((long long)x));
    asm volatile("shfl.sync.idx.b32 %0, %1, 3, 0x1f, %2;" : "=r"(out[3]) : "r"(x), "r"(y));
    asm volatile("activemask.b32 %0;" : "=r"(out[4]));
    asm volatile("bar.warp.sync %0;" ::"r"(y));
}
extern "C" __global__ void scan(int *data)
{
    int x = data[threadIdx.x], lane = threadIdx.x % 32;
    for (int by = 1; by < 32; by *= 2) {
        int other = __shfl_up_sync(~0u, x, by);
        if (lane >= by) x += other;
    }
    data[threadIdx.x] = x;
}
