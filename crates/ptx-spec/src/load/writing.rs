//! The writing axis: a line is written correctly, or with one syntax fault.

use rustc_hash::FxHashSet;

use super::notation::Syntax;
use super::raw::Order;
use super::slots::without;
use super::sources::FormSource;
use crate::spec::words::{NONE, UNKNOWN_MODIFIER};
use crate::spec::{Axis, Choice, Cube, Draft, Operand, Pattern, RuleKind, Slot, SlotClaims, ValueSet, Writing, leads};

/// Builds the axis of how a line is written, once the slots and operands of its form have theirs.
pub(super) struct WritingBuilder<'b, 'a> {
    pub(super) draft: &'b mut Draft<'a>,
    pub(super) source: &'b FormSource<'a>,
    /// The axis, which has no values yet.
    pub(super) axis: usize,
}

/// The slots of a line of another form, all or without one that it needs: what a line of this form may be read as when
/// a modifier is added.
struct OtherLine<'a> {
    slots: Vec<&'a SlotClaims>,
    /// True for a slot that needs the added modifier: it is not optional, and no modifier of this form fits.
    open: Vec<bool>,
    /// The combinations of this form whose modifiers all have slots there.
    cube: Cube,
}

impl OtherLine<'_> {
    /// The combinations of this form that, with the modifier added, have these slots.
    fn with(&self, extra: &String) -> Option<&Cube> {
        let claims = |slot: &SlotClaims| slot.values.contains(extra);
        let possible = || self.slots.iter().zip(&self.open).all(|(slot, open)| !open || claims(slot));
        let claimed = self.slots.iter().any(|slot| claims(slot));
        (claimed && possible() && !self.cube.is_empty()).then_some(&self.cube)
    }
}

impl<'a> WritingBuilder<'_, 'a> {
    /// The axis of how the line is written, with the syntax faults.
    pub(super) fn build(&mut self, operands: &[Operand]) -> Vec<Writing> {
        let mut writings = vec![Writing::Plain];
        let last = self.draft.slots.len().saturating_sub(1);
        // The modifier of the last slot is at the end already.
        writings.extend((0..last).map(Writing::Moved));
        if self.draft.slots.len() > 1 {
            writings.extend([Writing::Reordered, Writing::ReorderedAlike, Writing::ReorderedFront]);
        }
        writings.extend((0..self.draft.slots.len()).map(Writing::Duplicate));
        let others = self.other_lines();
        let extras = self.extras(&others);
        writings.extend(extras.iter().map(|(value, _)| Writing::Extra(value.clone())));
        let mandatory = operands.iter().enumerate().filter(|(_, operand)| !operand.optional);
        writings.extend(mandatory.map(|(at, _)| Writing::Without(at)));
        // Otherwise one more can be an optional one that the variant lacks.
        if !operands.iter().any(|operand| operand.optional) {
            writings.push(Writing::ExtraOperand);
        }
        let first = |part: &Pattern| if let Pattern::Bracket(inside) = part { inside.first().copied() } else { None };
        let brackets: Vec<usize> = self.source.syntax.pattern.iter().filter_map(first).collect();
        if !brackets.is_empty() {
            writings.push(Writing::Unbracketed);
        }
        if brackets.len() > 1 {
            writings.extend(brackets.into_iter().map(Writing::UnbracketedOne));
        }
        writings.extend(self.foreign_suffixes());
        let first = self.draft.slots.first();
        let leading = first.is_some_and(|slot| leads(self.draft.opcode, &self.draft.claims[0].name, slot));
        let label = |writing: &Writing| match writing {
            Writing::Plain => "plain".to_owned(),
            Writing::Moved(0) if leading => format!("{} not first", self.draft.claims[0].name),
            Writing::Moved(slot) => format!("{} moved to the end", self.draft.claims[*slot].name),
            Writing::Reordered => "reordered".to_owned(),
            Writing::ReorderedAlike => "reordered among alike".to_owned(),
            Writing::ReorderedFront => "reordered from the front".to_owned(),
            Writing::Duplicate(slot) => format!("{} twice", self.draft.claims[*slot].name),
            Writing::Extra(value) => format!("with {value}"),
            Writing::Without(operand) => format!("without {}", operands[*operand].name),
            Writing::ExtraOperand => "with one operand more".to_owned(),
            Writing::Unbracketed => "without brackets".to_owned(),
            Writing::UnbracketedOne(operand) => format!("without brackets around {}", operands[*operand].name),
            Writing::Suffixed(operand, suffix) => format!("with {suffix} after {}", operands[*operand].name),
        };
        let labels = writings.iter().map(label).collect();
        let mut axis = Axis::new("writing", Choice::Writing, labels);
        axis.claimed = axis.select(|_| true);
        self.draft.axes[self.axis] = axis;
        self.rules(self.axis, operands, &writings, &extras, &others);
        writings
    }

    /// True if a line with this fault could be read as one without it, or with another: a modifier that several slots
    /// know is in the slot that its place says, and one half of a pair without the other is the first.
    fn reads_otherwise(&self, writing: &Writing) -> bool {
        let claims = self.draft.claims;
        let knows = |slot: usize, value: &String| self.draft.axes[self.draft.slots[slot].axis].values.contains(value);
        let shared = |slot: usize| {
            (0..claims.len()).any(|other| other != slot && claims[slot].values.iter().any(|value| knows(other, value)))
        };
        match writing {
            Writing::Moved(slot) | Writing::Duplicate(slot) => shared(*slot),
            Writing::Without(operand) => self.source.syntax.pattern.iter().any(|part| {
                matches!(part, Pattern::Pair(first, second) if first == operand && !self.source.syntax.operands[*second].optional)
            }),
            _ => false,
        }
    }

    /// Adds the rules that the faults of the writing break, and says which faults are not generated.
    fn rules(
        &mut self,
        axis: usize,
        operands: &[Operand],
        writings: &[Writing],
        extras: &[(String, Vec<Cube>)],
        others: &[OtherLine<'_>],
    ) {
        let of = |keep: &dyn Fn(&Writing) -> bool| ValueSet::of(writings.len(), |at| keep(&writings[at]));
        let fault = |keep: &dyn Fn(&Writing) -> bool| vec![Cube::new([(axis, of(keep))])];
        if self.source.form.order == Order::Fixed {
            let order = fault(&|w| matches!(w, Writing::Moved(_)) || is_reordered(w));
            // Where several slots know each modifier, a moved one is in another slot.
            let movable = writings.iter().any(|w| matches!(w, Writing::Moved(_)) && !self.reads_otherwise(w));
            let kind = if movable { RuleKind::Constraint } else { RuleKind::Given };
            self.draft.rule(kind, "modifier-order", "modifiers must be in the order of the syntax line", order);
        }
        let twice = fault(&|w| matches!(w, Writing::Duplicate(_)));
        let repeatable = writings.iter().any(|w| matches!(w, Writing::Duplicate(_)) && !self.reads_otherwise(w));
        let kind = if repeatable { RuleKind::Constraint } else { RuleKind::Given };
        self.draft.rule(kind, "duplicate-modifier", "no modifier may appear twice", twice);
        let says = "every modifier must be in the syntax line";
        self.draft.constraint("unknown-modifier", says, fault(&|w| matches!(w, Writing::Extra(_))));
        let count = fault(&is_of_operands);
        self.draft.constraint("operands", "the operands must be those of the syntax line", count);
        let says = "every suffix must be in the syntax line";
        self.draft.constraint("unknown-suffix", says, fault(&|w| matches!(w, Writing::Suffixed(..))));
        let cubes = self.not_generated(axis, operands, writings, extras, others);
        self.draft.canonical("writing-generated", cubes);
    }

    /// The combinations with a fault of the writing that are not generated.
    fn not_generated(
        &self,
        axis: usize,
        operands: &[Operand],
        writings: &[Writing],
        extras: &[(String, Vec<Cube>)],
        others: &[OtherLine<'_>],
    ) -> Vec<Cube> {
        let of = |keep: &dyn Fn(&Writing) -> bool| ValueSet::of(writings.len(), |at| keep(&writings[at]));
        let none = |slot: &Slot| (slot.axis, self.draft.axes[slot.axis].select(|value| value == NONE));
        let mut cubes = vec![Cube::new([(axis, of(&is_reordered))])];
        let slots = &self.draft.slots;
        for (at, slot) in slots.iter().enumerate() {
            let about = of(&|w| *w == Writing::Duplicate(at) || *w == Writing::Moved(at));
            cubes.push(Cube::new([(axis, about), none(slot)]));
            let moved = of(&|w| *w == Writing::Moved(at));
            cubes.push(Cube::new([(axis, moved)].into_iter().chain(slots[at + 1..].iter().map(none))));
        }
        // Without this operand, an optional one beside it would be read in its place.
        for (at, beside) in self.beside() {
            let without = of(&|w| *w == Writing::Without(at));
            let present = |axis: usize| (axis, self.draft.axes[axis].select(|value| value != NONE));
            let beside = operands[beside].first_axis().map(present);
            cubes.extend(beside.map(|present| Cube::new([(axis, without), present])));
        }
        cubes.push(Cube::new([(axis, of(&|w| self.reads_otherwise(w)))]));
        let brackets = self.source.syntax.pattern.iter().filter(|part| matches!(part, Pattern::Bracket(_)));
        let inside: Vec<usize> = brackets.clone().flat_map(Pattern::operands).collect();
        cubes.extend(self.unbracketed(axis, operands, &inside, &of(&|w| *w == Writing::Unbracketed)));
        for part in brackets.map(Pattern::operands) {
            let this = of(&|w| matches!(w, Writing::UnbracketedOne(at) if part.first() == Some(at)));
            cubes.extend(self.unbracketed(axis, operands, &part, &this));
        }
        for (at, writing) in writings.iter().enumerate() {
            let this = ValueSet::of(writings.len(), |value| value == at);
            cubes.extend(self.lines_of_others(writing).into_iter().map(|cube| cube.with(axis, this)));
        }
        for (value, elsewhere) in extras {
            let this = of(&|w| matches!(w, Writing::Extra(extra) if extra == value));
            cubes.extend(elsewhere.iter().map(|cube| cube.clone().with(axis, this)));
            cubes.extend(self.prolonged(value).into_iter().map(|cube| cube.with(axis, this)));
        }
        cubes.extend(self.probes_elsewhere(others));
        cubes
    }

    /// The combinations whose last modifier makes another one of its slot together with this one after it: `.async` before
    /// `.global`.
    fn prolonged(&self, extra: &str) -> Vec<Cube> {
        let slots = &self.draft.slots;
        let none = |slot: &Slot| (slot.axis, self.draft.axes[slot.axis].select(|value| value == NONE));
        let of = |(at, slot): (usize, &Slot)| {
            let axis = &self.draft.axes[slot.axis];
            let last = axis.select(|value| axis.values.iter().any(|other| other.strip_suffix(extra) == Some(value)));
            Cube::new(std::iter::once((slot.axis, last)).chain(slots[at + 1..].iter().map(none)))
        };
        slots.iter().enumerate().map(of).filter(|cube| !cube.is_empty()).collect()
    }

    /// The combinations with a probe that are lines of another form that lacks one modifier: which of the two was
    /// meant would be a guess.
    fn probes_elsewhere(&self, others: &[OtherLine<'_>]) -> Vec<Cube> {
        let mut cubes = Vec::new();
        for (slot, claims) in self.draft.slots.iter().zip(self.draft.claims) {
            let values = &self.draft.axes[slot.axis].values;
            for probe in values.iter().filter(|value| *value != NONE && !claims.values.contains(value)) {
                let this = self.draft.axes[slot.axis].select(|value| value == probe);
                let elsewhere = others.iter().filter_map(|other| other.with(probe));
                cubes.extend(elsewhere.map(|cube| cube.clone().with(slot.axis, this)).filter(|cube| !cube.is_empty()));
            }
        }
        cubes
    }

    /// Each operand without brackets, with each optional one that no bracket separates from it.
    fn beside(&self) -> Vec<(usize, usize)> {
        let mut beside = Vec::new();
        let first = |part: &Pattern| match part {
            Pattern::Operand(at) | Pattern::Pair(at, _) => Some(*at),
            Pattern::Bracket(_) | Pattern::Braces(_) | Pattern::List(_) => None,
        };
        let parts: Vec<Option<usize>> = self.source.syntax.pattern.iter().map(first).collect();
        for run in parts.split(Option::is_none) {
            let run: Vec<usize> = run.iter().flatten().copied().collect();
            for &at in &run {
                let optional = run.iter().filter(|&&other| other != at && self.source.syntax.operands[other].optional);
                beside.extend(optional.map(|&other| (at, other)));
            }
        }
        // Inside of brackets, and the second half of a pair.
        for part in &self.source.syntax.pattern {
            let inside = part.operands();
            let optional = inside.iter().filter(|&&at| self.source.syntax.operands[at].optional);
            beside.extend(optional.flat_map(|&at| inside.iter().map(move |&of| (of, at))).filter(|(of, at)| of != at));
        }
        beside
    }

    /// The combinations without anything inside of these brackets, where a line without them is nothing new.
    fn unbracketed(&self, axis: usize, operands: &[Operand], inside: &[usize], writing: &ValueSet) -> Option<Cube> {
        let absent = |&at: &usize| {
            let axis = operands[at].first_axis()?;
            operands[at].optional.then(|| (axis, self.draft.axes[axis].select(|value| value == NONE)))
        };
        let absent: Vec<_> = inside.iter().map(absent).collect::<Option<_>>()?;
        (!absent.is_empty()).then(|| Cube::new(absent.into_iter().chain([(axis, *writing)])))
    }

    /// The combinations of modifiers with which a line with this fault of its operands has the operands of another form.
    fn lines_of_others(&self, writing: &Writing) -> Vec<Cube> {
        let parts = punctuation(self.source.syntax, Some(writing));
        let same = |other: &&Syntax| punctuation(other, None).iter().any(|one| parts.contains(one));
        let faulty = is_of_operands(writing);
        let forms = self.source.others.iter().zip(self.source.other_lines).filter(|(_, other)| faulty && same(other));
        forms.filter_map(|(slots, _)| self.modifiers_of(slots)).collect()
    }

    /// The combinations of this form that have the modifiers of another.
    fn modifiers_of(&self, other: &[SlotClaims]) -> Option<Cube> {
        let claimed = |value: &str| other.iter().any(|slot| slot.values.iter().any(|v| v == value));
        let possible = other.iter().all(|slot| {
            slot.optional || slot.values.iter().any(|v| self.draft.claims.iter().any(|own| own.values.contains(v)))
        });
        let sets = self.draft.claims.iter().map(|slot| {
            let axis = self.draft.named(&slot.name);
            (axis, self.draft.axes[axis].select(|value| value == NONE || claimed(value)))
        });
        let cube = Cube::new(sets);
        (possible && !cube.is_empty()).then_some(cube)
    }

    /// The suffixes that other forms have after an operand of this one, which has none there.
    fn foreign_suffixes(&self) -> Vec<Writing> {
        let mut foreign: Vec<Writing> = Vec::new();
        let own = self.source.syntax;
        for syntax in self.source.other_lines {
            for suffix in &syntax.suffixes {
                let name = &syntax.operands[suffix.operand].name;
                let at = own.operands.iter().position(|operand| operand.name == *name);
                let bracketed = |at: &usize| {
                    own.pattern.iter().any(|part| matches!(part, Pattern::Bracket(inside) if inside.contains(at)))
                };
                let has_one = |at: &usize| own.suffixes.iter().any(|own| own.operand == *at);
                let Some(at) = at.filter(|at| bracketed(at) && !has_one(at)) else { continue };
                let writing = Writing::Suffixed(at, format!(".{}", suffix.name));
                if !foreign.contains(&writing) {
                    foreign.push(writing);
                }
            }
        }
        foreign
    }

    /// Modifiers for which the form has no slot, with the combinations in which another form has one.
    fn extras(&self, others: &[OtherLine<'_>]) -> Vec<(String, Vec<Cube>)> {
        let known =
            |value: &String| self.draft.axes.iter().any(|a| a.choice == Choice::Modifier && a.values.contains(value));
        let mut extras = vec![(UNKNOWN_MODIFIER.to_owned(), Vec::new())];
        // A slot that always has something of its own leaves its probes to be too many.
        let probed = |value: &String| {
            self.draft.claims.iter().all(|slot| {
                let axis = &self.draft.axes[self.draft.named(&slot.name)];
                !axis.values.contains(value) || !slot.optional && !slot.values.contains(value)
            })
        };
        let mut add = |value: &String, known: &dyn Fn(&String) -> bool| {
            if !known(value) && !self.source.is_elsewhere(value) && !extras.iter().any(|(extra, _)| extra == value) {
                let elsewhere = others.iter().filter_map(|other| other.with(value));
                extras.push((value.clone(), elsewhere.cloned().collect()));
            }
        };
        self.source
            .others
            .iter()
            .flat_map(|slots| slots.iter())
            .for_each(|slot| slot.values.iter().for_each(|value| add(value, &known)));
        for (_, family) in &self.source.raw_isa.families.0 {
            if !family.iter().any(|value| known(&value.value)) {
                // The form has nothing of the family: one word stands for all of them.
                family.iter().take(1).for_each(|value| add(&value.value, &known));
            }
        }
        let surplus = self.source.raw_isa.surplus.iter().chain(&self.source.instruction.surplus);
        surplus.for_each(|value| add(&value.value, &|value| !probed(value)));
        extras
    }

    /// The lines of other forms, each with all its slots and without each one that it needs.
    fn other_lines(&self) -> Vec<OtherLine<'a>> {
        let whole_and_lacking = |other: &&'a [SlotClaims]| {
            let other: &'a [SlotClaims] = other;
            let needed = (0..other.len()).filter(|&at| !other[at].optional);
            [other.iter().collect()].into_iter().chain(needed.map(|at| without(other, at))).collect::<Vec<_>>()
        };
        let own: FxHashSet<&str> = self.draft.claims.iter().flat_map(|own| &own.values).map(String::as_str).collect();
        self.source.others.iter().flat_map(whole_and_lacking).map(|slots| self.other_line(slots, &own)).collect()
    }

    /// The line of another form with these slots; the form itself has its `own` modifiers.
    fn other_line(&self, slots: Vec<&'a SlotClaims>, own: &FxHashSet<&str>) -> OtherLine<'a> {
        let open = |slot: &&SlotClaims| !slot.optional && !slot.values.iter().any(|value| own.contains(value.as_str()));
        let claimed: FxHashSet<&str> = slots.iter().flat_map(|slot| &slot.values).map(String::as_str).collect();
        let cube = Cube::new(self.draft.claims.iter().map(|slot| {
            let axis = self.draft.named(&slot.name);
            (axis, self.draft.axes[axis].select(|value| value == NONE || claimed.contains(value)))
        }));
        OtherLine { open: slots.iter().map(open).collect(), cube, slots }
    }
}

/// True if modifiers are in an order that no single moved one explains.
fn is_reordered(writing: &Writing) -> bool {
    matches!(writing, Writing::Reordered | Writing::ReorderedAlike | Writing::ReorderedFront)
}

/// True if operands are missing, too many, or without their brackets.
fn is_of_operands(writing: &Writing) -> bool {
    let bare = matches!(writing, Writing::Unbracketed | Writing::UnbracketedOne(_));
    bare || matches!(writing, Writing::Without(_) | Writing::ExtraOperand)
}

/// The punctuation that the operands of a line can have, with a fault: for each part, how many operands it has in
/// brackets; 0 for one without brackets.
fn punctuation(syntax: &Syntax, fault: Option<&Writing>) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    let without = |at: &usize| matches!(fault, Some(Writing::Without(operand)) if operand == at);
    for part in &syntax.pattern {
        let inside = part.operands();
        let there: Vec<usize> = inside.iter().copied().filter(|at| !without(at)).collect();
        let optional = there.iter().filter(|&&at| syntax.operands[at].optional).count();
        let bare = !matches!(part, Pattern::Bracket(_));
        let unbracketed = !bare && fault.is_some_and(|fault| fault.unbrackets(&inside));
        let mut next = Vec::new();
        for left_out in 0..=optional {
            let count = there.len() - left_out;
            for parts in &all {
                let mut parts = parts.clone();
                match count {
                    0 => {}
                    _ if bare => parts.push(0),
                    _ if unbracketed => parts.extend((0..count).map(|_| 0)),
                    _ => parts.push(count),
                }
                next.push(parts);
            }
        }
        next.sort_unstable();
        next.dedup();
        all = next;
    }
    if fault == Some(&Writing::ExtraOperand) {
        all.iter_mut().for_each(|parts| parts.push(0));
    }
    all
}
