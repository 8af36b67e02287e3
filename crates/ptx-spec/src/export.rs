//! The specification as data for other programs: generators of tables, assemblers, highlighters, verifiers.
//!
//! Everything is resolved: each form has all of its axes with their values by name, and each rule the combinations of these
//! values that it forbids. Names are those of `spec show`. What all forms share, which is the environment and the rules of
//! every module, stands once, in [`ExportedIsa`].

mod accuracy;
mod form;
mod isa;
mod operand;
mod rule;
mod template;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::environment::{Target, Version};
use crate::spec::{Example, Form, Instruction, Isa, Rule, Spec, Verdict};

pub use accuracy::{ExportedAccuracy, ExportedAccuracyCase, ExportedInputRange, ExportedPromise};
pub use form::{ExportedAxis, ExportedChoice, ExportedForm, ExportedPunctuation, ExportedSlot};
pub use isa::{ExportedIsa, ExportedKinds, ExportedNeeds, ExportedSpecial, ExportedTarget, ExportedType};
pub use operand::{ExportedNumbers, ExportedOperand, ExportedOperandType, ExportedSize};
pub use rule::{ExportedCombination, ExportedRule, ExportedRuleKind};
pub use template::{ExportedPart, ExportedTemplate, ExportedText};

/// The specification of PTX, resolved: what `ptx-conform spec export` prints.
///
/// A line is of the instruction with the longest name that it begins with, and of the form that explains it best. Its
/// choices are one value for each axis of the form. The line is valid if no rule forbids them, other than rules of the kinds
/// `canonical` and `undefined`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedSpec {
    /// The version of this format: 1.
    pub version: u32,
    /// A hash of the files of the specification.
    pub specification: String,
    /// True if the specification has every instruction of PTX, so that a line of any other is invalid.
    pub complete: bool,
    /// The part that all instructions and directives share.
    pub isa: ExportedIsa,
    /// The instructions, by name.
    pub instructions: Vec<ExportedInstruction>,
    /// The directives and declarations, by name. Their forms have a `template`, and neither operands nor punctuation.
    pub directives: Vec<ExportedInstruction>,
}

/// An instruction or a directive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedInstruction {
    /// The opcode, with the modifiers that tell it from other instructions of the opcode: `cvt.pack`.
    pub name: String,
    /// The sentence that says what it does.
    pub summary: String,
    /// The address of its page in the manual; a form may have another.
    pub page: String,
    /// The chapter of the page.
    pub family: String,
    /// The edition of the manual that it was checked against.
    pub read: Version,
    /// The forms. A line that fits two of them belongs to the earlier one.
    pub forms: Vec<ExportedForm>,
    /// Modifiers with which a line of the opcode is of no form; with a `*` at the end, all that begin so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<String>,
    /// Sentences of the manual that are not rules, and contradictions in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<ExportedNote>,
    /// The manual's examples.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<ExportedExample>,
}

/// A sentence of the manual that is not a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedNote {
    /// The heading on the manual's page.
    pub section: String,
    /// The sentence, in our words.
    pub says: String,
    /// The reason why it is not a rule, or how a contradiction is resolved.
    pub because: String,
}

/// A line of the manual's examples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedExample {
    /// The line.
    pub line: String,
    /// Declarations that it needs; the manual omits them.
    pub declarations: String,
    /// The specification's verdict.
    pub verdict: Verdict,
    /// The rules that it breaks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// The reason why the manual's example is not valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// True if it is valid, and the specification cannot say so yet.
    #[serde(default, skip_serializing_if = "is_false")]
    pub gap: bool,
    /// The target it is judged for, if it is not the newest plain one; the PTX version is the newest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

impl Spec {
    /// The specification with these instructions and directives, resolved.
    ///
    /// ```
    /// use ptx_spec::spec::Spec;
    ///
    /// let spec = Spec::load("../../specs".as_ref()).map_err(|errors| errors[0].render(false))?;
    /// let exported = spec.export(&[&spec.instructions[0]]);
    /// assert_eq!(exported.instructions[0].name, spec.instructions[0].name);
    /// assert!(exported.directives.is_empty());
    /// # Ok::<(), String>(())
    /// ```
    pub fn export(&self, which: &[&Instruction]) -> ExportedSpec {
        let shared =
            self.all().flat_map(|instruction| &instruction.forms).next().map(SharedParts::of).unwrap_or_default();
        let chosen = |all: &[Instruction]| {
            let chosen = all.iter().filter(|known| which.iter().any(|chosen| chosen.name == known.name));
            chosen.map(|instruction| ExportedInstruction::of(instruction, &self.isa, &shared)).collect()
        };
        ExportedSpec {
            version: 1,
            specification: self.fingerprint.clone(),
            complete: self.complete,
            isa: ExportedIsa::of(self, &shared),
            instructions: chosen(&self.instructions),
            directives: chosen(&self.directives),
        }
    }
}

/// The axes and rules that every form of instructions has, which are therefore told once.
#[derive(Default)]
struct SharedParts<'s> {
    axes: Vec<ExportedAxis>,
    rules: Vec<(&'s Rule, ExportedRule)>,
}

impl<'s> SharedParts<'s> {
    /// The part of a form that all others have as well: the axes of the environment, and the rules of every module.
    fn of(form: &'s Form) -> Self {
        let axes = form.axes.iter().filter(|axis| axis.choice.is_of_environment());
        let rules = form.rules.iter().filter(|rule| rule.id.starts_with(OF_MODULES));
        Self {
            axes: axes.map(|axis| ExportedAxis::of(form, axis)).collect(),
            rules: rules.map(|rule| (rule, ExportedRule::of(form, rule))).collect(),
        }
    }

    fn has(&self, rule: &Rule) -> bool {
        self.rules.iter().any(|(known, _)| known.id == rule.id && known.forbids == rule.forbids)
    }
}

/// The beginning of the ids of the rules of every module.
const OF_MODULES: &str = "isa/";

impl ExportedInstruction {
    fn of(instruction: &Instruction, isa: &Isa, shared: &SharedParts<'_>) -> Self {
        let note = |note: &crate::spec::Note| ExportedNote {
            section: note.section.clone(),
            says: note.says.clone(),
            because: note.because.clone(),
        };
        Self {
            name: instruction.name.clone(),
            summary: instruction.summary.clone(),
            page: instruction.page(),
            family: isa.page_family(&instruction.manual),
            read: instruction.read,
            forms: instruction.forms.iter().map(|form| ExportedForm::of(form, shared)).collect(),
            elsewhere: instruction.elsewhere.clone(),
            notes: instruction.notes.iter().map(note).collect(),
            examples: instruction.examples.iter().map(ExportedExample::of).collect(),
        }
    }
}

impl ExportedExample {
    fn of(example: &Example) -> Self {
        Self {
            line: example.line.clone(),
            declarations: example.declarations.clone(),
            verdict: example.spec,
            rules: example.rules.clone(),
            why: example.why.clone(),
            gap: example.gap,
            target: example.target,
        }
    }
}

/// The JSON Schema of an exported specification.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(ExportedSpec).to_value()
}
