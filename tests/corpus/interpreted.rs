//! The executed cases of `corpus/executed/` as kernels: what the interpreter of whole modules makes of the module in which a
//! case is executed must be what its rows state. So the model of lines and the interpreter agree, and the modules are right.

use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use ptx_conform::interpret::Interpreter;
use ptx_conform::kernel::{self, Kernel};
use ptx_conform::kernel_case::{KernelAnswer, KernelCase};
use ptx_conform::line_case::{Answer, Returned};
use ptx_conform::spec::Spec;

use crate::cases::{self, Case, Expected};

/// The end of the reason why the interpreter skips atomic operations on floats, which the model of lines has.
const VECTORS: &str = "there is no model of atomic operations on vectors";

/// A trial for each instruction.
pub(crate) fn trials(spec: &Arc<Spec>) -> anyhow::Result<Vec<Trial>> {
    let mut of_instructions: Vec<(String, Vec<Case>)> = Vec::new();
    for case in cases::all(spec)?.into_iter().filter(|case| case.program.surface.is_none()) {
        match of_instructions.last_mut().filter(|(instruction, _)| *instruction == case.instruction) {
            Some((_, cases)) => cases.push(case),
            None => of_instructions.push((case.instruction.clone(), vec![case])),
        }
    }
    let trial = |(instruction, cases): (String, Vec<Case>)| {
        let spec = Arc::clone(spec);
        Trial::test(format!("{instruction}::interpreted"), move || check(&spec, &cases))
    };
    Ok(of_instructions.into_iter().map(trial).collect())
}

fn check(spec: &Spec, cases: &[Case]) -> Result<(), Failed> {
    let interpreter = Interpreter::new(spec);
    let (mut wrong, mut executed) = (Vec::new(), 0);
    for case in cases {
        let (module, kernels) = kernel::module(&[&case.program]);
        let module: Arc<str> = module.into();
        // What no kernel can execute, a GPU does not execute either.
        let [Ok(kernel)] = kernels.as_slice() else { continue };
        for (row, expected) in case.expected.iter().enumerate() {
            // Without a surface, each row has a launch.
            let (buffers, launch) = kernel::row_launch(kernel, row)?;
            let module = Arc::clone(&module);
            let answer = interpreter.execute(&KernelCase { module, buffers, launches: vec![launch] });
            executed += 1;
            if let Err(why) = compare(kernel, case, expected, answer) {
                wrong.push(format!("{}: row {row} of `{}`: {why}", case.name, case.program.line));
            }
        }
    }
    let count = wrong.len();
    wrong.truncate(12);
    if count > 0 { Err(format!("{count} of {executed} rows:\n{}", wrong.join("\n")).into()) } else { Ok(()) }
}

fn compare(kernel: &Kernel, case: &Case, expected: &Expected, answer: KernelAnswer) -> Result<(), String> {
    let result = match answer {
        KernelAnswer::Returned(result) => result,
        KernelAnswer::Undefined(why) => {
            // A case that infers something states what the manual leaves open.
            let open = case.inferred || matches!(expected, Expected::Undefined(_));
            return if open { Ok(()) } else { Err(why) };
        }
        KernelAnswer::Skipped(why) if why.ends_with(VECTORS) => return Ok(()),
        other => return Err(format!("{other:?}")),
    };
    let returned = kernel::row_result(kernel, &case.program, &result)?;
    if returned.undefined.as_ref().is_some_and(|of| of.registers.iter().any(|mask| *mask != 0)) {
        return match expected {
            Expected::Undefined(_) => Ok(()),
            // What is computed next may rely on no bit of an approximation that its bounds leave open.
            Expected::Returned { registers, .. } if registers.iter().any(|allowed| allowed.start() < allowed.end()) => {
                Ok(())
            }
            _ => Err("a register is undefined".to_owned()),
        };
    }
    expected.check(&Answer::Returned(Returned { undefined: None, ..returned }), &case.program)
}
