//! The interpreter: executes a [`KernelCase`] as the manual describes it.
//!
//! It is the reference meaning of PTX of one thread: the threads of a grid are executed one after the other, in the order of
//! blocks and threads, and what needs several of them at once is skipped. What nothing wrote is undefined, and so is what
//! depends on it; a branch, a guard or an address that is undefined ends the case as
//! [`Undefined`](KernelAnswer::Undefined), with the line. So does an access whose result depends on the order of threads.

mod atomic;
mod call;
mod code;
mod computations;
mod compute;
mod declared;
mod decode;
mod entry;
mod initial;
mod launch;
mod line_operands;
mod names;
mod read_body;
mod read_module;
mod regions;
mod register_bits;
mod special;
mod stack;
mod steps;
mod stop;
mod thread;
mod trace;
mod windows;

use std::ops::Range;

use ptx_spec::spec::Spec;

use crate::kernel_case::{KernelAnswer, KernelCase};
use crate::semantics;
use computations::Computations;
pub use entry::{EntryDescription, ParameterDescription};
use launch::Launcher;
use read_module::InterpretedModule;
pub use read_module::environment_of;
pub use steps::{TracedRegister, TracedStep};

/// The opcodes of the instructions that have semantics here, sorted: those that only compute, and those that do more. Branches are
/// not among them.
pub fn opcodes() -> impl Iterator<Item = &'static str> {
    let mut all: Vec<&str> = semantics::opcodes().chain(decode::opcodes()).collect();
    all.sort_unstable();
    all.into_iter()
}

/// Executes kernel cases. It can be used for any number of them, from several threads.
pub struct Interpreter<'s> {
    spec: &'s Spec,
    limits: Limits,
    computations: Computations,
}

/// The most that an execution may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The instructions of a thread.
    pub steps: u64,
    /// The bytes of memory of a case and of the frames of a thread.
    pub memory: u64,
    /// How deep calls may be nested.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 10_000_000, memory: 1 << 30, depth: 10_000 }
    }
}

impl<'s> Interpreter<'s> {
    /// An interpreter of what a specification describes.
    ///
    /// ```
    /// use ptx_exec::interpret::Interpreter;
    /// use ptx_exec::kernel_case::{KernelAnswer, KernelCase};
    /// use ptx_spec::spec::Spec;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let spec = Spec::load("../../specs".as_ref()).map_err(|errors| errors[0].render(false))?;
    /// let module = ".version 8.0 .target sm_90 .address_size 64
    ///     .entry k(.param .b64 out) {
    ///         .reg .b32 %r<3>; .reg .b64 %rd<2>;
    ///         ld.param.b64 %rd1, [out];
    ///         ld.global.b32 %r1, [%rd1];
    ///         add.u32 %r2, %r1, 1;
    ///         st.global.b32 [%rd1], %r2;
    ///         ret;
    ///     }";
    /// let case: KernelCase = serde_json::from_value(serde_json::json!({
    ///     "module": module,
    ///     "buffers": [{ "name": "out", "data": "ffffffff" }],
    ///     "launches": [{ "entry": "k", "arguments": [{ "address": "out" }] }],
    /// }))?;
    /// let KernelAnswer::Returned(result) = Interpreter::new(&spec).execute(&case) else { panic!("it returns") };
    /// assert_eq!(result.buffers["out"], [0; 4]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(spec: &'s Spec) -> Self {
        Self { spec, limits: Limits::default(), computations: Computations::default() }
    }

    /// The same interpreter with other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Executes all launches of a case.
    pub fn execute(&self, case: &KernelCase) -> KernelAnswer {
        let module = self.read(&case.module);
        self.execute_in(&module, case)
    }

    /// Executes cases. Those with the same module, one after the other, share the reading of it.
    pub fn execute_all(&self, cases: &[KernelCase]) -> Vec<KernelAnswer> {
        let same = cases.chunk_by(|case, next| case.module == next.module);
        same.flat_map(|cases| {
            let module = self.read(&cases[0].module);
            cases.iter().map(|case| self.execute_in(&module, case)).collect::<Vec<_>>()
        })
        .collect()
    }

    /// Executes all launches of a case, and returns the first steps of its threads that only compute, up to a number, in the order
    /// in which they were executed.
    pub fn trace(&self, case: &KernelCase, most: usize) -> (KernelAnswer, Vec<TracedStep>) {
        match self.read(&case.module) {
            Ok(module) => Launcher::run(case, &module, self.limits, most),
            Err(why) => (KernelAnswer::Skipped(why), Vec::new()),
        }
    }

    fn execute_in(&self, module: &Result<InterpretedModule, String>, case: &KernelCase) -> KernelAnswer {
        match module {
            Ok(module) => Launcher::run(case, module, self.limits, 0).0,
            Err(why) => KernelAnswer::Skipped(why.clone()),
        }
    }

    /// The entries of a module, with their parameters.
    ///
    /// # Errors
    /// If the module cannot be read.
    pub fn entries(&self, module: &str) -> Result<Vec<EntryDescription>, String> {
        self.read(module).map(|module| module.descriptions())
    }

    /// The lines of a module that have no semantics here: the bytes of each, and why. A case that reaches one of them is
    /// skipped.
    ///
    /// # Errors
    /// The reason why no case of the module is executed.
    pub fn unmodelled(&self, module: &str) -> Result<Vec<(Range<usize>, String)>, String> {
        self.read(module).map(|module| module.unmodelled().collect())
    }

    fn read(&self, module: &str) -> Result<InterpretedModule, String> {
        InterpretedModule::read(self.spec, module, &self.computations, self.limits.memory)
    }
}
