// mma.sync with block scales and the narrow kinds of sm_120a: mxf8f6f4, mxf4, mxf4nvf4.
// targets: 120a 121a 120f
// cuda: 12.9+
extern "C" __global__ void scaled(float *f, const unsigned *a, const unsigned *b, unsigned sa, unsigned sb)
{
#define OUT "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
#define IN "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])
#define PLAIN(text) \
    asm volatile("mma.sync.aligned." text " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : OUT : IN);
#define SCALED(text, i, j)                                                                                             \
    asm volatile("mma.sync.aligned." text " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}, "          \
                 "{%10}, {0, " i "}, {%11}, {0, " j "};" : OUT : IN, "r"(sa), "r"(sb));
    PLAIN("kind::f8f6f4.m16n8k32.row.col.f32.e3m2.e2m1.f32")
    PLAIN("kind::f8f6f4.m16n8k32.row.col.f32.e2m3.e4m3.f32")
    PLAIN("m16n8k32.row.col.kind::f8f6f4.f32.e5m2.e2m3.f32")
    SCALED("m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e3m2.f32.ue8m0", "0", "1")
    SCALED("kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e2m1.e5m2.f32.ue8m0", "1", "3")
    SCALED("kind::mxf4.block_scale.scale_vec::2X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue8m0", "0", "0")
    SCALED("kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3", "1", "0")
    SCALED("kind::mxf4nvf4.block_scale.scale_vec::2X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue8m0", "0", "1")
}
