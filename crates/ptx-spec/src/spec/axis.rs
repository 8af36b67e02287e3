//! Axes: the choices that a form leaves open.

use rustc_hash::FxHashMap;

use super::ValueSet;
use super::pattern::pattern_matches;
use super::words::{NONE, OTHER};

/// The value of an axis that could not be read from a text. No rule about it is judged.
pub const UNREAD: u8 = u8::MAX;

/// The meaning of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The address size of the module.
    AddressSize,
    /// The target of the module.
    Target,
    /// The PTX version of the module.
    Ptx,
    /// The guard before the opcode: none, `@p`, `@!p`.
    Guard,
    /// The body that the line is in: an entry's or a function's.
    Context,
    /// The option of `.target` that changes how lines are read.
    Mode,
    /// The modifier in a slot.
    Modifier,
    /// The shape of an operand (its position in [`Form::operands`](super::Form::operands)).
    Shape(usize),
    /// The type of an operand, or of its lanes.
    Type(usize),
    /// Which lanes of a vector are sinks; the value is a bit mask.
    Sinks(usize),
    /// The sign before an operand.
    Sign(usize),
    /// The first lane of an operand: of the type of the others, or of one of its own.
    First(usize),
    /// The number that an integer immediate is.
    Number(usize),
    /// The special register that an operand is.
    Special(usize),
    /// The base of an address.
    Base(usize),
    /// The offset of an address.
    Offset(usize),
    /// A suffix after an operand.
    Suffix(usize),
    /// The writing: correct, or with a syntax fault.
    Writing,
    /// The text of a part of a directive.
    Part,
    /// A choice of the setup.
    Setup,
}

impl Choice {
    /// True if the choice is one of the environment.
    pub fn is_of_environment(self) -> bool {
        matches!(self, Self::AddressSize | Self::Target | Self::Ptx)
    }

    /// The operand that the choice is about, if it is about one.
    pub fn operand(self) -> Option<usize> {
        match self {
            Self::Shape(of)
            | Self::Type(of)
            | Self::Sinks(of)
            | Self::Sign(of)
            | Self::First(of)
            | Self::Number(of)
            | Self::Special(of)
            | Self::Base(of)
            | Self::Offset(of)
            | Self::Suffix(of) => Some(of),
            Self::AddressSize
            | Self::Target
            | Self::Ptx
            | Self::Guard
            | Self::Context
            | Self::Mode
            | Self::Modifier
            | Self::Writing
            | Self::Part
            | Self::Setup => None,
        }
    }
}

/// One choice in a form, with finitely many values, the simplest first.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The name of the axis in conditions: a slot's (`dtype`), an operand's (`d.shape`), or one of the
    /// environment (`ptx`).
    pub name: String,
    /// The choice that the axis stands for.
    pub choice: Choice,
    /// The values of the axis, the simplest first.
    pub values: Vec<String>,
    /// The values that are claimed to be valid at least somewhere. The others are probes: the specification
    /// claims that they are invalid, and generated variants test that.
    pub claimed: ValueSet,
    positions: FxHashMap<String, u8>,
    /// The position of the value `none`.
    pub(super) none: u8,
}

impl Axis {
    /// An axis of which no value is claimed yet.
    pub(crate) fn new(name: &str, choice: Choice, values: Vec<String>) -> Self {
        let positions = values.iter().zip(0..=u8::MAX).map(|(value, at)| (value.clone(), at)).collect();
        let mut axis =
            Self { name: name.to_owned(), choice, values, claimed: ValueSet::default(), positions, none: UNREAD };
        axis.none = axis.position(NONE).unwrap_or(UNREAD);
        axis
    }

    /// The position of a value.
    pub fn position(&self, value: &str) -> Option<u8> {
        self.positions.get(value).copied()
    }

    /// The position of a value that is this word, or that stands for it among others.
    pub(crate) fn position_of_word(&self, word: &str) -> Option<u8> {
        let matches = |value: &String| pattern_matches(value, word);
        let pattern = || (0..=u8::MAX).zip(&self.values).find(|(_, value)| matches(value)).map(|(at, _)| at);
        self.position(word).or_else(pattern)
    }

    /// The claimed values, without that of what is left out.
    pub fn claimed_values(&self) -> impl Iterator<Item = &str> {
        let values = (0..=u8::MAX).zip(&self.values);
        values.filter(|(at, value)| self.claimed.contains(*at) && *value != NONE).map(|(_, value)| value.as_str())
    }

    /// The set of the values for which `keep` holds.
    pub fn select(&self, mut keep: impl FnMut(&str) -> bool) -> ValueSet {
        ValueSet::of(self.values.len(), |value| keep(&self.values[value]))
    }

    /// The position of a value, or of the value for any other; [`UNREAD`] if there is neither.
    pub(crate) fn position_or_other(&self, value: &str) -> u8 {
        self.position(value).or_else(|| self.position(OTHER)).unwrap_or(UNREAD)
    }
}
