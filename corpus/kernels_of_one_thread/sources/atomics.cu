#include "one_thread.h"
#if defined(HOST) || defined(__clang__)
#define ADD(p, v) __atomic_fetch_add(p, v, __ATOMIC_RELAXED)
#define OR(p, v) __atomic_fetch_or(p, v, __ATOMIC_RELAXED)
FN u32 cas(u32 *p, u32 e, u32 v) { __atomic_compare_exchange_n(p, &e, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED); return e; }
#else
#define ADD(p, v) atomicAdd(p, v)
#define OR(p, v) atomicOr(p, v)
FN u32 cas(u32 *p, u32 e, u32 v) { return atomicCAS(p, e, v); }
#endif
KERNEL(atomics) {
    for (u32 i = 0; i < 20; i++) out[i] = 0;
    for (u32 i = 0; i < n; i++) { u32 o = ADD(&out[in[i] & 15], in[i]); OR(&out[16], o); if (cas(&out[17], i, i + 1) == i) ADD(&out[18], 1u); }
}
