#include "one_thread.h"
TABLE u32 T[16] = {0,0x1db71064,0x3b6e20c8,0x26d930ac,0x76dc4190,0x6b6b51f4,0x4db26158,0x5005713c,0xedb88320,0xf00f9344,0xd6d6a3e8,0xcb61b38c,0x9b64c2b0,0x86d3d2d4,0xa00ae278,0xbdbdf21c};
KERNEL(crc) {
    const u8 *b = (const u8 *)in; u32 c = ~0u; u64 d = 0; u16 e = 0xffff;
    for (u32 i = 0; i < 4 * n; i++) {
        c ^= b[i]; c = c >> 4 ^ T[c & 15]; c = c >> 4 ^ T[c & 15];
        d ^= (u64)b[i] << 56;
        for (u32 k = 0; k < 8; k++) d = (s64)d < 0 ? d << 1 ^ 0x42f0e1eba9ea3693ull : d << 1;
        e ^= (u16)(b[i] << 8);
        for (u32 k = 0; k < 8; k++) e = (u16)(e & 0x8000 ? e << 1 ^ 0x1021 : e << 1);
    }
    out[0] = ~c; out[1] = (u32)d; out[2] = (u32)(d >> 32); out[3] = e;
}
