// Block barriers and fences: __syncthreads and its variants, named barriers, membar.
// targets: 50+
extern "C" __global__ void plain(int *out, int x)
{
    __syncthreads();
    out[0] = __syncthreads_count(x > 3);
    out[1] = __syncthreads_and(x < 9);
    out[2] = __syncthreads_or(x == 5);
    __syncwarp();
    __syncwarp(0xff);
    __threadfence_block();
    __threadfence();
    __threadfence_system();
}
extern "C" __global__ void named(int *out, int x)
{
    asm volatile("bar.sync 1;" ::: "memory");
    asm volatile("bar.sync 2, 64;" ::: "memory");
    asm volatile("bar.sync %0, %1;" ::"r"(x), "r"(x * 32) : "memory");
    asm volatile("bar.arrive 3, 128;" ::: "memory");
    asm volatile("barrier.sync 4;" ::: "memory");
    asm volatile("barrier.sync.aligned 4, %0;" ::"r"(x) : "memory");
    asm volatile("barrier.arrive 5, 96;" ::: "memory");
    asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
    asm volatile("{ .reg .pred p, q;\n\tsetp.gt.s32 p, %1, 4;\n\t"
                 "bar.red.popc.u32 %0, 6, p;\n\tbar.red.and.pred q, 7, 64, !p;\n\tbarrier.red.or.pred p, 8, q;\n\t"
                 "barrier.red.popc.aligned.u32 %0, 9, 32, p;\n\t@q add.s32 %0, %0, 1; }"
                 : "=r"(out[0]) : "r"(x) : "memory");
    asm volatile("membar.cta;\n\tmembar.gl;\n\tmembar.sys;" ::: "memory");
}
