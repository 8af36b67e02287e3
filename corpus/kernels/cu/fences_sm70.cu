// Fences, loads and stores with orders, as sm_70 has them, and the mutual exclusion of two threads.
// targets: 70+
extern "C" __global__ void dekker(int *flags, int *turn, int *data)
{
    int me = threadIdx.x & 1, other;
    asm volatile("st.relaxed.gpu.global.s32 [%0], 1;" ::"l"(flags + me) : "memory");
    asm volatile("fence.sc.gpu;" ::: "memory");
    do {
        asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(other) : "l"(flags + 1 - me) : "memory");
    } while (other && *(volatile int *)turn != me);
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    data[0]++;
    asm volatile("st.release.gpu.s32 [%0], 0;" ::"l"(flags + me) : "memory");
    asm volatile("ld.acquire.sys.s32 %0, [%1];" : "=r"(other) : "l"(turn) : "memory");
    asm volatile("ld.relaxed.cta.v2.u32 {%0, %1}, [%2];" : "=r"(other), "=r"(me) : "l"(data) : "memory");
    asm volatile("ld.volatile.v4.s32 {%0, _, %1, _}, [%2];" : "=r"(other), "=r"(me) : "l"(data) : "memory");
    data[1] = other + me;
    asm volatile("st.volatile.b8 [%0], %1;" ::"l"(data), "r"(me) : "memory");
    asm volatile("fence.proxy.alias;" ::: "memory");
}
