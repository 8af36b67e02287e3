//! The operands of a line: the sources of values, and the destinations of results.

use super::{Inferences, Unmodelled};
use crate::line_case::{Holds, LineCase};
use crate::object::{Surface, Variable};
use crate::semantics::{immediate, no_immediate};
use ptx_spec::judge::{BoundArgument, BoundElement, arguments};
use ptx_spec::ptx::{Argument, Declarations, Line, Symbol};
use ptx_spec::spec::{Form, Isa, Kind, Operand, Role, Unit};

/// A line that was read, and its case.
pub(super) struct Operands<'l, 'a> {
    pub(super) isa: &'l Isa,
    pub(super) form: &'l Form,
    /// The choices that it makes.
    pub(super) values: &'l [u8],
    pub(super) line: &'l Line<'l>,
    pub(super) declarations: Declarations,
    pub(super) case: &'a LineCase,
}

/// The source of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueSource {
    /// An input of the case.
    Input(usize),
    /// An input of the case, a predicate, inverted.
    Inverted(usize),
    /// The line itself.
    Immediate(u128),
}

impl ValueSource {
    /// Its value in a row.
    #[inline]
    pub(super) fn of(self, row: &[u128]) -> u128 {
        match self {
            Self::Input(at) => row[at],
            Self::Inverted(at) => !row[at] & 1,
            Self::Immediate(bits) => bits,
        }
    }

    /// The low 32 bits of its value in a row.
    #[expect(clippy::cast_possible_truncation, reason = "the low bits are wanted")]
    #[inline]
    pub(super) fn word(self, row: &[u128]) -> u32 {
        self.of(row) as u32
    }

    /// The low 64 bits of its value in a row.
    #[expect(clippy::cast_possible_truncation, reason = "the low bits are wanted")]
    #[inline]
    pub(super) fn double_word(self, row: &[u128]) -> u64 {
        self.of(row) as u64
    }
}

/// Where a lane of the destination goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lane {
    /// The position of the output; none for a sink.
    pub(super) output: Option<usize>,
    /// The size of the register in bits.
    pub(super) bits: u32,
    /// True if another lane uses the same register.
    pub(super) shared: bool,
}

/// The base of an address, and its offsets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address<'a> {
    /// The position of the variable in the case; none for an immediate address.
    pub(super) variable: Option<(usize, &'a Variable)>,
    /// The offset from the row.
    pub(super) source: ValueSource,
    /// The offset from the line.
    pub(super) offset: i64,
    /// The alignment of the variable in bytes.
    pub(super) alignment: u64,
}

impl<'l, 'a> Operands<'l, 'a> {
    /// The value on an axis; empty if the form has no such axis.
    pub(super) fn value(&self, axis: &str) -> &str {
        self.form.axis(axis).map_or("", |axis| self.form.value(self.values, axis))
    }

    /// The modifier in a slot; none if it is left out, or if the form has no such slot.
    pub(super) fn modifier(&self, slot: &str) -> Option<&str> {
        Some(self.value(slot)).filter(|value| value.starts_with('.'))
    }

    /// The number of lanes of the vector modifier.
    pub(super) fn lanes(&self) -> Result<u32, Unmodelled> {
        let Some(vec) = self.modifier("vec") else { return Ok(1) };
        let lanes = vec.strip_prefix(".v").and_then(|lanes| lanes.parse().ok());
        lanes.ok_or_else(|| Unmodelled(format!("{vec} is not the size of a vector")))
    }

    /// The guard: whether it is negated, and the predicate.
    pub(super) fn guard(&self) -> Result<Option<(bool, ValueSource)>, Unmodelled> {
        let guard = |(negated, name)| Ok((negated, self.register(name)?));
        self.line.guard.map(guard).transpose()
    }

    /// The argument of an operand.
    fn bound(&self, operand: &str) -> Result<BoundArgument<'l, 'l>, Unmodelled> {
        let mut bound = arguments(self.form, self.values, self.line).into_iter();
        bound
            .find(|bound| self.form.operands[bound.operand].name == operand)
            .ok_or_else(|| Unmodelled(format!("the line has no operand {operand}")))
    }

    /// The elements of an operand.
    fn elements(&self, operand: &str) -> Result<Vec<BoundElement<'l, 'l>>, Unmodelled> {
        Ok(self.bound(operand)?.elements(&self.declarations))
    }

    fn register(&self, name: &str) -> Result<ValueSource, Unmodelled> {
        let input = self.case.input(name);
        input.map(ValueSource::Input).ok_or_else(|| Unmodelled(format!("the line reads {name}, which is not an input")))
    }

    /// The values of an operand, lane by lane.
    pub(super) fn sources(&self, operand: &str) -> Result<Vec<ValueSource>, Unmodelled> {
        self.elements(operand)?.into_iter().map(|element| self.element(operand, element)).collect()
    }

    /// The inferences for sources of this many bits: wider registers, and immediates that do not fit.
    pub(super) fn inferred_of_sources(&self, operand: &str, bits: u32) -> Result<Inferences, Unmodelled> {
        let of = |element: BoundElement<'_, '_>| match element.argument {
            Argument::Name(name) => match self.declarations.symbol(name) {
                Some(Symbol::Register(Some(of), _)) => {
                    Inferences::WIDER_SOURCE.when(u32::from(self.isa.types[of].bits) > bits)
                }
                _ => Inferences::NONE,
            },
            Argument::Integer(_) if bits == 1 => Inferences::NONE,
            Argument::Integer(value) => {
                let most = 1_i128 << bits.min(64);
                let fits = (-most / 2..most).contains(&value.value());
                Inferences::IMMEDIATE_TRUNCATION.when(!fits)
            }
            _ => Inferences::NONE,
        };
        Ok(self.elements(operand)?.into_iter().map(of).fold(Inferences::NONE, Inferences::and))
    }

    /// The values of an operand, lane by lane; none for a sink.
    pub(super) fn written(&self, operand: &str) -> Result<Vec<Option<ValueSource>>, Unmodelled> {
        let lane = |element: BoundElement<'l, 'l>| match element.argument {
            Argument::Sink => Ok(None),
            _ => self.element(operand, element).map(Some),
        };
        self.elements(operand)?.into_iter().map(lane).collect()
    }

    /// The value of an operand with a single element.
    pub(super) fn source(&self, operand: &str) -> Result<ValueSource, Unmodelled> {
        self.sources(operand)?.first().copied().ok_or_else(|| Unmodelled(format!("{operand} is empty")))
    }

    fn element(&self, operand: &str, element: BoundElement<'_, '_>) -> Result<ValueSource, Unmodelled> {
        match (element.argument, element.name()) {
            // A computation that knows no minus sign refuses the line.
            (Argument::Name(_) | Argument::Signed('-', _), Some(register)) => return self.register(&register),
            (Argument::Signed('!', _), Some(register)) => match self.register(&register)? {
                ValueSource::Input(at) => return Ok(ValueSource::Inverted(at)),
                other => return Err(Unmodelled(format!("{other:?} is inverted"))),
            },
            _ => {}
        }
        let of = self.operand_type(operand).ok().map(|(_, kind, bits)| (kind, bits));
        let bits = immediate(element.argument, of);
        bits.map(ValueSource::Immediate).ok_or_else(|| no_immediate(element.argument))
    }

    /// The lanes of the destination.
    pub(super) fn destination(&self, operand: &str) -> Result<Vec<Lane>, Unmodelled> {
        let lanes = self.elements(operand)?.into_iter().map(|element| self.lane(element));
        let mut lanes = lanes.collect::<Result<Vec<Lane>, Unmodelled>>()?;
        for at in 0..lanes.len() {
            let same = lanes.iter().filter(|lane| lane.output == lanes[at].output).count();
            lanes[at].shared = lanes[at].output.is_some() && same > 1;
        }
        Ok(lanes)
    }

    fn lane(&self, element: BoundElement<'_, '_>) -> Result<Lane, Unmodelled> {
        let name = match (element.argument, element.name()) {
            (Argument::Sink, _) => return Ok(Lane { output: None, bits: 0, shared: false }),
            (Argument::Name(_), Some(name)) => name,
            (other, _) => return Err(Unmodelled(format!("{other:?} is not a destination"))),
        };
        let missing = || Unmodelled(format!("the line writes {name}, which is not an output"));
        let output = self.case.outputs.iter().position(|output| output.register == name).ok_or_else(missing)?;
        match self.declarations.symbol(&name) {
            Some(Symbol::Register(Some(of), 1)) => {
                Ok(Lane { output: Some(output), bits: u32::from(self.isa.types[of].bits), shared: false })
            }
            _ => Err(missing()),
        }
    }

    /// The surface that an operand names.
    pub(super) fn surface(&self) -> Result<&'a Surface, Unmodelled> {
        self.case.surface.as_ref().ok_or_else(|| Unmodelled("the case has no surface".to_owned()))
    }

    /// The address in an operand.
    pub(super) fn address(&self, operand: &str) -> Result<Address<'a>, Unmodelled> {
        let (name, offset) = match self.bound(operand)?.argument {
            Argument::Name(name) => (*name, 0),
            Argument::Sum(name, offset) => (*name, offset.signed()),
            Argument::Element(name, ..) => {
                return Err(Unmodelled(format!("{name} is indexed, and the manual does not say by how much")));
            }
            _ => return Ok(Address { variable: None, source: ValueSource::Immediate(0), offset: 0, alignment: 1 }),
        };
        let (variable, source) = match self.case.input(name) {
            Some(input) => match &self.case.inputs[input].holds {
                Holds::Address { of, .. } => (of.as_str(), ValueSource::Input(input)),
                _ => return Err(Unmodelled(format!("{name} holds no address"))),
            },
            None => (name, ValueSource::Immediate(0)),
        };
        let missing = || Unmodelled(format!("{variable} has no contents"));
        let at = self.case.variables.iter().position(|known| known.name == variable).ok_or_else(missing)?;
        // A variable that the declarations do not have has no contents either, so it is not found above.
        let alignment = u64::from(self.declarations.alignment(variable).ok_or_else(missing)?);
        Ok(Address { variable: Some((at, &self.case.variables[at])), source, offset, alignment })
    }

    /// True if the first coordinate of the line counts samples instead of bytes.
    pub(super) fn counts_samples(&self) -> bool {
        let unit = |operand: &Operand| matches!(operand.role, Role::Coordinate { unit: Unit::Samples, .. });
        self.form.operands.iter().any(unit)
    }

    /// The type that the instruction gives an operand: its name, kind and size in bits.
    pub(super) fn operand_type(&self, operand: &str) -> Result<(&'l str, Kind, u32), Unmodelled> {
        let of = self.form.operands.iter().find(|known| known.name == operand);
        let of = of.and_then(|of| of.type_by(self.isa, self.form, self.values));
        let of = of.ok_or_else(|| Unmodelled(format!("{operand} has no type")))?;
        Ok((&of.name, of.kind, of.bits.into()))
    }

    /// The kind and the size in bits of a type.
    pub(super) fn type_of(&self, name: &str) -> Result<(Kind, u32), Unmodelled> {
        let of = self.isa.instruction_type(name).ok_or_else(|| Unmodelled(format!("{name} is not a type")))?;
        Ok((of.kind, u32::from(of.bits)))
    }
}
