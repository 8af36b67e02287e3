// Control: trap, brkpt, exit, nanosleep, pmevent, ret in the middle, predicated branches, infinite loops, unreachable.
// targets: 70+
extern "C" __global__ void endings(int *out, int x)
{
    if (x == 1) __trap();
    if (x == 2) __brkpt();
    if (x == 3) asm volatile("exit;");
    if (x == 4) __nanosleep(100);
    if (x == 5) __nanosleep(out[0]);
    if (x == 6) __prof_trigger(3);
    if (x == 7) asm volatile("pmevent 7;\n\tpmevent.mask 0xff;");
    if (x == 8) __builtin_unreachable();
    if (x == 9) asm volatile("ret;");
    if (x == 10) for (;;) out[1]++;
    if (x == 11) asm volatile("trap; brkpt;");
    asm volatile("{ .reg .pred p, q;\n\tsetp.lt.s32 p|q, %1, 12;\n\t@p bra.uni NEXT_%=;\n\t@!q bra END_%=;\n\t"
                 "NEXT_%=:\n\tadd.s32 %0, %1, 1;\n\t@q exit;\n\tEND_%=:\n\tmov.u32 %0, 5; }" : "=r"(out[2]) : "r"(x));
    out[3] = __builtin_expect(x == 4, 1) ? 5 : out[4];
    __builtin_assume(x > 0);
    out[5] = x / 4;
}
