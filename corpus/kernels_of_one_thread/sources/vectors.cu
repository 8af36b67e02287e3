#include "one_thread.h"
typedef struct __attribute__((aligned(16))) { u32 x, y, z, w; } Four;
FN Four mixed(Four a, Four b) { Four r; r.x = a.x + b.w; r.y = a.y ^ b.z; r.z = a.z * b.y; r.w = a.w - b.x; return r; }
KERNEL(vectors) {
    const Four *from = (const Four *)in; Four *to = (Four *)out, s = from[0];
    for (u32 i = 0; i < n / 4; i++) { s = mixed(s, from[i]); to[i] = s; }
}
