#include "one_thread.h"
// What the kernels of floats share. Only operations are used whose result IEEE 754 fixes, and no product is contracted with a sum.
typedef float f32; typedef double f64;
// Keeps a loop small.
#if defined(HOST)
#define ROLLED
#else
#define ROLLED _Pragma("unroll 1")
#endif
#if defined(HOST)
#define INLINE static inline
#elif defined(__clang__)
#define INLINE static inline __attribute__((device))
#else
#define INLINE static __device__ __forceinline__
// NVRTC gives static functions very long names.
#undef FN
#define FN __device__ __noinline__
#endif
#if defined(HOST) || defined(__clang__)
#define FMAF __builtin_fmaf
#define FMA __builtin_fma
#define SQRTF __builtin_sqrtf
#define SQRT __builtin_sqrt
#define ABSF __builtin_fabsf
#define ABS __builtin_fabs
#else
#define FMAF __fmaf_rn
#define FMA __fma_rn
#define SQRTF __fsqrt_rn
#define SQRT __dsqrt_rn
#define ABSF fabsf
#define ABS fabs
#endif
INLINE f32 f32_of(u32 bits) { union { u32 bits; f32 value; } both; both.bits = bits; return both.value; }
INLINE f64 f64_of(u64 bits) { union { u64 bits; f64 value; } both; both.bits = bits; return both.value; }
INLINE f64 f64_at(const u32 *in) { return *(const f64 *)in; }
// The bits of a number; those of a NaN are not fixed, so each is the same.
INLINE u32 bits32(f32 value) { union { f32 value; u32 bits; } both; both.value = value; return value != value ? 0x7fc00000u : both.bits; }
INLINE u64 bits64(f64 value) { union { f64 value; u64 bits; } both; both.value = value; return value != value ? 0x7ff8000000000000ull : both.bits; }
INLINE void put64(u32 *out, f64 value) { *(u64 *)out = bits64(value); }
