#include "one_thread.h"
// Literals and copies of what is already there: a byte c < 128 is followed by c+1 literals, others copy (c&127)+2 bytes.
KERNEL(decompress) {
    const u8 *b = (const u8 *)in; u8 *o = (u8 *)out; u32 at = 0, k = 0, end = 4 * n;
    while (at < end && k < 200) {
        u32 c = b[at++];
        if (c < 128) { for (u32 i = 0; i <= (c & 7) && at < end; i++) o[k++] = b[at++]; }
        else { u32 d = at < end ? b[at++] + 1u : 1; for (u32 i = 0; i < (c & 15) + 2; i++, k++) o[k] = d <= k ? o[k - d] : 0xee; }
    }
    while (k < 240) o[k++] = 0;
}
