//! The features of an instruction: itself, its modifiers, and the combinations of them that need more than their parts.

use std::collections::BTreeSet;

use super::availability::Availability;
use super::format::{Feature, FeatureLine, FeatureModifier, FeatureRule};
use super::pairs::{Grid, ModulePair, PairSet};
use super::regions::{FormClasses, FormDiagram, LEFT_OUT, Modifier, ModifierRegions, modifiers};
use super::witness::{Witness, WitnessSearch};
use crate::ptx::print_variant;
use crate::spec::{Form, Instruction, Isa, RuleKind};

/// A feature with its lines as choices.
#[derive(Clone, Debug)]
pub(super) struct Surveyed<'s> {
    pub(super) instruction: &'s Instruction,
    /// In the order of the syntax.
    modifiers: Vec<Modifier>,
    /// Words that tell the feature from others that one writes alike, or that say what is left out.
    remark: Option<String>,
    /// Where it is valid by the manual, in either address size.
    pub(super) region: PairSet,
    pub(super) witnesses: Vec<Witness>,
}

/// The features of an instruction.
pub(super) fn of_instruction<'s>(isa: &Isa, instruction: &'s Instruction, grid: &Grid) -> Vec<Surveyed<'s>> {
    let diagrams = FormDiagram::of(instruction);
    let forms: Vec<FormClasses<'_>> = diagrams.iter().map(|form| form.classes(grid)).collect();
    let known = modifiers(instruction);
    let mut found: Vec<(Vec<&Modifier>, PairSet)> = Vec::new();
    for (combination, region) in ModifierRegions::new(&forms, &known, grid).notable() {
        found.push((combination.iter().map(|&at| &known[at]).collect(), region));
    }
    let left_out = gone_without(&forms, &known, grid);
    let at = found.partition_point(|(modifiers, _)| modifiers.len() < 2);
    found.splice(at..at, left_out.iter().map(|(modifier, region)| (vec![modifier], region.clone())));
    let mut surveyed: Vec<Surveyed<'s>> = found
        .into_iter()
        .map(|(modifiers, region)| Surveyed::new(isa, instruction, &forms, modifiers, region, grid))
        .collect();
    tell_apart(&mut surveyed);
    surveyed
}

/// The slots that once could be left out and no longer can: each as a modifier that is left out, with its region.
fn gone_without(forms: &[FormClasses<'_>], known: &[Modifier], grid: &Grid) -> Vec<(Modifier, PairSet)> {
    let region =
        |modifiers: &[&Modifier]| forms.iter().fold(grid.none(), |all, form| all.or(&form.region(modifiers, grid)));
    let whole = region(&[]);
    let mut slots: BTreeSet<&String> = BTreeSet::new();
    let in_order = known.iter().flat_map(|modifier| &modifier.slots).filter(|slot| slots.insert(slot));
    let mut gone = Vec::new();
    for slot in in_order {
        let without = Modifier { slots: vec![slot.clone()], value: LEFT_OUT.to_owned() };
        let region = region(&[&without]);
        // Only what is gone where the instruction still is.
        if !Availability::of(grid, &region, &whole).gone.is_empty() {
            gone.push((without, region));
        }
    }
    gone
}

/// Adds the slots to what would otherwise be written alike.
pub(super) fn tell_apart(surveyed: &mut [Surveyed<'_>]) {
    let names: Vec<String> = surveyed.iter().map(Surveyed::name).collect();
    for (at, name) in names.iter().enumerate() {
        if names.iter().filter(|other| *other == name).count() > 1 {
            let slots: Vec<&str> = surveyed[at].modifiers.iter().map(|of| of.slots[0].as_str()).collect();
            surveyed[at].remark = Some(format!("({})", slots.join(", ")));
        }
    }
}

impl<'s> Surveyed<'s> {
    /// A feature with the lines that show it.
    pub(super) fn new(
        isa: &Isa,
        instruction: &'s Instruction,
        forms: &[FormClasses<'_>],
        modifiers: Vec<&Modifier>,
        region: PairSet,
        grid: &Grid,
    ) -> Self {
        let witnesses = WitnessSearch { isa, grid, forms, modifiers: &modifiers }.witnesses(&region);
        let form = witnesses.first().map(|witness| &instruction.forms[witness.form]);
        let mut modifiers: Vec<Modifier> = modifiers.into_iter().cloned().collect();
        modifiers.sort_by_key(|modifier| form.and_then(|form| modifier.in_form(form)));
        let left_out = modifiers.iter().find(|modifier| modifier.value == LEFT_OUT);
        let remark = left_out.map(|modifier| format!("without {}", written(instruction, &modifier.slots[0])));
        Self { instruction, modifiers, remark, region, witnesses }
    }

    /// True if the feature is this combination.
    pub(super) fn is(&self, modifiers: &[&Modifier]) -> bool {
        self.contains(modifiers) && self.is_within(modifiers)
    }

    /// True if the feature has all of these modifiers.
    pub(super) fn contains(&self, modifiers: &[&Modifier]) -> bool {
        modifiers.iter().all(|modifier| self.modifiers.contains(modifier))
    }

    /// True if the feature has no other modifiers than these.
    pub(super) fn is_within(&self, modifiers: &[&Modifier]) -> bool {
        self.modifiers.iter().all(|modifier| modifiers.contains(&modifier))
    }

    /// True if the feature is the instruction itself or one modifier.
    pub(super) fn has_at_most_one(&self) -> bool {
        self.modifiers.len() < 2
    }

    /// How one writes it.
    fn name(&self) -> String {
        let written = self.modifiers.iter().map(|modifier| modifier.value.as_str()).filter(|value| *value != LEFT_OUT);
        let name: String = std::iter::once(self.instruction.name.as_str()).chain(written).collect();
        match &self.remark {
            Some(remark) => format!("{name} {remark}"),
            None => name,
        }
    }

    /// It as data, without observations.
    pub(super) fn feature(&self, grid: &Grid) -> Feature {
        let domain = grid.all();
        let form = self.witnesses.first().map(|witness| &self.instruction.forms[witness.form]);
        let modifier = |of: &Modifier| FeatureModifier { slot: slot_in(of, form), modifier: of.value.clone() };
        let line = |witness: &Witness| {
            let (line, declarations) = print_variant(&self.instruction.forms[witness.form], &witness.values);
            FeatureLine { line, declarations, manual: Availability::of(grid, &witness.valid, &domain) }
        };
        Feature {
            name: self.name(),
            instruction: self.instruction.name.clone(),
            modifiers: self.modifiers.iter().map(modifier).collect(),
            manual: Availability::of(grid, &self.region, &domain),
            because: self.because(grid, &domain),
            page: form.map_or_else(|| self.instruction.page(), Form::page),
            lines: self.witnesses.iter().map(line).collect(),
            observed: Vec::new(),
        }
    }

    /// The rules that give its smallest environments their version and target, and those by which it is gone again.
    fn because(&self, grid: &Grid, domain: &PairSet) -> Vec<FeatureRule> {
        let mut rules: Vec<FeatureRule> = Vec::new();
        let mut cite = |form: &Form, rule: usize| {
            let rule = &form.rules[rule];
            let (section, page) = (rule.section.clone(), form.page());
            let cited = FeatureRule { rule: rule.id.clone(), says: rule.says.clone(), section, page };
            if !rules.contains(&cited) {
                rules.push(cited);
            }
        };
        let first = ModulePair { version: 0, target: 0 };
        let broken = |witness: &Witness, pair: ModulePair| {
            let form = &self.instruction.forms[witness.form];
            (form, form.broken(&witness.at(pair, grid, self.instruction)))
        };
        for pair in Availability::smallest(grid, &self.region) {
            let (ptx, target) = (grid.version(pair), grid.target(pair));
            for witness in self.witnesses.iter().filter(|witness| witness.valid.contains(pair)) {
                let (form, broken) = broken(witness, first);
                for rule in broken {
                    match &form.rules[rule].kind {
                        RuleKind::NeedsPtx(since) if *since == ptx => cite(form, rule),
                        RuleKind::NeedsTarget(needed) if needed.contains(&target) => cite(form, rule),
                        _ => {}
                    }
                }
            }
        }
        let gone = Availability::of(grid, &self.region, domain).gone;
        for pair in gone.iter().filter_map(|gone| grid.pair(gone.ptx, gone.target)) {
            for witness in &self.witnesses {
                let (form, broken) = broken(witness, pair);
                let named = broken.into_iter().filter(|&rule| form.rules[rule].kind.breakable());
                named.for_each(|rule| cite(form, rule));
            }
        }
        rules
    }
}

/// The name of a modifier's slot in a form.
fn slot_in(modifier: &Modifier, form: Option<&Form>) -> String {
    let of_form = |form: &Form| modifier.slots.iter().find(|slot| form.axis(slot).is_some()).cloned();
    form.and_then(of_form).unwrap_or_else(|| modifier.slots[0].clone())
}

/// A slot as the manual writes it: its modifier if it has only one, and otherwise its name after a dot.
fn written(instruction: &Instruction, slot: &str) -> String {
    let axes = instruction.forms.iter().filter_map(|form| form.axis(slot).map(|axis| &form.axes[axis]));
    let mut values: Vec<&str> = axes
        .flat_map(|axis| axis.claimed.iter().map(|value| axis.values[usize::from(value)].as_str()))
        .filter(|value| *value != LEFT_OUT)
        .collect();
    values.sort_unstable();
    values.dedup();
    match values[..] {
        [only] => only.to_owned(),
        _ => format!(".{slot}"),
    }
}
