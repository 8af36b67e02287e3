# @asmcall("in a comment")
lane() = @asmcall("mov.u32 \$0, %laneid;", "=r", false, UInt32, Tuple{})
function twice(x)
    y = @asmcall("""
        add.u32 \$0, \$1, \$1;
        """, "=r,r", UInt32, Tuple{UInt32}, x)
    z = LLVM.Interop.@asmcall("ad.u32 \$0, \$1, \$1;", "=r,r", UInt32, Tuple{UInt32}, y')
    w = @asmcall("add.$kind \$0, \$1, \$1;", "=r,r", UInt32, Tuple{UInt32}, z)
    Base.llvmcall(("""
        define i32 @entry() {
            %1 = call i32 asm sideeffect "mov.u32 \$0, %laneidx;", "=r"()
            ret i32 %1
        }""", "entry"), UInt32, Tuple{})
end
