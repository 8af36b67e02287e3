#include "one_thread.h"
// Decodes UTF-8 into code points; 0xfffd for what is none.
KERNEL(utf8) {
    const u8 *b = (const u8 *)in; u32 at = 0, end = 4 * n, k = 0;
    while (at < end) {
        u32 c = b[at++], more, least;
        if (c < 0x80) { out[k++] = c; continue; }
        if (c >> 5 == 6) { more = 1; c &= 31; least = 0x80; } else if (c >> 4 == 14) { more = 2; c &= 15; least = 0x800; } else if (c >> 3 == 30) { more = 3; c &= 7; least = 0x10000; } else { out[k++] = 0xfffd; continue; }
        while (more && at < end && (b[at] & 0xc0) == 0x80) { c = c << 6 | (b[at++] & 63); more--; }
        out[k++] = more || c < least || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0xfffd : c;
    }
    out[k] = k;
}
