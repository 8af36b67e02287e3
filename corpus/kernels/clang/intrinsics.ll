; LLVM IR: atomics with orders and scopes, fences, texture and surface intrinsics, inline assembly, odd integers.
; targets: sm_70 sm_90
; clang: 19+
target triple = "nvptx64-nvidia-cuda"
@table = internal addrspace(4) constant [4 x i32] [i32 1, i32 -2, i32 3, i32 4], align 4
@room = internal addrspace(3) global [64 x i64] undef, align 8
@"odd_name$1" = addrspace(1) global { i8, double, [3 x i16] } { i8 7, double 2.5, [3 x i16] [i16 1, i16 2, i16 3] }, align 8
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @external(ptr, i64)
declare i32 @llvm.ctpop.i32(i32)
declare i16 @llvm.umax.i16(i16, i16)
declare i32 @llvm.sadd.sat.i32(i32, i32)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare float @llvm.copysign.f32(float, float)
declare float @llvm.minnum.f32(float, float)
define ptx_kernel void @atomics(ptr addrspace(1) %p, ptr %g, i32 %x, i64 %y, float %f) {
  %a = atomicrmw add ptr addrspace(1) %p, i32 %x monotonic
  %b = atomicrmw umax ptr %g, i64 %y monotonic
  %c = atomicrmw fadd ptr addrspace(1) %p, float %f monotonic
  %d = cmpxchg ptr addrspace(1) %p, i32 %a, i32 %x monotonic monotonic
  %e = atomicrmw xchg ptr addrspace(3) @room, i64 %b monotonic
  %v = load volatile i32, ptr addrspace(1) %p
  store volatile i32 %v, ptr %g
  ret void
}
define ptx_kernel void @mixed(ptr addrspace(1) %out, i16 %narrow, i1 %flag, <4 x float> %v, <3 x i8> %odd) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr [4 x i32], ptr addrspace(4) @table, i32 0, i32 %t
  %l = load i32, ptr addrspace(4) %at
  %s = call i32 @llvm.sadd.sat.i32(i32 %l, i32 %t)
  %r = call i32 @llvm.fshl.i32(i32 %s, i32 %l, i32 %t)
  %w = sext i16 %narrow to i32
  %q = select i1 %flag, i32 %r, i32 %w
  store i32 %q, ptr addrspace(1) %out
  %slot = alloca i64
  call void @external(ptr %slot, i64 9)
  %z = load i64, ptr %slot
  %o = getelementptr i64, ptr addrspace(1) %out, i64 3
  store i64 %z, ptr addrspace(1) %o
  %e = extractelement <4 x float> %v, i32 2
  %c = call float @llvm.copysign.f32(float %e, float -1.0)
  %m = call float @llvm.minnum.f32(float %c, float 0x7FF0000000000000)
  %h = fptrunc float %m to half
  store half %h, ptr addrspace(1) @"odd_name$1"
  %i = call i32 asm sideeffect "{ .reg .u32 t; add.u32 t, $1, 1; mov.u32 $0, t; }", "=r,r"(i32 %q)
  %big = icmp ugt i32 %i, 100
  br i1 %big, label %yes, label %no
yes:
  %k = phi i32 [ 0, %0 ], [ %k1, %yes ]
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, %i
  br i1 %more, label %yes, label %no
no:
  ret void
}
