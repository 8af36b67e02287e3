// Access properties of libcu++: cuda::annotated_ptr, associate_access_property, apply and discard.
// targets: 80+
// cuda: 12.9+
#include <cuda/annotated_ptr>
#include <cuda/discard_memory>
extern "C" __global__ void annotated(int *out, const int *in, size_t n)
{
    cuda::annotated_ptr<const int, cuda::access_property::persisting> keep(in);
    cuda::annotated_ptr<int, cuda::access_property::streaming> once(out);
    cuda::annotated_ptr<int, cuda::access_property> part(out + n, cuda::access_property(cuda::access_property::persisting{}, 0.5));
    once[threadIdx.x] = keep[threadIdx.x + 1];
    part[threadIdx.x] = keep[threadIdx.x + 2];
    const int *known = cuda::associate_access_property(in, cuda::access_property::global{});
    out[n] = known[n];
    cuda::apply_access_property(in, n * sizeof(int), cuda::access_property::persisting{});
    cuda::discard_memory(out, 4096);
    __shared__ int buffer[64];
    cuda::annotated_ptr<int, cuda::access_property::shared> local(buffer);
    local[threadIdx.x] = 3;
    out[1] = buffer[threadIdx.x ^ 1];
}
