#include "floats.h"
#define WORDS 38
FN void times(u32 *big, u32 by, u32 plus) { u64 carry = plus; ROLLED for (u32 i = 0; i < WORDS; i++) { carry += (u64)big[i] * by; big[i] = (u32)carry; carry >>= 32; } }
FN u32 less(const u32 *a, const u32 *b) { ROLLED for (s32 i = WORDS - 1; i >= 0; i--) if (a[i] != b[i]) return a[i] < b[i]; return 0; }
FN u32 subtract(u32 *a, const u32 *b) { s64 borrow = 0; u32 any = 0; ROLLED for (u32 i = 0; i < WORDS; i++) { borrow += (s64)a[i] - b[i]; a[i] = (u32)borrow; any |= a[i]; borrow >>= 32; } return any; }
// The nearest f64 to a times 10^ten: the quotient of big numbers bit by bit.
FN u64 nearest(u32 *a, s32 ten) {
    u32 b[WORDS], rest = 1; s32 e = 0; u64 q = 0;
    ROLLED for (u32 i = 0; i < WORDS; i++) b[i] = 0;
    if (ten < -400 || !less(b, a)) return 0;
    b[0] = 1;
    ROLLED for (; ten > 0; ten--) { times(a, 10, 0); times(b, 8, 0); e += 3; }
    ROLLED for (; ten < 0; ten++) { times(b, 10, 0); times(a, 8, 0); e -= 3; }
    ROLLED while (!less(a, b)) { times(b, 2, 0); e++; }
    ROLLED while (times(a, 2, 0), less(a, b)) e--;
    s32 wanted = e < -1021 ? 1074 + e : 53; if (wanted < 0) return 0;
    ROLLED for (s32 k = 0; k <= wanted; k++) { q <<= 1; if (!less(a, b)) { rest = subtract(a, b); q |= 1; } times(a, 2, 0); }
    u64 r = (q >> 1) + (q & 1 & ((q >> 1 & 1) | (rest != 0))), bits = e < -1021 ? r : r + ((u64)(e + 1021) << 52);
    return bits > 0x7ff0000000000000ull ? 0x7ff0000000000000ull : bits;
}
// Texts of numbers, apart by blanks: the f64, and the f32 that it rounds to.
KERNEL(from_decimal) {
    const u8 *p = (const u8 *)in, *end = p + 4 * n; u32 *o = out;
    ROLLED while (p < end && *p) {
        u32 big[WORDS], minus = 0, point = 0; s32 ten = 0, e = 0;
        ROLLED for (u32 i = 0; i < WORDS; i++) big[i] = 0;
        if (*p == '-') { minus = 1; p++; }
        for (; p < end && ((*p >= '0' && *p <= '9') || *p == '.'); p++) if (*p == '.') point = 1; else { times(big, 10, (u32)(*p - '0')); ten -= (s32)point; }
        if (p < end && *p == 'e') { s32 sign = 1; p++; if (*p == '-') { sign = -1; p++; } ROLLED while (p < end && *p >= '0' && *p <= '9') e = e * 10 + (*p++ - '0'); e *= sign; }
        f64 v = f64_of(nearest(big, ten + e) | (u64)minus << 63); put64(o, v); o[2] = bits32((f32)v); o += 4;
        ROLLED while (p < end && *p == ' ') p++;
    }
}
