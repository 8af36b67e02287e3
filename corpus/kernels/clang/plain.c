/* Plain C with kernel attributes: structs by value, unions, floats, local arrays, strings, static data. */
/* targets: sm_60 sm_80 sm_120 */
typedef struct { int x, y; float z[3]; char c; } Point;
static const double powers[] = {1, 10, 100, 1e300};
__attribute__((noinline)) static Point move(Point p, float by) { p.x += by, p.z[1] *= by; return p; }
__attribute__((noinline)) static _Bool even(long long x) { return x % 2 == 0; }
KERNEL void points(Point *out, Point p, int n)
{
    for (int i = 0; i < n; i++) out[i] = move(p, out[i].z[2]);
    if (even(out[n].x)) out[n].c = "even"[n & 3];
}
KERNEL void sums(double *out, const float *in, unsigned n)
{
    double sum = 0;
    for (unsigned i = 0; i < n; i++) sum += in[i] * powers[i & 3];
    *out = sum > 1e10 ? __builtin_inf() : sum;
}
KERNEL void copy(char *out, const char *in) { __builtin_memcpy(out, in, 37), __builtin_memset(out + 40, 0, 24); }
