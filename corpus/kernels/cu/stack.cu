// The stack in inline assembly (sm_52): alloca, stacksave, stackrestore.
// targets: 75+
extern "C" __global__ void stack(unsigned long long *out, int n)
{
    asm volatile("{\n\t.reg .u64 top, room, bytes;\n\t"
                 "stacksave.u64 top;\n\tcvt.u64.s32 bytes, %1;\n\talloca.u64 room, bytes, 16;\n\t"
                 "st.local.u32 [room], 7;\n\tcvta.local.u64 room, room;\n\tst.u64 [%0], room;\n\t"
                 "stackrestore.u64 top;\n\t}" ::"l"(out), "r"(n) : "memory");
}
