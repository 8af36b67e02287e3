// The other video instructions: pairs and quads of add, sub, average, min, max, set, with masks, selectors and accumulation.
// targets: 50+
#define V(text) asm(text " %0, %1, %2, %3;" : "=r"(out[n++]) : "r"(x), "r"(y), "r"(z));
#define M(op, mask, a, b) asm(op " %0." mask ", %1." a ", %2." b ", %3;" : "=r"(out[n++]) : "r"(x), "r"(y), "r"(z));
extern "C" __global__ void pairs(int *out, int x, int y, int z)
{
    int n = 0;
    V("vadd2.u32.s32.u32.sat") V("vsub2.s32.s32.s32") V("vsub2.u32.u32.u32.add") V("vavrg2.s32.s32.s32") V("vavrg2.u32.u32.u32.add")
    V("vmin2.s32.s32.s32.sat") V("vmin2.u32.u32.s32.add") V("vmax2.u32.u32.u32") V("vset2.u32.s32.lt") V("vset2.s32.s32.ge.add")
    M("vadd2.s32.s32.s32", "h1", "h32", "h10") M("vsub2.u32.s32.u32.sat", "h0", "h13", "h20") M("vset2.u32.u32.eq", "h10", "h30", "h21")
}
extern "C" __global__ void quads(int *out, int x, int y, int z)
{
    int n = 0;
    V("vadd4.u32.u32.u32.sat") V("vadd4.s32.s32.u32.add") V("vsub4.s32.s32.s32.sat") V("vsub4.u32.u32.u32.add") V("vavrg4.s32.u32.s32")
    V("vmin4.s32.s32.s32") V("vmin4.u32.u32.u32.add") V("vmax4.u32.s32.u32.sat") V("vmax4.s32.s32.s32.add") V("vset4.s32.u32.gt.add")
    M("vadd4.u32.u32.u32", "b3", "b7654", "b3210") M("vabsdiff4.u32.s32.u32.sat", "b20", "b0123", "b4567") M("vmax4.u32.u32.u32", "b310", "b7070", "b3333")
}
