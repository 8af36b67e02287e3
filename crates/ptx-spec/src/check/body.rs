//! Checks the body of an entry or function.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::call_results::{self, CallResults};
use super::counts::Counts;
use super::diagnostic::{CheckedDirective, CheckedLine, Diagnostic, DiagnosticSeverity, OBSERVED};
use super::directives::{self, FoundDirective};
use super::environments::{JudgedEnvironment, ModuleEnvironments};
use super::names::{KnownNames, names};
use super::{Checker, ascii, inlined, module_names};
use crate::directive::{DirectiveText, texts_of_module, texts_of_step};
use crate::environment::{Target, Version};
use crate::must::Must;
use crate::space::EnvironmentValues;
use crate::spec::{Form, Spec, SpecialNeeds};
use crate::text::{
    Declarations, FunctionBody, Lexer, Line, Module, ProblemKind, TextProblem, Walk, WalkStep, overflows, range,
};

/// The findings in a body, or outside of all bodies.
pub(super) struct CheckedBody<'a> {
    limit: usize,
    pub(super) counts: Counts,
    pub(super) diagnostics: Vec<Diagnostic<'a>>,
    pub(super) samples: Samples<'a>,
    pub(super) directives: DirectiveSamples<'a>,
}

/// The parts that the lines of a kind have in common: opcode and modifiers, form, choices except for the
/// environment, the rules that are broken, and what the special registers need.
type LineKind<'a> = (&'a str, Vec<&'a str>, usize, Vec<u8>, Vec<usize>, (Option<Version>, Option<Target>));

/// One line of each kind.
#[derive(Default)]
pub(super) struct Samples<'a> {
    known: FxHashSet<LineKind<'a>>,
    lines: Vec<Arc<CheckedLine<'a>>>,
}

impl<'a> Samples<'a> {
    fn add(&mut self, line: &Arc<CheckedLine<'a>>) {
        if self.known.insert(kind(line)) {
            self.lines.push(Arc::clone(line));
        }
    }

    pub(super) fn into_lines(self) -> Vec<CheckedLine<'a>> {
        self.lines.into_iter().map(Arc::unwrap_or_clone).collect()
    }
}

/// One directive of each kind.
#[derive(Default)]
pub(super) struct DirectiveSamples<'a> {
    known: FxHashSet<(&'a str, usize, Vec<u8>)>,
    all: Vec<Arc<CheckedDirective<'a>>>,
}

impl<'a> DirectiveSamples<'a> {
    fn add(&mut self, of: &Arc<CheckedDirective<'a>>) {
        let reading = &of.read.reading;
        let choices = EnvironmentValues::split(&reading.values).1.to_vec();
        if self.known.insert((of.read.directive.name.as_str(), reading.form, choices)) {
            self.all.push(Arc::clone(of));
        }
    }

    pub(super) fn into_all(self) -> Vec<CheckedDirective<'a>> {
        self.all.into_iter().map(Arc::unwrap_or_clone).collect()
    }
}

fn kind<'a>(line: &CheckedLine<'a>) -> LineKind<'a> {
    let CheckedLine { line, reading, .. } = line;
    let (form, SpecialNeeds { ptx, target }) = (reading.form, reading.specials);
    let choices = EnvironmentValues::split(&reading.values).1.to_vec();
    (line.opcode, line.modifiers.clone(), form, choices, reading.broken.clone(), (ptx, target))
}

/// A count of what is in memory.
fn wide(count: usize) -> u64 {
    u64::try_from(count).must("what memory holds is counted in 64 bits")
}

impl<'a> CheckedBody<'a> {
    fn new(limit: usize) -> Self {
        let (samples, directives) = (Samples::default(), DirectiveSamples::default());
        Self { limit, counts: Counts::default(), diagnostics: Vec::new(), samples, directives }
    }

    /// The findings outside of the bodies.
    pub(super) fn of_module<'s: 'a>(
        checker: &Checker<'s>,
        module: &Module<'a>,
        environments: &ModuleEnvironments<'s>,
    ) -> Self {
        let mut found = Self::new(checker.limit);
        found.counts.declarations = wide(module.declarations);
        found.counts.directives = wide(module.directives);
        environments.diagnostics.iter().for_each(|diagnostic| found.say(diagnostic.clone()));
        let strict = (checker.spec.complete && environments.known()).then_some(checker.spec);
        module.problems.iter().for_each(|problem| found.problem(problem, module.text, strict));
        inlined::check(module.text).into_iter().for_each(|diagnostic| found.say(diagnostic));
        ascii::check(module.text).into_iter().for_each(|diagnostic| found.say(diagnostic));
        module_names::check(module, &checker.spec.isa).into_iter().for_each(|diagnostic| found.say(diagnostic));
        for text in texts_of_module(module) {
            let read_already = |problem: &TextProblem<'_>| {
                matches!(problem.kind, ProblemKind::Syntax(_)) && text.at.contains(&problem.at.start)
            };
            if let Some(judged) = environments.of(text.at.end)
                && !module.problems.iter().any(read_already)
            {
                let scope = module.scope_at(text.at.start);
                found.directive(checker, judged, &text, &scope);
            }
        }
        found
    }

    /// Adds what was found in another part of the file.
    pub(super) fn add(&mut self, other: Self) {
        self.counts.add(&other.counts);
        self.diagnostics.extend(other.diagnostics);
        other.samples.lines.iter().for_each(|line| self.samples.add(line));
        other.directives.all.iter().for_each(|of| self.directives.add(of));
    }

    /// Judges a directive.
    fn directive<'s: 'a>(
        &mut self,
        checker: &Checker<'s>,
        judged: &JudgedEnvironment<'s>,
        text: &DirectiveText<'a>,
        scope: &Declarations,
    ) {
        match directives::read(judged, text, scope) {
            FoundDirective::Unknown if matches!(text.keyword, "#" | ".version" | ".target") => {}
            FoundDirective::Unknown if checker.spec.directives.is_empty() => {}
            FoundDirective::Unknown => {
                let message = format!("`{}` cannot stand here", text.keyword);
                let diagnostic = Diagnostic::new(DiagnosticSeverity::Error, "isa/place", text.at.clone(), message);
                self.say(diagnostic.with_page("directive-statements"));
            }
            FoundDirective::Malformed(diagnostic) => {
                self.counts.unread += 1;
                self.say(diagnostic);
            }
            FoundDirective::Read(all) => {
                for mut of in all {
                    let tolerated = checker.tolerated.filter(|_| !of.read.reading.valid());
                    let because = tolerated.and_then(|tolerated| tolerated(of.read.directive, &of.read.reading));
                    of.tolerated = because.is_some();
                    let remark = checker.remark.and_then(|remark| remark(of.read.directive, &of.read.reading));
                    self.counts.remarked += u64::from(remark.is_some());
                    let of = Arc::new(of);
                    if checker.sample {
                        self.directives.add(&of);
                    }
                    let severity = if of.tolerated { DiagnosticSeverity::Warning } else { DiagnosticSeverity::Error };
                    for &rule in &of.read.reading.broken {
                        let diagnostic = Diagnostic::of_directive(severity, &of, rule);
                        let notes = because.iter().chain(&remark);
                        self.say(notes.fold(diagnostic, |diagnostic, note| diagnostic.with_note(note)));
                    }
                    if let Some(remark) = remark.filter(|_| of.read.reading.valid()) {
                        self.say(Diagnostic::new(DiagnosticSeverity::Warning, REMARK, of.at(), remark));
                    }
                }
            }
        }
    }

    fn say(&mut self, diagnostic: Diagnostic<'a>) {
        match diagnostic.severity {
            DiagnosticSeverity::Error => self.counts.errors += 1,
            DiagnosticSeverity::Warning => self.counts.warnings += 1,
        }
        if self.diagnostics.len() < self.limit {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Says what cannot be read; with a specification that has all directives, any other one is an error.
    fn problem(&mut self, problem: &TextProblem<'a>, file: &str, strict: Option<&Spec>) {
        match problem.kind {
            ProblemKind::Syntax(_) => self.counts.unread += 1,
            ProblemKind::Directive(_) => self.counts.skipped += 1,
            ProblemKind::Twice(_) => {}
        }
        self.say(Diagnostic::of_problem(problem, file, strict));
    }
}

/// A name that is not declared: where it is used first, and how often.
struct UndeclaredName<'a> {
    name: &'a str,
    at: Range<usize>,
    uses: u64,
}

/// Checks one body.
pub(super) struct BodyChecker<'c, 'a, 's> {
    checker: &'c Checker<'s>,
    module: &'c Module<'a>,
    body: &'c FunctionBody<'a>,
    judge: Option<&'c JudgedEnvironment<'s>>,
    found: CheckedBody<'a>,
    /// In the order of their first uses.
    undeclared: Vec<UndeclaredName<'a>>,
    /// The positions of names in `undeclared`.
    positions: FxHashMap<&'a str, usize>,
    results: CallResults<'a>,
}

impl<'c, 'a, 's: 'a> BodyChecker<'c, 'a, 's> {
    pub(super) fn new(
        checker: &'c Checker<'s>,
        module: &'c Module<'a>,
        body: &'c FunctionBody<'a>,
        judge: Option<&'c JudgedEnvironment<'s>>,
    ) -> Self {
        let found = CheckedBody::new(checker.limit);
        let (undeclared, positions, results) = (Vec::new(), FxHashMap::default(), CallResults::default());
        Self { checker, module, body, judge, found, undeclared, positions, results }
    }

    pub(super) fn check(mut self) -> CheckedBody<'a> {
        let mut walk = Walk::new(self.module, &self.checker.spec.isa, self.body);
        while let Some(step) = walk.next_step() {
            match step {
                WalkStep::TextProblem(problem) => {
                    let strict = self.judge.map(|_| self.checker.spec).filter(|spec| spec.complete);
                    self.found.problem(&problem, self.module.text, strict);
                }
                WalkStep::Instruction(line, at) => self.instruction(line, at, &walk),
                step @ (WalkStep::Declaration(..) | WalkStep::Directive(..)) => {
                    if let WalkStep::Declaration(declaration, _) = &step {
                        self.results.declare(declaration);
                    }
                    self.directives(&texts_of_step(self.module.text, &step), walk.declarations());
                }
                _ => {}
            }
        }
        self.found.counts.declarations += wide(walk.declared);
        self.found.counts.directives += wide(walk.directives);
        self.say_undeclared();
        self.found
    }

    fn directives(&mut self, texts: &[DirectiveText<'a>], scope: &Declarations) {
        let Some(judged) = self.judge else { return };
        texts.iter().for_each(|text| self.found.directive(self.checker, judged, text, scope));
    }

    fn instruction(&mut self, line: Line<'a>, at: Range<usize>, walk: &Walk<'a, '_>) {
        self.found.counts.instructions += 1;
        if self.found.counts.instructions == 1 && self.body.header.is_none() && !self.body.after_error {
            let message = "an instruction is outside of any entry or function";
            let diagnostic = Diagnostic::new(DiagnosticSeverity::Error, "isa/outside", at.clone(), message);
            self.found.say(diagnostic.with_page("kernel-and-function-directives"));
        }
        let spec = self.checker.spec;
        self.overflow(&line);
        let none = spec.no_instruction(&line);
        // A version that the specification does not know may have instructions that it does not know.
        if let (Some(none), true, Some(_)) = (&none, spec.complete, self.judge) {
            self.found.counts.invalid += 1;
            self.found.counts.misspelt += 1;
            return self.found.say(Diagnostic::of_no_instruction(none, self.module.text));
        }
        let known = KnownNames::of(&line, walk.declarations(), &spec.isa);
        if !known.undeclared.is_empty() {
            if walk.whole() {
                self.found.counts.invalid += 1;
                if !self.merged(&line, &known.undeclared) {
                    known.undeclared.into_iter().for_each(|name| self.use_undeclared(name));
                }
            } else {
                self.found.counts.unjudged += 1;
            }
            return;
        }
        if let Some(none) = none {
            return self.found.counts.add_unknown(&none.name());
        }
        let Some(judged) = self.judge.filter(|_| !known.strange) else {
            self.found.counts.unjudged += 1;
            return;
        };
        let read = judged.judge.read(&line, walk.declarations());
        let (instruction, reading) = read.must("a line is of an instruction or of none");
        // Most lines are valid, and nothing more is to be known of them.
        let form = &instruction.forms[reading.form];
        let unreturned = self.results.follow(form, &line, walk.declarations());
        if let Some(name) = unreturned.filter(|_| call_results::are_known(&spec.isa, judged)) {
            self.unreturned(name);
        }
        let remark = self.checker.remark.and_then(|remark| remark(instruction, &reading));
        let plain = reading.valid() && remark.is_none() && form.undefined(&reading.values).is_empty();
        if plain && !self.checker.sample {
            self.found.counts.valid += 1;
            return;
        }
        let (environment, declarations) = (judged.environment, walk.declarations().only(names(&line)));
        let file = self.module.text;
        let tolerated = self.checker.tolerated.filter(|_| !reading.valid());
        let because = tolerated.and_then(|tolerated| tolerated(instruction, &reading));
        let tolerated = because.is_some();
        let judged = CheckedLine { file, at, line, declarations, environment, instruction, reading, tolerated };
        self.judged(&Arc::new(judged), because, remark);
    }

    /// Warns of numbers that lose bits.
    fn overflow(&mut self, line: &Line<'a>) {
        for operand in line.operands.iter().filter(|operand| operand.text.len() > 16) {
            for token in Lexer::new(operand.text).filter(|token| overflows(token.text)) {
                let message = "this number does not fit in 64 bits, and loses its upper ones";
                let at = range(self.module.text, token.text);
                let diagnostic = Diagnostic::new(DiagnosticSeverity::Warning, "isa/overflow", at, message);
                self.found.say(diagnostic.with_page("integer-constants"));
            }
        }
    }

    fn unreturned(&mut self, name: &'a str) {
        let message = format!("`{name}` is loaded, but no call before this returns it");
        let at = range(self.module.text, name);
        let diagnostic = Diagnostic::new(DiagnosticSeverity::Error, "isa/call-result", at, message);
        let refused = "code generation of every ptxas refuses it, or dies";
        self.found.say(diagnostic.with_page("function-declarations-and-definitions").with_note(refused));
    }

    fn judged(&mut self, line: &Arc<CheckedLine<'a>>, tolerated: Option<String>, remark: Option<String>) {
        if self.checker.sample {
            self.found.samples.add(line);
        }
        self.found.counts.remarked += u64::from(remark.is_some());
        let form = &line.instruction.forms[line.reading.form];
        let of_line = |rule: &&usize| !of_environment(form, **rule);
        let broken: Vec<usize> = line.reading.broken.iter().filter(of_line).copied().collect();
        if !broken.is_empty() {
            self.invalid(line, &broken, tolerated, remark);
            return;
        }
        self.found.counts.valid += 1;
        let undefined = form.undefined(&line.reading.values);
        self.found.counts.undefined += u64::from(!undefined.is_empty());
        for rule in undefined {
            self.found.say(
                Diagnostic::of_rule(DiagnosticSeverity::Warning, line, rule)
                    .with_note("the manual leaves this undefined"),
            );
        }
        if let Some(remark) = remark {
            self.found.say(Diagnostic::new(DiagnosticSeverity::Warning, REMARK, line.at.clone(), remark));
        }
    }

    fn invalid(
        &mut self,
        line: &Arc<CheckedLine<'a>>,
        broken: &[usize],
        tolerated: Option<String>,
        remark: Option<String>,
    ) {
        let severity = match line.tolerated {
            true => {
                self.found.counts.tolerated += 1;
                DiagnosticSeverity::Warning
            }
            false => {
                self.found.counts.invalid += 1;
                DiagnosticSeverity::Error
            }
        };
        for &rule in broken {
            let diagnostic = Diagnostic::of_rule(severity, line, rule);
            let notes = tolerated.iter().chain(&remark);
            self.found.say(notes.fold(diagnostic, |diagnostic, note| diagnostic.with_note(note)));
        }
    }

    /// Says so if a line goes on with the next instruction, because it does not end in a semicolon; an opcode is in an
    /// operand, and not at its beginning.
    fn merged(&mut self, line: &Line<'a>, undeclared: &[&'a str]) -> bool {
        let inside = |name: &&&str| line.operands.iter().all(|operand| !operand.text.starts_with(**name));
        let opcode = |name: &&&str| self.checker.spec.instruction(name).is_some();
        let Some(name) = undeclared.iter().filter(inside).find(opcode) else { return false };
        let message = format!("expected `;` before the instruction `{name}`");
        let diagnostic =
            Diagnostic::new(DiagnosticSeverity::Error, "isa/syntax", range(self.module.text, name), message);
        self.found.say(diagnostic.with_page("instruction-statements"));
        true
    }

    fn use_undeclared(&mut self, name: &'a str) {
        let next = self.undeclared.len();
        let at = *self.positions.entry(name).or_insert(next);
        if at == next {
            self.undeclared.push(UndeclaredName { name, at: range(self.module.text, name), uses: 0 });
        }
        self.undeclared[at].uses += 1;
    }

    fn say_undeclared(&mut self) {
        for UndeclaredName { name, at, uses } in std::mem::take(&mut self.undeclared) {
            let message = format!("`{name}` is not declared before this, nor a label around it");
            let diagnostic =
                Diagnostic::new(DiagnosticSeverity::Error, "isa/undeclared", at, message).with_note(OBSERVED);
            self.found.say(match uses {
                1 => diagnostic,
                uses => diagnostic.with_note(format!("{uses} instructions here use it")),
            });
        }
        self.found.diagnostics.sort_by_key(|diagnostic| diagnostic.at.start);
    }
}

/// The rule of diagnostics that say what else is known of a valid line.
const REMARK: &str = "engine/prediction";

/// True if a rule is only about the version, the target and the address size, and is said of the file.
fn of_environment(form: &Form, rule: usize) -> bool {
    let rule = &form.rules[rule];
    let about = |axis: usize| form.axes[axis].choice.is_of_environment();
    let forbids = rule.forbids.iter().flat_map(|cube| cube.sets());
    rule.id.starts_with("isa/") && !rule.forbids.is_empty() && forbids.into_iter().all(|(axis, _)| about(*axis))
}
