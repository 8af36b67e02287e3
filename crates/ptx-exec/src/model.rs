//! The reference model: computes the expected result of each row of an executed case.
//!
//! Pure functions of the line, the objects and the row. What they yield is an [`Expectation`] and not a
//! value: what the manual leaves undefined is said to be so, and what it leaves open and this model
//! fills in is marked as [inferred](INFERENCES).

mod atom;
mod computed;
mod convert;
mod effect;
mod expectation;
mod ld;
mod memory;
mod operands;
mod prepare;
mod st;
mod surface;

use crate::line_case::{Answer, LineCase, Rows};
use crate::semantics::{self, computation};
use ptx_spec::environment::Environment;
use ptx_spec::judge::Judge;
use ptx_spec::ptx::{Declarations, Line};
use ptx_spec::space::Values;
use ptx_spec::spec::{Form, Spec};

pub use effect::{Effect, Object, Write};
pub use expectation::{Allowed, Difference, Ending, Expectation, ResultPart, RowVerdict};
use operands::{Lane, Operands, ValueSource};
use prepare::{Prepare, Semantics};

pub use crate::semantics::{INFERENCES, Inference, Inferences, Undefined, Unmodelled};
pub use crate::value::ExpectedValue;

/// A case whose line has been read, so that rows can be evaluated.
pub struct Prepared<'a> {
    semantics: Box<dyn Semantics + 'a>,
    guard: Option<(bool, ValueSource)>,
    outputs: usize,
    form: String,
    choices: Values,
}

/// The instructions that do more than compute. Each is a page of the manual.
const TABLE: &[(&str, Prepare)] = &[
    ("atom", atom::prepare),
    ("ld", ld::prepare),
    ("red", atom::prepare),
    ("st", st::prepare),
    ("suld", surface::load),
    ("suq", surface::query),
    ("sured", surface::reduce),
    ("sust", surface::store),
];

/// The opcodes of the instructions that a run executes, sorted: those that only compute, and those that do more.
pub fn opcodes() -> impl Iterator<Item = &'static str> {
    let mut all: Vec<&str> = TABLE.iter().map(|(opcode, _)| *opcode).chain(semantics::opcodes()).collect();
    all.sort_unstable();
    all.into_iter()
}

/// True if a run executes an instruction.
pub fn models(opcode: &str) -> bool {
    opcodes().any(|known| known == opcode)
}

/// Reads the line of a case.
///
/// ```
/// use ptx_exec::line_case::{Answer, LineCase, Returned};
/// use ptx_exec::model;
/// use ptx_spec::spec::Spec;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let spec = Spec::load("../../specs".as_ref()).map_err(|errors| errors[0].render(false))?;
/// let case: LineCase = serde_json::from_str(
///     r#"{ "ptx": "9.0", "target": "sm_90",
///          "declarations": ".entry k() { .reg .b32 %r<9>;",
///          "line": "add.u32 %r0, %r1, 1;",
///          "inputs": [{ "register": "%r1", "bits": 32, "holds": "bits" }],
///          "outputs": [{ "register": "%r0", "bits": 32 }],
///          "rows": [["5"], ["ffffffff"]] }"#,
/// )?;
/// let prepared = model::prepare(&spec, &case)?;
/// let sums: Vec<Answer> = prepared.all(&case.rows).map(|expectation| expectation.example(&case)).collect();
/// assert_eq!(sums, [6, 0].map(|sum| Answer::Returned(Returned::registers(&[sum]))));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If the line is not valid, its instruction is not modelled, or an object that the line uses is missing.
pub fn prepare<'a>(spec: &Spec, case: &'a LineCase) -> Result<Prepared<'a>, Unmodelled> {
    prepare_misread(spec, case, |_, _, _| {})
}

/// Reads the line of a case as [`prepare`] does, and then misreads it: the choices of its form and its parts are changed,
/// and what they are now is executed, whether it would be valid or not. A model that misreads some lines is a mutant: an
/// executor with a bug, which a run must find.
///
/// # Errors
/// As [`prepare`], or if the model cannot execute what the line was changed to.
pub fn prepare_misread<'a>(
    spec: &Spec,
    case: &'a LineCase,
    misread: impl FnOnce(&Form, &mut Values, &mut Line<'_>),
) -> Result<Prepared<'a>, Unmodelled> {
    let error = |message: String| Unmodelled(message);
    let environment: Environment = case.environment();
    let judge = Judge::new(spec, &environment).map_err(|why| error(why.to_string()))?;
    let declarations = Declarations::parse(&case.declarations, &spec.isa).map_err(|why| error(why.to_string()))?;
    let mut line = Line::parse(&case.line).map_err(|why| error(why.to_string()))?;
    let (instruction, mut reading) =
        judge.read(&line, &declarations).ok_or_else(|| error(format!("`{}` has no specification", line.opcode)))?;
    if let Some(rule) = reading.rules(instruction).next() {
        return Err(error(format!("the line is not valid: it breaks {}", rule.id)));
    }
    if let Some(rule) = reading.undefined(instruction).next() {
        return Err(error(format!("the manual leaves the line undefined: {}", rule.id)));
    }
    if let Some(surface) = &case.surface {
        surface.check().map_err(error)?;
    }
    if case.rows.width() != case.inputs.len() && !case.rows.is_empty() {
        return Err(error(format!("{} inputs, but rows of {} values", case.inputs.len(), case.rows.width())));
    }
    let form = &instruction.forms[reading.form];
    misread(form, &mut reading.values, &mut line);
    let operands = Operands { isa: &spec.isa, form, values: &reading.values, line: &line, declarations, case };
    let semantics = match computation(&spec.isa, form, operands.values, Some(&line)) {
        Some(computation) => computed::prepare(&operands, computation?)?,
        None => {
            let prepare = TABLE.iter().find(|(known, _)| *known == instruction.name);
            let none = || error(format!("there is no model of `{}`", instruction.name));
            prepare.ok_or_else(none)?.1(&operands)?
        }
    };
    Ok(Prepared {
        semantics,
        guard: operands.guard()?,
        outputs: case.outputs.len(),
        form: form.id.clone(),
        choices: reading.values,
    })
}

impl Prepared<'_> {
    /// The form of the line: `suld.b`.
    pub fn form(&self) -> &str {
        &self.form
    }

    /// The choices of the line on the axes of its form.
    pub fn choices(&self) -> &[u8] {
        &self.choices
    }

    /// The expectation of a row. A line whose guard is false changes nothing, and the outputs of a case are
    /// 0 before it.
    #[inline]
    pub fn expect(&self, row: &[u128]) -> Expectation {
        match self.guard {
            Some((negated, predicate)) if (predicate.of(row) & 1 == 1) == negated => {
                Expectation::returned(Effect::of_registers(self.outputs))
            }
            _ => self.semantics.expect(row),
        }
    }

    /// The expectations of all rows.
    pub fn all<'r>(&'r self, rows: &'r Rows) -> impl Iterator<Item = Expectation> + 'r {
        rows.iter().map(|row| self.expect(row))
    }
}

/// One answer for each row that the model allows, for use as a correct engine: the first if several are
/// allowed; undefined results are returned as 0 or unchanged.
pub fn answers(spec: &Spec, case: &LineCase) -> Result<Vec<Answer>, Unmodelled> {
    let prepared = prepare(spec, case)?;
    Ok(prepared.all(&case.rows).map(|expectation| expectation.example(case)).collect())
}
