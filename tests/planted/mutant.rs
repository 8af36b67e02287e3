//! Mutants: executors that compute what the reference model does, but for one mistake.
//!
//! Nothing here knows an opcode. Which mutants a form has follows from its axes, their values and the roles of its
//! operands, and what a mutant computes from the model: it misreads the line, gets other inputs or another surface, or
//! spoils the result. Each is wrong only under its condition, one or two choices of the line.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::BTreeMap;
use std::fmt;

use ptx_conform::case::InternalError;
use ptx_conform::line_case::{Answer, Holds, LineCase, Returned, Rows};
use ptx_conform::model::{self, Prepared};
use ptx_conform::object::{Component, Format};
use ptx_conform::ptx::{Argument, Line};
use ptx_conform::space::{Diagram, Draw, Slice, Values};
use ptx_conform::spec::{Choice, Cube, Form, Operand, Pattern, Role, Spec, Unit, ValueSet};

use ptx_spec::role::setup::FORMAT;

use crate::engine::StandIn;

/// A mistake, and when it is made.
#[derive(Clone, Debug)]
pub(crate) struct Mutant {
    /// The form that has it.
    pub(crate) form: String,
    /// The choices under which it is made: axes of the form, and a value of each.
    pub(crate) when: Vec<(usize, u8)>,
    pub(crate) mutation: Mutation,
    /// The combination outside of which it cannot show.
    pub(crate) cube: Cube,
    /// All of that in words.
    words: String,
}

/// A mistake.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mutation {
    /// Another choice on an axis is executed: another modifier, none, another type, no guard.
    Choice(usize, u8),
    /// Two operands are taken for each other.
    Operands(usize, usize),
    /// The first two elements of each tuple are taken for each other.
    Elements,
    /// The offset of an address is lost.
    Offset,
    /// The surface is taken for one of the next format of the same size.
    Format,
    /// An input, counted from the last one, is changed.
    Input(usize, Change),
    /// A register that the line writes is changed.
    Register(Which, Change),
    /// A byte that the line changes in memory or a surface is changed.
    Byte(Which, Change),
    /// Another byte is written as well: the one before those that the line changes, or the one after them.
    Neighbour(Which),
    /// The line traps.
    Traps,
    /// The line returns where it must trap.
    Returns,
    /// The engine fails where the line must trap.
    Dies,
    /// What is stored in a component of a sample is changed: a row of [`STORED`].
    Stored(usize),
    /// What is written stays for the row after it.
    Remembers,
}

impl Mutation {
    /// The name of its kind.
    pub(crate) fn kind(self) -> String {
        format!("{self:?}").chars().take_while(char::is_ascii_alphabetic).collect()
    }
}

/// A mistake by the names of choices.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mistake<'a> {
    /// This value of an axis is executed.
    As(&'a str, &'a str),
    /// Any other mistake.
    Of(Mutation),
}

/// The first or the last of several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Which {
    First,
    Last,
}

/// A change of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Change {
    /// The lowest bit is flipped.
    LowBit,
    /// The lowest bit is lost, as if the number was truncated and not rounded.
    Truncated,
    /// The highest bit is flipped.
    HighBit,
    /// The highest bit is lost: a sign.
    SignLost,
    /// The upper half is lost: another width.
    Narrowed,
    /// The halves are exchanged.
    Halves,
    /// One too many; for an address, the next position to which all accesses but the widest are aligned.
    Next,
    /// What was there before stays: 0 in a register.
    Stale,
}

/// A change of stored components of samples: of which components, of which stored bits, and how. The conversion of a value
/// to a component is no choice of a line, so no table has these mistakes.
type Stored = (Component, fn(u32) -> bool, fn(u32) -> u32);
const STORED: [Stored; 12] = [
    // Numbers in a part of the range become one too small or too large.
    (Component::Unorm(8), |bits| (0x99..0xe6).contains(&bits), |bits| bits - 1),
    (Component::Unorm(16), |bits| (0xe666..0xffff).contains(&bits), |bits| bits + 1),
    (Component::Snorm(8), |bits| (0x42..0x7f).contains(&bits), |bits| bits - 1),
    (Component::Snorm(16), |bits| (0x8002..0xbd70).contains(&bits), |bits| bits + 1),
    // The largest and the lowest number wrap, or are one beside what they should be.
    (Component::Unsigned(8), |bits| bits == 0xff, |_| 0),
    (Component::Unsigned(16), |bits| bits == 0xffff, |_| 0x7fff),
    (Component::Signed(8), |bits| bits == 0x80, |_| 0x81),
    (Component::Signed(16), |bits| bits == 0x8000, |_| 0x7fff),
    // An infinity is the largest number, a NaN is an infinity, and subnormal numbers are flushed.
    (Component::Float(16), |bits| bits & 0x7fff == 0x7c00, |bits| bits - 1),
    (Component::Float(16), |bits| bits & 0x7fff > 0x7c00, |bits| bits & 0xfc00),
    (Component::Float(16), |bits| bits & 0x7c00 == 0 && bits & 0x3ff != 0, |bits| bits & 0x8000),
    (Component::Float(32), |bits| bits & 0x7fff_ffff > 0x7f80_0000, |bits| bits & 0xff80_0000),
];

/// The changes of inputs that make a mutant, and those of results.
const OF_INPUTS: [Change; 5] = [Change::Next, Change::SignLost, Change::Narrowed, Change::HighBit, Change::Stale];
const OF_RESULTS: [Change; 7] = [
    Change::LowBit,
    Change::Stale,
    Change::Truncated,
    Change::HighBit,
    Change::SignLost,
    Change::Narrowed,
    Change::Halves,
];
/// The size of the step to the next address, in bytes.
const STEP: u128 = 16;

fn mask(bits: u32) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

impl Change {
    fn of(self, number: u128, bits: u32, before: u128) -> u128 {
        let mask = mask(bits);
        let half = bits / 2;
        mask & match self {
            Self::LowBit => number ^ 1,
            Self::Truncated => number & !1,
            Self::HighBit => number ^ 1 << (bits - 1),
            Self::SignLost => number & mask >> 1,
            Self::Narrowed => number & mask >> (bits - half),
            Self::Halves => number >> half | number << (bits - half),
            Self::Next => number.wrapping_add(1),
            Self::Stale => before,
        }
    }
}

impl Which {
    fn of<T>(self, all: &mut [T]) -> Option<&mut T> {
        match self {
            Self::First => all.first_mut(),
            Self::Last => all.last_mut(),
        }
    }
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl Mutant {
    pub(crate) fn new(form: &Form, when: Vec<(usize, u8)>, mutation: Mutation) -> Self {
        let value = |&(axis, value): &(usize, u8)| {
            let axis = &form.axes[axis];
            format!("{}: {}", axis.name, axis.values[usize::from(value)])
        };
        let mistake = match mutation {
            Mutation::Choice(axis, to) => format!("as if {}", value(&(axis, to))),
            other => format!("{other:?}"),
        };
        let condition = when.iter().map(value).collect::<Vec<_>>().join(", ");
        let only = |value: u8| ValueSet::of(usize::from(value) + 1, |other| other == usize::from(value));
        let mut cube = Cube::new(when.iter().map(|&(axis, value)| (axis, only(value))));
        if let (Mutation::Stored(at), Some(axis)) = (mutation, form.axis(FORMAT.0)) {
            let formats: Vec<Format> = Format::all().collect();
            cube = cube.with(axis, ValueSet::of(formats.len(), |of| formats[of].component == STORED[at].0));
        }
        Self { form: form.id.clone(), when, mutation, cube, words: format!("{} {{ {condition} }} {mistake}", form.id) }
    }

    /// The same mistake in each form of an instruction that has these choices, by their names.
    pub(crate) fn named(spec: &Spec, opcode: &str, when: &[(&str, &str)], mistake: Mistake<'_>) -> Vec<Self> {
        let forms = spec.instructions.iter().filter(|known| known.name == opcode).flat_map(|known| &known.forms);
        let of = |form: &Form| {
            let when = when.iter().map(|&(axis, value)| choice(form, axis, value)).collect::<Option<_>>()?;
            let mutation = match mistake {
                Mistake::As(axis, value) => choice(form, axis, value).map(|(axis, to)| Mutation::Choice(axis, to))?,
                Mistake::Of(mutation) => mutation,
            };
            Some(Self::new(form, when, mutation))
        };
        forms.filter_map(of).collect()
    }

    /// The answers to a case; those of the model where the condition does not hold.
    fn answers(&self, spec: &Spec, case: &LineCase) -> Vec<Answer> {
        let changed = self.input_changed(case);
        let case = changed.as_ref().unwrap_or(case);
        let misread = |form: &Form, values: &mut Values, line: &mut Line<'_>| self.misread(form, values, line);
        let answers =
            |prepared: &Prepared<'_>| prepared.all(&case.rows).map(|expected| expected.example(case)).collect();
        // What cannot be executed differently is executed as it is: the model also panics where a choice makes a line that
        // no form has, such as one that moves more bytes than an access can.
        let misread = model::prepare_misread(spec, case, misread).ok();
        let different = misread.and_then(|prepared| InternalError::caught(|| Ok(answers(&prepared))).ok());
        different.unwrap_or_else(|| model::prepare(spec, case).map_or_else(|_| skipped(case), |own| answers(&own)))
    }

    fn misread(&self, form: &Form, values: &mut Values, line: &mut Line<'_>) {
        match self.mutation {
            Mutation::Choice(axis, to) => {
                values[axis] = to;
                if form.axes[axis].choice == Choice::Guard {
                    let guard = form.value(values, axis);
                    let name = line.guard.map(|(_, name)| name);
                    line.guard = name.filter(|_| guard.starts_with('@')).map(|name| (guard.starts_with("@!"), name));
                }
            }
            Mutation::Operands(a, b) if a.max(b) < line.operands.len() => line.operands.swap(a, b),
            Mutation::Elements => line.operands.iter_mut().for_each(|operand| exchange(&mut operand.argument)),
            Mutation::Offset => line.operands.iter_mut().for_each(|operand| forget_offset(&mut operand.argument)),
            _ => {}
        }
    }

    /// The case with another surface or other inputs, if that is the mistake.
    fn input_changed(&self, case: &LineCase) -> Option<LineCase> {
        let mut changed = case.clone();
        match self.mutation {
            Mutation::Format => {
                let surface = changed.surface.as_mut()?;
                let same = |format: &Format| format.bytes() == surface.format.bytes();
                let same: Vec<Format> = Format::all().filter(same).collect();
                let at = same.iter().position(|format| *format == surface.format)?;
                surface.format = same[(at + 1) % same.len()];
            }
            Mutation::Input(from_last, change) => {
                let at = case.inputs.len().checked_sub(from_last + 1)?;
                let input = &case.inputs[at];
                changed.rows = Rows::new(case.rows.width());
                for row in case.rows.iter() {
                    let mut row = row.to_vec();
                    row[at] = match (&input.holds, change) {
                        (Holds::Bits, change) => change.of(row[at], input.bits.into(), 0),
                        (Holds::Address { .. }, Change::Next) => row[at].wrapping_add(STEP) & u128::from(u64::MAX),
                        _ => row[at],
                    };
                    changed.rows.push(&row);
                }
            }
            _ => return None,
        }
        Some(changed)
    }

    /// Spoils the right answer to a row; `before` is the answer to the row before it.
    fn spoil(&self, case: &LineCase, before: Option<&Answer>, answer: &mut Answer) {
        match (self.mutation, &mut *answer) {
            (Mutation::Traps, Answer::Returned(_)) => *answer = Answer::Trapped("a mutant".to_owned()),
            (Mutation::Returns, Answer::Trapped(_)) => {
                *answer = Answer::Returned(Returned::registers(&vec![0; case.outputs.len()]));
            }
            (Mutation::Dies, Answer::Trapped(_)) => *answer = Answer::Failed("the mutant died".to_owned()),
            (Mutation::Register(which, change), Answer::Returned(returned)) => {
                let mut written: Vec<_> = returned.registers.iter_mut().zip(&case.outputs).collect();
                if let Some((register, output)) = which.of(&mut written) {
                    **register = change.of(**register, output.bits.into(), 0);
                }
            }
            (mutation, Answer::Returned(returned)) => {
                let before = match before {
                    Some(Answer::Returned(before)) if mutation == Mutation::Remembers => Some(before),
                    _ => None,
                };
                let component = case.surface.as_ref().map(|surface| surface.format.component);
                objects(case, returned, |name, was, now| {
                    spoil_object(mutation, was, now);
                    if let Mutation::Stored(at) = mutation
                        && component == Some(STORED[at].0)
                    {
                        spoil_components(&STORED[at], was, now);
                    }
                    let left = before.and_then(|before| match name {
                        Some(name) => before.variables.get(name),
                        None => before.surface.as_ref(),
                    });
                    for (at, byte) in left.into_iter().flatten().enumerate().filter(|_| mutation == Mutation::Remembers)
                    {
                        if now[at] == was[at] {
                            now[at] = *byte;
                        }
                    }
                });
            }
            _ => {}
        }
    }
}

/// Spoils what a line wrote to an object, given its bytes before and after.
fn spoil_object(mutation: Mutation, was: &[u8], now: &mut [u8]) {
    let written: Vec<usize> = (0..was.len()).filter(|&at| was[at] != now[at]).collect();
    let (Some(&first), Some(&last)) = (written.first(), written.last()) else { return };
    let of = |which| if which == Which::First { first } else { last };
    match mutation {
        // The whole write is lost.
        Mutation::Byte(Which::First, Change::Stale) => now.copy_from_slice(was),
        Mutation::Byte(which, change) => {
            let at = of(which);
            let number = change.of(now[at].into(), 8, was[at].into());
            now[at] = u8::try_from(number).unwrap_or_default();
        }
        Mutation::Neighbour(Which::First) => now[first.saturating_sub(1)] ^= 0xff,
        Mutation::Neighbour(Which::Last) => now[(last + 1).min(was.len() - 1)] ^= 0xff,
        _ => {}
    }
}

/// Changes the components of a sample that were written.
fn spoil_components((component, holds, change): &Stored, was: &[u8], now: &mut [u8]) {
    let size = usize::from(component.bits() / 8);
    for (_, now) in was.chunks(size).zip(now.chunks_mut(size)).filter(|(was, now)| was != now) {
        let stored = now.iter().rev().fold(0, |bits, &byte| bits << 8 | u32::from(byte));
        if holds(stored) {
            now.copy_from_slice(&change(stored).to_le_bytes()[..size]);
        }
    }
}

/// Changes each object of a result, given its name (none for the surface) and its bytes before and after.
fn objects(case: &LineCase, returned: &mut Returned, change: impl Fn(Option<&str>, &[u8], &mut [u8])) {
    if let Some(surface) = &case.surface {
        let mut bytes = returned.surface.take().unwrap_or_else(|| surface.data.clone());
        change(None, &surface.data, &mut bytes);
        returned.surface = (bytes != surface.data).then_some(bytes);
    }
    for variable in &case.variables {
        let mut bytes = returned.variables.remove(&variable.name).unwrap_or_else(|| variable.data.clone());
        change(Some(&variable.name), &variable.data, &mut bytes);
        if bytes != variable.data {
            returned.variables.insert(variable.name.clone(), bytes);
        }
    }
}

/// Cuts registers to their sizes: a number of another width is a wrong answer, but not an impossible one.
fn fit(case: &LineCase, answer: &mut Answer) {
    let Answer::Returned(returned) = answer else { return };
    for (register, output) in returned.registers.iter_mut().zip(&case.outputs) {
        *register &= mask(output.bits.into());
    }
}

fn exchange(argument: &mut Argument<'_>) {
    match argument {
        Argument::Tuple(elements) if elements.len() > 1 => elements.swap(0, 1),
        Argument::Bracket(elements) => elements.iter_mut().for_each(exchange),
        _ => {}
    }
}

fn forget_offset(argument: &mut Argument<'_>) {
    match argument {
        Argument::Sum(name, _) => *argument = Argument::Name(name),
        Argument::Bracket(elements) => elements.iter_mut().for_each(forget_offset),
        _ => {}
    }
}

fn skipped(case: &LineCase) -> Vec<Answer> {
    vec![Answer::Skipped("the model does not know the line".to_owned()); case.rows.len()]
}

/// An axis of a form and a value of it, by their names.
fn choice(form: &Form, axis: &str, value: &str) -> Option<(usize, u8)> {
    let at = form.axis(axis)?;
    let value = form.axes[at].values.iter().position(|known| known == value)?;
    Some((at, u8::try_from(value).ok()?))
}

/// An executor with these mutants, at most one for each form. Without any, it is the model.
pub(crate) fn engine<'s>(spec: &'s Spec, name: &str, mutants: impl IntoIterator<Item = Mutant>) -> StandIn<'s> {
    let mutants: BTreeMap<String, Mutant> = mutants.into_iter().map(|one| (one.form.clone(), one)).collect();
    StandIn::new(name).executing(move |case| {
        let mut read = None;
        let right =
            model::prepare_misread(spec, case, |form, values, _| read = Some((form.id.clone(), values.clone())));
        let (Ok(right), Some((form, values))) = (right, read) else { return skipped(case) };
        let holds = |mutant: &&Mutant| mutant.when.iter().all(|&(axis, value)| values[axis] == value);
        let Some(mutant) = mutants.get(&form).filter(holds) else {
            return right.all(&case.rows).map(|expectation| expectation.example(case)).collect();
        };
        let mut answers = mutant.answers(spec, case);
        let mut before: Option<Answer> = None;
        for answer in &mut answers {
            mutant.spoil(case, before.as_ref(), answer);
            fit(case, answer);
            before = Some(answer.clone());
        }
        answers
    })
}

/// The mutants of an executed form, whose variants in an environment are those of the diagram: those with the shortest
/// conditions first, otherwise in a drawn order.
pub(crate) fn of_form(form: &Form, domain: &Diagram) -> Vec<Mutant> {
    let others = mistakes(form);
    let mut next = others.iter().cycle();
    let mut draw = Draw::named(&form.id, 0);
    let mut mutants = Vec::new();
    let axes: Vec<usize> = (0..form.axes.len()).filter(|&axis| of_line(form, axis)).collect();
    for &axis in &axes {
        let values: Vec<u8> = (0..=u8::MAX).filter(|&value| domain.has(axis, value)).collect();
        for &value in &values {
            let narrower = with_another(domain, &axes, (axis, value), &mut draw);
            // Each value by itself and together with another choice, so that conditions of one and of two axes are searched.
            for when in [vec![(axis, value)], narrower] {
                mutants.extend(next.next().map(|mistake| Mutant::new(form, when, *mistake)));
            }
            if matches!(form.axes[axis].choice, Choice::Modifier | Choice::Guard) {
                let to = values.iter().filter(|&&to| to != value);
                mutants.extend(to.map(|&to| Mutant::new(form, vec![(axis, value)], Mutation::Choice(axis, to))));
            }
        }
    }
    let samples = |operand: &Operand| matches!(operand.role, Role::Coordinate { unit: Unit::Samples, .. });
    if !form.writes.is_empty() && form.operands.iter().any(samples) {
        mutants.extend((0..STORED.len()).map(|at| Mutant::new(form, Vec::new(), Mutation::Stored(at))));
    }
    for at in (1..mutants.len()).rev() {
        let other = draw.below(at as u128 + 1).and_then(|other| usize::try_from(other).ok()).unwrap_or(at);
        mutants.swap(at, other);
    }
    mutants.sort_by_key(|mutant| mutant.when.len());
    mutants
}

/// Whether an axis is a choice of the line itself, and not of its surroundings or its setup.
fn of_line(form: &Form, axis: usize) -> bool {
    use Choice::{AddressSize, Context, Mode, Ptx, Setup, Target, Writing};
    !matches!(form.axes[axis].choice, AddressSize | Target | Ptx | Context | Mode | Writing | Setup)
}

/// A choice together with one on another axis with which it occurs.
fn with_another(domain: &Diagram, axes: &[usize], chosen: (usize, u8), draw: &mut Draw) -> Vec<(usize, u8)> {
    let only = ValueSet::of(usize::from(chosen.1) + 1, |value| value == usize::from(chosen.1));
    let slice = Slice::new(&domain.all(), &Cube::new([(chosen.0, only)]));
    let row = draw.below(slice.count()).and_then(|rank| slice.unrank(rank)).expect("the value occurs");
    let varied = |axis: &usize| *axis != chosen.0 && domain.width(*axis) > 1 && row[*axis] != 0;
    let others: Vec<usize> = axes.iter().copied().filter(varied).collect();
    let other = draw.below(others.len() as u128).and_then(|at| others.get(usize::try_from(at).ok()?));
    let mut when = vec![chosen];
    when.extend(other.map(|&axis| (axis, row[axis])));
    when
}

/// The mistakes of a form that are not other choices.
fn mistakes(form: &Form) -> Vec<Mutation> {
    use Which::{First, Last};
    let mut all = vec![Mutation::Elements, Mutation::Traps];
    let has = |is: fn(&Role) -> bool| form.operands.iter().any(|operand| is(&operand.role));
    let sources: Vec<usize> = (0..form.pattern.len())
        .filter(|&at| matches!(form.pattern[at], Pattern::Operand(of) if form.operands[of].role == Role::Source))
        .collect();
    all.extend(sources.windows(2).map(|pair| Mutation::Operands(pair[0], pair[1])));
    all.extend((0..2).flat_map(|input| OF_INPUTS.map(|change| Mutation::Input(input, change))));
    if has(|role| *role == Role::Destination) {
        all.extend(
            OF_RESULTS.into_iter().flat_map(|change| [First, Last].map(|which| Mutation::Register(which, change))),
        );
    }
    if has(|role| role.is_address()) {
        all.push(Mutation::Offset);
    }
    if has(|role| matches!(role, Role::Surface { .. })) {
        all.extend([Mutation::Returns, Mutation::Format]);
    }
    if !form.writes.is_empty() {
        all.extend(OF_RESULTS.into_iter().flat_map(|change| [First, Last].map(|which| Mutation::Byte(which, change))));
        all.extend([Mutation::Neighbour(First), Mutation::Neighbour(Last), Mutation::Remembers]);
    }
    all
}
