//! The operands of a line as sources, destinations and addresses of a frame.

use ptx_spec::judge::{BoundArgument, BoundElement, arguments};
use ptx_spec::ptx::{Argument, Declarations, Line};
use ptx_spec::spec::{Form, Isa, Kind, Operand};

use super::code::{
    CodeAddress, CodeArgument, CodeDestination, CodeDestinations, CodeFormal, CodeGuard, CodeSource, CodeSources,
};
use super::names::{NameScopes, NamedThing};
use super::special::ThreadRegister;
use super::windows;
use crate::object::Space;
use crate::semantics::{Unmodelled, immediate, no_immediate};

/// A line that was read, with the names that it can use.
pub(super) struct LineOperands<'l, 'a> {
    pub(super) isa: &'l Isa,
    pub(super) form: &'l Form,
    /// The choices that it makes.
    pub(super) values: &'l [u8],
    pub(super) line: &'l Line<'a>,
    pub(super) declarations: &'l Declarations,
    pub(super) names: &'l NameScopes<'l, 'a>,
    /// The operands with their arguments.
    pub(super) bound: Vec<BoundArgument<'l, 'a>>,
}

impl<'l, 'a> LineOperands<'l, 'a> {
    /// The operands of a line of this form.
    pub(super) fn new(
        isa: &'l Isa,
        (form, values): (&'l Form, &'l [u8]),
        line: &'l Line<'a>,
        declarations: &'l Declarations,
        names: &'l NameScopes<'l, 'a>,
    ) -> Self {
        let bound = arguments(form, values, line);
        Self { isa, form, values, line, declarations, names, bound }
    }

    /// The value on an axis; empty if the form has no such axis.
    pub(super) fn value(&self, axis: &str) -> &'l str {
        self.form.axis(axis).map_or("", |axis| self.form.value(self.values, axis))
    }

    /// The state space in a slot; none if the line has no such modifier.
    pub(super) fn space(&self, slot: &str) -> Result<Option<Space>, Unmodelled> {
        match self.value(slot) {
            ".global" => Ok(Some(Space::Global)),
            ".const" => Ok(Some(Space::Const)),
            ".shared" | ".shared::cta" | ".shared::cluster" => Ok(Some(Space::Shared)),
            ".local" => Ok(Some(Space::Local)),
            ".param" | ".param::entry" | ".param::func" => Ok(Some(Space::Param)),
            other if other.starts_with('.') => Err(Unmodelled(format!("there is no model of {other}"))),
            _ => Ok(None),
        }
    }

    /// The operand with this name, and its argument.
    pub(super) fn operand(&self, name: &str) -> Result<(&'l Operand, BoundArgument<'l, 'a>), Unmodelled> {
        let named = |bound: &&BoundArgument<'l, 'a>| self.form.operands[bound.operand].name == name;
        let bound = self.bound.iter().find(named);
        let bound = bound.ok_or_else(|| Unmodelled(format!("the line has no operand {name}")))?;
        Ok((&self.form.operands[bound.operand], *bound))
    }

    /// The guard.
    pub(super) fn guard(&self) -> Result<Option<CodeGuard>, Unmodelled> {
        let Some((negated, name)) = self.line.guard else { return Ok(None) };
        Ok(Some(CodeGuard { slot: self.register(name)?.0, negated }))
    }

    /// True if the line has an operand with this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.operand(name).is_ok()
    }

    /// The error for a name that has no value.
    fn unknown(name: &str) -> Unmodelled {
        Unmodelled(format!("`{name}` is nothing that has a value"))
    }

    /// The slot and the size of a register.
    fn register(&self, name: &str) -> Result<(u32, u32), Unmodelled> {
        match self.names.get(name) {
            Some(NamedThing::Register { slot, bits, lanes: 1 }) => Ok((slot, bits)),
            _ => Err(Self::unknown(name)),
        }
    }

    /// The arguments in parentheses, each with its constant as bits of a type, if the line names a function whose types are
    /// known.
    pub(super) fn arguments(&self, name: &str) -> Result<Vec<CodeArgument>, Unmodelled> {
        if !self.has(name) {
            return Ok(Vec::new());
        }
        let (_, bound) = self.operand(name)?;
        let signature = ["func", "flist", "fproto"].iter().find_map(|callee| self.label(callee).ok());
        let signature = signature.and_then(|callee| self.declarations.signature(callee));
        let argument = |(at, element): (usize, &BoundElement<'l, 'a>)| {
            let named = element.name().and_then(|name| self.names.get(&name));
            if let (Argument::Name(_), Some(NamedThing::Local(offset, size))) = (element.argument, named) {
                return Ok(CodeArgument::Memory(offset, size));
            }
            let formal = signature.as_ref().and_then(|of| of.parameters.get(at)).and_then(|formal| formal.of);
            let of = formal.map(|of| &self.isa.types[of]).map(|of| (of.kind, u32::from(of.bits)));
            self.source_of(element, of).map(CodeArgument::Value)
        };
        bound.elements(self.declarations).iter().enumerate().map(argument).collect()
    }

    /// The address of the function that the line calls.
    pub(super) fn callee(&self) -> Result<CodeSource, Unmodelled> {
        let name = if self.has("func") { self.label("func")? } else { self.label("fptr")? };
        match self.named(name) {
            Err(_) if self.declarations.signature(name).is_some() => {
                Err(Unmodelled(format!("the module does not define `{name}`")))
            }
            found => found,
        }
    }

    /// The functions of a list, by their positions. Those that the module does not define cannot be called.
    pub(super) fn listed(&self, name: &str) -> Result<Vec<usize>, Unmodelled> {
        let list = self.label(name)?;
        let listed = self.names.list(list).ok_or_else(|| Self::unknown(list))?;
        let function = |name: &&str| match self.names.get(name) {
            Some(NamedThing::Function(at)) => Some(at),
            _ => None,
        };
        Ok(listed.iter().filter_map(function).collect())
    }

    /// The places of results in parentheses.
    pub(super) fn results(&self, name: &str) -> Result<Vec<CodeFormal>, Unmodelled> {
        if !self.has(name) {
            return Ok(Vec::new());
        }
        let (_, bound) = self.operand(name)?;
        let result = |element: &BoundElement<'l, 'a>| {
            let named = element.name().and_then(|name| self.names.get(&name));
            match (element.argument, named) {
                (Argument::Name(_), Some(NamedThing::Local(offset, size))) => Ok(CodeFormal::Memory(offset, size)),
                (Argument::Name(_), Some(NamedThing::Register { slot, bits, lanes: 1 })) => {
                    Ok(CodeFormal::Register(CodeDestination { slot: Some(slot), bits, twice: false }))
                }
                (other, _) => Err(Unmodelled(format!("{other:?} cannot hold a result"))),
            }
        };
        bound.elements(self.declarations).iter().map(result).collect()
    }

    /// The value of a name: of a variable, its address in its space.
    fn named(&self, name: &str) -> Result<CodeSource, Unmodelled> {
        match self.names.get(name) {
            Some(NamedThing::Register { slot, lanes: 1, .. }) => Ok(CodeSource::Register(slot)),
            Some(NamedThing::Variable(_, address)) => Ok(CodeSource::Immediate(address.into())),
            Some(NamedThing::Local(offset, _)) => Ok(CodeSource::Local(offset)),
            Some(NamedThing::Open) => Ok(CodeSource::Open),
            Some(NamedThing::Function(at)) => Ok(CodeSource::Immediate(windows::of_function(at).into())),
            Some(NamedThing::Register { .. }) => Err(Self::unknown(name)),
            None if self.isa.special(name).is_some() => Ok(CodeSource::Special(ThreadRegister::named(name))),
            None => Err(Self::unknown(name)),
        }
    }

    /// The values of an operand, element by element.
    pub(super) fn sources_of(&self, bound: &BoundArgument<'l, 'a>) -> Result<CodeSources, Unmodelled> {
        let of = self.type_of(&self.form.operands[bound.operand]);
        bound.elements(self.declarations).iter().map(|element| self.source_of(element, of)).collect()
    }

    /// As [`Self::sources_of`], none for a sink.
    pub(super) fn stored(&self, name: &str) -> Result<Vec<Option<CodeSource>>, Unmodelled> {
        let (operand, bound) = self.operand(name)?;
        let of = self.type_of(operand);
        let stored = |element: &BoundElement<'l, 'a>| match element.argument {
            Argument::Sink => Ok(None),
            _ => self.source_of(element, of).map(Some),
        };
        bound.elements(self.declarations).iter().map(stored).collect()
    }

    /// The value of an operand with a single element.
    pub(super) fn source(&self, name: &str) -> Result<CodeSource, Unmodelled> {
        let (_, bound) = self.operand(name)?;
        match self.sources_of(&bound)?.as_slice() {
            [only] => Ok(*only),
            _ => Err(Unmodelled(format!("{name} has several elements"))),
        }
    }

    fn source_of(&self, element: &BoundElement<'l, 'a>, of: Option<(Kind, u32)>) -> Result<CodeSource, Unmodelled> {
        let Some(name) = element.name() else {
            let bits = immediate(element.argument, of);
            return bits.map(CodeSource::Immediate).ok_or_else(|| no_immediate(element.argument));
        };
        match (element.argument, self.named(&name)?) {
            // A computation that knows no minus sign refuses the line.
            (Argument::Name(_) | Argument::Signed('-', _), source) => Ok(source),
            (Argument::Signed('!', _), CodeSource::Register(slot)) => Ok(CodeSource::Inverted(slot)),
            (Argument::Sum(_, offset), source) => moved(source, offset.signed()),
            (other, _) => Err(Unmodelled(format!("{other:?} has no value"))),
        }
    }

    /// The kind and the size of the type that the line gives an operand.
    fn type_of(&self, operand: &Operand) -> Option<(Kind, u32)> {
        operand.type_by(self.isa, self.form, self.values).map(|of| (of.kind, u32::from(of.bits)))
    }

    /// The kind and the size of the type in a slot.
    pub(super) fn slot_type(&self, slot: &str) -> Result<(Kind, u32), Unmodelled> {
        let name = self.value(slot);
        let of = self.isa.instruction_type(name).ok_or_else(|| Unmodelled(format!("{name} is not a type")))?;
        Ok((of.kind, u32::from(of.bits)))
    }

    /// The registers of a destination.
    pub(super) fn destinations_of(&self, bound: &BoundArgument<'l, 'a>) -> Result<CodeDestinations, Unmodelled> {
        let of = |element: &BoundElement<'l, 'a>| match (element.argument, element.name()) {
            (Argument::Sink, _) => Ok(CodeDestination { slot: None, bits: 0, twice: false }),
            (Argument::Name(_), Some(name)) => {
                let (slot, bits) = self.register(&name)?;
                Ok(CodeDestination { slot: Some(slot), bits, twice: false })
            }
            (other, _) => Err(Unmodelled(format!("{other:?} is not a destination"))),
        };
        bound.elements(self.declarations).iter().map(of).collect()
    }

    /// The registers of a destination by its name.
    pub(super) fn destinations(&self, name: &str) -> Result<CodeDestinations, Unmodelled> {
        let (_, bound) = self.operand(name)?;
        let mut found = self.destinations_of(&bound)?;
        mark_repeated(&mut found);
        Ok(found)
    }

    /// A destination with a single element.
    pub(super) fn destination(&self, name: &str) -> Result<CodeDestination, Unmodelled> {
        match self.destinations(name)?.as_slice() {
            [only] => Ok(*only),
            _ => Err(Unmodelled(format!("{name} has several elements"))),
        }
    }

    /// The name in an operand that is no value.
    pub(super) fn label(&self, name: &str) -> Result<&'a str, Unmodelled> {
        match self.operand(name)?.1.argument {
            Argument::Name(label) => Ok(label),
            other => Err(Unmodelled(format!("{other:?} is not a name"))),
        }
    }

    /// The address in an operand. A variable is in its own space, whatever the line says.
    pub(super) fn address(&self, name: &str, slot: &str) -> Result<CodeAddress, Unmodelled> {
        let (_, bound) = self.operand(name)?;
        let space = self.space(slot)?;
        let (base, offset) = match bound.argument {
            Argument::Name(base) => (*base, 0),
            Argument::Sum(base, offset) => (*base, offset.signed()),
            Argument::Integer(at) => {
                let base = CodeSource::Immediate(at.value().cast_unsigned());
                return Ok(CodeAddress { space, base, offset: 0 });
            }
            other => {
                return Err(Unmodelled(format!(
                    "{other:?} is an address of which the manual does not say how it is found"
                )));
            }
        };
        let space = match self.names.get(base) {
            Some(NamedThing::Variable(of, _)) => Some(of),
            Some(NamedThing::Local(..) | NamedThing::Open) => Some(Space::Local),
            _ => space,
        };
        Ok(CodeAddress { space, base: self.named(base)?, offset })
    }
}

/// Marks registers that several elements of a destination are: what they hold afterwards is undefined.
pub(super) fn mark_repeated(destinations: &mut CodeDestinations) {
    for at in 0..destinations.len() {
        let same = destinations.iter().filter(|of| of.slot == destinations[at].slot).count();
        destinations[at].twice = destinations[at].slot.is_some() && same > 1;
    }
}

/// An address with something added to it.
fn moved(source: CodeSource, offset: i64) -> Result<CodeSource, Unmodelled> {
    match source {
        CodeSource::Immediate(bits) => {
            let moved = u64::try_from(bits).map(|bits| bits.wrapping_add_signed(offset));
            moved.map(|bits| CodeSource::Immediate(bits.into())).map_err(|why| Unmodelled(why.to_string()))
        }
        CodeSource::Local(at) => Ok(CodeSource::Local(at.wrapping_add_signed(offset))),
        _ => Err(Unmodelled("a sum of a register and a number is no value".to_owned())),
    }
}
