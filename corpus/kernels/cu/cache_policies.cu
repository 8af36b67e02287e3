// L2 policies and priorities (sm_75 to sm_80): createpolicy, cache hints, eviction, prefetch sizes, discard.
// targets: 80+
extern "C" __global__ void policies(float *out, const float *in, int n)
{
    unsigned long long keep, stream, mixed, range, converted;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
    asm("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(stream));
    asm("createpolicy.fractional.L2::evict_normal.L2::evict_unchanged.b64 %0, 0.25;" : "=l"(mixed));
    asm("createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %0, [%1], %2, 65536;"
        : "=l"(range) : "l"(in), "r"(n));
    asm("createpolicy.cvt.L2.b64 %0, 0x1073741824;" : "=l"(converted));
    float x, y, z, w;
    asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(x) : "l"(in), "l"(keep));
    asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.L2::256B.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(in), "l"(stream));
    asm volatile("ld.global.L1::evict_last.L2::128B.f32 %0, [%1];" : "=f"(y) : "l"(in + 1));
    asm volatile("ld.global.L1::evict_first.L2::64B.v2.f32 {%0, %1}, [%2+8];" : "=f"(z), "=f"(w) : "l"(in));
    asm volatile("ld.global.nc.L1::evict_unchanged.f32 %0, [%1];" : "=f"(x) : "l"(in));
    asm volatile("st.global.L1::no_allocate.L2::cache_hint.v2.f32 [%0], {%1, %2}, %3;" ::"l"(out), "f"(x), "f"(y), "l"(mixed));
    asm volatile("st.global.L2::cache_hint.f32 [%0], %1, %2;" ::"l"(out + 4), "f"(z), "l"(range + converted));
    asm volatile("st.global.L1::evict_normal.f32 [%0], %1;" ::"l"(out + 5), "f"(w));
    asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(in));
    asm volatile("prefetch.global.L2::evict_normal [%0];" ::"l"(in));
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(out));
    asm volatile("discard.global.L2 [%0+128], 128;" ::"l"(out));
    asm volatile("discard.L2 [%0], 128;" ::"l"(out));
}
