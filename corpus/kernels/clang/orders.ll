; Atomic orders and scopes, fences, wide atomics, half and bfloat, as LLVM 22 selects them.
; targets: sm_70 sm_90 sm_100 sm_120
; clang: 22+
target triple = "nvptx64-nvidia-cuda"
@shared_word = internal addrspace(3) global i32 undef, align 4
define ptx_kernel void @orders(ptr addrspace(1) %p, ptr %g, i32 %x, i64 %y, float %f, double %d) {
  %a = atomicrmw add ptr addrspace(1) %p, i32 %x acquire
  %b = atomicrmw umax ptr %g, i64 %y syncscope("block") acq_rel
  %c = atomicrmw fadd ptr addrspace(1) %p, float %f syncscope("device") release
  %d1 = atomicrmw fadd ptr %g, double %d seq_cst
  %e = cmpxchg ptr addrspace(1) %p, i32 %a, i32 %x syncscope("device") acq_rel acquire
  %e2 = cmpxchg ptr %g, i64 %b, i64 %y seq_cst monotonic
  %h = atomicrmw nand ptr addrspace(3) @shared_word, i32 %x monotonic
  %i = atomicrmw uinc_wrap ptr addrspace(1) %p, i32 17 monotonic
  %s = cmpxchg ptr %g, i8 1, i8 2 monotonic monotonic
  fence seq_cst
  fence syncscope("block") acquire
  fence syncscope("device") release
  %l = load atomic i32, ptr addrspace(1) %p acquire, align 4
  %m = load atomic i64, ptr %g syncscope("block") monotonic, align 8
  store atomic i32 %l, ptr addrspace(1) %p release, align 4
  store atomic i64 %m, ptr %g syncscope("device") monotonic, align 8
  %n = load atomic i32, ptr %g seq_cst, align 4
  store atomic i32 %n, ptr %g seq_cst, align 4
  ret void
}
define ptx_kernel void @halves(ptr addrspace(1) %p, half %a, <2 x half> %b, bfloat %c, <2 x bfloat> %d, <2 x i16> %e) {
  %1 = fadd half %a, 1.5
  %2 = fmul <2 x half> %b, %b
  %3 = fadd bfloat %c, %c
  %4 = fneg <2 x bfloat> %d
  %5 = add <2 x i16> %e, <i16 3, i16 4>
  %6 = fcmp ult half %1, %a
  %7 = select i1 %6, <2 x half> %2, <2 x half> %b
  store <2 x half> %7, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) %p, i32 1
  store bfloat %3, ptr addrspace(1) %q
  %r = getelementptr i32, ptr addrspace(1) %p, i32 2
  store <2 x bfloat> %4, ptr addrspace(1) %r
  %s = getelementptr i32, ptr addrspace(1) %p, i32 3
  store <2 x i16> %5, ptr addrspace(1) %s
  %w = load <8 x i32>, ptr addrspace(1) %p, align 32
  %t = getelementptr i32, ptr addrspace(1) %p, i32 16
  store <8 x i32> %w, ptr addrspace(1) %t, align 32
  ret void
}
