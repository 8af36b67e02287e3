//! Cases as files: a module that an assembler accepts as it is, with notes in comments.

use crate::engine::Depth;
use crate::environment::{AddressSize, Environment};
use crate::judge::{Judge, Reading};
use crate::ptx::{Declarations, Line, Scaffold, SourceText, uncommented};
use crate::spec::{Instruction, Spec};

/// A case read from a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// PTX version, target and address size.
    pub environment: Environment,
    /// The text between the module's directives and the line.
    pub declarations: String,
    /// The line.
    pub line: String,
    /// The text after the line up to the end of the body: stores of its results.
    pub rest: String,
    /// How deep it is judged: with code or without.
    pub depth: Depth,
    /// The id in its first line, if it has one.
    pub id: Option<String>,
    /// Its module, without comments.
    pub module: String,
}

/// The reason why a text is not a case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StoredError(String);

/// The first words of a stored case.
const HEAD: &str = "// ptx-conform case ";
/// The comment of cases that need code generation.
const GENERATE: &str = "// depth: generate";

impl Stored {
    /// Reads a module: directives, declarations, and one line of a specified instruction.
    ///
    /// # Errors
    /// If something is missing, or if the text does not match its id.
    pub fn parse(text: &str, spec: &Spec) -> Result<Self, StoredError> {
        let error = |message: &str| StoredError(message.to_owned());
        let id = text.lines().find_map(|line| line.strip_prefix(HEAD)).map(|id| id.trim().to_owned());
        let depth = if text.lines().any(|line| line.trim() == GENERATE) { Depth::Generate } else { Depth::Check };
        let clean = uncommented(text);
        let module: String =
            clean.lines().map(str::trim).filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect();
        let wrong = |why: &dyn std::fmt::Display| StoredError(why.to_string());
        let read = SourceText::parse(&module).map_err(|why| StoredError(format!("{why} at byte {}", why.at)))?;
        let ptx = read.version.ok_or_else(|| error("there is no `.version`"))?;
        let ptx = ptx.parse().map_err(|why| wrong(&why))?;
        let target = read.target.ok_or_else(|| error("there is no `.target`"))?;
        let target = target.parse().map_err(|why| wrong(&why))?;
        let address_size = match read.address_size {
            Some(size) => size.parse::<AddressSize>().map_err(|why| wrong(&why))?,
            None => AddressSize::Bits32,
        };
        let found = read
            .instructions
            .iter()
            .find(|placed| spec.instruction_of(placed.line.opcode, &placed.line.modifiers).is_some());
        let found = found.ok_or_else(|| error("it has no line of a specified instruction"))?;
        let behind = read.instructions.iter().filter(|placed| placed.at > found.at && placed.scope == found.scope);
        let rest: Vec<&str> =
            behind.take_while(|placed| placed.line.opcode != "ret").map(|placed| placed.text).collect();
        if let Some(id) = &id
            && *id != super::id(&module)
        {
            return Err(StoredError(format!("the text is not that of case {id}: it is {}", super::id(&module))));
        }
        Ok(Self {
            environment: Environment { ptx, target, address_size },
            declarations: read.declarations(found),
            line: found.text.to_owned(),
            rest: rest.join(" "),
            depth,
            id,
            module,
        })
    }

    /// The text of a case: its module, with its id and notes as comments.
    pub fn print(module: &str, depth: Depth, known: &[(&str, String)]) -> String {
        let mut text = format!("{HEAD}{}\n", super::id(module));
        for (name, words) in known {
            words.lines().for_each(|line| text.push_str(&format!("// {name}: {line}\n")));
        }
        if depth == Depth::Generate {
            text.push_str(GENERATE);
            text.push('\n');
        }
        text + module
    }

    /// The reading of its line, and its instruction.
    ///
    /// # Errors
    /// If its environment, declarations or line cannot be read.
    pub fn read<'s>(&self, spec: &'s Spec) -> Result<(&'s Instruction, Reading), StoredError> {
        let judge = Judge::new(spec, &self.environment).map_err(|why| StoredError(why.to_string()))?;
        let declarations =
            Declarations::parse(&self.declarations, &spec.isa).map_err(|why| StoredError(why.to_string()))?;
        let line = Line::parse(&self.line).map_err(|why| StoredError(format!("`{}`: {why}", self.line)))?;
        let unknown = || StoredError(format!("`{}` has no specification", self.line));
        judge.read(&line, &declarations).ok_or_else(unknown)
    }

    /// Its declarations as a scaffold for other lines.
    pub fn scaffold(&self) -> Scaffold {
        Scaffold::from_declarations(&self.declarations)
    }
}
