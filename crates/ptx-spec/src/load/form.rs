//! From a syntax line to a form: its axes and the rules that they imply.

use super::environment_axes::{environment, modes};
use super::notation::NotedSuffix;
use super::slots::{overlap, suffix_values, without};
use super::sources::FormSource;
use super::text_rules;
use super::writing::WritingBuilder;
use crate::role::{self, ENTRY, FUNCTION, RoleName, lanes_of};
use crate::spec::words::NONE;
use crate::spec::{
    AllowedNumbers, Choice, Cube, Draft, Form, Isa, Operand, Pattern, RuleKind, Slot, SlotClaims, Tables, ValueSet,
};

/// Builds one form. The rules of the YAML are added by the caller.
pub(super) struct FormBuilder<'a> {
    draft: Draft<'a>,
    source: FormSource<'a>,
}

impl<'a> FormBuilder<'a> {
    /// A builder for a form with these slots.
    pub(super) fn new(isa: &'a Isa, source: FormSource<'a>, claims: &'a [SlotClaims]) -> Self {
        let opcode = &source.instruction.instruction.value;
        let draft = Draft { isa, opcode, claims, slots: Vec::new(), axes: Vec::new(), rules: Vec::new() };
        Self { draft, source }
    }

    /// The form, without the rules of the YAML.
    pub(super) fn build(mut self) -> Form {
        environment(&mut self.draft);
        let guards = [NONE, "@p", "@!p"].map(str::to_owned).to_vec();
        self.draft.axis("guard", Choice::Guard, guards, |_| true);
        let operands = || self.source.syntax.operands.iter().map(|operand| self.source.operand(&operand.name));
        if operands().any(|operand| operand.role == RoleName::Address) {
            let contexts = [ENTRY, FUNCTION].map(str::to_owned).to_vec();
            self.draft.axis("context", Choice::Context, contexts, |_| true);
        }
        modes(&mut self.draft, self.source.modes());
        // The values follow when everything that they name has its axis.
        let writing = self.draft.axis("writing", Choice::Writing, Vec::new(), |_| true);
        for slot in 0..self.draft.claims.len() {
            let slot = self.slot(slot);
            self.draft.slots.push(slot);
        }
        let operands: Vec<Operand> = (0..self.source.syntax.operands.len()).map(|at| self.operand(at)).collect();
        self.optional_operands(&operands);
        let suffixes: Vec<(usize, usize)> =
            self.source.syntax.suffixes.iter().map(|suffix| (suffix.operand, self.suffix(suffix))).collect();
        let writings = WritingBuilder { draft: &mut self.draft, source: &self.source, axis: writing }.build(&operands);
        self.draft.rules.extend(text_rules::rules());
        if operands.iter().any(role::is_called) {
            self.draft.rules.extend(text_rules::of_calls(self.draft.opcode));
        }
        if operands.iter().any(|operand| operand.numbers == Some(AllowedNumbers::Fraction)) {
            self.draft.rules.push(text_rules::of_fractions(self.draft.opcode));
        }
        let limited = operands.iter().find_map(|operand| Some((operand, &operands[operand.at_most?])));
        if let Some((operand, limit)) = limited {
            self.draft.rules.push(text_rules::of_limits(self.draft.opcode, &operand.name, &limit.name));
        }
        Form {
            id: format!("{}.{}", self.draft.opcode, self.source.form.id.value),
            syntax: self.source.form.syntax.value.split_whitespace().collect::<Vec<_>>().join(" "),
            manual: self.source.form.manual.as_ref().unwrap_or(&self.source.instruction.manual).clone(),
            axes: self.draft.axes,
            slots: self.draft.slots,
            operands,
            pattern: self.source.syntax.pattern.clone(),
            suffixes,
            writing,
            writings,
            ends: self.source.form.ends,
            rules: self.draft.rules,
            writes: Vec::new(),
            setup: Vec::new(),
            accuracies: Vec::new(),
            setup_axes: 0,
            template: None,
            tables: Tables::default(),
        }
    }

    fn operand(&mut self, at: usize) -> Operand {
        let noted = &self.source.syntax.operands[at];
        let raw = self.source.operand(&noted.name);
        let names: Vec<&str> = self.source.syntax.operands.iter().map(|operand| operand.name.as_str()).collect();
        let role = role::resolve(&self.draft, raw, &names);
        let mut operand = Operand::new(noted.name.clone(), role, noted.optional);
        operand.elements = noted.elements;
        operand.bits = raw.bits;
        operand.at_most = raw.at_most.as_ref().and_then(|of| names.iter().position(|name| *name == of.value));
        operand = role::axes(&mut self.draft, raw, operand, at);
        if let Some(sign) = noted.sign {
            self.sign(&mut operand, at, sign);
        }
        operand
    }

    /// Where a line lacks one of several optional operands of a list, no other is given what it never accepts: it could be
    /// read as the one that is missing.
    fn optional_operands(&mut self, operands: &[Operand]) {
        let mut cubes = Vec::new();
        let is_bare = |part: &&Pattern| matches!(part, Pattern::Operand(_));
        let (bare, enclosed): (Vec<&Pattern>, Vec<&Pattern>) = self.source.syntax.pattern.iter().partition(is_bare);
        let bare: Vec<usize> = bare.iter().flat_map(|part| part.operands()).collect();
        for list in enclosed.iter().map(|part| part.operands().to_vec()).chain([bare]) {
            // Each with the axis that says whether a line has it.
            let optional = list.iter().filter(|&&at| operands[at].optional);
            let optional: Vec<(usize, usize)> =
                optional.filter_map(|&at| Some((at, operands[at].first_axis()?))).collect();
            for (&(at, own), &(other, missing)) in
                optional.iter().flat_map(|one| optional.iter().map(move |of| (one, of)))
            {
                if at == other {
                    continue;
                }
                // An operand that is missing as well still has a value of its shape.
                let given = (own, self.draft.axes[own].select(|value| value != NONE));
                let none = (missing, self.draft.axes[missing].select(|value| value == NONE));
                for axis in [operands[at].shape, operands[at].of_type].into_iter().flatten() {
                    let of = &self.draft.axes[axis];
                    cubes.push(Cube::new([given, none, (axis, of.claimed.complement(of.values.len()))]));
                }
            }
        }
        self.draft.canonical("optional-operands-generated", cubes);
    }

    /// The axis of the sign before an operand, which only registers have.
    fn sign(&mut self, operand: &mut Operand, at: usize, sign: char) {
        let Some(of_type) = operand.of_type else { return };
        let values = vec![NONE.to_owned(), sign.to_string()];
        let axis = self.draft.axis(&format!("{}.sign", operand.name), Choice::Sign(at), values, |_| true);
        let types = &self.draft.axes[of_type];
        let signed = ValueSet::of(2, |value| value == 1);
        let mut cubes = vec![Cube::new([(of_type, types.select(|value| !value.starts_with('.'))), (axis, signed)])];
        if let Some(shape) = operand.shape {
            // Elements in braces have no sign.
            let shapes = &self.draft.axes[shape];
            cubes.push(Cube::new([
                (shape, shapes.select(|value| lanes_of(value) > 1 || value.ends_with('1'))),
                (axis, signed),
            ]));
        }
        self.draft.canonical(&format!("{}-sign-generated", operand.name), cubes);
        operand.sign = Some(axis);
    }

    fn slot(&mut self, at: usize) -> Slot {
        let all = self.draft.claims;
        let claims = &all[at];
        let mut values = claims.values.clone();
        // None is the simplest choice where a line may lack the modifier. Where it is a fault, it follows the claims.
        values.insert(if claims.optional { 0 } else { values.len() }, NONE.to_owned());
        values.extend(self.probes(at));
        let claimed = |value: &str| claims.values.iter().any(|v| v == value) || (claims.optional && value == NONE);
        let axis = self.draft.axis(&claims.name, Choice::Modifier, values, claimed);
        let of = &self.draft.axes[axis];
        let missing = Cube::new([(axis, of.select(|value| value == NONE && !claims.optional))]);
        let wrong = Cube::new([(axis, of.select(|value| value != NONE && !claimed(value)))]);
        let name = claims.name.clone();
        let listed = claims.values.join(" ");
        // A line without it may be a line of another form rather than a breach of this one.
        let unclear = self.missing_is_another_form(at) || self.missing_is_another_slot(at);
        let kind = if unclear { RuleKind::Given } else { RuleKind::Constraint };
        self.draft.rule(kind, &format!("{name}-required"), format!("one of {listed} is required"), vec![missing]);
        self.draft.constraint(&format!("{name}-value"), format!("only {listed} is allowed here"), vec![wrong]);
        let elsewhere = |slot: &SlotClaims| !slot.literal && slot.values.iter().any(|v| claims.values.contains(v));
        let telling = claims.literal && !self.source.others.iter().any(|other| other.iter().any(elsewhere));
        Slot { axis, optional: claims.optional, telling }
    }

    /// The values of the slot's families that neither it nor another form has.
    fn probes(&self, at: usize) -> Vec<String> {
        let all = self.draft.claims;
        let claims = &all[at];
        let mut probes = Vec::new();
        for (_, family) in &self.source.raw_isa.families.0 {
            if !family.iter().any(|value| claims.values.contains(&value.value)) {
                continue;
            }
            for value in family {
                let value = &value.value;
                if self.source.is_elsewhere(value) {
                    continue;
                }
                if !claims.values.contains(value) && !probes.contains(value) && !self.is_another_form(at, Some(value)) {
                    probes.push(value.clone());
                }
            }
        }
        // A modifier known to two slots cannot be read back as a probe of either if one can be left out: then the order
        // does not tell which of them it is in.
        let either = |other: &SlotClaims| other.optional || claims.optional;
        let taken = |value: &String| {
            let claimed = all.iter().any(|slot| slot.values.contains(value) && either(slot));
            let built = self.draft.slots.iter().zip(all);
            claimed
                || built
                    .into_iter()
                    .any(|(slot, claims)| either(claims) && self.draft.axes[slot.axis].values.contains(value))
        };
        probes.retain(|value| !taken(value));
        probes
    }

    fn missing_is_another_form(&self, at: usize) -> bool {
        !self.draft.claims[at].optional && self.is_another_form(at, None)
    }

    /// True if a line without this slot's modifier could lack that of another: of two slots with the same values, the
    /// later one.
    fn missing_is_another_slot(&self, at: usize) -> bool {
        let all = self.draft.claims;
        let shares = |other: usize| other != at && all[other].values.iter().any(|value| all[at].values.contains(value));
        (0..all.len()).any(|other| shares(other) && (other > at || all[other].optional))
    }

    /// True if a line with this value in a slot (or without one) can be a line of another form.
    fn is_another_form(&self, at: usize, value: Option<&String>) -> bool {
        let own = &self.draft.claims[at];
        let of_value = |value: &String| SlotClaims {
            name: own.name.clone(),
            values: vec![value.clone()],
            optional: false,
            literal: own.literal,
        };
        let with_value = value.map(of_value);
        let mut changed: Vec<&SlotClaims> = self.draft.claims.iter().collect();
        match &with_value {
            Some(slot) => changed[at] = slot,
            None => drop(changed.remove(at)),
        }
        if self.source.others.iter().any(|other| overlap(&changed, other)) {
            return true;
        }
        // A line of another form with one of this form's literals as a surplus modifier.
        let surplus = |literal: usize| {
            let rest = without(&changed, literal);
            changed[literal].literal && self.source.others.iter().any(|other| overlap(&rest, other))
        };
        if value.is_some() && (0..changed.len()).any(|literal| literal != at && surplus(literal)) {
            return true;
        }
        // If a literal is wrong or missing, it is unclear which one was meant: such lines belong to the
        // first form that fits.
        let rest = without(self.draft.claims, at);
        if self.draft.claims[at].literal && self.source.others.iter().any(|other| overlap(&rest, other)) {
            return true;
        }
        let same_rest = |other: &[SlotClaims]| {
            (0..other.len()).any(|literal| other[literal].literal && overlap(&rest, &without(other, literal)))
        };
        let meant = |value: &String| {
            self.source.others.iter().any(|other| other.iter().any(|slot| slot.literal && slot.values.contains(value)))
        };
        self.draft.claims[at].literal
            && (value.is_some_and(meant)
                || self.source.others[..self.source.earlier].iter().any(|other| same_rest(other)))
    }

    fn suffix(&mut self, suffix: &NotedSuffix) -> usize {
        let name = &suffix.name;
        let mut values = vec![NONE.to_owned()];
        values.extend(suffix_values(self.source.instruction, self.source.form, name));
        let axis =
            self.draft.axis(name, Choice::Suffix(suffix.operand), values, |value| suffix.optional || value != NONE);
        let missing = self.draft.axes[axis].select(|value| value == NONE && !suffix.optional);
        let says = format!("the suffix `.{name}` is required");
        self.draft.constraint(&format!("{name}-required"), says, vec![Cube::new([(axis, missing)])]);
        axis
    }
}
