// Every statement here is valid, however it is written.
#include <cstdint>
#define HINT ".L2::cache_hint"
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define PAIR(lo, hi, at) \
    asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" \
                 : "=r"(lo), "=r"(hi) /* both */ \
                 : "l"(at))

__device__ void valid(uint64_t at, uint32_t x, float f, double d, short h) {
    uint32_t y;
    asm("add.u32 %0, %1, 3;" : "=r"(y) : "r"(x));
    asm volatile("{\n\t"
                 "  .reg .pred p;\n\t"  // a comment between
                 "  setp.lt.u32 p, %1, %2;\n\t"
                 "  selp.b32 %0, %1, %2, p;\n\t"
                 "}" : "=r"(y) : "r"(x), "n"(1'000));
    asm(R"ptx(
        // a comment of PTX, with a quotation mark: "
        mov.b32 %[to], %[from];
    )ptx" : [to] "=r"(y) : [from] "r"(x));
    asm("mov.u32 %0, %%laneid;" : "=r"(y));
    asm("mov.u32 %0, %laneid;" : "=r"(y));
    asm volatile("bar.sync 0;");
    __asm__ __volatile__("st.global" HINT ".f32 [%0], %1, %2;" :: "l"(at), "f"(f), "l"(at) : "memory");
    asm("cvt.rn.f32.f64 %0, %1;" : "=f"(f) : "d"(d));
    asm("add.s16 %0, %0, %1;" : "+h"(h) : "h"(h));
    asm("add.u32 %0, %0, %1;" : "=r"(y) : "r"(x), "0"(y));
    asm volatile("wgmma.fence.sync.aligned;");       // sm_90a alone
    asm volatile("tcgen05.wait::ld.sync.aligned;");  // sm_100a and its family
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" :: "n"(REGISTERS));
    asm volatile("spin: @%0 bra spin;" :: "b"(true));
    asm volatile("" ::: "memory");
    char c = '"';
#if 0
    asm("this is never read");
#endif
}
