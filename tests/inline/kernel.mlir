llvm.func @f(%x: i32, %p: i1) {
  // llvm.inline_asm "in a comment", "" : () -> ()
  %0 = llvm.inline_asm has_side_effects asm_dialect = att "@$2 mov.u32 $0, $1;", "=r,r,b" %x, %p : (i32, i1) -> i32
  %1 = tt.elementwise_inline_asm "shl.b32 $0, $0, 3;\0Ashl.b31 $0, $1, 3;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  llvm.return
}
