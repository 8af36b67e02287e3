//! The manual's notation for a syntax line.
//!
//! `ld{.weak}{.ss}.type  d, [a]{.unified}{, cache-policy};`: modifiers are slots, or literals if no slot
//! has the name; braces mark optional parts, or list alternatives (`.{1d,2d,3d}`).

use crate::spec::Pattern;

/// A modifier of a syntax line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NotedModifier {
    pub(super) name: ModifierName,
    pub(super) optional: bool,
}

/// The name of a modifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ModifierName {
    /// A slot or a literal, without its dot.
    Word(String),
    /// Alternatives listed in the line, with their dots.
    Listed(Vec<String>),
}

/// A parsed syntax line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Syntax {
    pub(super) opcode: String,
    pub(super) modifiers: Vec<NotedModifier>,
    /// The names of the operands, and whether each is optional.
    pub(super) operands: Vec<(String, bool)>,
    pub(super) pattern: Vec<Pattern>,
    /// Optional suffixes with the operand that they follow (the last one of a bracket).
    pub(super) suffixes: Vec<(usize, String)>,
}

impl Syntax {
    /// Parses a line; the error says what cannot be read.
    pub(super) fn parse(line: &str) -> Result<Self, String> {
        let line = line.trim();
        let line = line.strip_suffix(';').ok_or("a syntax line must end in `;`")?;
        let (head, operands) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let end = head.find(['.', '{']).unwrap_or(head.len());
        let opcode = head[..end].to_owned();
        if opcode.is_empty() || !opcode.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            return Err(format!("`{opcode}` is not an opcode"));
        }
        let mut syntax = Self {
            opcode,
            modifiers: modifiers(&head[end..])?,
            operands: Vec::new(),
            pattern: Vec::new(),
            suffixes: Vec::new(),
        };
        syntax.read_operands(operands.trim())?;
        Ok(syntax)
    }

    fn operand(&mut self, name: &str, optional: bool) -> Result<usize, String> {
        let name = name.trim();
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_') {
            return Err(format!("`{name}` is not an operand's name"));
        }
        if self.operands.iter().any(|(known, _)| known == name) {
            return Err(format!("the operand `{name}` appears twice"));
        }
        self.operands.push((name.to_owned(), optional));
        Ok(self.operands.len() - 1)
    }

    fn read_operands(&mut self, mut rest: &str) -> Result<(), String> {
        while !rest.is_empty() {
            if let Some(inner) = rest.strip_prefix("{,") {
                let (name, after) = inner.split_once('}').ok_or("`{` without `}`")?;
                let operand = self.operand(name, true)?;
                self.pattern.push(Pattern::Operand(operand));
                rest = after.trim_start();
            } else if let Some(inner) = rest.strip_prefix("{.") {
                let (name, after) = inner.split_once('}').ok_or("`{` without `}`")?;
                let last = self.operands.len().checked_sub(1).ok_or("a suffix without an operand")?;
                self.suffixes.push((last, format!(".{name}")));
                rest = after.trim_start();
            } else if let Some(inner) = rest.strip_prefix('[') {
                let (names, after) = inner.split_once(']').ok_or("`[` without `]`")?;
                let inside = names.split(',').map(|name| self.operand(name, false)).collect::<Result<_, _>>()?;
                self.pattern.push(Pattern::Bracket(inside));
                rest = after.trim_start();
            } else {
                let end = rest.find([',', '{', '[']).unwrap_or(rest.len());
                let operand = self.operand(&rest[..end], false)?;
                self.pattern.push(Pattern::Operand(operand));
                rest = rest[end..].trim_start();
            }
            if let Some(after) = rest.strip_prefix(',') {
                rest = after.trim_start();
                if rest.is_empty() {
                    return Err("an operand is missing after the last comma".to_owned());
                }
            }
        }
        Ok(())
    }
}

fn modifiers(mut rest: &str) -> Result<Vec<NotedModifier>, String> {
    let mut modifiers = Vec::new();
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix("{.") {
            let (name, after) = inner.split_once('}').ok_or("`{` without `}`")?;
            modifiers.push(NotedModifier { name: ModifierName::Word(word(name)?), optional: true });
            rest = after;
        } else if let Some(inner) = rest.strip_prefix(".{") {
            let (names, after) = inner.split_once('}').ok_or("`{` without `}`")?;
            let listed = names.split(',').map(|name| word(name.trim()).map(|name| format!(".{name}")));
            modifiers
                .push(NotedModifier { name: ModifierName::Listed(listed.collect::<Result<_, _>>()?), optional: false });
            rest = after;
        } else if let Some(inner) = rest.strip_prefix('.') {
            let end = inner.find(['.', '{']).unwrap_or(inner.len());
            modifiers.push(NotedModifier { name: ModifierName::Word(word(&inner[..end])?), optional: false });
            rest = &inner[end..];
        } else {
            return Err(format!("expected `.` or `{{.` before `{rest}`"));
        }
    }
    Ok(modifiers)
}

fn word(text: &str) -> Result<String, String> {
    let fine = !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b':');
    if fine { Ok(text.to_owned()) } else { Err(format!("`.{text}` is not a modifier")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manuals_notation_is_read() {
        let syntax =
            Syntax::parse("ld{.weak}.{ca,cg}{.level::hint}.type  d, [a]{.unified}{, cache-policy};").expect("a line");
        let names: Vec<_> = syntax.modifiers.iter().map(|m| (m.name.clone(), m.optional)).collect();
        let word = |text: &str| ModifierName::Word(text.to_owned());
        assert_eq!(
            names,
            [
                (word("weak"), true),
                (ModifierName::Listed(vec![".ca".to_owned(), ".cg".to_owned()]), false),
                (word("level::hint"), true),
                (word("type"), false)
            ]
        );
        assert_eq!(syntax.operands, [("d".into(), false), ("a".into(), false), ("cache-policy".into(), true)]);
        assert_eq!(syntax.pattern, [Pattern::Operand(0), Pattern::Bracket(vec![1]), Pattern::Operand(2)]);
        assert_eq!(syntax.suffixes, [(1, ".unified".to_owned())]);
    }

    #[test]
    fn errors_name_the_problem() {
        for (line, part) in [
            ("suld.b d, [a, b]", "`;`"),
            ("suld.b d, [a, b;", "`]`"),
            ("suld.b{.cop d, [a];", "`}`"),
            ("suld..b d;", "modifier"),
            ("suld.b d, d;", "twice"),
            ("suld.b d, ;", "comma"),
        ] {
            let error = Syntax::parse(line).expect_err(line);
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
