//! The executed cases of `corpus/executed/` as kernels: what the interpreter of whole modules makes of the module in which a
//! case is executed must be what its rows state. So the model of lines and the interpreter agree, and the modules are right.

use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use ptx_conform::interpret::Interpreter;
use ptx_conform::kernel::{self, Kernel, Parameter};
use ptx_conform::kernel_case::{KernelAnswer, KernelArgument, KernelBuffer, KernelCase, KernelLaunch};
use ptx_conform::line_case::{Answer, LineCase, Returned};
use ptx_conform::spec::Spec;

use crate::cases::{self, Case, Expected};

/// The end of the reason why the interpreter skips atomic operations on floats, which the model of lines has.
const FLOATS: &str = "there is no model of atomic operations on floats";

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
        // What no kernel can execute, a GPU does not execute either.
        let [Ok(kernel)] = kernels.as_slice() else { continue };
        for (row, expected) in case.expected.iter().enumerate() {
            let answer = interpreter.execute(&launch(&module, kernel, &case.program, row));
            executed += 1;
            if let Err(why) = compare(kernel, case, expected, row, answer) {
                wrong.push(format!("{}: row {row} of `{}`: {why}", case.name, case.program.line));
            }
        }
    }
    let count = wrong.len();
    wrong.truncate(12);
    if count > 0 { Err(format!("{count} of {executed} rows:\n{}", wrong.join("\n")).into()) } else { Ok(()) }
}

/// The launch of one row.
fn launch(module: &str, kernel: &Kernel, case: &LineCase, row: usize) -> KernelCase {
    let buffer = |name: &str, data: Vec<u8>| KernelBuffer { name: name.to_owned(), data };
    let count = case.rows.len();
    let argument = |parameter: &Parameter| match parameter {
        Parameter::Bytes(bytes) => KernelArgument::Bytes(bytes.clone()),
        Parameter::Rows => KernelArgument::Address("rows".to_owned()),
        Parameter::Results => KernelArgument::Address("results".to_owned()),
        Parameter::Marks => KernelArgument::Address("marks".to_owned()),
        Parameter::First => KernelArgument::Bytes(u32::try_from(row).expect("few rows").to_le_bytes().to_vec()),
        Parameter::Count => KernelArgument::Bytes(1_u32.to_le_bytes().to_vec()),
    };
    KernelCase {
        module: module.to_owned(),
        buffers: vec![
            buffer("rows", kernel.rows.clone()),
            buffer("results", vec![0; kernel.result_bytes * count]),
            buffer("marks", vec![0; 4 * count]),
        ],
        launches: vec![KernelLaunch {
            entry: kernel.entry.clone(),
            grid: [1; 3],
            block: [1; 3],
            arguments: kernel.parameters.iter().map(argument).collect(),
        }],
    }
}

fn compare(kernel: &Kernel, case: &Case, expected: &Expected, row: usize, answer: KernelAnswer) -> Result<(), String> {
    let result = match answer {
        KernelAnswer::Returned(result) => result,
        KernelAnswer::Undefined(why) => {
            // A case that infers something states what the manual leaves open.
            let open = case.inferred || matches!(expected, Expected::Undefined(_));
            return if open { Ok(()) } else { Err(why) };
        }
        KernelAnswer::Skipped(why) if why.ends_with(FLOATS) => return Ok(()),
        other => return Err(format!("{other:?}")),
    };
    let nothing = vec![0; kernel.result_bytes * case.program.rows.len()];
    let after = result.buffers.get("results").unwrap_or(&nothing);
    let undefined = result.undefined.get("results").unwrap_or(&nothing);
    let registers = kernel::decode(kernel, &case.program, after, row);
    let loose = kernel::decode(kernel, &case.program, undefined, row).iter().any(|mask| *mask != 0);
    if loose {
        return if matches!(expected, Expected::Undefined(_)) {
            Ok(())
        } else {
            Err("a register is undefined".to_owned())
        };
    }
    let variables = kernel::changed(kernel, &case.program, after, row);
    expected.check(&Answer::Returned(Returned { registers, variables, ..Returned::default() }), &case.program)
}
