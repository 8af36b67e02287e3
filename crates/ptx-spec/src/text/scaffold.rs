//! Module text: a scaffold of declarations around lines that are asked about.

use std::fmt::Write as _;

use super::lexer::Lexer;
use super::statement::{Statement, Statements};
use super::uncommented::uncommented;
use crate::environment::{AddressSize, Environment};

/// The context of a line: an entry (a kernel) or a device function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum Context {
    /// In the body of an `.entry`.
    #[default]
    Entry,
    /// In the body of a `.func`.
    Function,
    /// In the module, outside of all bodies.
    Module,
    /// At the beginning of the module, in place of the directive that it is.
    Header,
}

impl Context {
    /// True if lines are outside of all bodies.
    pub fn outside(self) -> bool {
        matches!(self, Self::Module | Self::Header)
    }
}

/// The directives that a module begins with, in their order.
const HEADER: [&str; 3] = [".version", ".target", ".address_size"];

/// Everything in a module except the lines asked about.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Scaffold {
    /// Declarations at module scope, each ending in `;`.
    pub globals: String,
    /// The surroundings of the lines.
    pub context: Context,
    /// The results of the function, separated by commas.
    pub results: String,
    /// The parameters of the entry or function, separated by commas.
    pub parameters: String,
    /// Registers and local variables, each ending in `;`. `{` opens a block, which ends after the lines.
    pub locals: String,
    /// The options of `.target`, separated by commas.
    pub options: String,
    /// A module with a `.unified` variable can only be assembled separately (`--compile-only`).
    pub separate: bool,
    /// True if each line is alone in its module, of which it may declare names.
    pub alone: bool,
}

impl Scaffold {
    /// A whole module whose entry or function is called `name`, and the number (from 1) of the text line
    /// with the first of `lines`. Each of `lines` is one text line.
    pub fn module(&self, environment: &Environment, name: &str, lines: &[&str]) -> (String, usize) {
        if self.context.outside() {
            return self.outside(environment, lines);
        }
        let options = if self.options.is_empty() { String::new() } else { format!(", {}", self.options) };
        let mut text = format!(".version {}\n.target {}{options}\n", environment.ptx, environment.target);
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
        text.push_str("ret;\n");
        let braces = |brace: char| self.locals.matches(brace).count();
        // The blocks that the declarations open, and the body.
        text.push_str(&"}".repeat(braces('{').saturating_sub(braces('}')) + 1));
        text.push('\n');
        // A function that is only declared gets an empty body.
        for prototype in prototypes(&self.globals) {
            text.push_str(prototype);
            text.push_str(" { ret; }\n");
        }
        (text, first)
    }

    /// The byte at which a text line of such a module begins, by its number from 1.
    pub fn line_start(module: &str, number: usize) -> usize {
        module.split_inclusive('\n').take(number.saturating_sub(1)).map(str::len).sum()
    }

    /// A module whose lines are outside of all bodies; those of a header stand for the directives that they are.
    fn outside(&self, environment: &Environment, lines: &[&str]) -> (String, usize) {
        let options = if self.options.is_empty() { String::new() } else { format!(", {}", self.options) };
        let values = [
            environment.ptx.to_string(),
            format!("{}{options}", environment.target),
            environment.address_size.to_string(),
        ];
        let mut text = String::new();
        let mut first = None;
        for (at, (word, value)) in HEADER.iter().zip(values).enumerate() {
            let is_of = |line: &&&str| self.context == Context::Header && line.starts_with(word);
            match lines.iter().find(is_of) {
                Some(line) => {
                    first = Some(1 + text.matches('\n').count());
                    text.push_str(line);
                }
                None if at == 2 && environment.ptx < AddressSize::SINCE => continue,
                None => text.extend([word, " ", &value]),
            }
            text.push('\n');
        }
        for object in Some(&self.globals).into_iter().filter(|globals| !globals.is_empty()) {
            text.push_str(object);
            text.push('\n');
        }
        let first = first.unwrap_or_else(|| {
            let first = 1 + text.matches('\n').count();
            lines.iter().for_each(|line| text.extend([line, "\n"]));
            first
        });
        (text, first)
    }

    /// The scaffold of one text line of such a module, by its number from 1, and the line: as much before it as is written
    /// again. `None` if the module has no such line.
    pub fn around(module: &str, number: usize) -> Option<(Self, &str)> {
        let lines: Vec<&str> = module.lines().collect();
        let at = number.checked_sub(1).filter(|at| *at < lines.len())?;
        let is_header = |line: &&&str| HEADER.iter().any(|word| line.starts_with(word));
        let header = lines.iter().take_while(is_header).count();
        let target = lines[..header].iter().find(|line| line.starts_with(".target"));
        let options = target.and_then(|line| line.split_once(',')).map_or("", |(_, options)| options.trim());
        let before = lines[header.min(at)..at].join(" ");
        let mut scaffold = Self::from_declarations(&before);
        let braces = |brace: char| before.matches(brace).count();
        if at < header {
            let globals = lines[header..].join(" ");
            scaffold = Self { context: Context::Header, globals, ..Self::default() };
        } else if braces('{') == braces('}') {
            scaffold = Self { context: Context::Module, globals: before, ..Self::default() };
        }
        scaffold.separate = Lexer::new(module).any(|token| token.text == ".unified");
        options.clone_into(&mut scaffold.options);
        Some((scaffold, lines[at]))
    }

    /// A scaffold from a text of declarations: the part before the header of an entry or function, the
    /// header's parameters, and the part after it. Without a header, all are registers and local variables
    /// of an entry. Text that cannot be read is kept.
    pub fn from_declarations(text: &str) -> Self {
        let unified = Lexer::new(text).any(|token| token.text == ".unified");
        let mut scaffold = Self { separate: unified, ..Self::default() };
        let part = |text: &str| one_line(&uncommented(text));
        let mut statements = Statements::of_part(text);
        // The part before it has been dealt with.
        let mut before = 0;
        loop {
            let start = statements.at();
            match statements.next_statement() {
                Ok(Some(Statement::Directive(".target", all))) => {
                    all[".target".len()..].trim().clone_into(&mut scaffold.options);
                    before = statements.end();
                }
                Ok(Some(Statement::Header(header))) if !header.prototype => {
                    scaffold.context = if header.function { Context::Function } else { Context::Entry };
                    scaffold.globals = part(&text[before..start]);
                    scaffold.results = part(header.results);
                    scaffold.parameters = part(header.parameters);
                    let after = &text[statements.end()..];
                    scaffold.locals = part(after.trim_start().strip_prefix('{').unwrap_or(after));
                    return scaffold;
                }
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => {
                    scaffold.locals = part(&text[before..]);
                    return scaffold;
                }
            }
        }
    }

    /// The declarations as the text between the module's directives and a line.
    pub fn declarations(&self) -> String {
        let options = if self.options.is_empty() { String::new() } else { format!(".target {}", self.options) };
        let parts = [options.as_str(), &self.globals, &self.header("k"), &self.locals];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// `.entry name(parameters) {`
    fn header(&self, name: &str) -> String {
        let mut header = match self.context {
            Context::Module | Context::Header => return String::new(),
            Context::Entry => format!(".entry {name}"),
            Context::Function if self.results.is_empty() => format!(".func {name}"),
            Context::Function => format!(".func ({}) {name}", self.results),
        };
        if !self.parameters.is_empty() {
            // Writing to a String cannot fail.
            let _ = write!(header, "({})", self.parameters);
        }
        header.push_str(" {");
        header
    }
}

/// The headers of the functions that a text declares without a body, and that no other module has.
fn prototypes(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    if !text.contains(".func") {
        return found;
    }
    let mut statements = Statements::of_part(text);
    while let Ok(Some(statement)) = statements.next_statement() {
        if let Statement::Header(header) = statement
            && header.prototype
            && !header.text.starts_with(".extern")
        {
            found.push(header.text);
        }
    }
    found
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
