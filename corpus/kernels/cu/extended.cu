// Extended precision: carry chains in inline assembly, 128-bit integers, a 256-bit multiplication.
// targets: 50+
// nvrtc: -device-int128
extern "C" __global__ void chain32(unsigned *r, const unsigned *a, const unsigned *b)
{
    asm("add.cc.u32 %0, %4, %8;\n\taddc.cc.u32 %1, %5, %9;\n\taddc.cc.s32 %2, %6, %10;\n\taddc.u32 %3, %7, %11;"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
    asm("sub.cc.u32 %0, %3, %6;\n\tsubc.cc.u32 %1, %4, %7;\n\tsubc.s32 %2, %5, 0;"
        : "=r"(r[4]), "=r"(r[5]), "=r"(r[6]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(b[0]), "r"(b[1]));
    unsigned lo, hi, top;
    asm("mad.lo.cc.u32 %0, %3, %4, %5;\n\tmadc.hi.cc.u32 %1, %3, %4, 0;\n\tmadc.lo.s32 %2, %3, %4, 0;\n\t"
        "madc.hi.u32 %2, %3, %2, %5;"
        : "=r"(lo), "=r"(hi), "=&r"(top) : "r"(a[4]), "r"(b[4]), "r"(a[5]));
    r[7] = lo ^ hi ^ top;
}

extern "C" __global__ void chain64(unsigned long long *r, const unsigned long long *a, const unsigned long long *b)
{
    asm("{\n\t.reg .u64 t;\n\t"
        "mul.lo.u64 t, %2, %3;\n\t"
        "mad.lo.cc.u64 %0, %2, %4, t;\n\tmadc.hi.u64 %1, %2, %4, 0;\n\t"
        "add.cc.u64 %0, %0, %3;\n\taddc.cc.s64 %1, %1, t;\n\taddc.u64 t, t, 0;\n\t"
        "sub.cc.s64 %0, %0, t;\n\tsubc.cc.u64 %1, %1, 1;\n\tsubc.u64 %0, %0, %1;\n\t}"
        : "=&l"(r[0]), "=&l"(r[1]) : "l"(a[0]), "l"(b[0]), "l"(a[1]));
}

extern "C" __global__ void int128(unsigned __int128 *r, const unsigned __int128 *a, const __int128 *b, int n)
{
    r[0] = a[0] + a[1];
    r[1] = a[2] - (unsigned __int128)b[0];
    r[2] = a[3] * a[4];
    r[3] = a[5] << n;
    r[4] = (unsigned __int128)(b[1] >> n);
    r[5] = b[2] < b[3] ? a[6] : a[7];
    r[6] = a[0] / (a[1] | 1);
    r[7] = (unsigned __int128)(b[0] % (b[1] | 1));
}
