//! What instructions compute from the values of their sources alone: an entry of the table is a page of the manual, and
//! its function makes a [`Computation`] of the choices of a line.
//!
//! The choices are read once for a line, so that what is left of them is a closure over numbers. A form, or a choice of it,
//! that has no computation here is an error that says so; nothing is computed by default.

mod bits;
mod compare;
mod computation;
mod inference;
mod integer;
mod logic;
mod modes;
mod number_type;
mod shift;
mod undefined;

use ptx_spec::spec::{Form, Isa};

pub use computation::{Computation, Dependence};
pub use inference::{INFERENCES, Inference, Inferences};
use modes::Modes;
pub use number_type::NumberType;
pub use undefined::Undefined;

/// The reason why there is no semantics of a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unmodelled(pub(crate) String);

/// Makes the computation of a line.
type Compute = fn(&Modes<'_>) -> Result<Computation, Unmodelled>;

/// The instructions that only compute, by their opcodes. Each is a page of the manual.
const TABLE: &[(&str, Compute)] = &[
    ("abs", integer::abs),
    ("add", integer::add),
    ("addc", integer::addc),
    ("and", logic::and),
    ("bfe", bits::bfe),
    ("bfi", bits::bfi),
    ("bfind", bits::bfind),
    ("bmsk", bits::bmsk),
    ("brev", bits::brev),
    ("clz", bits::clz),
    ("cnot", logic::cnot),
    ("div", integer::div),
    ("fns", bits::fns),
    ("lop3", logic::lop3),
    ("mad", integer::mad),
    ("mad24", integer::mad24),
    ("madc", integer::madc),
    ("max", integer::max),
    ("min", integer::min),
    ("mul", integer::mul),
    ("mul24", integer::mul24),
    ("neg", integer::neg),
    ("not", logic::not),
    ("or", logic::or),
    ("popc", bits::popc),
    ("rem", integer::rem),
    ("sad", integer::sad),
    ("selp", compare::selp),
    ("set", compare::set),
    ("setp", compare::setp),
    ("shf", shift::shf),
    ("shl", shift::shl),
    ("shr", shift::shr),
    ("slct", compare::slct),
    ("sub", integer::sub),
    ("subc", integer::subc),
    ("szext", bits::szext),
    ("xor", logic::xor),
];

/// The opcodes in the table, sorted.
pub fn opcodes() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|(opcode, _)| *opcode)
}

/// The computation of a line of an instruction that makes these choices; none if the instruction does more than compute.
///
/// # Errors
/// If there is no semantics for these choices.
pub fn computation(isa: &Isa, form: &Form, values: &[u8]) -> Option<Result<Computation, Unmodelled>> {
    let (_, compute) = TABLE.iter().find(|(opcode, _)| *opcode == form.opcode())?;
    Some(compute(&Modes::new(isa, form, values)))
}
