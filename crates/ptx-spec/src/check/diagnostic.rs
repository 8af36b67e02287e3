//! Diagnostics: what is said about a place in a file.

use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

use crate::directive::DirectiveReading;
use crate::environment::Environment;
use crate::explain::ExplainedLine;
use crate::judge::{Judge, Needs, NoInstruction, Reading, UNKNOWN_OPCODE, needs, needs_in_words};
use crate::spec::{Instruction, Isa, Rule, RuleKind, Source, Spec, manual_page};
use crate::text::{Declarations, Lexer, Line, ProblemKind, TextProblem};
use crate::yaml::nearest;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DiagnosticSeverity {
    /// The file is not valid, or could not be judged.
    Error,
    /// The file may still be valid.
    Warning,
}

impl DiagnosticSeverity {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// An instruction of a file with its reading.
#[derive(Clone, Debug)]
pub struct CheckedLine<'a> {
    /// The text of the file.
    pub file: &'a str,
    /// Its bytes in the file.
    pub at: Range<usize>,
    /// The instruction.
    pub line: Line<'a>,
    /// The names that it uses.
    pub declarations: Declarations,
    /// Where it is judged.
    pub environment: Environment,
    /// The instruction that the line is of.
    pub instruction: &'a Instruction,
    /// Its form, its choices, and the rules that it breaks.
    pub reading: Reading,
    /// True if the line is only warned about although it breaks rules.
    pub tolerated: bool,
}

impl CheckedLine<'_> {
    /// Its text.
    pub fn text(&self) -> &str {
        &self.file[self.at.clone()]
    }

    /// The smallest versions and targets that it needs, the nearest to its own first.
    pub fn needs(&self, isa: &Isa) -> Vec<Needs> {
        needs(isa, &self.instruction.forms[self.reading.form], &self.reading)
    }
}

/// A directive of a file with its reading.
#[derive(Clone, Debug)]
pub struct CheckedDirective<'a> {
    /// The text of the file.
    pub file: &'a str,
    /// The directive, its form, its choices, and the rules that they break.
    pub read: DirectiveReading<'a>,
    /// Where it is judged.
    pub environment: Environment,
    /// True if the directive is only warned about although it breaks rules.
    pub tolerated: bool,
}

impl CheckedDirective<'_> {
    /// Its bytes in the file.
    pub fn at(&self) -> Range<usize> {
        self.read.at.clone()
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.file[self.read.at.clone()]
    }

    /// The smallest versions and targets that it needs, the nearest to its own first.
    pub fn needs(&self, isa: &Isa) -> Vec<Needs> {
        needs(isa, self.read.form(), &self.read.reading)
    }
}

/// Something about a place in a file.
#[derive(Clone, Debug)]
pub struct Diagnostic<'a> {
    /// How bad it is.
    pub severity: DiagnosticSeverity,
    /// The rule that is broken.
    pub rule: String,
    /// The bytes of the file.
    pub at: Range<usize>,
    /// The sentence of the rule, or what is wrong.
    pub message: String,
    /// Further notes.
    pub notes: Vec<String>,
    /// Advice, for a diagnostic that is not about a rule of an instruction.
    help: Option<String>,
    /// The anchor of the manual's page about it.
    anchor: Option<&'static str>,
    /// The parts of the file that it is about; without any, it is about `at`.
    parts: Vec<SourcePart>,
    /// The statement whose rule it is about, and the position of the rule in its form.
    subject: Option<(RuleSubject<'a>, usize)>,
}

/// A statement that has to do with a rule.
#[derive(Clone, Debug)]
enum RuleSubject<'a> {
    Line(Arc<CheckedLine<'a>>),
    Directive(Arc<CheckedDirective<'a>>),
}

/// A part of a file, and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePart {
    /// Its bytes.
    pub at: Range<usize>,
    /// The name of the part; may be empty.
    pub label: String,
}

/// The details of a diagnostic, which take time to find out: only those that are shown are asked for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// The parts of the file that break the rule.
    pub parts: Vec<SourcePart>,
    /// Further remarks.
    pub notes: Vec<String>,
    /// The heading on the manual's page.
    pub section: Option<String>,
    /// The manual's page.
    pub page: Option<String>,
    /// Advice: the nearest valid line, or the nearest opcode.
    pub help: Option<String>,
    /// The version and target that the line needs.
    pub needs: Option<Needs>,
}

impl<'a> Diagnostic<'a> {
    /// Something that is not about one rule of an instruction.
    pub(super) fn new(severity: DiagnosticSeverity, rule: &str, at: Range<usize>, message: impl Into<String>) -> Self {
        let (rule, message) = (rule.to_owned(), message.into());
        let (notes, parts) = (Vec::new(), Vec::new());
        Self { severity, rule, at, message, notes, help: None, anchor: None, parts, subject: None }
    }

    /// A warning of somebody who knows more of a file than the specification says.
    pub fn warning(rule: &str, at: Range<usize>, message: impl Into<String>) -> Self {
        Self::new(DiagnosticSeverity::Warning, rule, at, message)
    }

    /// An error of somebody who knows more of a file than the specification says.
    pub fn error(rule: &str, at: Range<usize>, message: impl Into<String>) -> Self {
        Self::new(DiagnosticSeverity::Error, rule, at, message)
    }

    /// The same at a place of another file; its details are those of the place before.
    pub fn moved(&self, at: Range<usize>) -> Diagnostic<'static> {
        Diagnostic::new(self.severity, &self.rule, at, self.message.clone())
    }

    /// The same about parts of the file: that which it is at, and others that have to do with it.
    #[must_use]
    pub fn with_parts(self, parts: Vec<SourcePart>) -> Self {
        Self { parts, ..self }
    }

    /// With the anchor of a page of the manual.
    pub(super) fn with_page(self, anchor: &'static str) -> Self {
        Self { anchor: Some(anchor), ..self }
    }

    /// The same with a further note.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    pub(super) fn with_help(self, help: Option<String>) -> Self {
        Self { help, ..self }
    }

    /// A line that is of no instruction.
    pub(super) fn of_no_instruction(none: &NoInstruction<'_, '_>, file: &str) -> Self {
        let new = Self::new(DiagnosticSeverity::Error, UNKNOWN_OPCODE, none.at(file), none.to_string());
        new.with_help(none.help()).with_page("instruction-statements")
    }

    /// A line that has to do with a rule of its form.
    pub(super) fn of_rule(severity: DiagnosticSeverity, line: &Arc<CheckedLine<'a>>, rule: usize) -> Self {
        let broken = &line.instruction.forms[line.reading.form].rules[rule];
        let new = Self::new(severity, &broken.id, line.at.clone(), broken.says.as_str());
        Self { subject: Some((RuleSubject::Line(Arc::clone(line)), rule)), ..new }
    }

    /// A directive that has to do with a rule of its form.
    pub(super) fn of_directive(severity: DiagnosticSeverity, of: &Arc<CheckedDirective<'a>>, rule: usize) -> Self {
        let broken = &of.read.form().rules[rule];
        let new = Self::new(severity, &broken.id, of.at(), broken.says.as_str());
        Self { subject: Some((RuleSubject::Directive(Arc::clone(of)), rule)), ..new }
    }

    /// A problem of the text.
    pub(super) fn of_problem(problem: &TextProblem<'_>, file: &str, strict: Option<&Spec>) -> Self {
        let at = problem.at.clone();
        match problem.kind {
            ProblemKind::Syntax(message) => {
                let (message, help) = of_syntax(message, &file[..at.start], &file[at.start..]);
                let new = Self::new(DiagnosticSeverity::Error, "isa/syntax", at, message).with_page("statements");
                new.with_help(help)
            }
            ProblemKind::Directive(name) if let Some(spec) = strict => {
                let message = format!("`{name}` is not a directive that can stand here");
                let known = spec.directives.iter().flat_map(|directive| &directive.forms);
                let words = known.filter_map(|form| form.template.as_ref()).flat_map(|template| &template.begins);
                let similar = nearest(name, words.map(String::as_str).filter(|word| *word != name));
                let help = similar.map(|word| format!("did you mean `{word}`?"));
                let new = Self::new(DiagnosticSeverity::Error, "isa/directive", at, message);
                new.with_page("directive-statements").with_help(help)
            }
            ProblemKind::Directive(name) => {
                let message = format!("`{name}` is not a directive that is known, and is skipped");
                Self::new(DiagnosticSeverity::Warning, "isa/directive", at, message).with_page("directive-statements")
            }
            ProblemKind::Twice(name) => {
                let message = format!("`{name}` is declared twice in one scope");
                Self::new(DiagnosticSeverity::Error, "isa/declared-twice", at, message).with_note(OBSERVED)
            }
        }
    }

    /// True if a part of the file is within what it is at.
    pub fn has(&self, part: &SourcePart) -> bool {
        self.at.start <= part.at.start && part.at.end <= self.at.end
    }

    /// All that is to be said.
    pub fn details(&self, spec: &Spec) -> Details {
        let notes = self.notes.clone();
        let page = self.anchor.map(manual_page);
        let plain = || {
            let (parts, notes, page, help) = (self.whole(), notes.clone(), page.clone(), self.help.clone());
            Details { parts, notes, page, help, ..Details::default() }
        };
        let (line, rule) = match &self.subject {
            None => return plain(),
            Some((RuleSubject::Directive(of), rule)) => return self.of_directives_rule(of, *rule, plain(), &spec.isa),
            Some((RuleSubject::Line(line), rule)) => (line, rule),
        };
        let Ok(judge) = Judge::new(spec, &line.environment) else { return plain() };
        let text = line.text();
        let explained = ExplainedLine {
            text,
            line: &line.line,
            judge: &judge,
            declarations: &line.declarations,
            environment: line.environment,
            instruction: line.instruction,
            reading: &line.reading,
        };
        let of_rule = &explained.form().rules[*rule];
        let needed = version_note(explained.needs(of_rule), of_rule, line, &spec.isa);
        let source = explained.source(of_rule);
        Details {
            parts: self.parts(&explained, *rule),
            notes: needed.into_iter().chain(explained.syntax(of_rule)).chain([source]).chain(notes).collect(),
            section: of_rule.section.clone(),
            page: (of_rule.source == Source::Manual).then(|| explained.form().page()),
            help: if self.severity == DiagnosticSeverity::Error { explained.instead(*rule) } else { None },
            needs: line.needs(&spec.isa).first().copied(),
        }
    }

    fn of_directives_rule(&self, of: &CheckedDirective<'_>, rule: usize, plain: Details, isa: &Isa) -> Details {
        let form = of.read.form();
        let rule = &form.rules[rule];
        let needs = of.needs(isa);
        let needed = matches!(rule.kind, RuleKind::NeedsPtx(_) | RuleKind::NeedsTarget(_));
        let note = (needed && !needs.is_empty()).then(|| {
            format!("it {}; judged in {}; all of it needs {}", rule.kind, of.environment, needs_in_words(&needs))
        });
        let observed = (rule.source == Source::Observed).then(|| OBSERVED.to_owned());
        Details {
            notes: note.into_iter().chain(observed).chain(plain.notes).collect(),
            section: rule.section.clone(),
            page: (rule.source == Source::Manual).then(|| form.page()),
            needs: needs.first().copied(),
            parts: plain.parts,
            help: None,
        }
    }

    fn whole(&self) -> Vec<SourcePart> {
        match self.parts.is_empty() {
            true => vec![SourcePart { at: self.at.clone(), label: String::new() }],
            false => self.parts.clone(),
        }
    }

    /// The parts of the line that break the rule, in the file.
    fn parts(&self, explained: &ExplainedLine<'_>, rule: usize) -> Vec<SourcePart> {
        let moved = |(at, label): (Range<usize>, String)| SourcePart {
            at: self.at.start + at.start..self.at.start + at.end,
            label,
        };
        let parts: Vec<SourcePart> = explained.parts(rule).into_iter().map(moved).collect();
        if parts.is_empty() { self.whole() } else { parts }
    }
}

/// The message on a text that cannot be read, with what it has instead of what is expected; and the help.
fn of_syntax(message: &'static str, before: &str, after: &str) -> (String, Option<String>) {
    let follows_name = before.ends_with(|of: char| of.is_ascii_alphanumeric() || of == '_' || of == '$');
    let found = Lexer::new(after).next().map(|token| token.text);
    match found {
        Some(found) if found.starts_with('.') && follows_name && message.starts_with("expected") => {
            let help = "a name has letters, digits, `_` and `$`; it begins with a letter, or with `_`, `$` or `%` and one of these";
            (format!("a name has no dots: `{found}`"), Some(help.to_owned()))
        }
        Some(found) if message.starts_with("expected") && !message.ends_with("after this") => {
            (format!("{message}, and not `{found}`"), None)
        }
        _ => (message.to_owned(), None),
    }
}

/// The note on a rule that no page of the manual states.
pub(super) const OBSERVED: &str = "observed: the manual is silent; every ptxas examined does this";

/// The version and target that a line needs, if a rule is about that.
fn version_note(note: Option<String>, rule: &Rule, line: &CheckedLine<'_>, isa: &Isa) -> Option<String> {
    let is_needed = matches!(rule.kind, RuleKind::NeedsPtx(_) | RuleKind::NeedsTarget(_));
    let note = note.filter(|_| is_needed)?;
    let needs = line.needs(isa);
    Some(match needs.is_empty() {
        true => format!("{note}; there is no environment for the whole line"),
        false => format!("{note}; the whole line needs {}", needs_in_words(&needs)),
    })
}
