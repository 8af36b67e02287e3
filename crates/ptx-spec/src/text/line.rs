//! One instruction as it is written: guard, opcode, modifiers, operands.

use std::fmt;

use super::constant::Constant;
use super::lexer::Lexer;
use crate::component::without_blanks;

/// A parsed instruction; all texts borrow from the text that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Line<'a> {
    /// The guard: whether it is negated, and the predicate's name.
    pub guard: Option<(bool, &'a str)>,
    /// The opcode without modifiers.
    pub opcode: &'a str,
    /// The modifiers with their dots.
    pub modifiers: Vec<&'a str>,
    /// The operands.
    pub operands: Vec<OperandText<'a>>,
}

/// An operand with its suffix.
#[derive(Clone, Debug, PartialEq)]
pub struct OperandText<'a> {
    /// The argument that the text is.
    pub argument: Argument<'a>,
    /// A modifier after it, as in `[a].unified`.
    pub suffix: Option<&'a str>,
    /// Its text, to point at.
    pub text: &'a str,
}

/// The value of an integer constant expression: 64 bits, signed or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    pub(super) bits: u64,
    pub(super) signed: bool,
}

impl Integer {
    pub(super) const ZERO: Self = Self { bits: 0, signed: true };

    /// The value.
    pub fn value(self) -> i128 {
        if self.signed { i128::from(self.bits.cast_signed()) } else { i128::from(self.bits) }
    }

    /// The same bits as a signed integer, for offsets of addresses.
    pub fn signed(self) -> i64 {
        self.bits.cast_signed()
    }
}

/// An argument of an operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument<'a> {
    /// A register, a variable, a component (`%v.x`), or an undeclared name.
    Name(&'a str),
    /// An integer constant expression: `5`, `-0x1F`, `2*(WARP_SZ+1)`.
    Integer(Integer),
    /// The bits of a floating-point immediate of 32 bits, `0f3F800000`.
    Float(u32),
    /// The bits of any other floating-point constant expression, which has 64 bits.
    Double(u64),
    /// `_`
    Sink,
    /// A name and a constant added to it: `a+4`, `a+-4`.
    Sum(&'a str, Integer),
    /// An element of an array: `a[4]`, `a[reg]`, `a[reg+4]`, with the register and the constant.
    Element(&'a str, Option<&'a str>, Integer),
    /// Elements in braces.
    Tuple(Vec<Argument<'a>>),
    /// Elements in square brackets.
    Bracket(Vec<Argument<'a>>),
    /// Elements in parentheses; a constant in parentheses is that constant.
    List(Vec<Argument<'a>>),
    /// Two halves, `p|q`.
    Pair(Box<[Argument<'a>; 2]>),
    /// A name with a sign before it: `!p`, `-a`.
    Signed(char, &'a str),
    /// Anything else.
    Other,
}

/// Prints it in a canonical spelling: single spaces, no comments, `;` at the end. Only parts with
/// [`Argument::Other`] stay as they were written.
impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((negated, name)) = self.guard {
            write!(f, "@{}{} ", if negated { "!" } else { "" }, without_blanks(name))?;
        }
        f.write_str(self.opcode)?;
        self.modifiers.iter().try_for_each(|modifier| f.write_str(modifier))?;
        for (at, operand) in self.operands.iter().enumerate() {
            write!(f, "{}{operand}", if at == 0 { " " } else { ", " })?;
        }
        f.write_str(";")
    }
}

impl fmt::Display for OperandText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.argument.has_other() {
            let text = self.text.trim_ascii_end();
            f.write_str(text)?;
            // The text after it must not become part of a comment, or of a string without an end.
            if text.lines().last().is_some_and(|last| last.contains("//") || last.contains('"')) {
                f.write_str("\n")?;
            }
        } else {
            for token in Lexer::new(self.text) {
                // `5 % 3` has a remainder operator, and `5%3` a name; `%.x` stays together.
                let end = token.text.as_ptr().addr() + token.text.len() - self.text.as_ptr().addr();
                let apart =
                    self.text.get(end..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_whitespace()));
                match token.text {
                    "," => f.write_str(", ")?,
                    "%" if apart => f.write_str(" % ")?,
                    text => f.write_str(text)?,
                }
            }
        }
        f.write_str(self.suffix.unwrap_or_default())
    }
}

impl Argument<'_> {
    /// True if the argument is or contains [`Argument::Other`].
    fn has_other(&self) -> bool {
        match self {
            Self::Other => true,
            Self::Tuple(elements) | Self::Bracket(elements) | Self::List(elements) => {
                elements.iter().any(Self::has_other)
            }
            Self::Pair(halves) => halves.iter().any(Self::has_other),
            _ => false,
        }
    }
}

impl From<Constant> for Argument<'_> {
    fn from(constant: Constant) -> Self {
        match constant {
            Constant::Signed(value) => Self::Integer(Integer { bits: value.cast_unsigned(), signed: true }),
            Constant::Unsigned(bits) => Self::Integer(Integer { bits, signed: false }),
            Constant::Double(value) => Self::Double(value.to_bits()),
            Constant::Single(bits) => Self::Float(bits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_split_into_parts() {
        let line = Line::parse("@!%p ld.global.L1::evict_last.v2.f32 {%f1, _}, [%rd1+-4].unified, %pol; // why")
            .expect("a line");
        assert_eq!(line.guard, Some((true, "%p")));
        assert_eq!(line.opcode, "ld");
        assert_eq!(line.modifiers, [".global", ".L1::evict_last", ".v2", ".f32"]);
        let arguments: Vec<_> = line.operands.iter().map(|operand| operand.argument.clone()).collect();
        assert_eq!(
            arguments,
            [
                Argument::Tuple(vec![Argument::Name("%f1"), Argument::Sink]),
                Argument::Bracket(vec![Argument::Sum("%rd1", Integer { bits: 4_u64.wrapping_neg(), signed: true })]),
                Argument::Name("%pol")
            ]
        );
        assert_eq!(line.operands[1].suffix, Some(".unified"));
    }

    #[test]
    fn a_line_is_printed_in_one_spelling() {
        for (text, printed) in [
            // A comment after text that is not understood ends before the semicolon.
            ("ld -// why\n // more\n ;", "ld -// why\n // more\n;"),
            (
                "@ ! p /* c */ ld .global.u32\t%r1 ,[ a + - 4 ] .unified , 1 ; // d",
                "@!p ld.global.u32 %r1, [a+-4].unified, 1;",
            ),
            ("st.v2.b32[%rd1],{_,0f00000000// x\n};", "st.v2.b32 [%rd1], {_, 0f00000000};"),
            ("setp.eq.u32 p | q, a, ( b ), ! r;", "setp.eq.u32 p|q, a, (b), !r;"),
            ("x a |;", "x a |;"),
            ("ret ;", "ret;"),
            ("@$ /* c */ .x s $\t.b;", "@$.x s $.b;"),
            // A vertical tab is not a blank.
            ("x ++4\u{b} ;", "x ++4\u{b};"),
        ] {
            assert_eq!(Line::parse(text).expect(text).to_string(), printed);
        }
    }

    #[test]
    fn the_opcode_is_found_despite_errors_before_it() {
        for text in
            ["ld.x", "@1 ld", "@!!%p ld;", "_: ld.u32", "1: ld", "@%p L: ld", "{ $L: ld", ".loc 1 2 3 ld a", "} ld"]
        {
            assert_eq!(Line::opcode_of(text), Some("ld"), "{text}");
        }
        for text in ["", "@", "@!!", "(ld)", "%ld;", "5", "L:", ".ld"] {
            assert_eq!(Line::opcode_of(text), None, "{text}");
        }
    }

    #[test]
    fn elements_of_arrays_are_read() {
        fn argument(text: &str) -> Argument<'_> {
            Line::parse(text).expect(text).operands.remove(0).argument
        }
        let of = |value: i64| Integer { bits: value.cast_unsigned(), signed: true };
        for (text, register, value) in [
            ("x a[4];", None, 4),
            ("x a [ r ];", Some("r"), 0),
            ("x a[r+4*2];", Some("r"), 8),
            ("x a[r-4];", Some("r"), -4),
        ] {
            assert_eq!(argument(text), Argument::Element("a", register, of(value)), "{text}");
        }
        for text in ["x a[4][0];", "x a[4]+4;", "x a[r*4];", "x a[{r}];"] {
            assert_eq!(argument(text), Argument::Other, "{text}");
        }
    }

    #[test]
    fn text_around_a_line_is_read() {
        for text in ["L: $M: ret;", "{ { ret; } }", ".loc 1 2 3 ret;", ".pragma \"x;\"; ret; // ;", "L: { ret; } M:"] {
            assert_eq!(Line::parse(text).expect(text).to_string(), "ret;");
        }
        for text in ["ret; ret;", "{ .reg .b32 x; ret; }"] {
            assert!(Line::parse(text).expect_err(text).surplus(), "{text}");
        }
        for text in ["{ ret;", "ret; }", "ret;;", "_: ret;", "@p L: ret;", ".x; ret;", "suld.b. 1d a;"] {
            assert!(!Line::parse(text).expect_err(text).surplus(), "{text}");
        }
    }

    #[test]
    fn deep_nesting_is_refused() {
        let text = format!("ld {}", "[".repeat(1 << 20));
        assert_eq!(Line::parse(&text).expect_err("no line").message, "brackets are nested too deep");
    }

    #[test]
    fn malformed_lines_are_rejected_with_a_position() {
        for (text, at) in [("ld.u32 %r1, [%r2]", 17), ("ld.u32 %r1, [%r2;", 16), (".u32;", 0), ("ld.;", 3), ("", 0)] {
            assert_eq!(Line::parse(text).expect_err(text).at, at, "{text}");
        }
    }
}
