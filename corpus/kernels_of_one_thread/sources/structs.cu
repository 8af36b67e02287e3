#include "one_thread.h"
typedef struct { u32 a; u8 b; u16 c; u64 d; s8 e[5]; } Record;
FN Record changed(Record r, s32 by) { r.a += by; r.b -= by; r.c ^= by; r.d *= by; for (u32 i = 0; i < 5; i++) r.e[i] += by * i; return r; }
FN s32 folded(Record r) { s32 s = r.a ^ r.b; s = s * 7 + r.c; s ^= (s32)(r.d >> 13); for (u32 i = 0; i < 5; i++) s = s * 5 + r.e[i]; return s; }
KERNEL(structs) {
    Record r; r.a = 5; r.b = 6; r.c = 7; r.d = 8; for (u32 i = 0; i < 5; i++) r.e[i] = (s8)(i * 50);
    for (u32 i = 0; i < n; i++) { r = changed(r, (s32)in[i]); out[i] = (u32)folded(r); }
}
