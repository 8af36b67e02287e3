//! The initial values of variables. PTX ISA `initializers`.

use super::constant::{self, Constant};
use super::declaration::Declarator;
use super::lexer::Lexer;
use super::{Argument, SyntaxError};

/// The initial value of an element of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum InitialValue<'a> {
    /// A number.
    Constant(Argument<'a>),
    /// The address of a variable or function.
    Address {
        /// Its name.
        name: &'a str,
        /// True if the address is a generic one: `generic(a)`.
        generic: bool,
        /// The distance from it in bytes.
        offset: i64,
    },
    /// The byte of another value that a mask selects: `0xff00(a)`.
    Byte(u64, Box<InitialValue<'a>>),
}

/// How deep values may be nested.
const NESTING: usize = 16;

/// The elements of a variable that have initial values, each with its position among all of them in the order of memory, and
/// the number of elements that the values need. A vector has so many `lanes`, which are elements.
///
/// # Errors
/// If something is not a value; says what and where in the text of the declarator.
pub fn initial_values<'a>(
    declarator: &Declarator<'a>,
    lanes: u8,
) -> Result<(Vec<(u64, InitialValue<'a>)>, u64), SyntaxError> {
    let mut lexer = Lexer::new(declarator.text);
    lexer.name();
    lexer.blank();
    let mut dimensions = Vec::new();
    while lexer.eat(b'[') {
        dimensions.push(lexer.skip_until(|byte| byte == b';').trim().parse::<u64>().unwrap_or(1));
        lexer.eat(b']');
        lexer.blank();
    }
    if lanes > 1 {
        dimensions.push(u64::from(lanes));
    }
    // The distance of the elements of each dimension.
    let mut distance = 1;
    let mut distances: Vec<u64> = vec![1; dimensions.len()];
    for (at, dimension) in dimensions.iter().enumerate().rev() {
        distances[at] = distance;
        distance = distance.saturating_mul(*dimension);
    }
    let mut reader = InitialReader { lexer, distances, found: Vec::new(), end: 0 };
    if reader.lexer.eat(b'=') {
        reader.lexer.blank();
        reader.values(0, 0)?;
    }
    Ok((reader.found, reader.end))
}

struct InitialReader<'a> {
    lexer: Lexer<'a>,
    distances: Vec<u64>,
    found: Vec<(u64, InitialValue<'a>)>,
    /// One more than the largest position.
    end: u64,
}

impl<'a> InitialReader<'a> {
    /// Reads a value, or values in braces, that begin at a position; returns the position after them.
    fn values(&mut self, level: usize, start: u64) -> Result<u64, SyntaxError> {
        if !self.lexer.eat(b'{') {
            let value = self.value(0)?;
            self.found.push((start, value));
            self.end = self.end.max(start + 1);
            return Ok(start + 1);
        }
        let Some(distance) = self.distances.get(level).copied() else {
            return Err(self.lexer.error("there are more braces than dimensions"));
        };
        let mut at = start;
        self.lexer.blank();
        while !self.lexer.eat(b'}') {
            let braced = self.lexer.peek() == Some(b'{');
            let after = self.values(level + 1, at)?;
            at = if braced { at.saturating_add(distance) } else { after };
            self.lexer.blank();
            if self.lexer.eat(b',') {
                self.lexer.blank();
            } else if self.lexer.peek() != Some(b'}') {
                return Err(self.lexer.error("expected `,` or `}`"));
            }
        }
        self.end = self.end.max(at);
        Ok(at)
    }

    /// Reads a value without braces.
    fn value(&mut self, depth: usize) -> Result<InitialValue<'a>, SyntaxError> {
        if depth > NESTING {
            return Err(self.lexer.error("a value is nested too deep"));
        }
        let start = self.lexer.at();
        if constant::starts(&self.lexer)
            && let Some(constant) = constant::expression(&mut self.lexer)?
        {
            self.lexer.blank();
            return match constant {
                Constant::Signed(_) | Constant::Unsigned(_) if self.lexer.eat(b'(') => {
                    let mask = match constant {
                        Constant::Signed(mask) => mask.cast_unsigned(),
                        Constant::Unsigned(mask) => mask,
                        _ => 0,
                    };
                    self.lexer.blank();
                    let of = self.value(depth + 1)?;
                    self.closed()?;
                    Ok(InitialValue::Byte(mask, Box::new(of)))
                }
                constant => Ok(InitialValue::Constant(constant.into())),
            };
        }
        self.lexer.reset(start);
        self.address()
    }

    fn closed(&mut self) -> Result<(), SyntaxError> {
        self.lexer.blank();
        if !self.lexer.eat(b')') {
            return Err(self.lexer.error("expected `)`"));
        }
        self.lexer.blank();
        Ok(())
    }

    fn address(&mut self) -> Result<InitialValue<'a>, SyntaxError> {
        let mut name = self.lexer.name();
        self.lexer.blank();
        let generic = name == "generic" && self.lexer.eat(b'(');
        if generic {
            self.lexer.blank();
            name = self.lexer.name();
            self.closed()?;
        }
        if name.is_empty() {
            return Err(self.lexer.error("expected a value"));
        }
        let negative = self.lexer.peek() == Some(b'-');
        if !negative && !self.lexer.eat_sign("+") {
            return Ok(InitialValue::Address { name, generic, offset: 0 });
        }
        // A minus sign belongs to the number.
        let offset = match constant::expression(&mut self.lexer)? {
            Some(Constant::Signed(offset)) => offset,
            Some(Constant::Unsigned(offset)) => offset.cast_signed(),
            _ => return Err(self.lexer.error("expected a number")),
        };
        Ok(InitialValue::Address { name, generic, offset })
    }
}

#[cfg(test)]
mod tests {
    use super::super::statement::{Statement, Statements};
    use super::*;

    /// The values of the first variable of a declaration: their positions and texts, and how many elements there are.
    fn read(text: &str) -> Result<String, SyntaxError> {
        let Some(Statement::Declaration(declaration)) = Statements::of_part(text).next_statement()? else {
            panic!("{text} is no declaration")
        };
        let declarator = declaration.declarators().next().expect("a variable")?;
        let (values, count) = initial_values(&declarator, declaration.lanes)?;
        let shown = values.iter().map(|(at, value)| format!("{at}:{} ", show(value)));
        Ok(shown.chain([count.to_string()]).collect())
    }

    fn show(value: &InitialValue<'_>) -> String {
        match value {
            InitialValue::Constant(Argument::Integer(value)) => value.value().to_string(),
            InitialValue::Constant(Argument::Double(bits)) => f64::from_bits(*bits).to_string(),
            InitialValue::Constant(Argument::Float(bits)) => format!("0f{bits:x}"),
            InitialValue::Constant(other) => format!("{other:?}"),
            InitialValue::Address { name, generic, offset } => {
                format!("{}{name}+{offset}", if *generic { "&" } else { "" })
            }
            InitialValue::Byte(mask, of) => format!("{mask:x}({})", show(of)),
        }
    }

    #[test]
    fn values_have_positions() {
        for (text, expected) in [
            (".global .b32 a;", "0"),
            (".const .u32 a = 42;", "0:42 1"),
            (".global .u32 a[] = { 2, 3, 5 };", "0:2 1:3 2:5 3"),
            (".global .s32 x[3][2] = { {1,2}, {3} };", "0:1 1:2 2:3 4"),
            (".global .s32 x[2][2] = {1, -2, 3};", "0:1 1:-2 2:3 3"),
            (".global .v4 .f32 c[2] = {{0.5, 0f3f800000}, {1}};", "0:0.5 1:0f3f800000 4:1 8"),
            (".global .u64 p[3] = {b, generic(b)+4, b-8};", "0:b+0 1:&b+4 2:b+-8 3"),
            (
                ".global .u8 m[3] = {0xff(foo+4), 0xFF00(generic(foo)), 0xFF(1000 + 546)};",
                "0:ff(foo+4) 1:ff00(&foo+0) 2:ff(1546) 3",
            ),
        ] {
            assert_eq!(read(text).expect(text), expected, "{text}");
        }
        for text in [
            ".global .b32 a = {1};",
            ".global .b32 a[1] = {;};",
            ".global .b32 a[2] = {1 2};",
            ".global .u8 m = 0xff(f;",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
