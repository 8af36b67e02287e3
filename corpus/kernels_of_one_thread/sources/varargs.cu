#include "one_thread.h"
#ifdef VARARGS
typedef __builtin_va_list list;
FN u64 sum(u32 n, ...) { list a; u64 s = 0; __builtin_va_start(a, n); for (u32 i = 0; i < n; i++) s = s * 3 + (i & 1 ? __builtin_va_arg(a, u64) : __builtin_va_arg(a, u32)); __builtin_va_end(a); return s; }
KERNEL(varargs) { (void)n; u64 s = sum(0) + sum(1, in[0]) * 5 + sum(4, in[1], (u64)in[2] << 20, in[3], ~0ull) + sum(6, 1u, 2ull, 3u, 4ull, in[4], 6ull); out[0] = (u32)s; out[1] = (u32)(s >> 32); }
#endif
