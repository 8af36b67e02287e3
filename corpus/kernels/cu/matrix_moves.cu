// Matrix moves: ldmatrix, movmatrix, and from sm_90 on stmatrix; shared addresses in 32 bits.
// targets: 75+
extern "C" __global__ void moves(unsigned *out)
{
    __shared__ __align__(128) unsigned tile[256];
    unsigned at = __cvta_generic_to_shared(tile + threadIdx.x * 4), a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(b), "=r"(c) : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4+512];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
    asm volatile("ldmatrix.sync.aligned.x4.m8n8.trans.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(tile));
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(a) : "r"(b));
    out[0] = a + b + c + d;
#if __CUDA_ARCH__ >= 900
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(at), "r"(a));
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 [%0], {%1, %2};" ::"r"(at), "r"(a), "r"(b));
    asm volatile("stmatrix.sync.aligned.m8n8.x4.b16 [%0], {%1, %2, %3, %4};" ::"l"(tile), "r"(a), "r"(b), "r"(c), "r"(d));
#endif
}
