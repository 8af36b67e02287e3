//! Properties of every variant in every setup.

use arbitrary::Unstructured;

use super::answers::check_answer;
use super::lines::names;
use super::shipped::{ExecutedSpaces, Shipped};
use crate::kernel::{self, Kernel};
use crate::line_case::LineCase;
use crate::{model, setup};
use ptx_spec::environment::{AddressSize, Environment};
use ptx_spec::judge::Judge;
use ptx_spec::ptx::{Declarations, Line, Module, Walk, WalkStep};
use ptx_spec::space::{Diagram, draw_variant, environment_values};
use ptx_spec::spec::Spec;

/// Rows of a variant are a line case that the model can read, that has a kernel, and that JSON can
/// carry. The model's own answers are right, and others are not.
pub fn execution_is_sound(u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let Shipped { spec, executed, .. } = Shipped::get();
    let environment = newest();
    let modelled: Vec<usize> = (0..executed.len()).filter(|&at| model::models(&spec.instructions[at].name)).collect();
    let at = *u.choose(&modelled)?;
    let ExecutedSpaces { instruction, forms } = &executed[at];
    let instruction = instruction.get_or_init(|| setup::executed(spec, &spec.instructions[at]));
    let number = u.choose_index(forms.len())?;
    let form = &instruction.forms[number];
    let Some(first) = environment_values(form, &environment) else { return Ok(()) };
    let diagram = forms[number].get_or_init(|| Diagram::within(form, None, &first));
    if diagram.count() == 0 {
        return Ok(());
    }
    let mut rows = vec![draw_variant(u, &diagram.all())?];
    let region = diagram.all().below(&rows[0][..setup::first_of_row(form)]);
    for _ in 0..u.int_in_range(0..=2)? {
        let mut row = draw_variant(u, &region)?;
        setup::share_contents(form, &rows[0], &mut row);
        rows.push(row);
    }
    let rows: Vec<&[u8]> = rows.iter().map(Vec::as_slice).collect();
    let program = setup::line_case(spec, form, &rows).expect("texts of ours are read");
    assert_eq!(program.rows.len(), rows.len());
    assert_eq!(program.environment(), environment);

    let text = serde_json::to_string(&program).expect("a program is JSON");
    let again: LineCase = serde_json::from_str(&text).unwrap_or_else(|why| panic!("{why}: {text}"));
    assert_eq!(again, program, "{text}");
    check_kernel(spec, &program);

    let prepared = model::prepare(spec, &program).unwrap_or_else(|why| panic!("{why}: {text}"));
    let answers = model::answers(spec, &program).unwrap_or_else(|why| panic!("{why}: {text}"));
    assert_eq!(answers.len(), rows.len());
    for (expectation, answer) in prepared.all(&program.rows).zip(&answers) {
        check_answer(&program, &expectation, answer, u)?;
    }
    Ok(())
}

/// An environment that has all forms.
fn newest() -> Environment {
    Environment {
        ptx: "9.0".parse().expect("a version"),
        target: "sm_100".parse().expect("a target"),
        address_size: AddressSize::Bits64,
    }
}

/// The case has a kernel, and in its module the line is read as it is in the case.
fn check_kernel(spec: &Spec, program: &LineCase) {
    let (text, mut kernels) = kernel::module(&[program]);
    let kernel: Kernel = match kernels.pop() {
        Some(Ok(kernel)) => kernel,
        other => panic!("`{}` with {}: {other:?}", program.line, program.declarations),
    };
    assert_eq!(kernel.rows.len(), kernel.row_bytes * program.rows.len());
    assert_eq!(kernel.results.len(), program.outputs.len());
    let carried = serde_json::to_string(&kernel).expect("a kernel is JSON");
    assert_eq!(serde_json::from_str(&carried).ok(), Some(kernel), "{carried}");

    let judge = Judge::new(spec, &program.environment()).expect("a known environment");
    let line = Line::parse(&program.line).expect("a line of ours");
    let symbols = Declarations::parse(&program.declarations, &spec.isa).unwrap_or_else(|why| panic!("{why}: {text}"));
    let (instruction, meant) = judge.read(&line, &symbols).expect("an instruction of the specification");
    let (_, reading) = judge.read(&line, &visible(&text, &program.line, spec)).expect("the same instruction");
    assert!(reading.valid(), "{:?}: {text}", reading.rules(instruction).map(|rule| &rule.id).collect::<Vec<_>>());
    let form = &instruction.forms[meant.form];
    assert_eq!(reading.form, meant.form, "{text}");
    assert_eq!(names(form, &reading.values), names(form, &meant.values), "{text}");
}

/// The names that the only instruction of a module with this text can use.
fn visible(text: &str, line: &str, spec: &Spec) -> Declarations {
    let module = Module::read(text, &spec.isa);
    assert!(module.problems.is_empty(), "{:?}: {text}", module.problems);
    for body in &module.bodies {
        let mut walk = Walk::new(&module, &spec.isa, body);
        while let Some(step) = walk.next_step() {
            match step {
                WalkStep::Instruction(_, at) if text[at.clone()] == *line => return walk.declarations().clone(),
                WalkStep::TextProblem(problem) => panic!("{problem:?}: {text}"),
                _ => {}
            }
        }
    }
    panic!("`{line}` is not in the module: {text}");
}
