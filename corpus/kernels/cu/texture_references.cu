// Texture and surface references, which CUDA 11.8 still has: .texref and .surfref variables, direct accesses.
// targets: 35+
// cuda: =11.8
texture<float4, cudaTextureType2D, cudaReadModeElementType> plane;
texture<int, cudaTextureType1D, cudaReadModeElementType> line;
texture<unsigned char, cudaTextureType3D, cudaReadModeNormalizedFloat> volume;
texture<float, cudaTextureType2DLayered, cudaReadModeElementType> layers;
surface<void, cudaSurfaceType2D> target;
surface<void, cudaSurfaceType1D> strip;
extern "C" __global__ void references(float4 *out, int x, int y, float u, float v)
{
    out[0] = tex2D(plane, u, v);
    out[1].x = tex1Dfetch(line, x) + tex1D(line, u);
    out[2].y = tex3D(volume, u, v, u);
    out[3].z = tex2DLayered(layers, u, v, y);
    out[4] = tex2DLod(plane, u, v, 2.0f);
    out[5] = tex2DGrad(plane, u, v, make_float2(u, v), make_float2(v, u));
    out[6] = tex2Dgather(plane, u, v, 1);
    int4 read;
    surf2Dread(&read, target, x * 16, y);
    surf2Dwrite(read, target, y * 16, x, cudaBoundaryModeClamp);
    surf1Dwrite((short)x, strip, y * 2, cudaBoundaryModeZero);
}
