//! Cases as files: a module that an assembler accepts as it is, with notes in comments.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::directive;
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
    /// Everything before the line.
    pub scaffold: Scaffold,
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
    /// Where the module has the directive, if the case is about one.
    pub directive: Option<DirectiveLine>,
}

/// A directive of a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DirectiveLine {
    /// The id of its form.
    pub form: String,
    /// The number of its text line, from 1.
    pub line: usize,
}

/// The reason why a text is not a case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StoredError(String);

/// The first words of a stored case.
const HEAD: &str = "// ptx-conform case ";
/// The first words of the comment that says where a case has its directive.
const DIRECTIVE: &str = "// directive: ";
/// The comment of cases that need code generation.
const GENERATE: &str = "// depth: generate";

impl Stored {
    /// Reads a module: directives, declarations, and one line of a specified instruction, or the directive that a comment
    /// names.
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
        let environment = Environment { ptx, target, address_size };
        if let Some(id) = &id
            && *id != super::id(&module)
        {
            return Err(StoredError(format!("the text is not that of case {id}: it is {}", super::id(&module))));
        }
        if let Some(words) = text.lines().find_map(|line| line.strip_prefix(DIRECTIVE)) {
            let directive = DirectiveLine::parse(words)
                .ok_or_else(|| error("its comment on the directive does not name a form and a line"))?;
            let (scaffold, line) = Scaffold::around(&module, directive.line)
                .ok_or_else(|| StoredError(format!("its module has no line {}", directive.line)))?;
            let line = line.to_owned();
            return Ok(Self {
                environment,
                scaffold,
                line,
                rest: String::new(),
                depth,
                id,
                module,
                directive: Some(directive),
            });
        }
        let found = read
            .instructions
            .iter()
            .find(|placed| spec.instruction_of(placed.line.opcode, &placed.line.modifiers).is_some());
        let found = found.ok_or_else(|| error("it has no line of a specified instruction"))?;
        let behind = read.instructions.iter().filter(|placed| placed.at > found.at && placed.scope == found.scope);
        let rest: Vec<&str> =
            behind.take_while(|placed| placed.line.opcode != "ret").map(|placed| placed.text).collect();
        Ok(Self {
            environment,
            scaffold: Scaffold::from_declarations(&read.declarations(found)),
            line: found.text.to_owned(),
            rest: rest.join(" "),
            depth,
            id,
            module,
            directive: None,
        })
    }

    /// The text of a case: its module, with its id and notes as comments.
    pub fn print(module: &str, depth: Depth, directive: Option<&DirectiveLine>, known: &[(&str, String)]) -> String {
        let mut text = format!("{HEAD}{}\n", super::id(module));
        for (name, words) in known {
            words.lines().for_each(|line| text.push_str(&format!("// {name}: {line}\n")));
        }
        if let Some(DirectiveLine { form, line }) = directive {
            text.push_str(&format!("{DIRECTIVE}{form}, line {line}\n"));
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
        if let Some(DirectiveLine { form, .. }) = &self.directive {
            let of =
                |directive: &'s Instruction| Some((directive, directive.forms.iter().position(|f| f.id == *form)?));
            let found = spec.directives.iter().find_map(of);
            let (directive, form) = found.ok_or_else(|| StoredError(format!("`{form}` has no specification")))?;
            let reading = directive::read_case(spec, &self.environment, &self.module, directive, form);
            return reading.map(|reading| (directive, reading)).map_err(StoredError);
        }
        let judge = Judge::new(spec, &self.environment).map_err(|why| StoredError(why.to_string()))?;
        let declarations = Declarations::parse(&self.scaffold.declarations(), &spec.isa)
            .map_err(|why| StoredError(why.to_string()))?;
        let line = Line::parse(&self.line).map_err(|why| StoredError(format!("`{}`: {why}", self.line)))?;
        let unknown = || StoredError(format!("`{}` has no specification", self.line));
        judge.read(&line, &declarations).ok_or_else(unknown)
    }
}

impl DirectiveLine {
    /// Reads the words `variable.module, line 4`.
    fn parse(words: &str) -> Option<Self> {
        let (form, line) = words.trim().split_once(", line ")?;
        Some(Self { form: form.to_owned(), line: line.parse().ok()? })
    }
}
