//! Assigns the modifiers of a line to the slots of a form.

use crate::must::Must;
use crate::spec::words::NONE;
use crate::spec::{Axis, Candidate, Form, TextFault, Writing};

/// The layouts of matrices, of which a literal has no probes.
const LAYOUTS: [&str; 2] = [".row", ".col"];

/// How the modifiers of a line fit a form.
pub(super) struct Assigned {
    /// How many of them are in a slot that claims them.
    pub(super) matched: usize,
    /// Faults beyond the one that the writing axis expresses; few lines have any.
    pub(super) faults: Vec<TextFault>,
}

/// Puts each modifier into a slot, and sets the axes of the slots and of the writing, which are
/// still blank.
///
/// A modifier takes the first free slot that claims it, if possible after the previous modifier's slot;
/// then the first that knows it as a probe, unless a later modifier claims that slot: of `.pred.s32` the
/// type is `.s32`. A modifier without a slot is a duplicate if some slot knows it, and otherwise unknown.
///
/// Where several slots know one modifier, as the two types of a conversion, modifiers that can fill the slots in their
/// order do so.
pub(super) fn assign(form: &Form, modifiers: &[Option<usize>], values: &mut [u8]) -> Assigned {
    if form.shares_modifiers()
        && let Some(candidates) = in_order(form, modifiers)
    {
        let mut matched = 0;
        for candidate in candidates {
            let slot = &form.slots[candidate.slot];
            values[slot.axis] = candidate.value;
            // A literal that no other form has counts twice: it tells which form was meant.
            matched += usize::from(candidate.claimed) + usize::from(candidate.claimed && slot.telling);
        }
        return Assigned { matched, faults: Vec::new() };
    }
    let mut displaced = 0;
    loop {
        match assign_but(form, modifiers, displaced, values) {
            Ok(assigned) => return assigned,
            // A displaced modifier is no probe any more, so this ends.
            Err(position) => displaced |= 1 << position,
        }
        form.slots.iter().for_each(|slot| values[slot.axis] = form.blank()[slot.axis]);
    }
}

/// A slot for each modifier, in the order of the slots and with every mandatory one filled: of several ways the one with
/// the fewest probes, and of these the one that fills the first slots.
fn in_order<'f>(form: &'f Form, modifiers: &[Option<usize>]) -> Option<Vec<&'f Candidate>> {
    // `best[slot]` is the way to give the modifiers from a position on slots from `slot` on: its probes, and its
    // first slot. The tables are kept from the last modifier to the first.
    let slots = form.slots.len();
    let mut best: Vec<Option<usize>> = vec![None; slots + 1];
    best[slots] = Some(0);
    for slot in (0..slots).rev() {
        best[slot] = best[slot + 1].filter(|_| form.slots[slot].optional);
    }
    let mut ways: Vec<Vec<Option<&Candidate>>> = Vec::new();
    for modifier in modifiers.iter().rev() {
        let candidates = &form.modifier(*modifier).candidates;
        let mut next: Vec<Option<usize>> = vec![None; slots + 1];
        let mut way: Vec<Option<&Candidate>> = vec![None; slots + 1];
        for slot in (0..slots).rev() {
            let taken = candidates.iter().find(|candidate| candidate.slot == slot);
            let taking = taken.and_then(|candidate| Some(best[slot + 1]? + usize::from(!candidate.claimed)));
            let skipping = next[slot + 1].filter(|_| form.slots[slot].optional);
            (next[slot], way[slot]) = match (taking, skipping) {
                (Some(taking), Some(skipping)) if skipping < taking => (Some(skipping), way[slot + 1]),
                (None, skipping) => (skipping, way[slot + 1].filter(|_| skipping.is_some())),
                (taking, _) => (taking, taken),
            };
        }
        ways.push(way);
        best = next;
    }
    best[0]?;
    let mut chosen = Vec::with_capacity(modifiers.len());
    let mut slot = 0;
    for way in ways.iter().rev() {
        let candidate = way[slot]?;
        chosen.push(candidate);
        slot = candidate.slot + 1;
    }
    Some(chosen)
}

/// Gives modifiers their slots, but those `displaced` (a bit for each position): they are unknown.
///
/// # Errors
/// The position of a modifier that is a probe in a slot that a later one claims.
fn assign_but(form: &Form, modifiers: &[Option<usize>], displaced: u64, values: &mut [u8]) -> Result<Assigned, usize> {
    // A form has at most 64 slots.
    let mut taken = 0_u64;
    let mut matched = 0;
    let mut order = SlotOrder::default();
    let mut next = 0;
    let mut leads = false;
    let mut faults = WritingFaults { form, writing: None, others: Vec::new() };
    // The slots that are taken by probes, and the positions of those.
    let mut probes: Vec<(usize, usize)> = Vec::new();
    for (position, &modifier) in modifiers.iter().enumerate() {
        let known = form.modifier(modifier);
        if position < 64 && displaced >> position & 1 == 1 {
            faults.add(known.extra);
            continue;
        }
        let Some(candidate) = choose(&known.candidates, taken, next) else {
            if let Some(probe) = displaced_by(&known.candidates, &probes) {
                return Err(probe);
            }
            let of_slot = |c: &&Candidate| c.claimed || known.extra == form.modifier(None).extra;
            match known.candidates.first().filter(of_slot) {
                Some(candidate) => faults.add(form.writing_of(&Writing::Duplicate(candidate.slot))),
                None => faults.add(known.extra),
            }
            continue;
        };
        let slot = &form.slots[candidate.slot];
        taken |= 1 << candidate.slot;
        values[slot.axis] = candidate.value;
        matched += usize::from(candidate.claimed) + usize::from(candidate.claimed && slot.telling);
        next = next.max(candidate.slot + 1);
        order.push(candidate.slot);
        leads |= position == 0 && candidate.slot == 0;
        // A later one has no bit among the displaced, and keeps its slot.
        if !candidate.claimed && position < 64 {
            probes.push((candidate.slot, position));
        }
    }
    // The modifier that a form begins with is part of the opcode, so anywhere else it is misplaced, even if only a surplus
    // one is before it. Engines that take that one may not take it there, so this is the first fault.
    if form.leads() && taken & 1 == 1 && !leads {
        faults.add_first(form.writing_of(&Writing::Moved(0)));
    } else {
        faults.add(order.fault(form).and_then(|writing| form.writing_of(&writing)));
    }
    values[form.writing()] =
        faults.writing.map_or(0, |fault| u8::try_from(fault).must("an axis has at most 255 values"));
    Ok(Assigned { matched, faults: faults.others })
}

/// The faults in how the modifiers of a line are written.
struct WritingFaults<'f> {
    form: &'f Form,
    /// The one that the writing axis expresses.
    writing: Option<usize>,
    /// The others, of which only the rules are recorded.
    others: Vec<TextFault>,
}

impl WritingFaults<'_> {
    /// Adds a choice that the writing axis expresses rather than what was added before.
    fn add_first(&mut self, writing: Option<usize>) {
        let before = std::mem::replace(&mut self.writing, writing);
        self.add(before);
    }

    /// Adds a choice of the writing axis; `None` means no fault.
    fn add(&mut self, writing: Option<usize>) {
        let is_twice = |writing: usize| matches!(self.form.writings[writing], Writing::Duplicate(_));
        let is_extra = |writing: usize| matches!(self.form.writings[writing], Writing::Extra(_));
        match (self.writing, writing) {
            (None, _) => self.writing = writing,
            // If there are two surplus modifiers, no divergence can be about either.
            (Some(first), Some(second)) if is_extra(first) && is_extra(second) => {
                self.writing = self.form.modifier(None).extra;
                self.others.push(TextFault::Unknown);
            }
            // Of two duplicates the first may be one that is taken, but not both.
            (Some(first), Some(second)) if first != second && is_twice(first) && is_twice(second) => {
                self.writing = Some(second);
                self.others.push(TextFault::Duplicate);
            }
            (Some(_), Some(writing)) => self.others.extend(match self.form.writings[writing] {
                Writing::Duplicate(_) => Some(TextFault::Duplicate),
                Writing::Extra(_) => Some(TextFault::Unknown),
                Writing::Moved(_) | Writing::Reordered | Writing::ReorderedAlike | Writing::ReorderedFront => {
                    Some(TextFault::Order)
                }
                _ => None,
            }),
            (Some(_), None) => {}
        }
    }
}

/// The position of a probe in a slot that these candidates claim.
fn displaced_by(candidates: &[Candidate], probes: &[(usize, usize)]) -> Option<usize> {
    let claims = |slot: usize| candidates.iter().any(|candidate| candidate.claimed && candidate.slot == slot);
    probes.iter().find(|(slot, _)| claims(*slot)).map(|(_, position)| *position)
}

/// The slot that a modifier takes, among those that know it.
fn choose(candidates: &[Candidate], taken: u64, next: usize) -> Option<&Candidate> {
    let free = |c: &&Candidate| taken >> c.slot & 1 == 0;
    let best = |c: &&Candidate| (!c.claimed, c.slot < next);
    candidates.iter().filter(free).min_by_key(best)
}

/// True if a slot knows a modifier of another one.
fn knows(slot: &Axis, other: &Axis) -> bool {
    let claimed = other.claimed.iter().map(|at| &other.values[usize::from(at)]);
    claimed.into_iter().any(|value| value != NONE && slot.position(value).is_some())
}

/// The order in which slots are taken.
#[derive(Default)]
struct SlotOrder {
    /// All of them.
    taken: Vec<usize>,
    last: Option<usize>,
    /// True if a slot comes after a later one of the syntax line.
    broken: bool,
    /// True if a slot before the last did so already.
    broken_before: bool,
}

impl SlotOrder {
    fn push(&mut self, slot: usize) {
        self.broken_before = self.broken;
        self.broken |= self.last.is_some_and(|last| slot < last);
        self.last = Some(slot);
        self.taken.push(slot);
    }

    /// The fault of the order, if any.
    fn fault(&self, form: &Form) -> Option<Writing> {
        let last = self.last.filter(|_| self.broken)?;
        Some(match self.taken.first() {
            _ if !self.broken_before => Writing::Moved(last),
            _ if self.alike_changed(form) => Writing::ReorderedAlike,
            Some(first) if *first != 0 && self.taken.contains(&0) => Writing::ReorderedFront,
            _ => Writing::Reordered,
        })
    }

    /// True if two slots that know the same modifiers, or the layouts of two matrices, are in the other order.
    fn alike_changed(&self, form: &Form) -> bool {
        let alike = |one: usize, other: usize| {
            let [one, other] = [one, other].map(|slot| &form.axes[form.slots[slot].axis]);
            let layouts =
                |axis: &Axis| axis.claimed.iter().any(|at| LAYOUTS.contains(&axis.values[usize::from(at)].as_str()));
            knows(other, one) || knows(one, other) || layouts(one) && layouts(other)
        };
        let pairs = self.taken.iter().enumerate().flat_map(|(at, &slot)| {
            self.taken[at + 1..].iter().map(move |&later| (slot, later)).filter(|(slot, later)| later < slot)
        });
        pairs.into_iter().any(|(slot, later)| alike(slot, later))
    }
}
