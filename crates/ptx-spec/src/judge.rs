//! Judging: from a line of text and its declarations to the rules it breaks.
//!
//! The verdict on a case always comes from here, from its text, and never from what a generator
//! meant.

mod arguments;
mod assign;
mod attempt;
mod needs;
mod no_instruction;
mod operands;

use crate::environment::Environment;
use crate::must::Must;
use crate::space::{EnvironmentValues, Values, environment_values};
use crate::spec::{Form, Instruction, Rule, RuleKind, Spec, SpecialNeeds, TextFault, Writing};
use crate::text::{Declarations, Line};
pub use arguments::{BoundArgument, BoundElement, arguments, assumed_arguments};
use attempt::{Attempt, LineInContext};
pub use needs::{Needs, needs, needs_in_words};
pub use no_instruction::{NoInstruction, UNKNOWN_OPCODE};

/// A line read as a line of one form.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Reading {
    /// The position of the form in the instruction.
    pub form: usize,
    /// The choice on each axis; [`UNREAD`](crate::spec::UNREAD) if the text does not say.
    pub values: Values,
    /// The rules it breaks, ascending by their position in the form.
    pub broken: Vec<usize>,
    /// The PTX version and target that its special registers need.
    pub specials: SpecialNeeds,
}

impl Reading {
    /// True if no rule is broken.
    pub fn valid(&self) -> bool {
        self.broken.is_empty()
    }

    /// True if nothing is wrong but the order of the modifiers, each of which still has only one meaning.
    pub fn only_reordered(&self, instruction: &Instruction) -> bool {
        let form = &instruction.forms[self.form];
        let order = form.fault(TextFault::Order).filter(|rule| matches!(form.rules[*rule].kind, RuleKind::Constraint));
        order.is_some_and(|order| self.broken == [order])
    }

    /// The rules by which the manual leaves the line undefined, which may still be valid.
    pub fn undefined<'a>(&self, instruction: &'a Instruction) -> impl Iterator<Item = &'a Rule> + use<'a> {
        let form = &instruction.forms[self.form];
        form.undefined(&self.values).into_iter().map(|rule| &form.rules[rule])
    }

    /// The broken rules themselves.
    pub fn rules<'a>(&'a self, instruction: &'a Instruction) -> impl Iterator<Item = &'a Rule> {
        let form = &instruction.forms[self.form];
        self.broken.iter().map(|&rule| &form.rules[rule])
    }
}

/// Reads lines of one environment.
#[derive(Clone, Debug)]
pub struct Judge<'a> {
    spec: &'a Spec,
    environment: EnvironmentValues,
}

/// The specification does not know the PTX version or the target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not in the specification: add it to `versions` or `targets` in specs/isa.yaml, or choose another")]
pub struct UnknownEnvironment(Environment);

impl<'a> Judge<'a> {
    /// A judge for one environment.
    ///
    /// # Errors
    /// If the specification does not list the PTX version or the target.
    pub fn new(spec: &'a Spec, environment: &Environment) -> Result<Self, UnknownEnvironment> {
        let form = spec.instructions.first().and_then(|instruction| instruction.forms.first());
        let values = form.and_then(|form| environment_values(form, environment));
        Ok(Self { spec, environment: values.ok_or(UnknownEnvironment(*environment))? })
    }

    /// Reads a line; `None` if it is of no instruction of the specification, of which [`Spec::no_instruction`] says more.
    ///
    /// ```
    /// use ptx_spec::environment::{AddressSize, Environment};
    /// use ptx_spec::judge::Judge;
    /// use ptx_spec::ptx::{Declarations, Line};
    /// use ptx_spec::spec::Spec;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let spec = Spec::load("../../specs".as_ref()).map_err(|errors| errors[0].render(false))?;
    /// let (ptx, target) = ("8.0".parse()?, "sm_90".parse()?);
    /// let judge = Judge::new(&spec, &Environment { ptx, target, address_size: AddressSize::Bits64 })?;
    /// let registers = Declarations::parse(".reg .b32 %r<4>;", &spec.isa)?;
    ///
    /// let (instruction, reading) = judge.read(&Line::parse("add.u32 %r1, %r2, 3;")?, &registers).ok_or("unread")?;
    /// assert_eq!((instruction.name.as_str(), reading.valid()), ("add", true));
    /// assert!(judge.read(&Line::parse("adk.u32 %r1, %r2, 3;")?, &registers).is_none());
    /// # Ok(())
    /// # }
    /// ```
    pub fn read(&self, line: &Line<'_>, declarations: &Declarations) -> Option<(&'a Instruction, Reading)> {
        let instruction = self.spec.instruction_of(line.opcode, &line.modifiers)?;
        if instruction.elsewhere_in(&line.modifiers).is_some() {
            return None;
        }
        let reading = self.read_as(instruction, line, declarations);
        if reading.valid() {
            return Some((instruction, reading));
        }
        // A word of a longer name that stands further back: then the line is one of that instruction, out of order.
        let further = self.spec.with_late_words(instruction, line.opcode, &line.modifiers);
        let readings = further.map(|(other, modifiers)| {
            (other, self.read_in_order(other, (line, &modifiers, Some(Writing::ReorderedFront)), declarations))
        });
        let fewer = |(_, other): &(&Instruction, Reading)| other.broken.len() < reading.broken.len();
        Some(readings.into_iter().find(fewer).unwrap_or((instruction, reading)))
    }

    /// Reads a line as one of this instruction: as a line of the form that explains it best. That is the
    /// form with the fewest broken rules other than those about versions and targets, then the one with the
    /// fewest broken rules, then the one that has the most of the line's modifiers, then one whose operands fit, then the
    /// first.
    pub fn read_as(&self, instruction: &Instruction, line: &Line<'_>, declarations: &Declarations) -> Reading {
        self.read_in_order(instruction, (line, &line.modifiers, None), declarations)
    }

    /// Reads a line with its modifiers in this order, which is a fault if one is given. If the line is not valid, words
    /// that belong together and are apart may explain it better.
    fn read_in_order(
        &self,
        instruction: &Instruction,
        (line, modifiers, late): (&Line<'_>, &[&str], Option<Writing>),
        declarations: &Declarations,
    ) -> Reading {
        let positions = instruction.positions(modifiers);
        let reading = self.read_positions(instruction, (line, &positions, late.clone()), declarations);
        match instruction.positions_apart(modifiers).filter(|_| !reading.valid()) {
            None => reading,
            Some(positions) => {
                let apart = Some(late.unwrap_or(Writing::Reordered));
                let other = self.read_positions(instruction, (line, &positions, apart), declarations);
                if other.broken.len() < reading.broken.len() { other } else { reading }
            }
        }
    }

    /// Reads a line with these modifiers, by their positions among those of the instruction.
    fn read_positions(
        &self,
        instruction: &Instruction,
        (line, modifiers, apart): (&Line<'_>, &[Option<usize>], Option<Writing>),
        declarations: &Declarations,
    ) -> Reading {
        let least = |(at, form): (usize, &Form)| (form.least_broken(modifiers), at);
        let mut forms: Vec<(usize, usize)> = instruction.forms.iter().enumerate().map(least).collect();
        // The most promising forms come first, so that the others can be skipped.
        forms.sort_unstable();
        let (isa, environment) = (&self.spec.isa, self.environment);
        let line = LineInContext { isa, environment, line, modifiers, apart, declarations };
        let mut best: Option<Attempt> = None;
        let mut attempt = Attempt::default();
        for (least, at) in forms {
            // If none is broken, no later form is better.
            if best.as_ref().is_some_and(|best| best.broken.is_empty() || best.anywhere < least) {
                break;
            }
            attempt.form = at;
            if attempt.read(&line, &instruction.forms[at], best.as_ref()) {
                // The buffers of the one that was best serve the next.
                attempt = best.replace(attempt).unwrap_or_default();
            }
        }
        let mut best = best.must("an instruction has forms, and the first attempt is the best so far");
        best.guess_operands(&line, &instruction.forms[best.form]);
        let Attempt { form, values, broken, specials, .. } = best;
        Reading { form, values, broken, specials }
    }
}
