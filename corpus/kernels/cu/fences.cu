// Fences of sm_70 and sm_90: orders, scopes, proxies, and loads and stores with orders.
// targets: 90+
// cuda: 12.9+
extern "C" __global__ void fences(int *p, void *map)
{
    asm volatile("fence.sc.cta;\n\tfence.acq_rel.gpu;\n\tfence.sys;\n\tfence.sc.cluster;\n\tfence.acquire.gpu;" ::: "memory");
    asm volatile("fence.proxy.alias;\n\tfence.proxy.async;\n\tfence.proxy.async.shared::cta;\n\t"
                 "fence.proxy.async.global;\n\tfence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.sys [%0], 128;" ::"l"(map) : "memory");
    asm volatile("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;" ::: "memory");
    asm volatile("fence.acquire.sync_restrict::shared::cluster.cluster;" ::: "memory");
    asm volatile("fence.release.sync_restrict::shared::cta.cluster;" ::: "memory");
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(p[0]) : "l"(p + 1) : "memory");
    asm volatile("ld.relaxed.cluster.global.s32 %0, [%1+4];" : "=r"(p[2]) : "l"(p + 1) : "memory");
    asm volatile("ld.volatile.global.b32 %0, [%1];" : "=r"(p[3]) : "l"(p) : "memory");
    asm volatile("ld.weak.global.u32 %0, [%1];" : "=r"(p[4]) : "l"(p) : "memory");
    asm volatile("ld.mmio.relaxed.sys.global.u32 %0, [%1];" : "=r"(p[5]) : "l"(p) : "memory");
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(p + 6), "r"(p[7]) : "memory");
    asm volatile("st.relaxed.cta.global.v2.b32 [%0], {%1, 3};" ::"l"(p + 8), "r"(p[7]) : "memory");
    asm volatile("st.mmio.relaxed.sys.u32 [%0], 5;" ::"l"(p + 6) : "memory");
}
