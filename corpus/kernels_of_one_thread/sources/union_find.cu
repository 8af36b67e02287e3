#include "one_thread.h"
FN u32 root(u8 *p, u32 x) { while (p[x] != x) { p[x] = p[p[x]]; x = p[x]; } return x; }
KERNEL(union_find) {
    u8 p[32], size[32]; for (u32 i = 0; i < 32; i++) { p[i] = (u8)i; size[i] = 1; }
    for (u32 i = 0; i < n; i++) { u32 a = root(p, in[i] & 31), b = root(p, in[i] >> 8 & 31); if (a != b) { if (size[a] < size[b]) { u32 t = a; a = b; b = t; } p[b] = (u8)a; size[a] = (u8)(size[a] + size[b]); } out[i] = size[a]; }
}
