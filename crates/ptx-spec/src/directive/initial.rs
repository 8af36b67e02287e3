//! Initial values, against the type and the dimensions of their variable. PTX ISA `initializers`.

use super::classes::is_byte_mask;
use super::measured::MeasureContext;
use crate::spec::{Kind, OpaqueMembers};
use crate::text::{
    Constant, DIVISION_BY_ZERO, Declarator, Lexer, REMAINDER_BY_ZERO, Symbol, SyntaxError, TokenKind,
    constant_expression, constant_starts, natural,
};

/// Reads `= ...`; the word says what is worst about it, or else what the values are.
pub(super) fn initial(lexer: &mut Lexer<'_>, context: &MeasureContext<'_, '_>) -> Result<&'static str, SyntaxError> {
    lexer.blank();
    if !lexer.eat(b'=') {
        return Ok("none");
    }
    let lanes = context.declaration.map_or(1, |declaration| declaration.lanes);
    let mut extents: Vec<BraceExtent> =
        context.dimensions.iter().map(|most| BraceExtent { most: *most, exact: false }).collect();
    if lanes > 1 {
        extents.push(BraceExtent { most: Some(u64::from(lanes)), exact: true });
    }
    let mut reader = InitialMeter { lexer, context, extents, fault: None, found: Vec::new() };
    reader.value(0)?;
    let InitialMeter { fault, found, .. } = reader;
    Ok(fault.unwrap_or_else(|| worst(&found, context)))
}

/// The word for the fields of a text, by the types that have all of them: `width = 4, height = 4`
fn fields_word(text: &str, members: &OpaqueMembers) -> &'static str {
    let names = || text.split(',').filter_map(|field| Some(field.split_once('=')?.0.trim()));
    let has = |of: &[String]| names().all(|name| of.iter().any(|member| member == name));
    match (has(&members.texture), has(&members.sampler), has(&members.surface)) {
        (true, _, true) => "fields",
        (true, true, false) => "sampling-fields",
        (true, false, false) => "texture-fields",
        (false, true, _) => "sampler-fields",
        (false, false, true) => "surface-fields",
        (false, false, false) => "unknown-fields",
    }
}

/// The words for values that no variable has.
const NEVER: [&str; 7] = [
    "unknown-fields",
    "undeclared",
    "outside-addresses",
    "function-offsets",
    "generic-functions",
    "bytes-by-other-masks",
    "bytes-of-floats",
];

/// The word for several values: what is never valid before an address, an address comes before a number, and a number that the type does not have before
/// one that it has.
fn worst(found: &[&'static str], context: &MeasureContext<'_, '_>) -> &'static str {
    let of = context.declaration.and_then(|declaration| context.isa.register_type(declaration.of_type));
    let float = of.is_some_and(|of| of.kind == Kind::Float);
    let numbers = if float { ["integers", "floats"] } else { ["floats", "integers"] };
    if let Some(fault) = found.iter().find(|word| NEVER.contains(*word)) {
        return fault;
    }
    if let Some(other) = found.iter().find(|word| !numbers.contains(*word)) {
        return other;
    }
    numbers.into_iter().find(|word| found.contains(word)).unwrap_or("empty")
}

/// How many values a pair of braces has.
#[derive(Clone, Copy)]
struct BraceExtent {
    /// The most; none if that is left open.
    most: Option<u64>,
    /// True if it has no fewer either.
    exact: bool,
}

struct InitialMeter<'r, 'a, 'c> {
    lexer: &'r mut Lexer<'a>,
    context: &'r MeasureContext<'c, 'c>,
    extents: Vec<BraceExtent>,
    /// The first thing that is wrong with the braces or with a value.
    fault: Option<&'static str>,
    /// The word for each value.
    found: Vec<&'static str>,
}

impl<'a> InitialMeter<'_, 'a, '_> {
    fn wrong(&mut self, word: &'static str) {
        self.fault.get_or_insert(word);
    }

    fn value(&mut self, level: usize) -> Result<(), SyntaxError> {
        self.lexer.blank();
        if !self.lexer.eat(b'{') {
            if level != self.extents.len() {
                self.wrong("unnested");
            }
            return self.single();
        }
        if self.fields() {
            return Ok(());
        }
        let extent = self.extents.get(level).copied();
        if extent.is_none() {
            self.wrong("unnested");
        }
        let mut count = 0_u64;
        self.lexer.blank();
        if !self.lexer.eat(b'}') {
            loop {
                self.value(level + 1)?;
                count += 1;
                self.lexer.blank();
                if self.lexer.eat(b'}') {
                    break;
                }
                if !self.lexer.eat(b',') {
                    return Err(self.lexer.error("expected `,` or `}`"));
                }
            }
        }
        let Some(extent) = extent else { return Ok(()) };
        if extent.most.is_some_and(|most| count > most) {
            self.wrong("too-many");
        }
        if extent.exact && extent.most.is_some_and(|most| count < most) {
            self.wrong("too-few");
        }
        Ok(())
    }

    /// Reads the fields of a texture, sampler or surface, if they come next: `width = 4, height = 4}`
    fn fields(&mut self) -> bool {
        let mut ahead = self.lexer.clone();
        let named = ahead.next().is_some_and(|token| token.kind == TokenKind::Word);
        if !named || ahead.next().is_none_or(|token| token.text != "=") {
            return false;
        }
        let inside = self.lexer.skip_until(|_| false);
        let closed = self.lexer.eat(b'}');
        self.found.push(fields_word(inside, &self.context.isa.members));
        closed
    }

    /// Reads a value without braces.
    fn single(&mut self) -> Result<(), SyntaxError> {
        let start = self.lexer.at();
        if constant_starts(self.lexer) {
            let constant = match constant_expression(self.lexer) {
                Err(error) if [DIVISION_BY_ZERO, REMAINDER_BY_ZERO].contains(&error.message) => {
                    self.lexer.skip_until(|byte| matches!(byte, b',' | b';'));
                    let is_division = error.message == DIVISION_BY_ZERO;
                    self.wrong(if is_division { "division-by-zero" } else { "remainder-by-zero" });
                    return Ok(());
                }
                other => other?,
            };
            let Some(constant) = constant else {
                self.lexer.reset(start);
                return Err(self.lexer.error("expected a value"));
            };
            self.lexer.blank();
            let mask = match constant {
                Constant::Signed(mask) => Some(mask.cast_unsigned()),
                Constant::Unsigned(mask) => Some(mask),
                Constant::Double(_) | Constant::Single(_) => None,
            };
            let word = match mask {
                Some(mask) if self.lexer.eat(b'(') => self.masked(mask)?,
                Some(_) => "integers",
                None => "floats",
            };
            self.found.push(word);
            return Ok(());
        }
        let word = self.address()?;
        self.found.push(word);
        Ok(())
    }

    /// Reads what a mask selects a byte of, up to its closing parenthesis.
    fn masked(&mut self, mask: u64) -> Result<&'static str, SyntaxError> {
        self.lexer.blank();
        let of = if constant_starts(self.lexer) {
            match constant_expression(self.lexer)? {
                Some(Constant::Signed(_) | Constant::Unsigned(_)) => "bytes-of-integers",
                Some(_) => "bytes-of-floats",
                None => return Err(self.lexer.error("expected a value")),
            }
        } else {
            match self.address()? {
                "undeclared" => "undeclared",
                "outside-addresses" => "outside-addresses",
                _ => "bytes-of-addresses",
            }
        };
        self.close()?;
        Ok(if is_byte_mask(mask) { of } else { "bytes-by-other-masks" })
    }

    fn close(&mut self) -> Result<(), SyntaxError> {
        self.lexer.blank();
        if self.lexer.eat(b')') { Ok(()) } else { Err(self.lexer.error("expected `)`")) }
    }

    /// Reads `name`, `name+4`, `generic(name)` or `generic(name)+4`.
    fn address(&mut self) -> Result<&'static str, SyntaxError> {
        let mut name = self.name()?;
        self.lexer.blank();
        let generic = name == "generic" && self.lexer.eat(b'(');
        if generic {
            self.lexer.blank();
            name = self.name()?;
            self.close()?;
            self.lexer.blank();
        }
        let mut offset = false;
        while self.lexer.eat(b'+') {
            self.lexer.blank();
            self.lexer.eat(b'-');
            self.lexer.blank();
            let at = self.lexer.at();
            if self.lexer.next().and_then(|token| natural(token.text)).is_none() {
                return Err(SyntaxError { message: "expected a number", at });
            }
            offset = true;
            self.lexer.blank();
        }
        let scope = self.context.scope;
        Ok(match scope.symbol(name) {
            _ if self.is_own(name) => plain(generic, offset),
            None if name == "WARP_SZ" => "integers",
            None => "undeclared",
            Some(Symbol::Object("function" | "entry")) if generic => "generic-functions",
            Some(Symbol::Object("function" | "entry")) if offset => "function-offsets",
            Some(Symbol::Object("function")) => "function-addresses",
            Some(Symbol::Object("entry")) => "entry-addresses",
            Some(
                Symbol::Variable("global" | "const" | "unified")
                | Symbol::Object(_)
                | Symbol::Surface(_)
                | Symbol::Opaque,
            ) => plain(generic, offset),
            Some(_) => "outside-addresses",
        })
    }

    fn name(&mut self) -> Result<&'a str, SyntaxError> {
        let at = self.lexer.at();
        match self.lexer.next() {
            Some(token) if token.kind == TokenKind::Word => Ok(token.text),
            _ => Err(SyntaxError { message: "expected a value", at }),
        }
    }

    /// True if a name is that of the variable itself.
    fn is_own(&self, name: &str) -> bool {
        let names = self.context.declaration.into_iter().flat_map(|declaration| declaration.declarators());
        names.flatten().any(|of: Declarator<'_>| of.name == name)
    }
}

fn plain(generic: bool, offset: bool) -> &'static str {
    match (generic, offset) {
        (true, _) => "generic-addresses",
        (false, true) => "offsets",
        (false, false) => "addresses",
    }
}
