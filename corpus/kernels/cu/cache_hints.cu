// Loads and stores with cache operators: __ldg, __ldcs, __stcg and others for all types and vectors; const restrict.
// targets: 50+
#include <vector_types.h>
#define LOADS(f)                                                                                                 \
    c[n] = f(c + n + 100), uc4[n] = f(uc4 + n + 100), s[n] = f(s + n + 100), s2[n] = f(s2 + n + 100),            \
    i[n] = f(i + n + 100), i4[n] = f(i4 + n + 100), l[n] = f(l + n + 100), l2[n] = f(l2 + n + 100),              \
    x[n] = f(x + n + 100), x4[n] = f(x4 + n + 100), d[n] = f(d + n + 100), d2[n] = f(d2 + n + 100), n++;
#define STORES(f)                                                                                                \
    f(c + n, c[n + 200]), f(uc4 + n, uc4[n + 200]), f(s + n, s[n + 200]), f(s2 + n, s2[n + 200]),                \
    f(i + n, i[n + 200]), f(i4 + n, i4[n + 200]), f(l + n, l[n + 200]), f(l2 + n, l2[n + 200]),                  \
    f(x + n, x[n + 200]), f(x4 + n, x4[n + 200]), f(d + n, d[n + 200]), f(d2 + n, d2[n + 200]), n++;
extern "C" __global__ void hints(char *c, uchar4 *uc4, short *s, ushort2 *s2, int *i, int4 *i4, long long *l,
                                 ulonglong2 *l2, float *x, float4 *x4, double *d, double2 *d2)
{
    int n = 0;
    LOADS(__ldg) LOADS(__ldca) LOADS(__ldcg) LOADS(__ldcs) LOADS(__ldcv) LOADS(__ldlu)
    STORES(__stwb) STORES(__stcg) STORES(__stcs) STORES(__stwt)
}
extern "C" __global__ void restricted(float *__restrict__ out, const float *__restrict__ in, const int2 *__restrict__ at)
{
    int2 pair = at[threadIdx.x];
    out[pair.x] = in[pair.y] + in[pair.x];
}
extern "C" __global__ void prefetches(const int *p, volatile int *v, volatile double *w, volatile short *h)
{
    asm volatile("prefetch.global.L1 [%0];" ::"l"(p));
    asm volatile("prefetch.global.L2 [%0+128];" ::"l"(p));
    asm volatile("prefetch.L1 [%0];" ::"l"(p));
    asm volatile("prefetchu.L1 [%0];" ::"l"(p));
    v[0] = v[1] + 2;
    w[0] = w[1] * 3;
    h[0] = h[1];
}
