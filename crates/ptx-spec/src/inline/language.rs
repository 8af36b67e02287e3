//! The languages with inline assembly, as far as their strings and comments go.

/// A family of languages whose sources have inline assembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceLanguage {
    /// CUDA, C and C++.
    C,
    /// Rust.
    Rust,
    /// Python, with Triton and the DSL of CUTLASS.
    Python,
    /// Julia.
    Julia,
    /// LLVM IR.
    Llvm,
    /// MLIR.
    Mlir,
}

/// The suffixes of files, with their languages.
pub const SUFFIXES: [(&str, SourceLanguage); 22] = [
    ("c", SourceLanguage::C),
    ("cc", SourceLanguage::C),
    ("cpp", SourceLanguage::C),
    ("cu", SourceLanguage::C),
    ("cuh", SourceLanguage::C),
    ("cxx", SourceLanguage::C),
    ("h", SourceLanguage::C),
    ("hh", SourceLanguage::C),
    ("hpp", SourceLanguage::C),
    ("hxx", SourceLanguage::C),
    ("inc", SourceLanguage::C),
    ("inl", SourceLanguage::C),
    ("ipp", SourceLanguage::C),
    ("jl", SourceLanguage::Julia),
    ("ll", SourceLanguage::Llvm),
    ("mlir", SourceLanguage::Mlir),
    ("py", SourceLanguage::Python),
    ("pyi", SourceLanguage::Python),
    ("pyx", SourceLanguage::Python),
    ("rs", SourceLanguage::Rust),
    ("td", SourceLanguage::C),
    ("tpp", SourceLanguage::C),
];

impl SourceLanguage {
    /// The language of a file with this suffix.
    pub fn of_suffix(suffix: &str) -> Option<Self> {
        SUFFIXES.iter().find(|(known, _)| known.eq_ignore_ascii_case(suffix)).map(|(_, language)| *language)
    }

    pub(super) fn syntax(self) -> &'static LexicalSyntax {
        match self {
            Self::C => &C,
            Self::Rust => &RUST,
            Self::Python => &PYTHON,
            Self::Julia => &JULIA,
            Self::Llvm => &LLVM,
            Self::Mlir => &MLIR,
        }
    }
}

/// How escapes in strings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EscapeStyle {
    /// `\n`, `\x0A`; with a backslash before the end of a line, the string goes on in the next line.
    Letters,
    /// The same, but the blanks at the beginning of the next line are left out.
    LettersTrimmed,
    /// `\0A`, and in MLIR `\n`.
    Hexadecimal,
}

/// How an apostrophe is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Apostrophe {
    /// It begins a character.
    Character,
    /// It begins a character if one ends two or more bytes later; otherwise it is something else, as before a lifetime.
    Maybe,
    /// It begins a string.
    Quote,
    /// It is no more than a sign.
    Sign,
}

/// The strings and comments of a language.
#[derive(Debug)]
pub(super) struct LexicalSyntax {
    /// The signs that begin a comment up to the end of the line.
    pub(super) line_comments: &'static [&'static str],
    /// The signs that begin and end other comments.
    pub(super) block_comment: Option<(&'static str, &'static str)>,
    /// True if such comments nest.
    pub(super) nested: bool,
    /// True if three quotation marks begin a string of several lines.
    pub(super) triple: bool,
    pub(super) apostrophe: Apostrophe,
    pub(super) escapes: EscapeStyle,
    /// True if `#` begins a line for the preprocessor.
    pub(super) preprocessor: bool,
    /// The letters before a string that make it one without escapes.
    pub(super) raw: &'static [&'static str],
    /// The letters before a string that make `{x}` in it a hole.
    pub(super) formatted: &'static [&'static str],
    /// The letters before a string that mean nothing here.
    pub(super) plain: &'static [&'static str],
    /// True if `$x` in a string is a hole.
    pub(super) interpolated: bool,
}

const C: LexicalSyntax = LexicalSyntax {
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    nested: false,
    triple: false,
    apostrophe: Apostrophe::Character,
    escapes: EscapeStyle::Letters,
    preprocessor: true,
    raw: &["R", "LR", "uR", "UR", "u8R"],
    formatted: &[],
    plain: &["L", "u", "U", "u8"],
    interpolated: false,
};

const RUST: LexicalSyntax = LexicalSyntax {
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    nested: true,
    triple: false,
    apostrophe: Apostrophe::Maybe,
    escapes: EscapeStyle::LettersTrimmed,
    preprocessor: false,
    raw: &["r", "br", "cr"],
    formatted: &[],
    plain: &["b", "c"],
    interpolated: false,
};

const PYTHON: LexicalSyntax = LexicalSyntax {
    line_comments: &["#"],
    block_comment: None,
    nested: false,
    triple: true,
    apostrophe: Apostrophe::Quote,
    escapes: EscapeStyle::Letters,
    preprocessor: false,
    raw: &["r", "R", "br", "bR", "Br", "BR", "rb", "rB", "Rb", "RB"],
    formatted: &["f", "F", "rf", "rF", "Rf", "RF", "fr", "fR", "Fr", "FR"],
    plain: &["u", "U", "b", "B"],
    interpolated: false,
};

const JULIA: LexicalSyntax = LexicalSyntax {
    line_comments: &["#"],
    block_comment: Some(("#=", "=#")),
    nested: true,
    triple: true,
    apostrophe: Apostrophe::Maybe,
    escapes: EscapeStyle::Letters,
    preprocessor: false,
    raw: &["raw"],
    formatted: &[],
    plain: &[],
    interpolated: true,
};

const LLVM: LexicalSyntax = LexicalSyntax {
    line_comments: &[";"],
    block_comment: None,
    nested: false,
    triple: false,
    apostrophe: Apostrophe::Sign,
    escapes: EscapeStyle::Hexadecimal,
    preprocessor: false,
    raw: &[],
    formatted: &[],
    plain: &["c"],
    interpolated: false,
};

const MLIR: LexicalSyntax = LexicalSyntax { line_comments: &["//"], plain: &[], ..LLVM };
