//! Addresses in a state space. PTX ISA `addresses-as-operands` and `state-spaces`.

use std::fmt::Write as _;

use super::described::RawOperand;
use super::element::element;
use super::item::{GLOBAL, Item, LOCAL_PARAMETER, ScaffoldPart};
use super::reader::{Found, OperandReader, Position, ReadValue, Type, Word};
use crate::spec::words::{INTEGER, NONE, OTHER};
use crate::spec::{Axis, Choice, Cube, Draft, Form, Kind, Operand, RuleKind, TextFault, ValueSet};
use crate::text::{Argument, Integer, Symbol};

/// An address in a register.
pub const REGISTER: &str = "register";
const ENTRY_PARAMETER: &str = "entry-parameter";
/// A parameter of a function, in memory.
pub const FUNCTION_PARAMETER: &str = "function-parameter";
/// A value that a function returns.
pub const RETURN_PARAMETER: &str = "return-parameter";
/// A variable that all devices share.
pub const UNIFIED: &str = "unified";
/// The variables that can be the base of an address.
pub const BASES: [&str; 9] = [
    GLOBAL,
    "const",
    "shared",
    "local",
    ENTRY_PARAMETER,
    FUNCTION_PARAMETER,
    RETURN_PARAMETER,
    LOCAL_PARAMETER,
    UNIFIED,
];
/// The context of a line in an entry.
pub const ENTRY: &str = "entry";
/// The context of a line in a function.
pub const FUNCTION: &str = "function";
/// The offset of addresses that have one, in bytes.
pub const OFFSET: i32 = 32;
/// The offsets: none, positive, negative.
const OFFSETS: [&str; 3] = [NONE, "positive", "negative"];
/// An immediate address.
const IMMEDIATE: &str = "64";

/// The variable that an address in a register points to if a line has this modifier for its space; none if
/// it has no modifier, or one that names no space.
pub fn base_of_space(modifier: &str) -> Option<&'static str> {
    let (space, part) = modifier.strip_prefix('.')?.split_once("::").unwrap_or((modifier.get(1..)?, ""));
    match (space, part) {
        ("param", "func") => None,
        ("param", _) => Some(ENTRY_PARAMETER),
        _ => BASES.into_iter().find(|base| *base == space),
    }
}

/// True if a variable is a parameter: of an entry, of a function, what a function returns, or of a call.
pub fn is_parameter(base: &str) -> bool {
    [ENTRY_PARAMETER, FUNCTION_PARAMETER, RETURN_PARAMETER, LOCAL_PARAMETER].contains(&base)
}

/// True if a modifier names the space of parameters.
pub fn is_parameter_space(modifier: &str) -> bool {
    modifier.split("::").next() == Some(".param")
}

/// True if a value of the axis of offsets is a negative one.
pub fn is_negative(offset: &str) -> bool {
    offset == OFFSETS[2]
}

/// Three axes: the base, the type of the register that may be the base, and the offset.
pub(super) fn axes(draft: &mut Draft<'_>, operand: &mut Operand, at: usize, raw: &RawOperand) {
    let name = operand.name.clone();
    let absent: &[&str] = if operand.optional { &[NONE] } else { &[] };
    let bases =
        absent.iter().chain(&[REGISTER]).chain(&BASES).chain(&[INTEGER, OTHER]).map(|&b| b.to_owned()).collect();
    let base = draft.axis(&format!("{name}.base"), Choice::Base(at), bases, |b| b != OTHER);
    let accepts = raw.accepted();
    let types = draft.isa.types.iter().map(|t| t.name.clone()).collect();
    let values = raw.accepted_first(types);
    let of_type = draft.axis(&format!("{name}.type"), Choice::Type(at), values, |v| accepts.iter().any(|a| a == v));
    let offset =
        draft.axis(&format!("{name}.offset"), Choice::Offset(at), OFFSETS.map(str::to_owned).to_vec(), |_| true);
    (operand.base, operand.of_type, operand.offset) = (Some(base), Some(of_type), Some(offset));
    let (bases, types, offsets) = (&draft.axes[base], &draft.axes[of_type], &draft.axes[offset]);
    let context = draft.named("context");
    let contexts = &draft.axes[context];
    let is = |axis: &Axis, value: &str| axis.select(|v| v == value);
    let unreadable = Cube::new([(base, is(bases, OTHER))]);
    let unlisted = Cube::new([(base, is(bases, REGISTER)), (of_type, types.claimed.complement(types.values.len()))]);
    let canonical = vec![
        unreadable.clone(),
        Cube::new([(base, bases.select(|b| b != REGISTER)), (of_type, ValueSet::of(types.values.len(), |v| v != 0))]),
        Cube::new([(base, bases.select(|b| b == INTEGER || b == NONE)), (offset, offsets.select(|o| o != NONE))]),
        Cube::new([(base, is(bases, ENTRY_PARAMETER)), (context, is(contexts, FUNCTION))]),
        Cube::new([
            (base, bases.select(|b| [FUNCTION_PARAMETER, RETURN_PARAMETER].contains(&b))),
            (context, is(contexts, ENTRY)),
        ]),
    ];
    draft.rule(RuleKind::Given, &format!("{name}-address"), format!("`{name}` must be an address"), vec![unreadable]);
    let says = format!("a register with an address must be {}", accepts.join(" or "));
    draft.constraint(&format!("{name}-type"), says, vec![unlisted]);
    draft.canonical(&format!("{name}-base-generated"), canonical);
    draft.declarable(of_type);
    draft.declarable(base);
}

/// Appends an address.
pub(super) fn print<'a>(form: &'a Form, values: &[u8], at: usize, to: &mut String, uses: &mut impl FnMut(Item<'a>)) {
    let operand = &form.operands[at];
    let value = |axis: Option<usize>| axis.map_or("", |axis| form.value(values, axis));
    match value(operand.base) {
        REGISTER => element(value(operand.of_type), (at, 0), to, uses),
        INTEGER => to.push_str(IMMEDIATE),
        base => {
            let variable = Item::Variable(base);
            variable.write(to);
            uses(variable);
        }
    }
    let _ = match added(form, values, operand) {
        0 => Ok(()),
        // Compilers write it so.
        offset => write!(to, "+{offset}"),
    };
}

/// The offset of an address in the line, in bytes.
pub fn added(form: &Form, values: &[u8], operand: &Operand) -> i32 {
    match operand.offset.map(|axis| form.value(values, axis)) {
        Some(word) if word == OFFSETS[1] => OFFSET,
        Some(word) if word == OFFSETS[2] => -OFFSET,
        _ => 0,
    }
}

/// The bytes of a variable.
pub(super) fn bytes(name: &str) -> String {
    format!(".align 32 .b8 {name}[64]")
}

/// The declaration of a variable that can be the base of an address.
pub(super) fn declaration(base: &str, name: &str) -> ScaffoldPart {
    let bytes = bytes(name);
    match base {
        UNIFIED => ScaffoldPart::Separate(format!(".global .attribute(.unified(1, 2)) {bytes}; ")),
        ENTRY_PARAMETER | FUNCTION_PARAMETER => ScaffoldPart::Parameter(format!(".param {bytes}")),
        RETURN_PARAMETER => ScaffoldPart::Result(format!(".param {bytes}")),
        LOCAL_PARAMETER => ScaffoldPart::Local(format!(".param {bytes}; ")),
        "local" => ScaffoldPart::Local(format!(".local {bytes}; ")),
        space => ScaffoldPart::Global(format!(".{space} {bytes}; ")),
    }
}

impl OperandReader<'_> {
    /// Reads an address into its axes.
    pub(super) fn address(&self, argument: &Argument<'_>, position: Position, values: &mut [u8], found: &mut Found) {
        let none = OFFSETS[0];
        let (base, of_type, offset) = match argument {
            Argument::Integer(value) => {
                if u32::try_from(value.value()).is_err() {
                    found.fault(TextFault::AbsoluteAddress);
                }
                (INTEGER, None, none)
            }
            Argument::Name(name) => self.base(name, none, values, found),
            Argument::Sum(name, value) => self.base(name, offset(*value, found), values, found),
            // `a[4]` has no further brackets around it.
            Argument::Element(name, index, value) if position == Position::Operand => {
                self.array(name, *index, *value, found)
            }
            _ => (OTHER, None, none),
        };
        let operand = self.operand;
        operand.base.into_iter().for_each(|axis| values[axis] = self.on_axis(axis, Word(base)));
        operand.offset.into_iter().for_each(|axis| values[axis] = self.on_axis(axis, Word(offset)));
        operand.of_type.into_iter().for_each(|axis| {
            values[axis] = of_type.map_or(0, |of| self.on_axis(axis, of));
        });
    }

    /// An element of an array: the array is a variable, the index an integer, a register or both.
    fn array(
        &self,
        name: &str,
        index: Option<&str>,
        value: Integer,
        found: &mut Found,
    ) -> (&str, Option<ReadValue<'_>>, &str) {
        let integer = |of: usize| matches!(self.isa.types[of].kind, Kind::Bits | Kind::Unsigned | Kind::Signed);
        let indexed = index.is_none_or(|register| match self.declarations.symbol(register) {
            Some(Symbol::Register(Some(of), 1)) => !register.contains('.') && integer(of),
            _ => false,
        });
        match self.declarations.symbol(name) {
            Some(Symbol::Variable(base)) if indexed => (base, None, offset(value, found)),
            _ => (OTHER, None, OFFSETS[0]),
        }
    }

    fn base<'v>(
        &'v self,
        name: &str,
        offset: &'v str,
        values: &[u8],
        found: &mut Found,
    ) -> (&'v str, Option<ReadValue<'v>>, &'v str) {
        match self.declarations.symbol(name) {
            // A component does not count as a register here.
            Some(Symbol::Register(Some(of), 1)) if !name.contains('.') => (REGISTER, Some(Type(of)), offset),
            Some(Symbol::Variable(base)) => (base, None, offset),
            Some(_) => (OTHER, None, offset),
            None => match self.isa.special(name) {
                Some(special) if special.lanes == 1 && !name.contains('.') => {
                    found.special(self.isa, special, values);
                    found.fault(TextFault::SpecialAddress);
                    (REGISTER, Some(Word(&special.of_type)), offset)
                }
                _ => (OTHER, None, offset),
            },
        }
    }
}

/// The value of an offset on its axis; offsets are signed 32-bit integers.
fn offset(value: Integer, found: &mut Found) -> &'static str {
    if i32::try_from(value.signed()).is_err() {
        found.fault(TextFault::Offset);
    }
    if value.signed() < 0 { OFFSETS[2] } else { OFFSETS[1] }
}
