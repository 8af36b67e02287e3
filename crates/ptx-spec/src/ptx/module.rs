//! Module text: a scaffold of declarations around lines that are asked about.

use std::fmt::Write as _;

use crate::environment::{AddressSize, Environment};

/// Where a line stands: in an entry (a kernel) or in a device function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Context {
    /// In the body of an `.entry`.
    #[default]
    Entry,
    /// In the body of a `.func`.
    Function,
}

/// Everything of a module but the lines asked about.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scaffold {
    /// Declarations at module scope, each ending in `;`.
    pub globals: String,
    /// Whether the lines stand in an entry or a function.
    pub context: Context,
    /// The parameters of the entry or function, separated by commas.
    pub parameters: String,
    /// Registers and local variables, each ending in `;`.
    pub locals: String,
    /// A module with a `.unified` variable can only be assembled separately (`--compile-only`).
    pub separate: bool,
}

impl Scaffold {
    /// A whole module whose entry or function is called `name`, and the number (from 1) of the
    /// text line on which the first of `lines` stands. Each of `lines` is one text line.
    pub fn module(&self, environment: &Environment, name: &str, lines: &[&str]) -> (String, usize) {
        let mut text = format!(".version {}\n.target {}\n", environment.ptx, environment.target);
        let mut put = |part: &str| {
            text.push_str(part);
            text.push('\n');
        };
        if environment.ptx >= AddressSize::SINCE {
            put(&format!(".address_size {}", environment.address_size));
        }
        for declaration in [&self.globals, &self.header(name), &self.locals] {
            if !declaration.is_empty() {
                put(declaration);
            }
        }
        let first = 1 + text.bytes().filter(|&b| b == b'\n').count();
        text.reserve(lines.iter().map(|line| line.len() + 1).sum());
        for line in lines {
            text.push_str(line);
            text.push('\n');
        }
        text.push_str("ret;\n}\n");
        (text, first)
    }

    /// A scaffold of a text of declarations: what stands before the header of an entry or function,
    /// the header's parameters, and what stands behind it. Without a header, all are registers and
    /// local variables of an entry.
    pub fn from_declarations(text: &str) -> Self {
        let mut scaffold = Self { separate: text.contains(".unified"), ..Self::default() };
        let header = [(".entry", Context::Entry), (".func", Context::Function)]
            .into_iter()
            .filter_map(|(word, context)| text.find(word).map(|at| (at, context)))
            .min_by_key(|(at, _)| *at);
        let opening = header.and_then(|(at, _)| text[at..].find('{').map(|end| at + end));
        let (Some((at, context)), Some(open)) = (header, opening) else {
            scaffold.locals = one_line(text);
            return scaffold;
        };
        let head = &text[at..open];
        scaffold.context = context;
        scaffold.globals = one_line(text[..at].trim_end().trim_end_matches(".visible"));
        scaffold.locals = one_line(&text[open + 1..]);
        if let (Some(start), Some(end)) = (head.find('('), head.rfind(')')) {
            scaffold.parameters = one_line(head.get(start + 1..end).unwrap_or_default());
        }
        scaffold
    }

    /// The declarations as one text: what stands between the module's directives and a line.
    pub fn declarations(&self) -> String {
        let parts = [self.globals.as_str(), &self.header("k"), &self.locals];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// `.entry name(parameters) {`
    fn header(&self, name: &str) -> String {
        let mut header = match self.context {
            Context::Entry => format!(".entry {name}"),
            Context::Function => format!(".func {name}"),
        };
        if !self.parameters.is_empty() {
            // Writing to a String cannot fail.
            let _ = write!(header, "({})", self.parameters);
        }
        header.push_str(" {");
        header
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
