//! Inline assembly that somebody pasted: one statement, or only the text of one.

use super::asm_statement::{AsmStatement, AsmText, OperandKind, SkippedAsm, TemplateStyle};
use super::checked_source::TRIED;
use super::find::statements;
use super::language::SourceLanguage;
use super::mapped_text::MappedText;
use super::template::{filled, referenced, register_name};
use crate::environment::AddressSize;

/// Pasted inline assembly as PTX text with operands.
#[derive(Clone, Debug)]
pub struct PastedAsm {
    asm: AsmText,
    /// The operands that are chosen here, because the text does not say what they are.
    open: Vec<usize>,
    /// True if it is a whole statement, whose constraints say what its operands are.
    pub is_statement: bool,
    /// True if quotes and escapes were taken off, or doubled signs made single.
    pub is_unquoted: bool,
}

/// The languages that are tried, those first whose words the others would misread.
const LANGUAGES: [SourceLanguage; 6] = [
    SourceLanguage::C,
    SourceLanguage::Rust,
    SourceLanguage::Python,
    SourceLanguage::Julia,
    SourceLanguage::Llvm,
    SourceLanguage::Mlir,
];
/// The types that registers for constraints have, the most frequent first.
const TYPES: [&str; 7] = [".b32", ".b64", ".b16", ".f32", ".f64", ".pred", ".b128"];
/// How often all operands are gone through.
const PASSES: usize = 4;

impl PastedAsm {
    /// Reads a text; none if it is no inline assembly, but may be plain PTX.
    ///
    /// # Errors
    /// If it is a statement that cannot be judged; says why.
    pub fn read(text: &str) -> Option<Result<Self, String>> {
        if let Some(statement) = whole_statement(text) {
            return Some(statement.and_then(Self::of_statement));
        }
        let (template, is_unquoted) = match unquoted(text) {
            Some(Ok(asm)) if !asm.operands.is_empty() => return Some(Self::typed(Ok(asm))),
            Some(Ok(AsmText { template, .. })) => (template, true),
            Some(Err(skipped)) => return Some(Err(words(&skipped))),
            None => (MappedText::whole(text), false),
        };
        Self::of_template(template, is_unquoted)
    }

    fn of_statement(statement: AsmStatement) -> Result<Self, String> {
        Self::typed(statement.read)
    }

    /// A text with constraints.
    fn typed(read: Result<AsmText, SkippedAsm>) -> Result<Self, String> {
        let mut asm = read.map_err(|skipped| words(&skipped))?;
        let has = |kind: &OperandKind| asm.operands.iter().any(|operand| operand.kind == *kind);
        if has(&OperandKind::Foreign) {
            return Err(
                "the type of an operand is not known: write its constraint out, as one of h r l q f d n C".to_owned()
            );
        }
        if has(&OperandKind::Inserted) {
            return Err("a text is put into it by the program".to_owned());
        }
        let unknown = |number: &usize| asm.operands[*number].kind == OperandKind::Constant(None);
        let open: Vec<usize> = (0..asm.operands.len()).filter(unknown).collect();
        open.iter().for_each(|&number| asm.operands[number].kind = constant(TRIED[0]));
        Ok(Self { asm, open, is_statement: true, is_unquoted: true })
    }

    /// A text without constraints; none if nothing in it is of inline assembly.
    fn of_template(template: MappedText, is_unquoted: bool) -> Option<Result<Self, String>> {
        let text = template.text();
        let doubled = text.contains("{{") && text.matches("{{").count() == text.matches("}}").count();
        let style = style(text, doubled);
        let operands = referenced(text, style);
        let sign = match style {
            TemplateStyle::Percent => "%%",
            TemplateStyle::Dollar => "$$",
            TemplateStyle::Brace => "{{",
        };
        let changes = doubled || text.contains(sign);
        if operands.is_empty() && !changes && !is_unquoted {
            return None;
        }
        let template = match doubled && style != TemplateStyle::Brace {
            true => MappedText::whole(&text.replace("{{", "{").replace("}}", "}")),
            false => template,
        };
        let open = (0..operands.len()).collect();
        let mut asm = AsmText { template, style, operands };
        // What stands in brackets is an address more often than not.
        let (whole, _) = filled(&asm, &[]);
        for (number, operand) in asm.operands.iter_mut().enumerate() {
            if names(whole.text(), &format!("[{}", register_name(style, number))) {
                operand.kind = OperandKind::Pointer;
            }
        }
        Some(Ok(Self { asm, open, is_statement: false, is_unquoted: is_unquoted || changes }))
    }

    /// Its PTX text, with its operands in their places.
    pub fn text(&self) -> String {
        filled(&self.asm, &[]).0.text().trim().to_owned()
    }

    /// The declarations of its operands.
    pub fn declarations(&self, address_size: AddressSize) -> String {
        let declared = self.by_type(address_size);
        let all = declared.iter().map(|(of, names)| format!(".reg {of} {};", names.join(", ")));
        all.collect::<Vec<_>>().join(" ")
    }

    /// The words on what its operands are; none if it has none.
    pub fn operands(&self, address_size: AddressSize) -> Option<String> {
        let mut parts: Vec<String> = Vec::new();
        for (of, names) in self.by_type(address_size) {
            parts.push(format!("{} {of}", names.join(", ")));
        }
        for (number, operand) in self.asm.operands.iter().enumerate() {
            if let OperandKind::Constant(Some(value)) = &operand.kind {
                let known = if self.is_statement && self.open.contains(&number) { " (not known here)" } else { "" };
                parts.push(format!("{} = {value}{known}", register_name(self.asm.style, number)));
            }
        }
        for (number, operand) in self.asm.operands.iter().enumerate() {
            if let Some(name) = &operand.name {
                parts.push(format!("`{name}` is {}", register_name(self.asm.style, number)));
            }
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// The names of the operands that are registers, by their types.
    fn by_type(&self, address_size: AddressSize) -> Vec<(&'static str, Vec<String>)> {
        let mut all: Vec<(&'static str, Vec<String>)> = Vec::new();
        for (number, operand) in self.asm.operands.iter().enumerate() {
            let of = match operand.kind {
                OperandKind::Register(of) => of,
                OperandKind::Pointer if address_size == AddressSize::Bits32 => ".b32",
                OperandKind::Pointer => ".b64",
                _ => continue,
            };
            let name = register_name(self.asm.style, number);
            match all.iter_mut().find(|(known, _)| *known == of) {
                Some((_, names)) => names.push(name),
                None => all.push((of, vec![name])),
            }
        }
        all
    }

    /// Chooses what the text does not say of its operands so that the fewest statements are wrong. `faults` are the wrong
    /// statements of this text.
    #[must_use]
    pub fn chosen(self, faults: impl Fn(&Self) -> Vec<String>) -> Self {
        let mut found = faults(&self);
        let mut best = self;
        for _ in 0..PASSES {
            let before = found.len();
            for group in best.groups(&found) {
                for kind in best.kinds(&group) {
                    if found.is_empty() {
                        return best;
                    }
                    let mut other = best.clone();
                    group.iter().for_each(|&number| other.asm.operands[number].kind = kind.clone());
                    let wrong = faults(&other);
                    if wrong.len() < found.len() {
                        (best, found) = (other, wrong);
                    }
                }
            }
            if found.len() == before {
                break;
            }
        }
        best
    }

    /// The operands that are chosen at once: each of a wrong statement, those that stand in the same braces, and all of it.
    fn groups(&self, faults: &[String]) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for fault in faults {
            let inside = fault.split(['{', '}']).skip(1).step_by(2).map(|part| self.named(part));
            let all = self.named(fault);
            let single = all.iter().map(|&number| vec![number]);
            for group in single.chain(inside).chain([all.clone()]).filter(|group| !group.is_empty()) {
                if !groups.contains(&group) {
                    groups.push(group);
                }
            }
        }
        groups
    }

    /// The operands that a part of its text names, and whose kind is chosen here. One that stands for a constant is not named
    /// in any text, and is in every part.
    fn named(&self, part: &str) -> Vec<usize> {
        let is_named = |number: &usize| {
            matches!(self.asm.operands[*number].kind, OperandKind::Constant(_))
                || names(part, &register_name(self.asm.style, *number))
        };
        self.open.iter().copied().filter(is_named).collect()
    }

    /// The kinds that the operands of a group can have.
    fn kinds(&self, group: &[usize]) -> Vec<OperandKind> {
        let types = TYPES.iter().filter(|_| !self.is_statement).map(|of| OperandKind::Register(of));
        let values = TRIED.iter().filter(|_| group.len() == 1).map(|value| constant(value));
        types.chain(values).collect()
    }
}

/// True if a text has a name that ends in a number, and that is not the beginning of another.
fn names(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| !text[at + name.len()..].starts_with(|c: char| c.is_ascii_digit()))
}

fn constant(value: &str) -> OperandKind {
    OperandKind::Constant(Some(value.to_owned()))
}

/// The reason why a statement is not read.
fn words(skipped: &SkippedAsm) -> String {
    match skipped.what.is_empty() {
        true => skipped.because.to_owned(),
        false => format!("{}: `{}`", skipped.because, skipped.what),
    }
}

/// The statement of inline assembly that a text is; an error if it has several.
fn whole_statement(text: &str) -> Option<Result<AsmStatement, String>> {
    if !text.contains("asm") {
        return None;
    }
    let found = LANGUAGES.into_iter().map(|language| statements(text, language)).find(|found| !found.is_empty())?;
    let count = found.len();
    match <[AsmStatement; 1]>::try_from(found) {
        Ok([statement]) => Some(Ok(statement)),
        Err(_) => Some(Err(format!(
            "there are {count} statements of inline assembly in it: check them by `check --inline -`"
        ))),
    }
}

/// The text in the strings of a text, or of one that has escapes as if it were in a string; none if it has neither. With
/// constraints, if they stand behind the strings.
fn unquoted(text: &str) -> Option<Result<AsmText, SkippedAsm>> {
    let text = text.trim();
    let inside = if text.starts_with(['"', 'R']) && text.contains('"') {
        text.trim_end_matches(';').to_owned()
    } else if !text.contains('"') && ["\\n", "\\t"].iter().any(|escape| text.contains(escape)) {
        text.lines().map(|line| format!("\"{line}\\n\"\n")).collect()
    } else {
        return None;
    };
    // The text may end in the parenthesis that closes its statement; then the one added here stands behind the statement.
    let found = statements(&format!("asm({inside})"), SourceLanguage::C);
    found.into_iter().map(|statement| statement.read).next()
}

/// How a text names its operands.
fn style(text: &str, doubled: bool) -> TemplateStyle {
    let followed = |sign: char, by: fn(char) -> bool| {
        text.match_indices(sign).any(|(at, _)| text[at + sign.len_utf8()..].starts_with(by))
    };
    let is_number = |c: char| c.is_ascii_digit();
    match () {
        () if followed('%', |c| c.is_ascii_digit() || c == '[') => TemplateStyle::Percent,
        () if followed('$', |c| c.is_ascii_digit() || matches!(c, '{' | '$')) => TemplateStyle::Dollar,
        () if doubled
            || text.contains("{}")
            || text.match_indices('{').any(|(at, _)| is_reference(&text[at..], is_number)) =>
        {
            TemplateStyle::Brace
        }
        () => TemplateStyle::Percent,
    }
}

/// True for a brace with nothing but a number in it.
fn is_reference(text: &str, is_number: fn(char) -> bool) -> bool {
    let inside = text.trim_start_matches('{').split('}').next().unwrap_or_default();
    !inside.is_empty() && inside.chars().all(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_texts_become_ptx() {
        for (pasted, text, operands) in [
            ("mad.lo.u32 %0, %1, %2, %3;", "mad.lo.u32 %0, %1, %2, %3;", "%0, %1, %2, %3 .b32"),
            (
                "ld.global.u32 %10, [%1];",
                "ld.global.u32 %10, [%1];",
                "%0, %2, %3, %4, %5, %6, %7, %8, %9, %10 .b32; %1 .b64",
            ),
            (r#""add.u32 %0, %1, 1;\n\t""#, "add.u32 %0, %1, 1;", "%0, %1 .b32"),
            (r"add.u32 %0, %1, 1;\n\tret;", "add.u32 %0, %1, 1;\n\tret;", "%0, %1 .b32"),
            ("{{ .reg .pred p; setp.ne.b32 p, %1, 0; }}", "{ .reg .pred p; setp.ne.b32 p, %1, 0; }", "%0, %1 .b32"),
            ("mov.u32 $0, $1; mov.u32 $2, %tid.x;", "mov.u32 $0, $1; mov.u32 $2, %tid.x;", "$0, $1, $2 .b32"),
            ("mov.u32 {0}, {x};", "mov.u32 %0, %1;", "%0, %1 .b32; `x` is %1"),
            ("mov.u32 %0, %%tid.x;", "mov.u32 %0, %tid.x;", "%0 .b32"),
            ("mov.u32 %[d], %1;", "mov.u32 %2, %1;", "%0, %1, %2 .b32; `d` is %2"),
            (r#"asm volatile("mov.f64 %0, %1;" : "=d"(x) : "l"(y));"#, "mov.f64 %0, %1;", "%0 .f64; %1 .b64"),
            (r#""mov.f64 %0, %1;" : "=d"(x) : "l"(y));"#, "mov.f64 %0, %1;", "%0 .f64; %1 .b64"),
            (r#""mov.b32 %0, %1;" : "=r"(x) : "n"(N)"#, "mov.b32 %0, 0;", "%0 .b32; %1 = 0 (not known here)"),
            (r#"asm!("mov.u32 {}, {};", out(reg32) x, in(reg32) y)"#, "mov.u32 %0, %1;", "%0, %1 .b32"),
            (r#"call i32 asm "mov.b32 $0, $1;", "=r,f"(float %x)"#, "mov.b32 $0, $1;", "$0 .b32; $1 .f32"),
        ] {
            let read = PastedAsm::read(pasted).expect(pasted).expect(pasted);
            let found = (read.text(), read.operands(AddressSize::Bits64).unwrap_or_default());
            assert_eq!(found, (text.to_owned(), operands.to_owned()), "{pasted}");
        }
        for plain in ["mov.u32 %r1, %r2;", "{ .reg .b32 a; mov.b64 %rd1, {a, a}; }", "bra $L__BB0_1;", "{ { ret; } }"] {
            assert!(PastedAsm::read(plain).is_none(), "{plain}");
        }
        for wrong in [r#"asm("nop;"); asm("nop;");"#, r#"asm(MACRO "nop;");"#, r#"asm("nop;" : "=x"(a));"#] {
            assert!(PastedAsm::read(wrong).is_some_and(|read| read.is_err()), "{wrong}");
        }
    }
}
