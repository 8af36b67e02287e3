// The nearest number of a small format, ties to even, of the bits of an f32: `m` bits of fraction, the largest result and the NaN.
FN u32 nearest(u32 bits, u32 m, s32 bias, u32 top, u32 nan) {
    u32 a = bits & 0x7fffffff, whole = a >> 23, f = (a & 0x7fffff) | (whole ? 0x800000u : 0);
    if (a > 0x7f800000) return nan;
    s32 e = (s32)(whole ? whole : 1) - 127 + bias; u32 cut = 23 - m;
    if (e < 1) { cut += (u32)(1 - e); e = 1; if (cut > 25) cut = 25; }
    u32 r = f >> cut, rest = f & ((1u << cut) - 1), half = 1u << cut >> 1;
    r += rest > half || (rest == half && (r & 1)); r += (u32)(e - 1) << m;
    return r > top ? top : r;
}
// The number that bits of such a format stand for, as an f32; without a NaN and infinities.
FN f32 number(u32 bits, u32 m, s32 bias) {
    u32 e = bits >> m, f = bits & ((1u << m) - 1); f32 v = (f32)(s32)(e ? f | 1u << m : f);
    return v * f32_of((u32)((s32)(e ? e : 1) - bias - (s32)m + 127) << 23);
}
