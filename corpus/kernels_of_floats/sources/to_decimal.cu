#include "floats.h"
#define BASE 1000000000u
// Multiplies a big number, the lowest digit of BASE first.
FN u32 scaled(u32 *big, u32 size, u32 by) { u64 carry = 0; ROLLED for (u32 i = 0; i < size; i++) { u64 v = (u64)big[i] * by + carry; big[i] = (u32)(v % BASE); carry = v / BASE; } if (carry) big[size++] = (u32)carry; return size; }
// Writes m 2^e with so many digits, the nearest: 1.2345e-6.
FN u32 written(u8 *o, u64 m, s32 e, u32 digits) {
    u32 big[90], size = 0, k = 0, count = 0; s32 ten = 0; u8 d[20];
    ROLLED while (m) { big[size++] = (u32)(m % BASE); m /= BASE; }
    if (e < 0) ten = e;
    ROLLED while (e > 0) { u32 by = e > 20 ? 20 : (u32)e; size = scaled(big, size, 1u << by); e -= (s32)by; }
    ROLLED while (e < 0) { u32 by = 1; s32 j = 0; ROLLED while (j < 12 && e < 0) { by *= 5; j++; e++; } size = scaled(big, size, by); }
    u32 high = 0, rest = 0; ROLLED for (u32 v = big[size - 1]; v; v /= 10) high++;
    u32 all = 9 * (size - 1) + high;
    ROLLED for (u32 i = 0; i < all; i++) {
        u32 at = all - 1 - i, v = big[at / 9]; ROLLED for (u32 j = 0; j < at % 9; j++) v /= 10;
        v %= 10; if (i < digits) d[count++] = (u8)v; else if (i == digits) rest = 2 * v; else if (v) { rest |= 1; break; }
    }
    ROLLED while (count < digits) d[count++] = 0;
    s32 exponent = ten + (s32)all - 1;
    if (rest > 10 || (rest == 10 && (d[digits - 1] & 1))) { u32 i = digits; ROLLED while (i && d[i - 1] == 9) d[--i] = 0; if (i) d[i - 1]++; else { d[0] = 1; exponent++; } }
    ROLLED for (u32 i = 0; i < digits; i++) { o[k++] = (u8)('0' + d[i]); if (i == 0) o[k++] = '.'; }
    o[k++] = 'e'; if (exponent < 0) { o[k++] = '-'; exponent = -exponent; }
    if (exponent > 99) o[k++] = (u8)('0' + exponent / 100);
    if (exponent > 9) o[k++] = (u8)('0' + exponent / 10 % 10);
    o[k++] = (u8)('0' + exponent % 10); return k;
}
FN u32 decimal(u8 *o, f64 v, u32 digits) {
    u64 b = bits64(v), f = b & 0xfffffffffffffull; u32 e = (u32)(b >> 52) & 2047, k = 0;
    if (v != v) { o[0] = 'n'; o[1] = 'a'; o[2] = 'n'; return 3; }
    if (b >> 63) o[k++] = '-';
    if (v == 0) { o[k++] = '0'; return k; }
    if (e == 2047) { o[k++] = 'i'; o[k++] = 'n'; o[k++] = 'f'; return k; }
    if (e) f |= 1ull << 52; else e = 1;
    ROLLED while (!(f & 1)) { f >>= 1; e++; }
    return k + written(o + k, f, (s32)e - 1075, digits);
}
KERNEL(to_decimal) {
    u8 *o = (u8 *)out; u32 k = 0;
    ROLLED for (u32 i = 0; i + 1 < n; i += 2) { k += decimal(o + k, f64_at(in + i), 17); o[k++] = ' '; k += decimal(o + k, (f64)f32_of(in[i + 1]), 9); o[k++] = '\n'; }
    ROLLED while (k & 3) o[k++] = 0;
}
