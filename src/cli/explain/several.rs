//! Text of several statements: blocks, declarations, directives, whole modules. It is put into a module and checked.

use std::collections::BTreeSet;
use std::ops::Range;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use ptx_conform::check::{
    CheckedFile, Checker, Details, Diagnostic, DiagnosticSeverity, SmallestHeader, smallest_header,
};
use ptx_conform::environment::Environment;
use ptx_conform::ptx::{Declarations, Lexer, Line, Module, Scaffold, TokenKind, Walk, WalkStep};
use ptx_conform::spec::{Instruction, Spec};

use super::assume;
use super::pasted::PastedText;
use crate::cli::check::{diagnostic, summary};
use crate::cli::output;
use crate::cli::place::Lines;

/// The name of the text in diagnostics.
const NAME: &str = "<text>";

/// How the text of a command is judged.
pub(super) struct TextQuestion<'a> {
    pub(super) spec: &'a Spec,
    pub(super) text: &'a str,
    pub(super) environment: Environment,
    /// True if the target was given.
    pub(super) names_target: bool,
    /// True if anything of the environment was given.
    pub(super) names_environment: bool,
    /// The declarations that were given.
    pub(super) declarations: Option<String>,
    /// The text as it was pasted, if it is inline assembly.
    pub(super) pasted: &'a PastedText,
}

/// Where in a module a text stands, by its first word that tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextLevel {
    /// It is a module.
    Module,
    /// It has entries or functions, and no header.
    Definitions,
    /// It stands in a body.
    Body,
}

/// True if a text is more than one instruction: it has blocks, labels, declarations or directives.
pub(super) fn is_several(text: &str) -> bool {
    let mut words = Lexer::new(text);
    let first = words.next().map_or("", |token| token.text);
    let second = words.next().map_or("", |token| token.text);
    first.starts_with(['.', '{']) || second == ":"
}

impl TextQuestion<'_> {
    /// Prints what is wrong with each statement, and in which environment all of them are right.
    pub(super) fn answer(self) -> anyhow::Result<ExitCode> {
        let level = level(self.text);
        if self.declarations.is_some() && level != TextLevel::Body {
            bail!(
                "--declarations is for text that stands in a body, and this has entries, functions or a header of its own"
            );
        }
        if self.names_environment && level == TextLevel::Module {
            bail!(
                "a module says itself what it is made for: leave out --ptx, --target and --address-size, or its header"
            );
        }
        let assumed = match (&self.declarations, level) {
            (None, TextLevel::Body) => assumed(self.spec, self.text, self.pasted, &self.environment),
            _ => String::new(),
        };
        let declarations = &self.pasted.declared(self.declarations.as_deref().unwrap_or(&assumed));
        Declarations::parse(declarations, &self.spec.isa).context("--declarations")?;
        let styled = output::color(&std::io::stdout());
        let mut asked = ExplainedModule::new(level, self.text, declarations, self.environment);
        if !self.names_target && level != TextLevel::Module {
            asked = self.where_it_breaks_less(asked, level, declarations);
        }
        let checked = asked.check(self.spec);
        let lines = Lines::new(self.text);
        let mut text = String::new();
        for found in &checked.diagnostics {
            let details = asked.moved_details(found, found.details(self.spec));
            text += &diagnostic(NAME, self.text, &lines, &asked.moved(found), &details, styled);
        }
        text += &summary::of_file(&checked.counts);
        text += &format!("  needs {}\n", needs(self.spec, &checked));
        text += &match level {
            TextLevel::Module => "  judged in what its header says\n".to_owned(),
            _ => format!("  judged in {}\n", asked.environment),
        };
        if let Some(says) = &self.pasted.says {
            text += &format!("  inline {says}\n");
        }
        if !assumed.is_empty() {
            text += &format!(" assumed {assumed}\n");
        }
        if checked.counts.errors > 0 && (self.pasted.is_chosen || !assumed.is_empty()) {
            text += "         declare the names with --declarations if this is wrong\n";
        }
        output::print_painted(&text)?;
        let incomplete = checked.counts.unread > 0 || checked.counts.unjudged > 0 || checked.counts.unknown() > 0;
        Ok(match (checked.counts.errors > 0, incomplete) {
            (true, _) => ExitCode::from(1),
            (false, true) => ExitCode::from(2),
            (false, false) => ExitCode::SUCCESS,
        })
    }

    /// The text in the newest architecture or family target in which fewer statements are wrong: what only such targets
    /// have is not wrong because plain ones lack it.
    fn where_it_breaks_less(&self, given: ExplainedModule, level: TextLevel, declarations: &str) -> ExplainedModule {
        let errors = |of: &ExplainedModule| of.check(self.spec).counts.errors;
        let (mut best, mut fewest) = (errors(&given), given);
        for target in self.spec.isa.suffixed_targets(self.environment.ptx) {
            if best == 0 {
                break;
            }
            let other =
                ExplainedModule::new(level, self.text, declarations, Environment { target, ..self.environment });
            let found = errors(&other);
            if found < best {
                (best, fewest) = (found, other);
            }
        }
        fewest
    }
}

/// Declarations of the names that a text uses and does not declare, but for the operands of inline assembly.
fn assumed(spec: &Spec, text: &str, pasted: &PastedText, environment: &Environment) -> String {
    let module = Module::read_inside(text, &spec.isa, &Declarations::default());
    let mut used: Vec<(Line<'_>, &Instruction)> = Vec::new();
    let mut declared: BTreeSet<&str> = pasted.names();
    for body in &module.bodies {
        let mut walk = Walk::new(&module, &spec.isa, body);
        while let Some(step) = walk.next_step() {
            let WalkStep::Instruction(line, at) = step else { continue };
            let words = Lexer::new(&text[at]).filter(|token| token.kind == TokenKind::Word);
            declared.extend(words.map(|token| token.text).filter(|name| walk.declarations().symbol(name).is_some()));
            if let Some(instruction) = spec.instruction_of(line.opcode, &line.modifiers) {
                used.push((line, instruction));
            }
        }
    }
    let lines: Vec<(&Line<'_>, &Instruction)> = used.iter().map(|(line, of)| (line, *of)).collect();
    assume::declarations(&spec.isa, &lines, &declared, environment)
}

/// The wrong statements of inline assembly, with these declarations or those that are assumed.
pub(super) fn wrong_statements(
    spec: &Spec,
    pasted: &PastedText,
    environment: Environment,
    given: Option<&str>,
) -> Vec<String> {
    let level = level(&pasted.text);
    let others = given.map_or_else(|| assumed(spec, &pasted.text, pasted, &environment), str::to_owned);
    let asked = ExplainedModule::new(level, &pasted.text, &pasted.declared(&others), environment);
    let found = asked.check(spec).diagnostics.into_iter();
    let errors = found.filter(|diagnostic| diagnostic.severity == DiagnosticSeverity::Error);
    errors.map(|diagnostic| asked.module[diagnostic.at].to_owned()).collect()
}

/// Where a text stands.
fn level(text: &str) -> TextLevel {
    let has = |words: &[&str]| Lexer::new(text).any(|token| words.contains(&token.text));
    match (has(&[".version"]), has(&[".entry", ".func"])) {
        (true, _) => TextLevel::Module,
        (false, true) => TextLevel::Definitions,
        (false, false) => TextLevel::Body,
    }
}

/// The smallest header of a text, in words.
fn needs(spec: &Spec, checked: &CheckedFile<'_>) -> String {
    match smallest_header(spec, checked) {
        SmallestHeader::Found { ptx, target, .. } => format!("PTX {ptx} and {target}"),
        SmallestHeader::Nowhere(_) => "what no version and target have: a statement is valid nowhere".to_owned(),
        SmallestHeader::Conflict(_) => "what no version and target have together".to_owned(),
    }
}

/// A text in a module.
struct ExplainedModule {
    module: String,
    /// The bytes of the text.
    at: Range<usize>,
    environment: Environment,
}

impl ExplainedModule {
    fn new(level: TextLevel, text: &str, declarations: &str, environment: Environment) -> Self {
        let scaffold = match level {
            TextLevel::Body => Scaffold::from_declarations(declarations),
            TextLevel::Definitions | TextLevel::Module => Scaffold::default(),
        };
        let (whole, first) = scaffold.module(&environment, "explained", &[]);
        let start = Scaffold::line_start(&whole, first);
        // The scaffold has an entry and a last instruction, which only text of a body is put between.
        let (before, after) = match level {
            TextLevel::Module => ("", ""),
            TextLevel::Definitions => (whole.split(".entry").next().unwrap_or_default(), ""),
            TextLevel::Body => (&whole[..start], whole[start..].strip_prefix("ret;").unwrap_or(&whole[start..])),
        };
        let at = before.len()..before.len() + text.len();
        Self { module: format!("{before}{text}{after}"), at, environment }
    }

    fn check<'a>(&'a self, spec: &'a Spec) -> CheckedFile<'a> {
        Checker { spec, limit: usize::MAX, remark: None, tolerated: None, sample: true }.check(&self.module)
    }

    /// The part of the text that is a part of the module; the end or the beginning of the text for one outside of it.
    fn inside(&self, part: &Range<usize>) -> Range<usize> {
        let byte = |byte: usize| byte.clamp(self.at.start, self.at.end) - self.at.start;
        byte(part.start)..byte(part.end)
    }

    fn moved(&self, found: &Diagnostic<'_>) -> Diagnostic<'static> {
        found.moved(self.inside(&found.at))
    }

    fn moved_details(&self, found: &Diagnostic<'_>, mut details: Details) -> Details {
        if found.at.start < self.at.start || self.at.end < found.at.start {
            details.notes.insert(0, format!("this is about the declarations: `{}`", &self.module[found.at.clone()]));
        }
        details.parts.iter_mut().for_each(|part| part.at = self.inside(&part.at));
        details
    }
}
