//! Constants and constant expressions: PTX ISA `constants`, `constant-expressions`.
//!
//! Integers have 64 bits, signed or unsigned; arithmetic wraps around. Floating-point numbers are doubles,
//! except for `0f3F800000`, which keeps its 32 bits and cannot be part of an expression.

use super::SyntaxError;
use super::lexer::Lexer;
use crate::must::Must;

/// How deep an expression may be nested.
const NESTING: u32 = 64;
/// The number of threads of a warp, which is the same for every target.
const WARP_SIZE: i64 = 32;
const MALFORMED: &str = "a number is malformed";
/// The error message of a division by zero.
pub(crate) const DIVISION_BY_ZERO: &str = "a constant is divided by zero";
/// The error message of the remainder of such a division.
pub(crate) const REMAINDER_BY_ZERO: &str = "the remainder of a division by zero";
const MIXED: &str = "an operator has operands of the wrong type";

/// The value of a constant expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Constant {
    Signed(i64),
    Unsigned(u64),
    Double(f64),
    /// The bits of a float of 32 bits.
    Single(u32),
}
use Constant::{Double, Signed, Single, Unsigned};

/// The reason why no value was found.
enum Stop {
    /// There is no constant, but a name or nothing.
    NotConstant,
    Wrong(SyntaxError),
}

impl From<SyntaxError> for Stop {
    fn from(error: SyntaxError) -> Self {
        Self::Wrong(error)
    }
}

/// True if a constant expression may start here.
pub(crate) fn starts(lexer: &Lexer<'_>) -> bool {
    match lexer.peek() {
        Some(b'-' | b'+' | b'~' | b'!' | b'(') => true,
        Some(b'.') => lexer.peek_second().is_some_and(|byte| byte.is_ascii_digit()),
        Some(byte) => byte.is_ascii_digit(),
        None => false,
    }
}

/// Reads a constant expression; none if it contains a name, and the lexer's position is then unspecified.
///
/// # Errors
/// If a number is malformed or too large, or an operator cannot be applied.
pub(crate) fn expression(lexer: &mut Lexer<'_>) -> Result<Option<Constant>, SyntaxError> {
    let mut reader = ConstantReader { lexer, depth: 0 };
    match reader.ternary() {
        Ok(value) => Ok(Some(value)),
        Err(Stop::NotConstant) => Ok(None),
        Err(Stop::Wrong(error)) => Err(error),
    }
}

/// True if a token is an integer that does not fit in 64 bits.
pub(crate) fn overflows(token: &str) -> bool {
    let (digits, radix) = match token.get(..2) {
        Some("0f" | "0F" | "0d" | "0D") => return false,
        Some("0x" | "0X") => (&token[2..], 16),
        Some("0b" | "0B") => (&token[2..], 2),
        _ if token.starts_with('0') => (token, 8),
        _ => (token, 10),
    };
    let digits = digits.trim_end_matches('U');
    let long = digits.len() > 16 && digits.chars().all(|digit| digit.is_digit(radix));
    long && u64::from_str_radix(digits, radix).is_err()
}

/// The number that a token is, if it is one without a sign and fits in 64 bits.
pub(crate) fn natural(token: &str) -> Option<u64> {
    if !token.as_bytes().first().is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let mut lexer = Lexer::new(token);
    match expression(&mut lexer) {
        Ok(Some(Signed(number))) if lexer.next().is_none() => u64::try_from(number).ok(),
        Ok(Some(Unsigned(number))) if lexer.next().is_none() => Some(number),
        _ => None,
    }
}

/// Binary operators, loosest first; of those that begin alike, the longer comes first.
const BINARY: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

struct ConstantReader<'l, 'a> {
    lexer: &'l mut Lexer<'a>,
    depth: u32,
}

impl ConstantReader<'_, '_> {
    fn wrong<T>(&self, message: &'static str) -> Result<T, Stop> {
        Err(Stop::Wrong(self.lexer.error(message)))
    }

    fn ternary(&mut self) -> Result<Constant, Stop> {
        let condition = self.binary(0)?;
        if !self.lexer.eat_sign("?") {
            return Ok(condition);
        }
        let Some(condition) = condition.truth() else { return self.wrong(MIXED) };
        self.deeper()?;
        let yes = self.ternary()?;
        if !self.lexer.eat_sign(":") {
            return self.wrong("expected `:`");
        }
        let no = self.ternary()?;
        self.depth -= 1;
        match (yes, no) {
            (Double(yes), Double(no)) => Ok(Double(if condition { yes } else { no })),
            (Single(_) | Double(_), _) | (_, Single(_) | Double(_)) => self.wrong(MIXED),
            (Signed(yes), Signed(no)) => Ok(Signed(if condition { yes } else { no })),
            (yes, no) => Ok(Constant::unsigned(if condition { yes } else { no })),
        }
    }

    fn deeper(&mut self) -> Result<(), Stop> {
        self.depth += 1;
        if self.depth > NESTING { self.wrong("an expression is nested too deep") } else { Ok(()) }
    }

    fn binary(&mut self, level: usize) -> Result<Constant, Stop> {
        let Some(operators) = BINARY.get(level) else { return self.unary() };
        // Most constants are not followed by one.
        let mut value = self.binary(level + 1)?;
        while let Some(operator) = self.operator(operators) {
            let right = self.binary(level + 1)?;
            value = match value.apply(operator, right) {
                Ok(value) => value,
                Err(message) => return self.wrong(message),
            };
        }
        Ok(value)
    }

    /// Reads one of these operators.
    fn operator(&mut self, operators: &[&'static str]) -> Option<&'static str> {
        let byte = self.lexer.peek()?;
        if matches!(byte, b',' | b']' | b'}' | b')' | b';') {
            return None;
        }
        let rest = self.lexer.rest();
        let operator = *operators.iter().find(|operator| rest.starts_with(**operator))?;
        // 0, which continues no operator and no name, at the end of the text.
        let next = rest.as_bytes().get(operator.len()).copied().unwrap_or_default();
        let other = match operator {
            // `%3` is a name.
            "%" => next.is_ascii_alphanumeric() || matches!(next, b'_' | b'$'),
            "|" | "&" => next == operator.as_bytes()[0],
            "<" | ">" => next == operator.as_bytes()[0],
            _ => false,
        };
        if other {
            return None;
        }
        self.lexer.eat_sign(operator);
        Some(operator)
    }

    fn unary(&mut self) -> Result<Constant, Stop> {
        let Some(sign @ (b'-' | b'+' | b'~' | b'!')) = self.lexer.peek() else { return self.primary() };
        self.lexer.eat(sign);
        self.lexer.blank();
        self.deeper()?;
        let value = self.unary()?;
        self.depth -= 1;
        Ok(match (sign, value) {
            (b'+', Signed(_) | Unsigned(_) | Double(_)) => value,
            (b'-', Signed(value)) => Signed(value.wrapping_neg()),
            (b'-', Unsigned(value)) => Unsigned(value.wrapping_neg()),
            (b'-', Double(value)) => Double(-value),
            (b'~', Signed(_) | Unsigned(_)) => Unsigned(!value.bits()),
            (b'!', Signed(_) | Unsigned(_)) => Signed(i64::from(value.bits() == 0)),
            _ => return self.wrong(MIXED),
        })
    }

    fn primary(&mut self) -> Result<Constant, Stop> {
        if !self.lexer.eat_sign("(") {
            return self.literal();
        }
        for (cast, signed) in [(".s64", true), (".u64", false)] {
            if self.lexer.eat_sign(cast) {
                if !self.lexer.eat_sign(")") {
                    return self.wrong("expected `)`");
                }
                self.deeper()?;
                let value = self.unary()?;
                self.depth -= 1;
                return match value {
                    Signed(_) | Unsigned(_) if signed => Ok(Signed(value.bits().cast_signed())),
                    Signed(_) | Unsigned(_) => Ok(value.unsigned()),
                    _ => self.wrong(MIXED),
                };
            }
        }
        self.deeper()?;
        let value = self.ternary()?;
        self.depth -= 1;
        if self.lexer.eat_sign(")") { Ok(value) } else { Err(Stop::NotConstant) }
    }

    fn literal(&mut self) -> Result<Constant, Stop> {
        let start = self.lexer.at();
        let starts_number = starts(self.lexer);
        let value = if starts_number {
            let number = self.lexer.number();
            literal(number).map_err(|message| Stop::Wrong(SyntaxError { message, at: start }))?
        } else if self.lexer.name() == "WARP_SZ" {
            Signed(WARP_SIZE)
        } else {
            return Err(Stop::NotConstant);
        };
        self.lexer.blank();
        Ok(value)
    }
}

/// The value of a literal. PTX ISA `integer-constants`, `floating-point-constants`.
fn literal(text: &str) -> Result<Constant, &'static str> {
    let radix = match text.get(..2) {
        Some("0f" | "0F") => {
            return hexadecimal(text, 8).map(|bits| Single(u32::try_from(bits).must("eight digits are 32 bits")));
        }
        Some("0d" | "0D") => return hexadecimal(text, 16).map(|bits| Double(f64::from_bits(bits))),
        Some("0x" | "0X") => 16,
        Some("0b" | "0B") => 2,
        _ if text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) => {
            let sound = text.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte));
            return match text.parse::<f64>().ok().filter(|_| sound) {
                Some(value) if value.is_infinite() => Err("a floating-point number is too large"),
                other => other.map(Double).ok_or(MALFORMED),
            };
        }
        Some(_) if text.starts_with('0') && text != "0U" => 8,
        _ => 10,
    };
    let (digits, unsigned) = text.strip_suffix('U').map_or((text, false), |digits| (digits, true));
    let digits = if matches!(radix, 2 | 16) { &digits[2..] } else { digits };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(MALFORMED);
    }
    // A number that is too large loses its upper bits, as every ptxas has it.
    let next = |value: u64, digit: char| {
        value.wrapping_mul(u64::from(radix)).wrapping_add(u64::from(digit.to_digit(radix).unwrap_or(0)))
    };
    let value = digits.chars().fold(0, next);
    match i64::try_from(value) {
        Ok(value) if !unsigned => Ok(Signed(value)),
        _ => Ok(Unsigned(value)),
    }
}

/// The bits of `0f` or `0d` and exactly this many digits.
fn hexadecimal(text: &str, digits: usize) -> Result<u64, &'static str> {
    let sound = text.len() == 2 + digits && text[2..].bytes().all(|byte| byte.is_ascii_hexdigit());
    if sound { u64::from_str_radix(&text[2..], 16).map_err(|_| MALFORMED) } else { Err(MALFORMED) }
}

impl Constant {
    /// The 64 bits of an integer.
    fn bits(self) -> u64 {
        match self {
            Signed(value) => value.cast_unsigned(),
            Unsigned(value) => value,
            Double(_) | Single(_) => 0,
        }
    }

    fn unsigned(self) -> Self {
        Unsigned(self.bits())
    }

    fn truth(self) -> Option<bool> {
        matches!(self, Signed(_) | Unsigned(_)).then(|| self.bits() != 0)
    }

    fn apply(self, operator: &str, right: Self) -> Result<Self, &'static str> {
        match (self, right) {
            (Double(a), Double(b)) => doubles(operator, a, b).ok_or(MIXED),
            (Double(_) | Single(_), _) | (_, Double(_) | Single(_)) => Err(MIXED),
            (_, b) if operator == "/" && b.bits() == 0 => Err(DIVISION_BY_ZERO),
            (_, b) if operator == "%" && b.bits() == 0 => Err(REMAINDER_BY_ZERO),
            (a, b) => integers(operator, a, b).ok_or(MIXED),
        }
    }
}

fn doubles(operator: &str, a: f64, b: f64) -> Option<Constant> {
    let truth = |holds: bool| Some(Signed(i64::from(holds)));
    match operator {
        "+" => Some(Double(a + b)),
        "-" => Some(Double(a - b)),
        "*" => Some(Double(a * b)),
        "/" => Some(Double(a / b)),
        "<" => truth(a < b),
        ">" => truth(a > b),
        "<=" => truth(a <= b),
        ">=" => truth(a >= b),
        "==" => truth(a == b),
        "!=" => truth(a != b),
        _ => None,
    }
}

fn integers(operator: &str, a: Constant, b: Constant) -> Option<Constant> {
    let truth = |holds: bool| Some(Signed(i64::from(holds)));
    let (left, right) = (a.bits(), b.bits());
    let by = |amount: u64| u32::try_from(amount).ok().filter(|&amount| amount < 64);
    // The usual arithmetic conversions: signed if both are.
    let usual = |signed: fn(i64, i64) -> i64, unsigned: fn(u64, u64) -> u64| match (a, b) {
        (Signed(a), Signed(b)) => Some(Signed(signed(a, b))),
        _ => Some(Unsigned(unsigned(left, right))),
    };
    let ordering = match (a, b) {
        (Signed(a), Signed(b)) => a.cmp(&b),
        _ => left.cmp(&right),
    };
    match operator {
        "||" => truth(left != 0 || right != 0),
        "&&" => truth(left != 0 && right != 0),
        "|" => Some(Unsigned(left | right)),
        "^" => Some(Unsigned(left ^ right)),
        "&" => Some(Unsigned(left & right)),
        "==" => truth(left == right),
        "!=" => truth(left != right),
        "<" => truth(ordering.is_lt()),
        ">" => truth(ordering.is_gt()),
        "<=" => truth(ordering.is_le()),
        ">=" => truth(ordering.is_ge()),
        "<<" => {
            let shifted = by(right).map_or(0, |by| left << by);
            Some(if let Signed(_) = a { Signed(shifted.cast_signed()) } else { Unsigned(shifted) })
        }
        ">>" => Some(match a {
            Signed(value) => Signed(value >> by(right).unwrap_or(63)),
            _ => Unsigned(by(right).map_or(0, |by| left >> by)),
        }),
        "+" => usual(i64::wrapping_add, u64::wrapping_add),
        "-" => usual(i64::wrapping_sub, u64::wrapping_sub),
        "*" => usual(i64::wrapping_mul, u64::wrapping_mul),
        "/" => usual(i64::wrapping_div, u64::wrapping_div),
        "%" => left.checked_rem(right).map(|rest| Signed(rest.cast_signed())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<Option<Constant>, &'static str> {
        expression(&mut Lexer::new(text)).map_err(|error| error.message)
    }

    #[test]
    fn expressions_have_the_values_of_the_manual() {
        for (text, expected) in [
            ("5", 5),
            ("0x1F", 31),
            ("0b101", 5),
            ("017", 15),
            ("0", 0),
            ("-4", -4),
            ("+-4", -4),
            ("2*2+3", 7),
            ("2 + 3 * 4", 14),
            ("(2+3)*4", 20),
            ("10-4-3", 3),
            ("!4", 0),
            ("!!4", 1),
            ("1?4:8", 4),
            ("0 ? 4 : 1 ? 5 : 6", 5),
            ("8 % 3", 2),
            ("WARP_SZ/8", 4),
            ("1.0<2.0", 1),
            ("-8>>1", -4),
            ("1<<63>>63", -1),
            ("-1<1U", 0),
            ("-1<1", 1),
            ("3>2&&1", 1),
            ("(.s64)0xffffffffffffffff", -1),
            ("4 /* four */ / 2", 2),
        ] {
            assert_eq!(value(text), Ok(Some(Signed(expected))), "{text}");
        }
        for (text, expected) in [("42U", 42), ("~3", !3), ("0U", 0), ("-1U", u64::MAX), ("6&3", 2), ("6^3", 5)] {
            assert_eq!(value(text), Ok(Some(Unsigned(expected))), "{text}");
        }
        for (text, expected) in
            [("1.5", 1.5), (".5", 0.5), ("5.", 5.0), ("1.5e-3", 0.0015), ("0d3FF0000000000000", 1.0)]
        {
            assert_eq!(value(text), Ok(Some(Double(expected))), "{text}");
        }
        assert_eq!(value("(0F3f800000)"), Ok(Some(Single(0x3f80_0000))));
    }

    #[test]
    fn other_text_is_distinguished_from_malformed_constants() {
        for text in ["%r1", "-%r1", "(a)", "(4+b", "", "~"] {
            assert_eq!(value(text), Ok(None), "{text}");
        }
        for text in ["089", "0x", "0b12", "12u", "0f3F8", "0f3F80000000", "0d3FF", "1_000", "1.5u", "1e", "4UL"] {
            assert_eq!(value(text), Err(MALFORMED), "{text}");
        }
        assert_eq!(value("1e400"), Err("a floating-point number is too large"));
        for text in ["4+4.0", "-0f3F800000", "~1.0", "0f3F800000+1.0", "1.0?2:3", "1?2:3.0"] {
            assert_eq!(value(text), Err(MIXED), "{text}");
        }
        for (text, why) in [("8/0", DIVISION_BY_ZERO), ("8 % 0", REMAINDER_BY_ZERO)] {
            assert_eq!(value(text), Err(why), "{text}");
        }
        let deep = "(".repeat(1 << 20);
        assert_eq!(value(&deep), Err("an expression is nested too deep"));
        assert_eq!(value(&"-".repeat(1 << 20)), Err("an expression is nested too deep"));
    }
}
