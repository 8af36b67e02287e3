// Surface objects: reads and writes in all dimensions, element sizes and boundary modes, and surface reductions.
// targets: 50+
extern "C" __global__ void reads(int *out, cudaSurfaceObject_t s, int x, int y, int z, int layer)
{
    int n = 0;
    out[n++] = surf1Dread<int>(s, x);
    out[n++] = surf1Dread<char>(s, x, cudaBoundaryModeZero);
    out[n++] = surf2Dread<short2>(s, x, y).y;
    out[n++] = surf2Dread<int4>(s, x, y, cudaBoundaryModeClamp).w;
    out[n++] = surf3Dread<long long>(s, x, y, z);
    out[n++] = surf3Dread<uint2>(s, x, y, z, cudaBoundaryModeZero).x;
    out[n++] = surf1DLayeredread<unsigned char>(s, x, layer);
    out[n++] = surf2DLayeredread<uchar4>(s, x, y, layer, cudaBoundaryModeClamp).z;
    out[n++] = surfCubemapread<float>(s, x, y, layer);
    out[n++] = surfCubemapLayeredread<float4>(s, x, y, layer, cudaBoundaryModeZero).w;
}
extern "C" __global__ void writes(const float4 *in, cudaSurfaceObject_t s, int x, int y, int z, int layer)
{
    surf1Dwrite((unsigned char)x, s, x);
    surf1Dwrite(make_short4(x, y, z, 1), s, x, cudaBoundaryModeZero);
    surf2Dwrite(in[0].x, s, x, y);
    surf2Dwrite(in[1], s, x, y, cudaBoundaryModeClamp);
    surf3Dwrite(make_longlong2(x, y), s, x, y, z);
    surf3Dwrite((short)z, s, x, y, z, cudaBoundaryModeZero);
    surf1DLayeredwrite(make_int2(y, z), s, x, layer);
    surf2DLayeredwrite(make_uchar2(y, z), s, x, y, layer, cudaBoundaryModeClamp);
    surfCubemapwrite(7u, s, x, y, layer);
    surfCubemapLayeredwrite((long long)y, s, x, y, layer, cudaBoundaryModeZero);
}
extern "C" __global__ void in_asm(int *out, unsigned long long s, int x, int y)
{
    asm volatile("sured.b.add.2d.u32.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(x), "r"(y), "r"(out[0]));
    asm volatile("sured.b.min.1d.s32.trap [%0, {%1}], %2;" ::"l"(s), "r"(x), "r"(y));
    asm volatile("sured.p.or.2d.b32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(x), "r"(y), "r"(out[1]));
    asm volatile("sust.p.2d.v4.b32.trap [%0, {%1, %2}], {%3, %3, %4, %4};" ::"l"(s), "r"(x), "r"(y), "r"(x), "r"(y));
    asm("suq.width.b32 %0, [%1];" : "=r"(out[2]) : "l"(s));
    asm("suq.channel_order.b32 %0, [%1];" : "=r"(out[3]) : "l"(s));
}
