//! Checks the inline assembly of source files.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use rayon::prelude::*;

use super::asm_statement::{AsmOperand, AsmStatement, AsmText, OperandKind, SkippedAsm};
use super::find::statements;
use super::language::SourceLanguage;
use super::ptx_text::TextKind;
use super::template::{filled, register_name};
use super::wrapped::wrapped;
use crate::check::{CheckedFile, Checker, Counts, Details, Diagnostic, DiagnosticSeverity, SourcePart};
use crate::environment::{Environment, Suffix, Target, Version};
use crate::must::Must;
use crate::text::{Lexer, uncommented};

/// Checks source files with inline assembly by a specification.
#[derive(Clone, Copy)]
pub struct InlineChecker<'s> {
    /// The checker of each statement.
    pub checker: Checker<'s>,
    /// The environment that statements are judged for.
    pub environment: Environment,
    /// True if the target of the environment is the one that was asked for. If not, a statement that is not valid for it is
    /// judged for the newest target for which it breaks the fewest rules.
    pub fixed: bool,
}

/// The findings in a source file; all bytes are those of the file.
#[derive(Debug, Default)]
pub struct CheckedSource {
    /// The first diagnostics with their details, in the order of the file.
    pub diagnostics: Vec<(Diagnostic<'static>, Details)>,
    /// How many instructions, statements of PTX and diagnostics there are of each kind.
    pub counts: Counts,
    /// How many statements of inline assembly were read and judged.
    pub judged: usize,
    /// How many statements are not for PTX.
    pub foreign: usize,
    /// The statements that were not read, by reason.
    pub skipped: BTreeMap<&'static str, SkippedStatements>,
    /// True if something could not be judged.
    pub incomplete: bool,
}

impl CheckedSource {
    /// How many diagnostics were not kept.
    pub fn unkept(&self) -> u64 {
        let kept = wide(self.diagnostics.len());
        (self.counts.errors + self.counts.warnings).saturating_sub(kept)
    }
}

/// The statements that were not read for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedStatements {
    /// How many there are.
    pub count: usize,
    /// The bytes of the first.
    pub first: Range<usize>,
    /// The part of the first that is to blame; may be empty.
    pub what: String,
}

/// The outcome of a statement.
enum AsmOutcome {
    Foreign,
    Skipped(SkippedAsm),
    Judged(Box<JudgedAsm>),
}

#[derive(Debug, Default)]
struct JudgedAsm {
    counts: Counts,
    diagnostics: Vec<(Diagnostic<'static>, Details)>,
    /// The names that are not declared.
    undeclared: Vec<String>,
    incomplete: bool,
}

/// The values that are tried for constants that are not known.
pub(super) const TRIED: [&str; 16] =
    ["0", "1", "2", "4", "8", "16", "32", "64", "128", "256", "3", "5", "6", "7", "24", "-1"];
/// The reasons why a statement is not read.
const INSERTED: &str = "a text is put into it";
const UNBALANCED: &str = "its braces do not match: a block goes on in another statement";
const ELSEWHERE: &str = "a name in it is declared by another statement";
/// How many diagnostics of a statement are looked at, however few are shown.
const KEPT: usize = 100;
/// The rule of references to operands that do not exist.
const OPERAND: &str = "inline/operand";

impl InlineChecker<'_> {
    /// Checks the text of a source file.
    pub fn check(&self, file: &str, language: SourceLanguage) -> CheckedSource {
        let found = statements(file, language);
        let declared: BTreeSet<String> =
            found.iter().filter_map(|of| of.read.as_ref().ok()).flat_map(declared).collect();
        let outcomes: Vec<AsmOutcome> = found.par_iter().map(|statement| self.outcome(statement, &declared)).collect();
        let mut source = CheckedSource::default();
        for (statement, outcome) in found.into_iter().zip(outcomes) {
            match outcome {
                AsmOutcome::Foreign => source.foreign += 1,
                AsmOutcome::Skipped(SkippedAsm { because, what }) => {
                    let first = SkippedStatements { count: 0, first: statement.at, what };
                    source.skipped.entry(because).or_insert(first).count += 1;
                    source.incomplete = true;
                }
                AsmOutcome::Judged(judged) => {
                    source.judged += 1;
                    source.counts.add(&judged.counts);
                    source.diagnostics.extend(judged.diagnostics);
                    source.incomplete |= judged.incomplete;
                }
            }
        }
        source.diagnostics.sort_by_key(|(diagnostic, _)| diagnostic.at.start);
        source.diagnostics.truncate(self.checker.limit);
        source
    }

    fn outcome(&self, statement: &AsmStatement, declared: &BTreeSet<String>) -> AsmOutcome {
        let text = match &statement.read {
            Err(skipped) => return AsmOutcome::Skipped(skipped.clone()),
            Ok(text) => text,
        };
        let tried: Vec<String> = vec![TRIED[0].to_owned(); text.operands.len()];
        let (whole, _) = filled(text, &tried);
        if text.operands.iter().any(|operand| operand.kind == OperandKind::Inserted) {
            return AsmOutcome::Skipped(SkippedAsm { because: INSERTED, what: String::new() });
        }
        let foreign = text.operands.iter().any(|operand| operand.kind == OperandKind::Foreign);
        match TextKind::of(whole.text(), self.checker.spec) {
            TextKind::Foreign => AsmOutcome::Foreign,
            _ if foreign => AsmOutcome::Foreign,
            TextKind::Unbalanced => AsmOutcome::Skipped(SkippedAsm { because: UNBALANCED, what: String::new() }),
            TextKind::Empty => AsmOutcome::Judged(Box::default()),
            kind => {
                let judged = self.judged(statement, text, kind, tried);
                match judged.undeclared.iter().find(|name| declared.contains(*name)) {
                    Some(name) => AsmOutcome::Skipped(SkippedAsm { because: ELSEWHERE, what: name.clone() }),
                    None => AsmOutcome::Judged(Box::new(judged)),
                }
            }
        }
    }

    /// A statement with the constants and in the environment with which the fewest rules are broken.
    fn judged(&self, statement: &AsmStatement, text: &AsmText, kind: TextKind, constants: Vec<String>) -> JudgedAsm {
        let broken = |constants: &[String], environment: &Environment| {
            let (filled, missing) = filled(text, constants);
            let around = wrapped(text, &filled, kind, environment, statement.at.clone());
            let checked = Checker { limit: KEPT, ..self.checker }.check(around.module.text());
            let errors = checked.diagnostics.iter().filter(|of| of.severity == DiagnosticSeverity::Error);
            // Another target or constant does not help against what is wrong with the text.
            let helps = errors.clone().any(|of| !of.rule.starts_with("isa/"));
            BrokenCount { count: checked.counts.errors + wide(missing.len()), helps }
        };
        let (mut constants, mut environment) = (constants, self.environment);
        let mut fewest = broken(&constants, &environment);
        if !self.fixed && kind != TextKind::Module && fewest.helps {
            for target in self.targets() {
                if fewest.count == 0 {
                    break;
                }
                let other = Environment { target, ..self.environment };
                let found = broken(&constants, &other);
                if found.count < fewest.count {
                    (fewest, environment) = (found, other);
                }
            }
        }
        if fewest.helps {
            fewest = choose_constants(text, &mut constants, fewest, |constants| broken(constants, &environment));
        }
        let mut judged = self.attempt(statement, text, kind, &constants, &environment);
        if fewest.count > 0 {
            note_constants(text, &mut judged);
        }
        judged
    }

    /// The targets in the order in which they are tried: what only some have first, then what only old ones have.
    fn targets(&self) -> impl Iterator<Item = Target> {
        let (isa, ptx) = (&self.checker.spec.isa, self.environment.ptx);
        let is_plain = move |(target, since): &&(Target, Version)| target.suffix == Suffix::Plain && *since <= ptx;
        isa.suffixed_targets(ptx).chain(isa.targets.iter().rev().filter(is_plain).map(|(target, _)| *target))
    }

    fn attempt(
        &self,
        statement: &AsmStatement,
        text: &AsmText,
        kind: TextKind,
        constants: &[String],
        environment: &Environment,
    ) -> JudgedAsm {
        // Few are shown, but what they are decides whether the statement is judged.
        let limit = self.checker.limit.max(KEPT);
        let (filled, missing) = filled(text, constants);
        let around = wrapped(text, &filled, kind, environment, statement.at.clone());
        let checked: CheckedFile<'_> = Checker { limit, ..self.checker }.check(around.module.text());
        let mut judged =
            JudgedAsm { incomplete: checked.incomplete || checked.counts.unjudged > 0, ..JudgedAsm::default() };
        let unnamed = |diagnostic: &&Diagnostic<'_>| {
            let about = &around.module.text()[diagnostic.at.clone()];
            diagnostic.rule != UNDECLARED || !missing.iter().any(|missing| missing.written == about)
        };
        for diagnostic in checked.diagnostics.iter().filter(unnamed) {
            let mut details = diagnostic.details(self.checker.spec);
            let moved = |at: &Range<usize>| around.module.file_range(at.clone());
            details.parts = details.parts.into_iter().map(|part| SourcePart { at: moved(&part.at), ..part }).collect();
            judged.diagnostics.push((diagnostic.moved(moved(&diagnostic.at)), details));
        }
        let undeclared = checked.diagnostics.iter().filter(|diagnostic| diagnostic.rule == UNDECLARED);
        judged.undeclared = undeclared.map(|of| around.module.text()[of.at.clone()].to_owned()).collect();
        judged.counts = checked.counts;
        judged.counts.declarations = judged.counts.declarations.saturating_sub(around.declarations);
        judged.counts.directives = judged.counts.directives.saturating_sub(around.directives);
        // Of a name that is no operand, it is said once, and by this.
        let unsaid = checked.diagnostics.iter().filter(|diagnostic| !unnamed(diagnostic)).count();
        judged.counts.errors += wide(missing.len());
        judged.counts.errors -= wide(unsaid);
        for missing in missing {
            let count = text.operands.len();
            let message = format!("`{}` is no operand: the statement has {count}", missing.written);
            let parts = vec![SourcePart { at: missing.at.clone(), label: String::new() }];
            let diagnostic = Diagnostic::error(OPERAND, missing.at, message);
            judged.diagnostics.push((diagnostic, Details { parts, ..Details::default() }));
        }
        judged
    }
}

/// The names in the declarations of a statement.
fn declared(text: &AsmText) -> Vec<String> {
    let (filled, _) = filled(text, &vec![TRIED[0].to_owned(); text.operands.len()]);
    let clean = uncommented(filled.text());
    let declarations = clean.split([';', '{', '}']).map(str::trim).filter(|statement| statement.starts_with('.'));
    let words = declarations.flat_map(|statement| Lexer::new(statement).map(|token| token.text.to_owned()));
    words.filter(|word| !word.starts_with('.')).collect()
}

/// A count of what is in memory.
fn wide(count: usize) -> u64 {
    u64::try_from(count).must("what memory holds is counted in 64 bits")
}

/// The rules that a statement breaks.
#[derive(Clone, Copy)]
struct BrokenCount {
    count: u64,
    /// True if another target or constant may help.
    helps: bool,
}

/// Chooses the constants that are not known so that the fewest rules are broken.
fn choose_constants(
    text: &AsmText,
    constants: &mut Vec<String>,
    mut fewest: BrokenCount,
    broken: impl Fn(&[String]) -> BrokenCount,
) -> BrokenCount {
    let unknown: Vec<usize> =
        (0..text.operands.len()).filter(|number| text.operands[*number].kind == OperandKind::Constant(None)).collect();
    let all = std::iter::once(unknown.clone()).chain(unknown.iter().map(|one| vec![*one]));
    for which in all.filter(|which| !which.is_empty()) {
        for value in TRIED {
            if fewest.count == 0 {
                return fewest;
            }
            let mut other = constants.clone();
            which.iter().for_each(|number| value.clone_into(&mut other[*number]));
            let found = broken(&other);
            if found.count < fewest.count {
                (fewest, *constants) = (found, other);
            }
        }
    }
    fewest
}

/// The rule of names that are not declared.
const UNDECLARED: &str = "isa/undeclared";

/// Says of constants that are not known that other values do not help.
fn note_constants(text: &AsmText, judged: &mut JudgedAsm) {
    let unknown = |(_, operand): &(usize, &AsmOperand)| operand.kind == OperandKind::Constant(None);
    let names: Vec<String> = text
        .operands
        .iter()
        .enumerate()
        .filter(unknown)
        .map(|(number, _)| format!("`{}`", register_name(text.style, number)))
        .collect();
    if names.is_empty() {
        return;
    }
    let note = format!(
        "{} stands for a constant that is not known here; with none of {} is it valid",
        names.join(", "),
        TRIED.join(", ")
    );
    judged
        .diagnostics
        .iter_mut()
        .filter(|(diagnostic, _)| diagnostic.severity == DiagnosticSeverity::Error)
        .for_each(|(_, details)| details.notes.push(note.clone()));
}
