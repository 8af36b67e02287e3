//! Templates: how directives are written.

use std::fmt;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a directive is written and read.
#[derive(Clone, Debug)]
pub struct DirectiveTemplate {
    /// Where such directives stand.
    pub place: DirectivePlace,
    /// The words that such directives begin with, after their linkage; none if their place alone tells them.
    pub begins: Vec<String>,
    /// The pieces in the order of the text.
    pub pieces: Vec<TemplatePiece>,
    /// The parts that the pieces name by their positions here.
    pub parts: Vec<DirectivePart>,
    /// The text around a directive that is generated: `<here>` stands for the directive.
    pub around: String,
    /// Declarations by name, of which a generated directive has those that it names before it.
    pub objects: Vec<(String, String)>,
}

impl DirectiveTemplate {
    /// True if a word can begin what comes after a part.
    pub fn may_follow(&self, part: &DirectivePart, word: &str) -> bool {
        let is_part = |at: &usize| std::ptr::eq(&self.parts[*at], part);
        let own = self.pieces.iter().position(|piece| matches!(piece, TemplatePiece::Part(at) if is_part(at)));
        let begins = |at: &usize| match &self.parts[*at].read {
            PartRead::Patterns(patterns) => patterns.begin_with(word),
            PartRead::Measured(_) => false,
        };
        let later = own.map_or(&[][..], |own| &self.pieces[own + 1..]);
        later.iter().any(|piece| match piece {
            TemplatePiece::Token(text) => text == word,
            TemplatePiece::Part(at) => begins(at),
            TemplatePiece::AnyOrder(parts) => parts.iter().any(begins),
            TemplatePiece::List(_) => false,
        })
    }
}

/// Where a directive stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DirectivePlace {
    /// The beginning of a module, before anything else.
    Header,
    /// A module, outside of all bodies.
    Module,
    /// The body of an entry or function.
    Body,
    /// Between the parameters of an entry and its body.
    Entry,
    /// The parameters of an entry.
    EntryParameter,
    /// The parameters of a function.
    FunctionParameter,
    /// The results of a function.
    FunctionResult,
    /// The parameters of a prototype.
    PrototypeParameter,
    /// The results of a prototype.
    PrototypeResult,
    /// A debugging section.
    Section,
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePiece {
    /// A token that is always there.
    Token(String),
    /// A part.
    Part(usize),
    /// Parts in any order, each of which may be repeated.
    AnyOrder(Vec<usize>),
    /// Pieces once or several times, with commas between them.
    List(Vec<TemplatePiece>),
}

/// A part of a directive: what each value of its axis looks like.
#[derive(Clone, Debug)]
pub struct DirectivePart {
    /// The axis.
    pub axis: usize,
    /// The noun for the part, with its article: `a type`.
    pub is: String,
    /// How it is read.
    pub read: PartRead,
    /// The text of each value when it is written, by position.
    pub texts: Vec<String>,
}

/// How a part is read.
#[derive(Clone, Debug)]
pub enum PartRead {
    /// As the pattern that matches most of the text; for each value its pattern.
    Patterns(PartPatterns),
    /// By a measure, whose words are the values.
    Measured(TextMeasure),
}

/// The pattern of each value of a part.
#[derive(Clone, Debug)]
pub struct PartPatterns {
    all: Vec<Vec<PatternToken>>,
    /// The values whose patterns begin with no word of their own.
    general: Vec<u8>,
    /// For each word, these and the values whose patterns begin with it, ascending.
    by_word: FxHashMap<String, Vec<u8>>,
}

impl PartPatterns {
    /// The patterns of the values in order, of which there are at most 255.
    pub(crate) fn new(all: Vec<Vec<PatternToken>>) -> Self {
        let numbered = || (0..=u8::MAX).zip(&all);
        let of = |word: Option<&str>| -> Vec<u8> {
            let may_begin = |pattern: &[PatternToken]| first_word(pattern).is_none_or(|own| Some(own) == word);
            numbered().filter(|(_, pattern)| may_begin(pattern)).map(|(value, _)| value).collect()
        };
        let words = all.iter().filter_map(|pattern| first_word(pattern));
        let by_word = words.map(|word| (word.to_owned(), of(Some(word)))).collect();
        Self { general: of(None), by_word, all }
    }

    /// The pattern of each value.
    pub fn all(&self) -> &[Vec<PatternToken>] {
        &self.all
    }

    /// True if some pattern begins with this word.
    pub fn begin_with(&self, word: &str) -> bool {
        self.by_word.contains_key(word)
    }

    /// The values whose patterns a text that begins with this word may match, with the patterns, ascending.
    pub(crate) fn candidates(&self, word: &str) -> impl Iterator<Item = (u8, &[PatternToken])> {
        let values = self.by_word.get(word).unwrap_or(&self.general);
        values.iter().map(|&value| (value, self.all[usize::from(value)].as_slice()))
    }
}

/// The word that a pattern begins with, if it is always the same.
fn first_word(pattern: &[PatternToken]) -> Option<&str> {
    match pattern.first()? {
        PatternToken::Token(word) => Some(word),
        PatternToken::Class(_) | PatternToken::Quoted(_) => None,
    }
}

/// A token of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternToken {
    /// This text.
    Token(String),
    /// Any token of a class.
    Class(TokenClass),
    /// A quoted text that consists of these.
    Quoted(Vec<PatternToken>),
}

/// Prints what it is in a sentence: "`;`", "a number".
impl fmt::Display for PatternToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Token(text) => write!(f, "`{text}`"),
            Self::Quoted(_) => f.write_str("a text in quotes"),
            Self::Class(class) => f.write_str(class.in_words()),
        }
    }
}

/// A class of tokens, or of names by what they stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenClass {
    /// A number from 1 to 2^32 - 1.
    Positive,
    /// The number 0.
    Zero,
    /// A number up to 128 that is a power of two.
    SmallPower,
    /// A number below 2^32 that is a power of two.
    Power,
    /// A number below 2^32 that is not a power of two.
    Uneven,
    /// A number from 0 to 2^32 - 1.
    Integer,
    /// A number from 0 to 255.
    Byte,
    /// A number that does not fit in 32 bits.
    Wide,
    /// A number from 0 to 2^64 - 1.
    Long,
    /// A byte mask of a word: one byte of ones, the other bytes zero.
    ByteMask,
    /// Any name without dots.
    Name,
    /// A word that is no name: it begins with a digit, or is a single `$` or `%`.
    Misnomer,
    /// A name with dots in it.
    Dotted,
    /// A special register, or another name that every module has.
    Predefined,
    /// A label of a block around.
    Label,
    /// Labels of a block around, with a common beginning and numbers: `L<4>`.
    Labels,
    /// A function that is declared before.
    Function,
    /// An entry that is declared before.
    Entry,
    /// Anything that has a name and is declared before.
    Declared,
    /// How many names a name with numbers stands for: `<4>`.
    Range,
    /// Any word that begins with a dot.
    Directive,
    /// A quoted text.
    Text,
    /// The target of the module.
    Target,
    /// The address size of the module.
    AddressSize,
    /// Any token.
    Any,
}

impl TokenClass {
    /// The class with this name, as the patterns of the YAML have it.
    pub(crate) fn named(name: &str) -> Option<Self> {
        CLASSES.iter().find(|(known, ..)| *known == name).map(|(_, class, _)| *class)
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        CLASSES.iter().find(|(_, class, _)| *class == self).map_or("", |(name, ..)| name)
    }

    /// True if other classes have some of its tokens, and tell more of them.
    pub(crate) fn is_general(self) -> bool {
        matches!(self, Self::Name | Self::Declared | Self::Text | Self::Any)
    }

    /// The words for its tokens in a sentence.
    fn in_words(self) -> &'static str {
        match self {
            Self::Positive
            | Self::Zero
            | Self::SmallPower
            | Self::Power
            | Self::Uneven
            | Self::Integer
            | Self::Byte
            | Self::Wide
            | Self::Long => "a number",
            Self::ByteMask => "a mask of bytes",
            Self::Name | Self::Misnomer | Self::Dotted | Self::Predefined | Self::Declared => "a name",
            Self::Label | Self::Labels => "a label",
            Self::Function => "a function",
            Self::Entry => "an entry",
            Self::Range => "a number of names in angle brackets",
            Self::Directive => "a word with a dot",
            Self::Text => "a text in quotes",
            Self::Target => "a target",
            Self::AddressSize => "an address size",
            Self::Any => "a value",
        }
    }

    /// The text that is written for it where nothing else is said.
    pub(crate) fn sample(self) -> &'static str {
        CLASSES.iter().find(|(_, class, _)| *class == self).map_or("", |(.., sample)| sample)
    }
}

/// The text that stands for the directive in the text around it.
pub(crate) const HERE: &str = "<here>";
/// The text that stands for the target of the module in a part.
pub(crate) const TARGET: &str = "<target>";
/// The text that stands for the address size of the module in a part.
pub(crate) const ADDRESS_SIZE: &str = "<address-size>";

/// Each class with its name and what is written for it.
const CLASSES: [(&str, TokenClass, &str); 25] = [
    ("positive", TokenClass::Positive, "32"),
    ("zero", TokenClass::Zero, "0"),
    ("small-power", TokenClass::SmallPower, "16"),
    ("power", TokenClass::Power, "16"),
    ("uneven", TokenClass::Uneven, "3"),
    ("integer", TokenClass::Integer, "4"),
    ("byte", TokenClass::Byte, "1"),
    ("wide", TokenClass::Wide, "4294967296"),
    ("long", TokenClass::Long, "18446744073709551615"),
    ("byte-mask", TokenClass::ByteMask, "0xff00"),
    ("name", TokenClass::Name, "a"),
    ("misnomer", TokenClass::Misnomer, "1a"),
    ("dotted", TokenClass::Dotted, "a.b"),
    ("predefined", TokenClass::Predefined, "%tid"),
    ("label", TokenClass::Label, "L"),
    ("labels", TokenClass::Labels, "L<4>"),
    ("function", TokenClass::Function, "f"),
    ("entry", TokenClass::Entry, "e"),
    ("declared", TokenClass::Declared, "g"),
    ("range", TokenClass::Range, "<4>"),
    ("directive", TokenClass::Directive, ".x"),
    ("text", TokenClass::Text, "\"a\""),
    ("target", TokenClass::Target, TARGET),
    ("address-size", TokenClass::AddressSize, ADDRESS_SIZE),
    ("any", TokenClass::Any, "x"),
];

/// A measure of a text: something about it that patterns cannot say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TextMeasure {
    /// The dimensions of an array.
    Dimensions,
    /// The initial value of a variable, against its type and dimensions.
    Initial,
    /// The parameters of an entry, by the memory that they take.
    EntryParameters,
    /// The parameters of a function or prototype.
    FunctionParameters,
    /// The results of a function or prototype.
    Results,
    /// The numbers or labels of a line of a debugging section, against the size of the line's items.
    Items,
}

impl TextMeasure {
    /// The words that it can answer.
    pub fn words(self) -> &'static [&'static str] {
        match self {
            Self::Dimensions => &["none", "one", "several", "zero", "open", "open-several", "zero-inside", "large"],
            Self::Initial => &[
                "none",
                "integers",
                "floats",
                "empty",
                "addresses",
                "function-addresses",
                "entry-addresses",
                "offsets",
                "function-offsets",
                "generic-addresses",
                "generic-functions",
                "bytes-of-addresses",
                "bytes-of-integers",
                "bytes-by-other-masks",
                "bytes-of-floats",
                "outside-addresses",
                "undeclared",
                "fields",
                "texture-fields",
                "sampling-fields",
                "sampler-fields",
                "surface-fields",
                "unknown-fields",
                "unnested",
                "too-many",
                "too-few",
                "division-by-zero",
                "remainder-by-zero",
            ],
            Self::EntryParameters => &["none", "empty", "small", "medium", "large", "too-large"],
            Self::FunctionParameters => &["none", "empty", "listed", "open-last", "open-before-others"],
            Self::Results => &["none", "empty", "one", "several-in-registers", "several-in-memory", "open"],
            Self::Items => {
                &["integers", "negative", "out-of-range", "label", "label-and-offset", "difference", "section"]
            }
        }
    }
}
