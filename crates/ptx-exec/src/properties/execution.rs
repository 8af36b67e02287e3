//! What holds for every variant in every setup that it can be executed in.

use std::sync::OnceLock;

use arbitrary::Unstructured;

use super::{Shipped, names};
use crate::execution::{Answer, Execution, Returned};
use crate::kernel::{self, Kernel};
use crate::model::{self, Allowed, Difference, Ending, Expectation, Object, Verdict};
use crate::setup;
use ptx_spec::environment::{AddressSize, Environment};
use ptx_spec::judge::Judge;
use ptx_spec::ptx::{Declarations, Line, Module};
use ptx_spec::space::{Diagram, draw_variant, environment_values};
use ptx_spec::spec::{Instruction, Spec};

/// An instruction with its states, and the spaces of its forms, each made when it is first drawn from.
#[derive(Default)]
pub(super) struct Executed {
    instruction: OnceLock<Instruction>,
    forms: Vec<OnceLock<Diagram>>,
}

impl Executed {
    pub(super) fn of(instruction: &Instruction) -> Self {
        let forms = instruction.forms.iter().map(|_| OnceLock::new()).collect();
        Self { instruction: OnceLock::new(), forms }
    }
}

/// Rows of a variant are an execution that the model can read, that has a kernel, and that JSON can
/// carry. The model's own answers are right, and others are not.
pub fn execution_is_sound(u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let Shipped { spec, executed, .. } = Shipped::get();
    let environment = newest();
    let at = u.choose_index(executed.len())?;
    let Executed { instruction, forms } = &executed[at];
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
    let execution = setup::execution(spec, form, &rows).expect("texts of ours are read");
    assert_eq!(execution.rows.len(), rows.len());
    assert_eq!(execution.environment(), environment);

    let text = serde_json::to_string(&execution).expect("an execution is JSON");
    let again: Execution = serde_json::from_str(&text).unwrap_or_else(|why| panic!("{why}: {text}"));
    assert_eq!(again, execution, "{text}");
    check_kernel(spec, &execution);

    let prepared = model::prepare(spec, &execution).unwrap_or_else(|why| panic!("{why}: {text}"));
    let answers = model::answers(spec, &execution).unwrap_or_else(|why| panic!("{why}: {text}"));
    assert_eq!(answers.len(), rows.len());
    for (expectation, answer) in prepared.all(&execution.rows).zip(&answers) {
        check_answer(&execution, &expectation, answer, u)?;
    }
    Ok(())
}

/// The environment that has all forms.
fn newest() -> Environment {
    Environment {
        ptx: "9.0".parse().expect("a version"),
        target: "sm_100".parse().expect("a target"),
        address_size: AddressSize::Bits64,
    }
}

/// The execution has a kernel, and in its module the line is read as it is in the execution.
fn check_kernel(spec: &Spec, execution: &Execution) {
    let (text, mut kernels) = kernel::module(&[execution]);
    let kernel: Kernel = match kernels.pop() {
        Some(Ok(kernel)) => kernel,
        other => panic!("`{}` with {}: {other:?}", execution.line, execution.declarations),
    };
    assert_eq!(kernel.rows.len(), kernel.row_bytes * execution.rows.len());
    assert_eq!(kernel.results.len(), execution.outputs.len());
    let carried = serde_json::to_string(&kernel).expect("a kernel is JSON");
    assert_eq!(serde_json::from_str(&carried).ok(), Some(kernel), "{carried}");

    let judge = Judge::new(spec, &execution.environment()).expect("a known environment");
    let line = Line::parse(&execution.line).expect("a line of ours");
    let read = |declarations: &str| {
        let symbols = Declarations::parse(declarations, &spec.isa).unwrap_or_else(|why| panic!("{why}: {text}"));
        judge.read(&line, &symbols).expect("an instruction of the specification")
    };
    let (instruction, meant) = read(&execution.declarations);
    let (_, reading) = read(&declarations(&text, &execution.line));
    assert!(reading.valid(), "{:?}: {text}", reading.rules(instruction).map(|rule| &rule.id).collect::<Vec<_>>());
    let form = &instruction.forms[meant.form];
    assert_eq!(reading.form, meant.form, "{text}");
    assert_eq!(names(form, &reading.values), names(form, &meant.values), "{text}");
}

/// What a module declares for the only instruction of it with this text.
fn declarations(module: &str, line: &str) -> String {
    let read = Module::parse(module).unwrap_or_else(|why| panic!("{why} at byte {}: {module}", why.at));
    match read.instructions.iter().find(|placed| placed.text == line) {
        Some(placed) => read.declarations(placed),
        None => panic!("`{line}` is not in the module: {module}"),
    }
}

/// The model's answer to a row is one that is possible and right. Another ending is wrong, and so is
/// what differs in a bit that is known.
fn check_answer(
    execution: &Execution,
    expectation: &Expectation,
    answer: &Answer,
    u: &mut Unstructured<'_>,
) -> arbitrary::Result<()> {
    let verdict = |answer: &Answer| expectation.check(execution, answer);
    let right = |verdict: &Verdict| match expectation.allowed {
        Allowed::Any(why) => *verdict == Verdict::Undecided(why),
        _ => matches!(verdict, Verdict::Agrees(_)),
    };
    let own = verdict(answer);
    assert!(right(&own), "{own:?}: `{}` {expectation:?} {answer:?}", execution.line);
    match (&expectation.allowed, answer) {
        (Allowed::Only(Ending::Traps), _) => {
            let returned = Answer::Returned(nothing(execution));
            assert_eq!(verdict(&returned), Verdict::Differs(Difference::Returned));
        }
        (Allowed::Only(Ending::Returns(_)), _) => {
            assert_eq!(verdict(&Answer::Trapped(String::new())), Verdict::Differs(Difference::Trapped));
        }
        _ => {}
    }
    let Answer::Returned(returned) = answer else { return Ok(()) };
    let possible = |returned: &Returned| execution.check(returned);
    assert_eq!(possible(returned), Ok(()), "`{}` {returned:?}", execution.line);
    let mut more = returned.clone();
    more.registers.push(0);
    assert!(possible(&more).is_err(), "a register that the line does not write");

    if !execution.outputs.is_empty() {
        let register = u.choose_index(execution.outputs.len())?;
        let bits = u32::from(execution.outputs[register].bits);
        let mut wide = returned.clone();
        wide.registers[register] |= 1_u128.checked_shl(bits).unwrap_or_default();
        assert!(bits == 128 || possible(&wide).is_err(), "a bit that the register does not have");
        let bit = 1 << u.int_in_range(0..=bits - 1)?;
        let mut other = returned.clone();
        other.registers[register] ^= bit;
        if let Allowed::Only(Ending::Returns(effect)) = &expectation.allowed {
            let known = effect.registers()[register].known & bit != 0;
            assert_other(execution, known, Difference::Register(register), &verdict(&Answer::Returned(other)));
        }
    }
    if let Some(before) = execution.surface.as_ref().map(|surface| &surface.data).filter(|data| !data.is_empty()) {
        let mut other = returned.clone();
        let mut after = other.surface.take().unwrap_or_else(|| before.clone());
        let (byte, bit) = (u.choose_index(after.len())?, u.int_in_range(0..=7)?);
        after[byte] ^= 1 << bit;
        other.surface = Some(after.clone());
        if let Allowed::Only(Ending::Returns(effect)) = &expectation.allowed {
            let written = || effect.written().filter(|write| write.object == Object::Surface);
            let all = written().filter_map(|write| write.byte(byte)).all(|(_, known)| known >> bit & 1 == 1);
            // The last bit of a NaN's fraction is open, but without it there is an infinity.
            let infinity = written().find_map(|write| Some(write.at + effect.nans.missing(after.get(write.at..)?)?));
            let wrong = Difference::Surface(infinity.filter(|_| !all).unwrap_or(byte));
            let verdict = verdict(&Answer::Returned(other.clone()));
            assert_other(execution, all || infinity.is_some(), wrong, &verdict);
        }
        other.surface.iter_mut().for_each(|surface| surface.push(0));
        assert!(possible(&other).is_err(), "a surface of another size");
    }
    if !execution.variables.is_empty() {
        let position = u.choose_index(execution.variables.len())?;
        let variable = &execution.variables[position];
        let mut other = returned.clone();
        let after = other.variables.entry(variable.name.clone()).or_insert_with(|| variable.data.clone());
        let (byte, bit) = (u.choose_index(after.len())?, u.int_in_range(0..=7)?);
        after[byte] ^= 1 << bit;
        if let Allowed::Only(Ending::Returns(effect)) = &expectation.allowed {
            let written = effect.written().filter(|write| write.object == Object::Variable(position));
            let known = written.filter_map(|write| write.byte(byte)).all(|(_, known)| known >> bit & 1 == 1);
            let verdict = verdict(&Answer::Returned(other.clone()));
            assert_other(execution, known, Difference::Variable(position, byte), &verdict);
        }
        other.variables.values_mut().for_each(|bytes| bytes.push(0));
        assert!(possible(&other).is_err(), "a variable of another size");
    }
    Ok(())
}

/// What differs from what is right in one bit is wrong for it where the bit is known.
fn assert_other(execution: &Execution, known: bool, difference: Difference, verdict: &Verdict) {
    if known {
        assert_eq!(*verdict, Verdict::Differs(difference), "`{}`", execution.line);
    } else {
        assert!(matches!(verdict, Verdict::Agrees(Some(_))), "`{}` {difference:?} {verdict:?}", execution.line);
    }
}

/// All registers 0, and the surface as it was.
fn nothing(execution: &Execution) -> Returned {
    Returned { registers: vec![0; execution.outputs.len()], ..Returned::default() }
}
