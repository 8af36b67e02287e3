// Pieces of libcu++ in device code: bit functions, math, optional, variant, arrays, complex numbers, spans, 128 bits.
// targets: 75+
// cuda: 13.0+
#include <cuda/cmath>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda/std/variant>
namespace std_ = cuda::std;
__device__ std_::optional<int> find(const int *p, int n, int key)
{
    for (int i = 0; i < n; i++)
        if (p[i] == key) return i;
    return {};
}
extern "C" __global__ void pieces(float *out, const int *in, unsigned x, unsigned long long y)
{
    int n = 0;
    out[n++] = std_::popcount(x) + std_::countl_zero(y) + std_::countr_one(x) + std_::bit_width(y);
    out[n++] = std_::rotl(x, 5) + std_::rotr(y, 9) + std_::bit_ceil(x) + std_::byteswap(x) + std_::gcd(in[0], in[1]);
    out[n++] = std_::bit_cast<float>(x) + cuda::ceil_div(x, 7u) + std_::midpoint(in[2], in[3]);
    out[n++] = find(in, 20, x).value_or(-1);
    std_::complex<float> z(out[10], out[11]), w = std_::exp(z) * std_::polar(1.0f, out[12]) / z;
    out[n++] = w.real() + std_::abs(z) + std_::arg(w);
    std_::variant<int, float, double> v = 3;
    if (x > 3) v = 2.5f;
    if (x > 9) v = 1e300;
    out[n++] = std_::visit([](auto value) { return float(value) + 1; }, v);
    std_::array<int, 6> a{1, 2, 3, 4, 5, (int)x};
    out[n++] = std_::accumulate(a.begin(), a.end(), in[4]) + a[x % 6];
    auto [q, r] = cuda::std::make_tuple(x / 10, x % 10);
    out[n++] = q * r;
}
