#include "one_thread.h"
typedef u32 (*Operation)(u32, u32);
FN u32 plus(u32 a, u32 b) { return a + b; }
FN u32 minus(u32 a, u32 b) { return a - b; }
FN u32 both(u32 a, u32 b) { return a & b; }
FN u32 turned(u32 a, u32 b) { return a << (b & 31) | a >> (-b & 31); }
KERNEL(function_pointers) {
    Operation all[4] = {plus, minus, both, turned};
    u32 r = 1;
    for (u32 i = 0; i < n; i++) { r = all[(in[i] ^ r) & 3](r, in[i]); out[i] = r; }
}
