; call void asm "in a comment", ""()
define i32 @f(i32 %x, ptr %p) {
  %a = call i32 asm "add.u32 $0, $1, $$0;", "=r,r"(i32 %x)
  %b = tail call i32 asm sideeffect "{\0A\09.reg .b32 t;\0A\09mov.u32 t, $1;\0A\09mov.u32 ${0:r}, u;\0A}", "=r,r,~{memory}"(i32 %x)
  call void asm sideeffect "rep stosl", "={di},={cx},{ax},0,1,~{memory}"()
  ret i32 %b
}
