//! Memory on the stack. PTX ISA `stack-manipulation-instructions`. Here the stack grows upwards.

use super::call::in_local;
use super::code::{CodeDestination, CodeSource};
use super::register_bits::RegisterBits;
use super::stop::ThreadStop;
use super::thread::InterpretedThread;
use super::windows;

impl InterpretedThread<'_> {
    /// Allocates memory that the frame has until it returns, or until the stack pointer is set back.
    ///
    /// # Errors
    /// If the size is undefined, or if there is not enough memory.
    pub(super) fn allocate(&mut self, to: CodeDestination, size: CodeSource, alignment: u64) -> Result<(), ThreadStop> {
        let size = self.value(size).known(to.bits).and_then(|size| u64::try_from(size).ok());
        let size = size.ok_or_else(|| ThreadStop::Undefined("the size is undefined".to_owned()))?;
        let mut stack = self.frame.stack;
        let at = windows::place(&mut stack, size, alignment.max(8));
        self.memory.add_undefined(in_local(at)?, size)?;
        self.frame.stack = stack;
        self.set(to, RegisterBits::from(at));
        Ok(())
    }

    /// Sets the stack pointer back, and frees what was allocated since.
    ///
    /// # Errors
    /// If it is not one that the frame had.
    pub(super) fn restore_stack(&mut self, from: CodeSource) -> Result<(), ThreadStop> {
        let undefined = |why: &str| ThreadStop::Undefined(why.to_owned());
        let to = self.value(from).address().ok_or_else(|| undefined("the stack pointer is undefined"))?;
        if !(self.frame.fixed..=self.frame.stack).contains(&to) {
            return Err(undefined("the stack pointer is none that was saved in this call"));
        }
        self.memory.remove_from(in_local(to)?);
        self.frame.stack = to;
        Ok(())
    }
}
