//! What instructions compute from the values of their sources alone: an entry of the table is a page of the manual, and
//! its function makes a [`Computation`] of the choices of a line.
//!
//! The choices are read once for a line, so that what is left of them is a closure over numbers. A form, or a choice of it,
//! that has no computation here is an error that says so; nothing is computed by default.

mod approximate;
mod bits;
mod compare;
mod computation;
mod contraction;
mod convert;
mod float_arithmetic;
mod float_choice;
mod float_compare;
mod float_computation;
mod float_convert;
mod float_input;
mod float_modes;
mod float_operation;
mod float_result;
mod floats;
mod immediate;
mod inference;
mod integer;
mod logic;
mod modes;
mod number_type;
mod operation;
mod products;
mod shift;
mod simd_video;
mod transfer;
mod undefined;
mod video;

use ptx_spec::ptx::Line;
use ptx_spec::spec::{Form, Isa};

pub use computation::{Computation, Dependence};
pub(crate) use contraction::UnroundedProduct;
pub(crate) use float_operation::FloatOperation;
pub(crate) use immediate::{immediate, no_immediate};
pub use inference::{INFERENCES, Inference, Inferences};
use modes::Modes;
pub use number_type::NumberType;
pub(crate) use operation::Operation;
pub use undefined::Undefined;

/// The reason why there is no semantics of a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unmodelled(pub(crate) String);

/// The reason why a line that has semantics is not executed alone.
pub(crate) const READS_CARRY: &str = "the line reads the carry of the line before it";

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
    ("clmad", products::clmad),
    ("clz", bits::clz),
    ("cnot", logic::cnot),
    ("copysign", float_choice::copysign),
    ("cos", approximate::cos),
    ("cvt", convert::cvt),
    ("cvt.pack", convert::cvt_pack),
    ("div", integer::div),
    ("dp2a", products::dp2a),
    ("dp4a", products::dp4a),
    ("ex2", approximate::ex2),
    ("fma", float_arithmetic::fma),
    ("fns", bits::fns),
    ("lg2", approximate::lg2),
    ("lop3", logic::lop3),
    ("mad", integer::mad),
    ("mad24", integer::mad24),
    ("madc", integer::madc),
    ("max", integer::max),
    ("min", integer::min),
    ("mov", transfer::mov),
    ("mul", integer::mul),
    ("mul24", integer::mul24),
    ("neg", integer::neg),
    ("not", logic::not),
    ("or", logic::or),
    ("popc", bits::popc),
    ("prmt", transfer::prmt),
    ("rcp", floats::rcp),
    ("rem", integer::rem),
    ("rsqrt", approximate::rsqrt),
    ("sad", integer::sad),
    ("selp", compare::selp),
    ("set", compare::set),
    ("setp", compare::setp),
    ("shf", shift::shf),
    ("shl", shift::shl),
    ("shr", shift::shr),
    ("sin", approximate::sin),
    ("slct", compare::slct),
    ("sqrt", floats::sqrt),
    ("sub", integer::sub),
    ("subc", integer::subc),
    ("szext", bits::szext),
    ("tanh", approximate::tanh),
    ("testp", float_choice::testp),
    ("vabsdiff", video::vabsdiff),
    ("vabsdiff2", simd_video::absdiff),
    ("vabsdiff4", simd_video::absdiff),
    ("vadd", video::vadd),
    ("vadd2", simd_video::add),
    ("vadd4", simd_video::add),
    ("vavrg2", simd_video::avrg),
    ("vavrg4", simd_video::avrg),
    ("vmad", video::vmad),
    ("vmax", video::vmax),
    ("vmax2", simd_video::max),
    ("vmax4", simd_video::max),
    ("vmin", video::vmin),
    ("vmin2", simd_video::min),
    ("vmin4", simd_video::min),
    ("vset", video::vset),
    ("vset2", simd_video::set),
    ("vset4", simd_video::set),
    ("vshl", video::vshl),
    ("vshr", video::vshr),
    ("vsub", video::vsub),
    ("vsub2", simd_video::sub),
    ("vsub4", simd_video::sub),
    ("xor", logic::xor),
];

/// The opcodes of instructions that only compute, sorted.
pub fn opcodes() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|(opcode, _)| *opcode)
}

/// The computation of a line of an instruction that makes these choices; none if the instruction does more than compute.
/// Where a choice stands for many words, the line says which; without a line, it is any.
///
/// # Errors
/// If there is no semantics for these choices.
pub fn computation(
    isa: &Isa,
    form: &Form,
    values: &[u8],
    line: Option<&Line<'_>>,
) -> Option<Result<Computation, Unmodelled>> {
    let (_, compute) = TABLE.iter().find(|(opcode, _)| *opcode == form.opcode())?;
    Some(compute(&Modes::new(isa, form, values, line)))
}
