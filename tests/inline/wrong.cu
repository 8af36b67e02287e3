__device__ void wrong(unsigned x, unsigned y, float f, unsigned long long at) {
    asm("mvo.u32 %0, %1;" : "=r"(x) : "r"(y));
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 "setp.lt.u32 q, %1, %2;\n\t"
                 "}" : "=r"(x) : "r"(x), "r"(y));
    asm("add.f32 %0, %1, %2;" : "=f"(f) : "f"(f), "l"(at));
    asm("add.u32 %0, %1, %3;" : "=r"(x) : "r"(x), "r"(y));
    asm("add.u32 %0, %1, %2" : "=r"(x) : "r"(x), "r"(y));
    asm("ld.relaxed.global.u32 %0, [%1];" : "=r"(x) : "l"(at));
    asm("cp.async.wait_group %0;" :: "n"(-2));
    asm("mov.u32 %0, 1 // no end of the line, so that the semicolon is in a comment;" : "=r"(x));
    asm("red.acq_rel.gpu.global.or.b32 [%0], %1;" :: "l"(at), "r"(x));
}
