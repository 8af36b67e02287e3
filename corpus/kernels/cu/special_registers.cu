// Special registers: positions, sizes, clocks, timers, lane masks, environment, performance counters.
// targets: 60+
#define R32(name) asm volatile("mov.u32 %0, %%" name ";" : "=r"(out[n++]));
#define R64(name) asm volatile("mov.u64 %0, %%" name ";" : "=l"(wide[m++]));
extern "C" __global__ void registers(unsigned *out, unsigned long long *wide)
{
    int n = 0, m = 0;
    R32("tid.x") R32("tid.y") R32("tid.z") R32("ntid.x") R32("ntid.y") R32("ntid.z") R32("ctaid.x") R32("ctaid.y")
    R32("ctaid.z") R32("nctaid.x") R32("nctaid.y") R32("nctaid.z") R32("laneid") R32("warpid") R32("nwarpid")
    R32("smid") R32("nsmid") R32("lanemask_eq") R32("lanemask_le") R32("lanemask_lt") R32("lanemask_ge")
    R32("lanemask_gt") R32("clock") R32("clock_hi") R32("pm0") R32("pm3") R32("pm7") R32("envreg0") R32("envreg31")
    R32("globaltimer_lo") R32("globaltimer_hi") R32("total_smem_size") R32("dynamic_smem_size")
    R64("gridid") R64("clock64") R64("pm0_64") R64("pm7_64") R64("globaltimer")
    asm volatile("mov.u32 %0, WARP_SZ;" : "=r"(out[n++]));
    asm volatile("{ .reg .v4 .u32 t;\n\tmov.v4.u32 t, %%tid;\n\tadd.u32 %0, t.x, t.z; }" : "=r"(out[n++]));
    asm volatile("cvt.u64.u32 %0, %%laneid;" : "=l"(wide[m++]));
}
extern "C" __global__ void functions(long long *out)
{
    out[0] = clock(), out[1] = clock64();
    out[2] = warpSize + gridDim.x * blockIdx.z + blockDim.y * threadIdx.z;
}
