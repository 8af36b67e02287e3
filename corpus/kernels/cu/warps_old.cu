// Shuffles and votes without .sync in inline assembly, for targets before sm_70.
// targets: 50-62
// cuda: 11.8+
extern "C" __global__ void old(int *out, int x, int y)
{
    asm volatile("shfl.idx.b32 %0, %1, %2, 0x1f;" : "=r"(out[0]) : "r"(x), "r"(y));
    asm volatile("{ .reg .pred p;\n\tshfl.bfly.b32 %0|p, %1, 7, 31;\n\t@!p mov.b32 %0, 0; }" : "=r"(out[1]) : "r"(x));
    asm volatile("{ .reg .pred p;\n\tsetp.eq.s32 p, %1, 3;\n\tvote.all.pred p, p;\n\tvote.ballot.b32 %0, !p; }"
                 : "=r"(out[2]) : "r"(x));
}
