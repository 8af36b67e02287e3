// malloc, free, memcpy, memset, alloca: calls to the system functions and the local stack.
// targets: 52+
extern "C" __global__ void heap(int **out, int n)
{
    int *p = (int *)malloc(n * sizeof(int));
    if (!p) return;
    memset(p, 0, n * sizeof(int));
    for (int i = 0; i < n; i++) p[i] += i;
    memcpy(out[1], p, n);
    out[0] = p;
    free(out[2]);
}
#ifndef __CUDACC_RTC__
extern "C" __global__ void stack(int *out, int n)
{
    int *p = (int *)__builtin_alloca(n * sizeof(int));
    for (int i = 0; i < n; i++) p[i] = out[i];
    for (int i = 0; i < n; i++) out[i] = p[n - i - 1];
}
#endif
extern "C" __global__ void local(float *out, int i, int j)
{
    float at[40];
    char name[13] = "hello, world";
    for (int k = 0; k < 40; k++) at[(k * i) % 40] = k * j;
    out[0] = at[i] + at[j];
    out[1] = name[i];
    name[j] = 3;
    out[2] = name[i + 1];
}
struct Block { int words[9]; char tail[3]; };
extern "C" __global__ void copies(Block *out, const Block *in, short *odd)
{
    Block b = *in;
    out[0] = b;
    memcpy(out + 1, in + 1, sizeof(Block));
    memcpy((char *)odd + 1, in + 2, 11);
}
