// Kernel parameters: structs by value, arrays, bool, half-words, 128-bit vectors, unions, grid constants, many of them.
// targets: 70+
struct Small { char a; short b; };
struct Large { double matrix[9]; int index[5]; char name[3]; };
union Either { float f; int i; unsigned char bytes[8]; };
struct Empty {};
extern "C" __global__ void structs(Small s, Large l, Either e, Empty, float *out, int i)
{
    out[0] = s.a + s.b + l.matrix[3] + l.index[4] + l.name[1] + e.f;
    out[1] = l.matrix[i] + l.index[i];
    out[2] = e.bytes[i];
}
extern "C" __global__ void scalars(bool b, char c, unsigned char u, short s, unsigned short t, int i, unsigned j,
                                   long long l, unsigned long long m, float f, double d, void *p, double *out)
{
    out[0] = b + c + u + s + t + i + j + l + m + f + d;
    out[1] = p == out;
}
extern "C" __global__ void vectors(char3 a, short4 b, int2 c, float4 d, double2 e, uchar2 f, longlong4 g, float3 *out)
{
    out[0] = make_float3(a.x + a.z, b.y * b.w, c.x - c.y);
    out[1] = make_float3(d.z + d.w, e.x - e.y, f.x + f.y + g.z);
}
extern "C" __global__ void constant(const __grid_constant__ Large l, double *out, int i)
{
    const double *row = l.matrix + 3 * i;
    out[0] = row[0] + row[1] * row[2];
}
extern "C" __global__ void none() {}
template <class T, int N> __global__ void templated(T *out, T by)
{
    for (int k = 0; k < N; k++) out[k] = out[k] * by + T(k);
}
template __global__ void templated<float, 5>(float *, float);
template __global__ void templated<long long, 3>(long long *, long long);
