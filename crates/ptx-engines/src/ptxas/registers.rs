//! The registers that a module needs. A module with few lines is read in a sixth of the time without the 250 registers
//! of the other lines of its batch.

use std::ops::Range;

use rustc_hash::FxHashMap;

/// The declarations of a batch in which the registers are known.
pub(super) struct DeclaredRegisters<'a> {
    parts: Vec<Part<'a>>,
    names: Vec<&'a str>,
    positions: FxHashMap<&'a str, usize>,
}

/// A part of the declarations.
enum Part<'a> {
    /// It stays as it is.
    Kept(&'a str),
    /// `.reg .b32`, and the positions of the names.
    Registers(&'a str, Range<usize>),
}

impl<'a> DeclaredRegisters<'a> {
    /// The registers in declarations (`.reg .b32 a, b;`) that consist of one text line. None if the text may mean
    /// something else than it says: it has comments or texts in quotes, or a name twice.
    pub(super) fn of(declarations: &'a str) -> Option<Self> {
        if declarations.contains(['"', '\n']) || declarations.contains("/*") || declarations.contains("//") {
            return None;
        }
        let mut registers = Self { parts: Vec::new(), names: Vec::new(), positions: FxHashMap::default() };
        for statement in declarations.split_inclusive(';') {
            let part = registers.part(statement)?;
            registers.parts.push(part);
        }
        Some(registers)
    }

    fn part(&mut self, statement: &'a str) -> Option<Part<'a>> {
        let Some((head, names)) = register_list(statement) else { return Some(Part::Kept(statement)) };
        let start = self.names.len();
        for name in names.split(',').map(str::trim) {
            if self.positions.insert(name, self.names.len()).is_some() {
                return None;
            }
            self.names.push(name);
        }
        Some(Part::Registers(head, start..self.names.len()))
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The declarations without the registers that these lines do not name; never empty, so that they remain a text line.
    /// None if a line may declare a range of names (`%r<5>`), which another declaration would contradict.
    pub(super) fn needed(&self, lines: &[&str]) -> Option<String> {
        if lines.iter().any(|line| line.contains('<')) {
            return None;
        }
        let mut used = vec![false; self.names.len()];
        let separates = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%'));
        for word in lines.iter().flat_map(|line| line.split(separates)) {
            if let Some(&position) = self.positions.get(word) {
                used[position] = true;
            }
        }
        let mut text = String::from(" ");
        for part in &self.parts {
            match part {
                Part::Kept(kept) => text.push_str(kept),
                Part::Registers(head, names) => {
                    let names: Vec<&str> = names.clone().filter(|&at| used[at]).map(|at| self.names[at]).collect();
                    if !names.is_empty() {
                        text.extend([head, " ", &names.join(", "), "; "]);
                    }
                }
            }
        }
        Some(text)
    }
}

/// `.reg .b32` and `a, b` of `.reg .b32 a, b;`; none if it is another statement, or has other names than plain ones.
fn register_list(statement: &str) -> Option<(&str, &str)> {
    let statement = statement.trim_start().strip_suffix(';')?;
    let rest = statement.strip_prefix(".reg ")?;
    let types = rest.split(' ').take_while(|word| word.starts_with('.')).map(|word| word.len() + 1).sum::<usize>();
    let (head, names) = (statement.get(..".reg ".len() + types)?, rest.get(types..)?);
    let plain = |name: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%');
        !name.is_empty() && name.bytes().all(plain)
    };
    names.split(',').all(|name| plain(name.trim())).then_some((head.trim_end(), names))
}

#[cfg(test)]
mod tests {
    use super::DeclaredRegisters;

    #[test]
    fn only_the_registers_of_the_lines_are_declared() {
        let text = ".reg .b32 %a, %b; .reg .v2 .b8 %v; .local .b32 l; .reg .pred %p; .reg .b32 %r<5>; { .reg .b64 %w;";
        let registers = DeclaredRegisters::of(text).expect("registers");
        assert_eq!(registers.len(), 4);
        let rest = " .local .b32 l; .reg .b32 %r<5>; { .reg .b64 %w;";
        assert_eq!(registers.needed(&["nop;"]), Some(format!(" {rest}")));
        let needed = registers.needed(&["@!%p mov.b32 %b, %v.x;", "x %bb;"]).expect("declarations");
        assert!(needed.starts_with(" .reg .b32 %b; .reg .v2 .b8 %v;  .local .b32 l;.reg .pred %p; "), "{needed}");
        assert_eq!(registers.needed(&[".reg .b32 %a<3>;"]), None);
    }

    #[test]
    fn a_text_with_surprises_is_left_alone() {
        for text in [".reg .b32 a, a;", ".reg .b32 a; // b", ".reg .b32 a; .pragma \"x;y\";", ".reg .b32 a; /* ; */"] {
            assert!(DeclaredRegisters::of(text).is_none(), "{text}");
        }
        assert_eq!(DeclaredRegisters::of("").map(|registers| registers.len()), Some(0));
    }
}
