//! Checks the body of an entry or function.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::call_results::{self, CallResults};
use super::counts::Counts;
use super::diagnostic::{CheckedLine, Diagnostic, DiagnosticSeverity};
use super::directives::{self, FoundDirective};
use super::environments::{JudgedEnvironment, ModuleEnvironments};
use super::faults::{DeclarationFaults, declares, no_name};
use super::meant::LineWithName;
use super::names::{KnownNames, names};
use super::samples::{DirectiveSamples, Samples};
use super::undeclared::UndeclaredNames;
use super::{Checker, ascii, inlined, module_names};
use crate::directive::{DirectiveText, texts_of_module, texts_of_step};
use crate::must::Must;
use crate::spec::{Form, Spec};
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
    /// The declarations that are wrong.
    pub(super) faults: DeclarationFaults<'a>,
}

/// How many directives of a module are read before what they say is added up.
const DIRECTIVES: usize = 4096;

/// A count of what is in memory.
fn wide(count: usize) -> u64 {
    u64::try_from(count).must("what memory holds is counted in 64 bits")
}

impl<'a> CheckedBody<'a> {
    fn new(limit: usize) -> Self {
        let (samples, directives) = (Samples::default(), DirectiveSamples::default());
        let (counts, faults) = (Counts::default(), DeclarationFaults::default());
        Self { limit, counts, diagnostics: Vec::new(), samples, directives, faults }
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
        let ((inlined, ascii), (names, texts)) = rayon::join(
            || (inlined::check(module.text), ascii::check(module.text)),
            || (module_names::check(module, &checker.spec.isa), texts_of_module(module)),
        );
        inlined.into_iter().chain(ascii).for_each(|diagnostic| found.say(diagnostic));
        for diagnostic in names {
            if diagnostic.rule == module_names::AGAIN {
                found.faults.add_twice(&module.text[diagnostic.at.clone()]);
            }
            found.say(diagnostic);
        }
        let said_of_header: Vec<usize> =
            environments.diagnostics.iter().map(|diagnostic| diagnostic.at.start).collect();
        let read = |text: &DirectiveText<'a>| {
            let read_already = |problem: &TextProblem<'_>| {
                matches!(problem.kind, ProblemKind::Syntax(_)) && text.at.contains(&problem.at.start)
            };
            let judged = environments.of(text.at.end).filter(|_| !module.problems.iter().any(read_already))?;
            Some(directives::read(judged, text, &module.scope_at(text.at.start)))
        };
        for texts in texts.chunks(DIRECTIVES) {
            let all: Vec<Option<FoundDirective<'a>>> = texts.par_iter().map(read).collect();
            for (text, directive) in texts.iter().zip(all) {
                if let Some(directive) = directive {
                    found.directive(checker, text, directive, said_of_header.contains(&text.at.start));
                }
            }
        }
        found
    }

    /// Adds what was found in another part of the file.
    pub(super) fn add(&mut self, other: Self) {
        self.counts.add(&other.counts);
        self.diagnostics.extend(other.diagnostics);
        self.samples.extend(&other.samples);
        self.directives.extend(&other.directives);
    }

    /// Judges a directive. Which rules it breaks is not said if something is said of it already.
    fn directive<'s: 'a>(
        &mut self,
        checker: &Checker<'s>,
        text: &DirectiveText<'a>,
        directive: FoundDirective<'a>,
        is_said: bool,
    ) {
        match directive {
            FoundDirective::Unknown if matches!(text.keyword, "#" | ".version" | ".target") => {}
            FoundDirective::Unknown if checker.spec.directives.is_empty() => {}
            FoundDirective::Unknown => {
                let message = format!("`{}` cannot stand here", text.keyword);
                let diagnostic = Diagnostic::new(DiagnosticSeverity::Error, "isa/place", text.at.clone(), message);
                self.say(diagnostic.with_page("directive-statements"));
            }
            FoundDirective::Malformed(diagnostic) => {
                self.counts.unread += 1;
                self.faults.add_directive(text.file, text.at.clone());
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
                    // Faults of the version and the target are reported at the header, once.
                    let is_own = |rule: &&usize| !is_said && !of_environment(of.read.form(), **rule);
                    let own: Vec<usize> = of.read.reading.broken.iter().filter(is_own).copied().collect();
                    if severity == DiagnosticSeverity::Error && !own.is_empty() {
                        self.faults.add_directive(text.file, text.at.clone());
                    }
                    for rule in own {
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
    fn problem(&mut self, problem: &TextProblem<'a>, file: &'a str, strict: Option<&Spec>) {
        match problem.kind {
            ProblemKind::Syntax(_) => {
                self.counts.unread += 1;
                if declares(problem, file) {
                    self.faults.add_words(&file[problem.statement.clone()]);
                }
            }
            ProblemKind::Directive(_) => self.counts.skipped += 1,
            ProblemKind::Twice(name) => self.faults.add_twice(name),
        }
        self.say(Diagnostic::of_problem(problem, file, strict));
    }
}

/// Checks one body.
pub(super) struct BodyChecker<'c, 'a, 's> {
    checker: &'c Checker<'s>,
    module: &'c Module<'a>,
    body: &'c FunctionBody<'a>,
    judge: Option<&'c JudgedEnvironment<'s>>,
    /// The declarations of the module that are wrong.
    outer: &'c DeclarationFaults<'a>,
    found: CheckedBody<'a>,
    results: CallResults<'a>,
    undeclared: UndeclaredNames<'a>,
    /// The statements that cannot be read because of a word that is no name, which may be declared as one further on.
    unread: Vec<(&'a str, TextProblem<'a>)>,
}

impl<'c, 'a, 's: 'a> BodyChecker<'c, 'a, 's> {
    pub(super) fn new(
        checker: &'c Checker<'s>,
        module: &'c Module<'a>,
        body: &'c FunctionBody<'a>,
        judge: Option<&'c JudgedEnvironment<'s>>,
        outer: &'c DeclarationFaults<'a>,
    ) -> Self {
        let found = CheckedBody::new(checker.limit);
        let (undeclared, unread, results) = (UndeclaredNames::default(), Vec::new(), CallResults::default());
        Self { checker, module, body, judge, outer, found, results, undeclared, unread }
    }

    pub(super) fn check(mut self) -> CheckedBody<'a> {
        let mut walk = Walk::new(self.module, &self.checker.spec.isa, self.body);
        while let Some(step) = walk.next_step() {
            match step {
                WalkStep::TextProblem(problem) => self.problem(problem),
                WalkStep::Instruction(line, at) => self.instruction(line, at, &walk),
                step @ (WalkStep::Declaration(..) | WalkStep::Directive(..)) => {
                    if let WalkStep::Declaration(declaration, _) = &step {
                        self.results.declare(declaration);
                    }
                    let is_unread = |problem: &TextProblem<'_>| matches!(problem.kind, ProblemKind::Syntax(_));
                    let unread = walk.pending().is_some_and(is_unread);
                    self.directives(&texts_of_step(self.module.text, &step), walk.declarations(), unread);
                }
                _ => {}
            }
        }
        self.found.counts.declarations += wide(walk.declared);
        self.found.counts.directives += wide(walk.directives);
        self.say_what_follows_from_nothing();
        self.found
    }

    /// Checks directives. Of those that cannot be read, the next step of the walk says it.
    fn directives(&mut self, texts: &[DirectiveText<'a>], scope: &Declarations, unread: bool) {
        let Some(judged) = self.judge else { return };
        for text in texts {
            let directive = directives::read(judged, text, scope);
            if !(unread && matches!(directive, FoundDirective::Malformed(_))) {
                self.found.directive(self.checker, text, directive, false);
            }
        }
    }

    /// Says that a statement cannot be read, unless that is said already or may follow from another fault.
    fn problem(&mut self, problem: TextProblem<'a>) {
        let file = self.module.text;
        let at = problem.at.start;
        let is_syntax = matches!(problem.kind, ProblemKind::Syntax(_));
        if is_syntax && (self.outer.has_byte(at) || self.found.faults.has_byte(at)) {
            return;
        }
        match no_name(&problem, file).filter(|_| is_syntax && !declares(&problem, file)) {
            Some(word) => self.unread.push((word, problem)),
            None => self.found.problem(&problem, file, self.strict()),
        }
    }

    /// The specification, if it has all that the version and target of the body have.
    fn strict(&self) -> Option<&'s Spec> {
        self.judge.map(|_| self.checker.spec).filter(|spec| spec.complete)
    }

    /// True if a word stands in a declaration that is wrong.
    fn follows(&self, word: &str) -> bool {
        self.outer.has_word(word) || self.found.faults.has_word(word)
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
            return self.undeclared(&line, at, known.undeclared, walk);
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
        let has_twice = |faults: &DeclarationFaults<'a>| faults.has_twice(names(&line));
        if !reading.valid() && (has_twice(self.outer) || has_twice(&self.found.faults)) {
            self.found.counts.unjudged += 1;
            return;
        }
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

    /// Notes the names of a line that are not declared.
    fn undeclared(&mut self, line: &Line<'a>, at: Range<usize>, names: Vec<&'a str>, walk: &Walk<'a, '_>) {
        if !walk.whole() {
            self.found.counts.unjudged += 1;
            return;
        }
        if self.merged(line, &names) {
            self.found.counts.invalid += 1;
            self.found.faults.add_words_of_line(line);
            return;
        }
        let (file, isa) = (self.module.text, &self.checker.spec.isa);
        let judge = self.judge.map(|judged| &judged.judge);
        let (declarations, is_only) = (walk.declarations(), names.len() == 1);
        self.undeclared.add(file, names, |name| {
            LineWithName { file, at: at.clone(), line, declarations, judge: judge?, isa, is_only }.advice(name)
        });
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

    /// Says what could follow from another fault of the body, and does not.
    fn say_what_follows_from_nothing(&mut self) {
        for (word, problem) in std::mem::take(&mut self.unread) {
            match self.follows(word) {
                true => self.found.counts.unread += 1,
                false => self.found.problem(&problem, self.module.text, self.strict()),
            }
        }
        let errors = std::mem::take(&mut self.undeclared).errors(|name| self.follows(name));
        self.found.counts.invalid += errors.invalid;
        self.found.counts.unjudged += errors.unjudged;
        errors.diagnostics.into_iter().for_each(|diagnostic| self.found.say(diagnostic));
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
