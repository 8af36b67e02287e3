use core::arch::asm;

/// # Safety
/// `at` is valid.
pub unsafe fn kernel<'a>(at: &'a u64) -> u32 {
    let (x, y): (u32, u32);
    asm!("mov.u32 {}, %tid.x;", out(reg32) x);
    asm!(
        "{{",
        "  .reg .pred p;",
        "  setp.eq.u32 p, {a}, 0;",
        "  @p ld.global.u32 {to}, [{at}];",
        "}}",
        a = in(reg32) x, to = out(reg32) y, at = in(reg64) at, options(nostack),
    );
    asm!(r#"st.global.u31 [{0}], {1:e};"#, in(reg64) at, in(reg32) y);
    asm!(concat!("bar", ".sync 0;"));
    #[cfg(target_arch = "x86_64")]
    asm!("nop", in("eax") 1);
    let _c = '"';
    y
}
