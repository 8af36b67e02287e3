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

/// An operand of a syntax line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NotedOperand {
    pub(super) name: String,
    pub(super) optional: bool,
    /// The sign that may stand before it.
    pub(super) sign: Option<char>,
    /// The number of elements, if the line has it in braces.
    pub(super) elements: Option<usize>,
}

/// A suffix of an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NotedSuffix {
    /// The operand that it follows: the last one of a bracket.
    pub(super) operand: usize,
    /// A slot or a literal, without its dot.
    pub(super) name: String,
    pub(super) optional: bool,
}

/// A parsed syntax line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Syntax {
    /// The opcode, followed by the modifiers that belong to the instruction's name.
    pub(super) opcode: String,
    pub(super) modifiers: Vec<NotedModifier>,
    pub(super) operands: Vec<NotedOperand>,
    pub(super) pattern: Vec<Pattern>,
    pub(super) suffixes: Vec<NotedSuffix>,
}

impl Syntax {
    /// Parses a line of an instruction, of whose operands some are described; the error says what cannot be read.
    pub(super) fn parse(line: &str, instruction: &str, described: impl Fn(&str) -> bool) -> Result<Self, String> {
        let line = line.trim();
        let line = line.strip_suffix(';').ok_or("a syntax line must end in `;`")?;
        let (head, operands) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let named = head.strip_prefix(instruction).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '{']));
        let end = if named { instruction.len() } else { head.find(['.', '{']).unwrap_or(head.len()) };
        let opcode = head[..end].to_owned();
        let part = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !opcode.split('.').flat_map(|word| word.split("::")).all(part) {
            return Err(format!("`{opcode}` is not an opcode"));
        }
        let modifiers = modifiers(&head[end..])?;
        let described = &described;
        let mut reader = OperandNotation { described, operands: Vec::new(), pattern: Vec::new(), suffixes: Vec::new() };
        reader.read(operands.trim())?;
        let OperandNotation { operands, pattern, suffixes, .. } = reader;
        Ok(Self { opcode, modifiers, operands, pattern, suffixes })
    }
}

/// Reads the operands of a syntax line.
struct OperandNotation<'a> {
    /// Tells if an operand of this name is described: if all names in braces are, the braces group operands.
    described: &'a dyn Fn(&str) -> bool,
    operands: Vec<NotedOperand>,
    pattern: Vec<Pattern>,
    suffixes: Vec<NotedSuffix>,
}

impl OperandNotation<'_> {
    fn read(&mut self, mut rest: &str) -> Result<(), String> {
        while !rest.is_empty() {
            if let Some(inner) = rest.strip_prefix("{,") {
                let end = closing(inner, '{', '}').ok_or("`{` without `}`")?;
                rest = inner[end + 1..].trim_start();
                let after = self.part(inner[..end].trim(), true)?;
                if !after.is_empty() {
                    return Err(format!("`{after}` is one operand too many in braces"));
                }
                if let Some(after) = rest.strip_prefix(',') {
                    rest = after.trim_start();
                }
            } else {
                rest = self.part(rest, false)?;
                if let Some(after) = rest.strip_prefix(',') {
                    rest = after.trim_start();
                    if rest.is_empty() {
                        return Err("an operand is missing after the last comma".to_owned());
                    }
                } else if !rest.is_empty() && !rest.starts_with("{,") {
                    return Err(format!("expected `,` before `{rest}`"));
                }
            }
        }
        Ok(())
    }

    /// Reads one part with its punctuation and its suffix, and returns what follows it.
    fn part<'t>(&mut self, text: &'t str, optional: bool) -> Result<&'t str, String> {
        let (last, rest) = if let Some(inner) = text.strip_prefix('[') {
            let end = closing(inner, '[', ']').ok_or("`[` without `]`")?;
            let inside = self.inside(&inner[..end], optional)?;
            let last = inside.last().copied();
            self.pattern.push(Pattern::Bracket(inside));
            (last, &inner[end + 1..])
        } else if let Some(inner) = text.strip_prefix('(') {
            let end = closing(inner, '(', ')').ok_or("`(` without `)`")?;
            let operand = self.operand(&inner[..end], optional)?;
            self.pattern.push(Pattern::List(operand));
            (None, &inner[end + 1..])
        } else if let Some((names, rest)) = text.strip_prefix('{').and_then(|inner| inner.split_once('}'))
            && names.contains(',')
            && names.split(',').all(|name| (self.described)(name.trim()))
        {
            let inside = names.split(',').map(|name| self.operand(name, optional)).collect::<Result<_, _>>()?;
            self.pattern.push(Pattern::Braces(inside));
            (None, rest)
        } else {
            let (first, rest) = self.single(text, optional)?;
            let (second, rest) = match (rest.strip_prefix("[|"), rest.strip_prefix('|')) {
                (Some(inner), _) => {
                    let (name, after) = inner.split_once(']').ok_or("`[` without `]`")?;
                    (Some(self.operand(name, true)?), after)
                }
                (None, Some(rest)) => {
                    let (second, rest) = self.single(rest, optional)?;
                    (Some(second), rest)
                }
                (None, None) => (None, rest),
            };
            self.pattern.push(match second {
                Some(second) => Pattern::Pair(first, second),
                None => Pattern::Operand(first),
            });
            (Some(second.unwrap_or(first)), rest)
        };
        self.suffix(last, rest)
    }

    /// Reads the operands in a bracket.
    fn inside(&mut self, mut text: &str, optional: bool) -> Result<Vec<usize>, String> {
        let mut inside = Vec::new();
        text = text.trim();
        while !text.is_empty() {
            if let Some(inner) = text.strip_prefix("{,") {
                let (name, after) = inner.split_once('}').ok_or("`{` without `}`")?;
                inside.push(self.operand(name, true)?);
                text = after.trim_start();
                text = text.strip_prefix(',').unwrap_or(text).trim_start();
            } else {
                let (operand, after) = self.single(text, optional)?;
                inside.push(operand);
                text = after.trim_start();
                text = text.strip_prefix(',').unwrap_or(text).trim_start();
            }
        }
        if inside.is_empty() { Err("there is nothing in the brackets".to_owned()) } else { Ok(inside) }
    }

    /// Reads an operand with its sign, or one that is written as elements in braces.
    fn single<'t>(&mut self, text: &'t str, optional: bool) -> Result<(usize, &'t str), String> {
        let text = text.trim_start();
        if let Some(inner) = text.strip_prefix("{!}").or_else(|| text.strip_prefix("{-}")) {
            let (operand, rest) = self.single(inner, optional)?;
            self.operands[operand].sign = text[1..].chars().next();
            return Ok((operand, rest));
        }
        if let Some(inner) = text.strip_prefix('{') {
            let (names, after) = inner.split_once('}').ok_or("`{` without `}`")?;
            let operand = self.operand(names.split_once(',').map_or(names, |(first, _)| first), optional)?;
            self.operands[operand].elements = Some(names.split(',').count());
            return Ok((operand, after.trim_start()));
        }
        let end = text.find([',', '{', '[', ']', '|', '.', ')']).unwrap_or(text.len());
        Ok((self.operand(&text[..end], optional)?, text[end..].trim_start()))
    }

    /// Reads a suffix, and returns what follows it.
    fn suffix<'t>(&mut self, operand: Option<usize>, text: &'t str) -> Result<&'t str, String> {
        let text = text.trim_start();
        let (name, rest, optional) = match (text.strip_prefix("{."), text.strip_prefix('.')) {
            (Some(inner), _) => {
                let (name, rest) = inner.split_once('}').ok_or("`{` without `}`")?;
                (name, rest, true)
            }
            (None, Some(inner)) => {
                let end = inner.find([',', '{', ' ']).unwrap_or(inner.len());
                (&inner[..end], &inner[end..], false)
            }
            (None, None) => return Ok(text),
        };
        let operand = operand.ok_or("a suffix without an operand")?;
        self.suffixes.push(NotedSuffix { operand, name: word(name.trim())?, optional });
        Ok(rest.trim_start())
    }

    fn operand(&mut self, name: &str, optional: bool) -> Result<usize, String> {
        let name = name.trim();
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_') {
            return Err(format!("`{name}` is not an operand's name"));
        }
        if self.operands.iter().any(|known| known.name == name) {
            return Err(format!("the operand `{name}` appears twice"));
        }
        self.operands.push(NotedOperand { name: name.to_owned(), optional, sign: None, elements: None });
        Ok(self.operands.len() - 1)
    }
}

/// The byte of the bracket that closes the one before the text.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            if depth == 0 {
                return Some(at);
            }
            depth -= 1;
        }
    }
    None
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
    let fine = !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':' | b'-'));
    if fine { Ok(text.to_owned()) } else { Err(format!("`.{text}` is not a modifier")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manuals_notation_is_read() {
        let line = "ld{.weak}.{ca,cg}{.level::hint}.type  d, [a]{.unified}{, cache-policy};";
        let syntax = Syntax::parse(line, "ld", |_| false).expect("a line");
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
        let operands: Vec<_> = syntax.operands.iter().map(|of| (of.name.as_str(), of.optional)).collect();
        assert_eq!(operands, [("d", false), ("a", false), ("cache-policy", true)]);
        assert_eq!(syntax.pattern, [Pattern::Operand(0), Pattern::Bracket(vec![1]), Pattern::Operand(2)]);
        assert_eq!(syntax.suffixes, [NotedSuffix { operand: 1, name: "unified".to_owned(), optional: true }]);
    }

    #[test]
    fn operands_have_signs_suffixes_halves_elements_and_parentheses() {
        let parse = |line| Syntax::parse(line, "x.y", |name| ["j", "k"].contains(&name));
        let syntax =
            parse("x.y.z{.w} p[|q], {!}c{.sel}, {a, b}, (l), d|e{, [f{, g}]}, h.s{, i}, {j, k};").expect("a line");
        assert_eq!((syntax.opcode.as_str(), syntax.modifiers.len()), ("x.y", 2));
        let operands: Vec<_> =
            syntax.operands.iter().map(|of| (of.name.as_str(), of.optional, of.sign, of.elements)).collect();
        let plain = |name, optional| (name, optional, None, None);
        assert_eq!(
            operands,
            [
                plain("p", false),
                plain("q", true),
                ("c", false, Some('!'), None),
                ("a", false, None, Some(2)),
                plain("l", false),
                plain("d", false),
                plain("e", false),
                plain("f", true),
                plain("g", true),
                plain("h", false),
                plain("i", true),
                plain("j", false),
                plain("k", false)
            ]
        );
        assert_eq!(
            syntax.pattern,
            [
                Pattern::Pair(0, 1),
                Pattern::Operand(2),
                Pattern::Operand(3),
                Pattern::List(4),
                Pattern::Pair(5, 6),
                Pattern::Bracket(vec![7, 8]),
                Pattern::Operand(9),
                Pattern::Operand(10),
                Pattern::Braces(vec![11, 12])
            ]
        );
        let suffixes: Vec<_> = syntax.suffixes.iter().map(|of| (of.operand, of.name.as_str(), of.optional)).collect();
        assert_eq!(suffixes, [(2, "sel", true), (9, "s", false)]);
        assert_eq!(parse("trap;").expect("a line").operands, []);
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
            ("suld.b d, [];", "nothing"),
            ("suld.b d e;", "operand's name"),
        ] {
            let error = Syntax::parse(line, "suld", |_| false).expect_err(line);
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
