// mma.sync in inline assembly: f16, bf16, tf32, f64, int8, int4, single bits, and sparse matrices.
// targets: 80+
#define A4 "{%4, %5, %6, %7}"
#define D4 "{%0, %1, %2, %3}"
#define FLOATS "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
#define WORDS "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
#define IN "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])
#define F(text) asm volatile("mma.sync.aligned." text " " D4 ", " A4 ", {%8, %9}, " D4 ";" : FLOATS : IN);
#define F2(text) asm volatile("mma.sync.aligned." text " " D4 ", {%4, %5}, {%8}, " D4 ";" : FLOATS : IN);
#define I(text) asm volatile("mma.sync.aligned." text " " D4 ", " A4 ", {%8, %9}, " D4 ";" : WORDS : IN);
#define I2(text) asm volatile("mma.sync.aligned." text " " D4 ", {%4, %5}, {%8}, " D4 ";" : WORDS : IN);
#define H(text) asm volatile("mma.sync.aligned." text " {%0, %1}, " A4 ", {%8, %9}, {%2, %3};" : WORDS : IN);
#define SPARSE(text, out) \
    asm volatile("mma.sp" text " " D4 ", " A4 ", {%8, %9, %8, %9}, " D4 ", %4, 0x0;" : out : IN);
#define SPARSE2(text, out) asm volatile("mma.sp" text " " D4 ", {%4, %5}, {%8, %9}, " D4 ", %4, 0x1;" : out : IN);
extern "C" __global__ void all(float *f, unsigned *d, const unsigned *a, const unsigned *b, double *g)
{
    F("m16n8k16.row.col.f32.f16.f16.f32") F("m16n8k16.row.col.f32.bf16.bf16.f32") F("m16n8k8.row.col.f32.tf32.tf32.f32")
    F2("m16n8k8.row.col.f32.f16.f16.f32") F2("m16n8k8.row.col.f32.bf16.bf16.f32") F2("m16n8k4.row.col.f32.tf32.tf32.f32")
    H("m16n8k16.row.col.f16.f16.f16.f16")
    I("m16n8k32.row.col.s32.s8.u8.s32") I("m16n8k32.row.col.satfinite.s32.u8.s8.s32") I2("m16n8k16.row.col.s32.s8.s8.s32")
    I("m16n8k64.row.col.s32.s4.u4.s32") I2("m16n8k32.row.col.satfinite.s32.u4.u4.s32")
    I("m16n8k256.row.col.s32.b1.b1.s32.and.popc") I2("m16n8k128.row.col.s32.b1.b1.s32.xor.popc")
    SPARSE(".sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", FLOATS)
    SPARSE(".sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32", FLOATS)
    SPARSE(".sync.aligned.m16n8k64.row.col.s32.s8.s8.s32", WORDS)
    SPARSE2(".sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", FLOATS)
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(g[0]), "+d"(g[1]) : "d"(g[2]), "d"(g[3]));
}
#if __CUDA_ARCH__ >= 890 && __CUDACC_VER_MAJOR__ >= 13
extern "C" __global__ void eight_bits(float *f, unsigned *d, const unsigned *a, const unsigned *b, double *g)
{
    F("m16n8k32.row.col.f32.e4m3.e5m2.f32") H("m16n8k32.row.col.f16.e4m3.e4m3.f16") F2("m16n8k16.row.col.f32.e5m2.e5m2.f32")
    SPARSE("::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e4m3.e5m2.f32", FLOATS)
}
#endif
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void doubles(double *g)
{
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+d"(g[0]), "+d"(g[1]), "+d"(g[2]), "+d"(g[3]) : "d"(g[4]), "d"(g[5]), "d"(g[6]));
}
#endif
