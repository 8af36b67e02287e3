// Dynamic programming (DPX): fused add, min and max, which are instructions from sm_90 on; a Smith-Waterman row.
// targets: 75+
// cuda: 12.4+
extern "C" __global__ void functions(int *out, unsigned *u, const int *a)
{
    int x = a[0], y = a[1], z = a[2], n = 0;
    bool p, q;
    out[n++] = __viaddmax_s32(x, y, z), out[n++] = __viaddmin_s32_relu(x, y, z), out[n++] = __vimax3_s32(x, y, z);
    out[n++] = __vimin3_s32_relu(x, y, z), out[n++] = __vimax_s32_relu(x, y), out[n++] = __vibmax_s32(x, y, &p) + p;
    u[n++] = __viaddmax_s16x2(x, y, z), u[n++] = __viaddmin_u16x2(x, y, z), u[n++] = __vimax3_s16x2_relu(x, y, z);
    u[n++] = __vimin3_u16x2(x, y, z), u[n++] = __vimin_s16x2_relu(x, y), u[n++] = __vibmin_u16x2(x, y, &p, &q) + p + q;
    u[n++] = __viaddmax_u32(x, y, z), u[n++] = __vimin3_u32(x, y, z), u[n++] = __vibmin_u32(x, y, &q) + q;
}
extern "C" __global__ void align(int *row, const char *left, const char *top, int n)
{
    int diagonal = 0, gap = 0;
    for (int i = 1; i < n; i++) {
        int up = row[i], match = left[i] == top[threadIdx.x] ? 3 : -2;
        gap = __viaddmax_s32_relu(diagonal, match, __vimax3_s32(up - 1, row[i - 1] - 1, gap));
        diagonal = up;
        row[i] = gap;
    }
}
