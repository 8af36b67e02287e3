// Sparse textures (a predicate says whether the texel is resident), and texture queries in inline assembly.
// targets: 60+
extern "C" __global__ void sparse(float4 *out, cudaTextureObject_t t, float x, float y, float z, float level, int i)
{
    bool a, b, c, d, e;
    out[0] = tex2D<float4>(t, x, y, &a);
    out[1] = tex3D<float4>(t, x, y, z, &b);
    out[2] = tex2DLod<float4>(t, x, y, level, &c);
    out[3] = tex2DLayered<float4>(t, x, y, i, &d);
    out[4] = tex2Dgather<float4>(t, x, y, &e, 0);
    out[5].x = a + b + c + d + e;
}
extern "C" __global__ void queries(unsigned *out, unsigned long long t, float x, float y)
{
    asm("txq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(t));
    asm("txq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(t));
    asm("txq.depth.b32 %0, [%1];" : "=r"(out[2]) : "l"(t));
    asm("txq.num_mipmap_levels.b32 %0, [%1];" : "=r"(out[3]) : "l"(t));
    asm("txq.channel_data_type.b32 %0, [%1];" : "=r"(out[4]) : "l"(t));
    asm("txq.num_samples.b32 %0, [%1];" : "=r"(out[5]) : "l"(t));
    asm("txq.level.width.b32 %0, [%1], %2;" : "=r"(out[6]) : "l"(t), "r"(out[7]));
    unsigned r = 1, g = 2, b = 3, a = 4;
    asm("tex.2dms.v4.s32.s32 {%0, %1, %2, %3}, [%4, {%0, %1, %2, %3}];" : "+r"(r), "+r"(g), "+r"(b), "+r"(a) : "l"(t));
    asm("tex.base.2d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
        : "=r"(r), "=r"(g), "=r"(b), "=r"(a) : "l"(t), "f"(x), "f"(y));
    asm("tex.2d.v2.f16x2.f32 {%0, %1}, [%2, {%3, %4}];" : "=r"(r), "=r"(g) : "l"(t), "f"(x), "f"(y));
    out[9] = r + g + b + a;
}
