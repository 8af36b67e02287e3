// printf and assert: varying arguments on the stack, strings in global memory.
// targets: 50+
// variants: -G, -lineinfo, -DNDEBUG
#ifndef __CUDACC_RTC__
#include <cassert>
#include <cstdio>
#endif
__device__ const char *const names[] = {"zero", "one\ttab", "two \"quoted\" // no comment /* either */ ; } {"};
extern "C" __global__ void print(const float *x, int n, long long wide)
{
    assert(n > 0 && "n must be positive");
    printf("thread %d of %u\n", threadIdx.x, blockDim.x);
    if (x[n] < 0) printf("negative: %f %g %s %lld %c\n", x[n], double(x[0]), names[n % 3], wide, 'a' + n);
    int length = printf("%%;{}\\ \x01\n");
    assert(length >= 0);
}
