// Texture objects: one, two and three dimensions, arrays, cubes, mipmaps, gradients, gathers.
// targets: 50+
extern "C" __global__ void basic(float4 *out, cudaTextureObject_t t, float x, float y, float z, int i)
{
    int n = 0;
    out[n++].x = tex1Dfetch<float>(t, i);
    out[n++] = tex1Dfetch<float4>(t, i + 1);
    out[n++].y = tex1D<float>(t, x);
    out[n++].z = tex2D<float2>(t, x, y).x;
    out[n++] = tex3D<float4>(t, x, y, z);
    out[n++] = tex1DLayered<float4>(t, x, i);
    out[n++] = tex2DLayered<float4>(t, x, y, i);
    out[n++] = texCubemap<float4>(t, x, y, z);
    out[n++] = texCubemapLayered<float4>(t, x, y, z, i);
    out[n++].x = tex2D<int4>(t, x, y).w;
    out[n++].x = tex2D<unsigned char>(t, x, y) + tex3D<short2>(t, x, y, z).y + tex1D<uint4>(t, x).z;
}
extern "C" __global__ void levels(float4 *out, cudaTextureObject_t t, float x, float y, float z, float level, int i)
{
    int n = 0;
    out[n++] = tex1DLod<float4>(t, x, level);
    out[n++] = tex2DLod<float4>(t, x, y, level);
    out[n++] = tex3DLod<float4>(t, x, y, z, level);
    out[n++] = tex1DLayeredLod<float4>(t, x, i, level);
    out[n++] = tex2DLayeredLod<float4>(t, x, y, i, level);
    out[n++] = texCubemapLod<float4>(t, x, y, z, level);
    out[n++] = texCubemapLayeredLod<float4>(t, x, y, z, i, level);
    out[n++] = tex1DGrad<float4>(t, x, y, z);
    out[n++] = tex2DGrad<float4>(t, x, y, make_float2(x, z), make_float2(y, z));
    out[n++] = tex3DGrad<float4>(t, x, y, z, make_float4(x, y, z, 0), make_float4(z, y, x, 0));
    out[n++] = tex1DLayeredGrad<float4>(t, x, i, y, z);
    out[n++] = tex2DLayeredGrad<float4>(t, x, y, i, make_float2(x, z), make_float2(y, z));
    out[n++].x = tex2DLod<unsigned>(t, x, y, level) + tex3DLod<int2>(t, x, y, z, level).x;
}
extern "C" __global__ void gathers(float4 *out, int4 *ints, uint4 *words, cudaTextureObject_t t, float x, float y)
{
    out[0] = tex2Dgather<float4>(t, x, y, 0);
    out[1] = tex2Dgather<float4>(t, x, y, 1);
    ints[0] = tex2Dgather<int4>(t, x, y, 2);
    words[0] = tex2Dgather<uint4>(t, x, y, 3);
}
