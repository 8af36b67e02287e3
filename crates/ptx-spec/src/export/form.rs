//! Forms: their slots and punctuation, and every choice by name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SharedParts;
use super::accuracy::ExportedAccuracy;
use super::operand::ExportedOperand;
use super::rule::ExportedRule;
use super::template::ExportedTemplate;
use crate::spec::{Axis, Choice, Cube, Form, Operand, Pattern, Rule, RuleKind, Slot};

/// A syntax line of the manual.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedForm {
    /// `instruction.form`.
    pub id: String,
    /// The line in the manual's notation; of a directive, its template.
    pub syntax: String,
    /// The address of its page in the manual.
    pub page: String,
    /// True if modifiers must be in the order of `slots`.
    pub ordered: bool,
    /// True if control does not go on after such a line.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub ends: bool,
    /// The places of modifiers, in the order of the line; of a directive, the parts that are words of PTX.
    pub slots: Vec<ExportedSlot>,
    /// The operands, in the order of the line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operands: Vec<ExportedOperand>,
    /// How the operands are written, in the order of the line, with commas between.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub punctuation: Vec<ExportedPunctuation>,
    /// How a directive is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<ExportedTemplate>,
    /// Every choice of a line but the environment, which `isa` has.
    pub axes: Vec<ExportedAxis>,
    /// The rules but those of every module, which `isa` has, and those that only choose which faults of writing are tried.
    pub rules: Vec<ExportedRule>,
    /// The promises of the manual on approximate results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accuracy: Vec<ExportedAccuracy>,
}

/// The place of a modifier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedSlot {
    /// The axis with its modifiers, and `none`.
    pub axis: String,
    /// True if a line may lack the modifier.
    pub optional: bool,
}

/// How operands are written. They are given by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExportedPunctuation {
    /// An operand by itself.
    Operand(String),
    /// Operands in square brackets.
    Brackets(Vec<String>),
    /// Operands in braces.
    Braces(Vec<String>),
    /// Two operands with `|` between them. A line without the second operand has no `|`.
    Pair(String, String),
    /// Arguments in parentheses, which are one operand.
    Parentheses(String),
}

/// A choice of a line: it has one of these values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedAxis {
    /// The name, by which rules speak of it: `ptx`, the slot `dtype`, the shape `d.shape` of an operand.
    pub name: String,
    /// The meaning.
    pub choice: ExportedChoice,
    /// The operand that the choice is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operand: Option<String>,
    /// The values that some valid line has, the simplest first. A modifier may be of several words (`.xorsign.abs`), and
    /// `{0-7}` in it stands for any character of the range.
    pub values: Vec<String>,
    /// Further values, with which no line is valid: that is what the specification claims, and they serve to test it. Rules
    /// forbid them. Only an operand that is left out may have one, as its shape.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub probes: Vec<String>,
}

/// The meaning of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExportedChoice {
    /// The address size of the module, in bits.
    AddressSize,
    /// The target of the module.
    Target,
    /// The PTX version of the module.
    Ptx,
    /// The guard before the opcode.
    Guard,
    /// The body that the line is in: that of an entry or of a function.
    Context,
    /// The option of `.target` that changes how lines are read.
    Mode,
    /// The modifier of a slot, or `none`.
    Modifier,
    /// The shape of an operand: scalar, elements in braces (`tuple2`), or a vector register (`vector2`).
    Shape,
    /// The type of an operand or its elements: that of registers, or a kind of immediate; `none` if the operand is left out.
    Type,
    /// Which elements are sinks, by position: `0+1`.
    Sinks,
    /// The sign before an operand.
    Sign,
    /// The type of the first element: that of the others, or one of its own.
    First,
    /// The number that an integer immediate is, by class; `none` of what is no immediate.
    Number,
    /// The special register that an operand is.
    Special,
    /// The base of an address.
    Base,
    /// The offset of an address.
    Offset,
    /// The suffix after an operand.
    Suffix,
    /// The writing of the line: as in the manual, or with a fault.
    Writing,
    /// A part of a directive.
    Part,
}

/// The end of the id of the rule about the order of modifiers.
const MODIFIER_ORDER: &str = "/modifier-order";

impl ExportedForm {
    pub(super) fn of(form: &Form, shared: &SharedParts<'_>) -> Self {
        let axes = form.axes[..form.variant_axes()].iter().filter(|axis| !axis.choice.is_of_environment());
        let rules = form.rules.iter().filter(|rule| !shared.has(rule) && !chooses_faults(form, rule));
        Self {
            id: form.id.clone(),
            syntax: form.syntax.clone(),
            page: form.page(),
            ordered: form.slots.len() < 2 || form.rules.iter().any(|rule| rule.id.ends_with(MODIFIER_ORDER)),
            ends: form.ends,
            slots: form.slots.iter().map(|slot| ExportedSlot::of(form, slot)).collect(),
            operands: form.operands.iter().enumerate().map(|(at, of)| ExportedOperand::of(form, at, of)).collect(),
            punctuation: form.pattern.iter().map(|part| ExportedPunctuation::of(&form.operands, part)).collect(),
            template: form.template.as_ref().map(|template| ExportedTemplate::of(form, template)),
            axes: axes.map(|axis| ExportedAxis::of(form, axis)).collect(),
            rules: rules.map(|rule| ExportedRule::of(form, rule)).collect(),
            accuracy: form.accuracies.iter().map(|accuracy| ExportedAccuracy::of(form, accuracy)).collect(),
        }
    }
}

/// True if a rule says only which faults of writing are generated.
fn chooses_faults(form: &Form, rule: &Rule) -> bool {
    let of_faults = |cube: &Cube| cube.sets().iter().any(|(axis, set)| *axis == form.writing() && !set.contains(0));
    rule.kind == RuleKind::Canonical && rule.forbids.iter().all(of_faults)
}

impl ExportedSlot {
    fn of(form: &Form, slot: &Slot) -> Self {
        Self { axis: form.axes[slot.axis].name.clone(), optional: slot.optional }
    }
}

impl ExportedPunctuation {
    fn of(operands: &[Operand], part: &Pattern) -> Self {
        let name = |at: &usize| operands[*at].name.clone();
        match part {
            Pattern::Operand(at) => Self::Operand(name(at)),
            Pattern::Bracket(all) => Self::Brackets(all.iter().map(name).collect()),
            Pattern::Braces(all) => Self::Braces(all.iter().map(name).collect()),
            Pattern::Pair(first, second) => Self::Pair(name(first), name(second)),
            Pattern::List(at) => Self::Parentheses(name(at)),
        }
    }
}

impl ExportedAxis {
    pub(super) fn of(form: &Form, axis: &Axis) -> Self {
        let (values, probes): (Vec<_>, Vec<_>) =
            (0..=u8::MAX).zip(&axis.values).partition(|(at, _)| axis.claimed.contains(*at));
        let names = |of: Vec<(u8, &String)>| of.into_iter().map(|(_, name)| name.clone()).collect();
        Self {
            name: axis.name.clone(),
            choice: choice(axis.choice),
            operand: axis.choice.operand().map(|at| form.operands[at].name.clone()),
            values: names(values),
            probes: names(probes),
        }
    }
}

/// The meaning of an axis; of those of the setup, which are not exported, that of a part.
fn choice(choice: Choice) -> ExportedChoice {
    match choice {
        Choice::AddressSize => ExportedChoice::AddressSize,
        Choice::Target => ExportedChoice::Target,
        Choice::Ptx => ExportedChoice::Ptx,
        Choice::Guard => ExportedChoice::Guard,
        Choice::Context => ExportedChoice::Context,
        Choice::Mode => ExportedChoice::Mode,
        Choice::Modifier => ExportedChoice::Modifier,
        Choice::Shape(_) => ExportedChoice::Shape,
        Choice::Type(_) => ExportedChoice::Type,
        Choice::Sinks(_) => ExportedChoice::Sinks,
        Choice::Sign(_) => ExportedChoice::Sign,
        Choice::First(_) => ExportedChoice::First,
        Choice::Number(_) => ExportedChoice::Number,
        Choice::Special(_) => ExportedChoice::Special,
        Choice::Base(_) => ExportedChoice::Base,
        Choice::Offset(_) => ExportedChoice::Offset,
        Choice::Suffix(_) => ExportedChoice::Suffix,
        Choice::Writing => ExportedChoice::Writing,
        Choice::Part | Choice::Setup => ExportedChoice::Part,
    }
}
