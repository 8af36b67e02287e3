#define TYPE ".f32"
#ifdef WIDE
#define POINTER "l"
#else
#define POINTER "r"
#endif
#define LOAD(type, to, at) asm("ld.global" #type " %0, [%1];" : "=r"(to) : "l"(at))
__device__ void skipped(unsigned x, float f) {
    asm("add" TYPE " %0, %0, %0;" : "+f"(f));
    asm("ld.u32 %0, [%1];" : "=r"(x) : POINTER(&x));
    asm("add" SUFFIX " %0, %0, %0;" : "+f"(f));
    asm(make_text("add"));
    asm volatile("add.u32 %0, %0, "
#if X
                 "1;"
#else
                 "2;"
#endif
                 : "+r"(x));
    asm("mul%1 %0, %0, %0;" : "+f"(f) : "C"(rounding));
    asm volatile("{");
    asm volatile("}");
    asm volatile(".reg .u32 %shared_by_two;");
    asm volatile("mov.u32 %shared_by_two, %0;" :: "r"(x));
}
inline void host() {
    int a;
    asm volatile("cpuid" : "=a"(a));
    asm volatile("mov %0, %%rsp;" : "=r"(a));
    __asm__ volatile("dmb ish" ::: "memory");
}
