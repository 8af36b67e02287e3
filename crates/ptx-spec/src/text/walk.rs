//! The statements of a body, each with the names that it can use.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::SyntaxError;
use super::declaration::Declaration;
use super::declarations::{Declarations, NESTING, Origin};
use super::file_statements::FileStatements;
use super::line::Line;
use super::module::{BlockLabel, FunctionBody, Module};
use super::problem::TextProblem;
use super::statement::Statement;
use crate::spec::Isa;

/// The next step through a body.
#[derive(Clone, Debug, PartialEq)]
pub enum WalkStep<'a> {
    /// An instruction, and its bytes up to its semicolon.
    Instruction(Line<'a>, Range<usize>),
    /// A label, which stands before the next instruction or directive.
    Label(&'a str),
    /// The beginning of a block within the body.
    Open,
    /// The end of a block, or of the body.
    Close,
    /// Registers or variables, whose names are known from here on, and the bytes of the declaration.
    Declaration(Declaration<'a>, Range<usize>),
    /// Another directive: the label before it, its name, and all of its text.
    Directive(Option<&'a str>, &'a str, &'a str),
    /// Something is wrong with another statement, or with this name.
    TextProblem(TextProblem<'a>),
}

/// Reads the statements of a body in order. Of each instruction, [`declarations`](Walk::declarations) has the names that are
/// declared before it, and the labels of the blocks around it.
#[derive(Clone, Debug)]
pub struct Walk<'a, 'm> {
    isa: &'m Isa,
    text: &'a str,
    end: usize,
    labels: &'m [BlockLabel<'a>],
    statements: FileStatements<'a>,
    scope: Declarations,
    /// True if the body begins with a brace, which opens no further block.
    braced: bool,
    /// How many braces are open.
    depth: usize,
    /// How many blocks were opened.
    blocks: usize,
    /// The label before the statement.
    label: Option<&'a str>,
    problems: VecDeque<TextProblem<'a>>,
    whole: bool,
    /// How many declarations were read.
    pub declared: usize,
    /// How many other directives were read.
    pub directives: usize,
}

impl<'a, 'm> Walk<'a, 'm> {
    /// The statements of a body of a module.
    pub fn new(module: &'m Module<'a>, isa: &'m Isa, body: &'m FunctionBody<'a>) -> Self {
        let mut statements = FileStatements::new(module.text, body.range.start);
        let braced = module.text[body.range.start..].starts_with('{');
        if braced {
            statements.next();
        }
        let mut walk = Self {
            isa,
            text: module.text,
            end: body.range.end,
            labels: &body.labels,
            statements,
            scope: Declarations::inside(Arc::clone(&module.scope)),
            braced,
            depth: usize::from(braced),
            blocks: 0,
            label: None,
            problems: VecDeque::new(),
            whole: module.whole && body.whole && body.header.is_some(),
            declared: 0,
            directives: 0,
        };
        if let Some(target) = module.target_at(body.range.start) {
            target.argument.clone_into(&mut walk.scope.options);
        }
        if let Some(header) = &body.header {
            match walk.scope.parameters(isa, header, module.text) {
                Ok(twice) => walk.twice(&twice),
                Err(error) => walk.problem(error.at..error.at, &error),
            }
        }
        walk.add_labels();
        walk
    }

    /// Visits each instruction of a module, in order: the line, its bytes, and the names that it can use.
    pub fn instructions(
        module: &'m Module<'a>,
        isa: &'m Isa,
        mut visit: impl FnMut(&Line<'a>, Range<usize>, &Declarations),
    ) {
        for body in &module.bodies {
            let mut walk = Self::new(module, isa, body);
            while let Some(step) = walk.next_step() {
                if let WalkStep::Instruction(line, at) = step {
                    visit(&line, at, walk.declarations());
                }
            }
        }
    }

    /// The names that the instruction that was read last can use.
    pub fn declarations(&self) -> &Declarations {
        &self.scope
    }

    /// True if all names that the instruction can use are known. If not, an unknown name means nothing.
    pub fn whole(&self) -> bool {
        self.whole
    }

    /// The problem of the statement that was read last, which the next step will be about.
    pub(crate) fn pending(&self) -> Option<&TextProblem<'a>> {
        self.problems.front()
    }

    /// Reads the next statement, or says what is wrong with the last; none at the end of the body.
    pub fn next_step(&mut self) -> Option<WalkStep<'a>> {
        loop {
            if let Some(problem) = self.problems.pop_front() {
                return Some(WalkStep::TextProblem(problem));
            }
            if self.statements.at() >= self.end {
                return None;
            }
            let read = self.statements.next()?;
            let range = read.start..read.end;
            self.scope.used_at(range.start);
            let label = self.label.take();
            match read.statement {
                Err(error) => self.problem(range, &error),
                Ok(Statement::Instruction(line)) => return Some(WalkStep::Instruction(line, range)),
                Ok(Statement::Open) => {
                    self.open(range.start);
                    return Some(WalkStep::Open);
                }
                Ok(Statement::Close) => {
                    self.close();
                    return Some(WalkStep::Close);
                }
                Ok(Statement::Declaration(declaration)) => {
                    self.declared += 1;
                    match self.scope.declare(self.isa, &declaration, Origin::Statement, self.text) {
                        Ok(twice) => self.twice(&twice),
                        Err(error) => self.problem(range.clone(), &error),
                    }
                    return Some(WalkStep::Declaration(declaration, range));
                }
                Ok(Statement::Header(header)) => {
                    self.directives += 1;
                    self.scope.function(self.isa, &header, 0);
                }
                Ok(Statement::Directive(name, all)) => {
                    self.directives += 1;
                    label.into_iter().for_each(|label| self.scope.callee(self.isa, label, name, all));
                    return Some(WalkStep::Directive(label, name, all));
                }
                Ok(Statement::Label(name)) => {
                    self.label = Some(name);
                    return Some(WalkStep::Label(name));
                }
            }
        }
    }

    fn open(&mut self, at: usize) {
        self.depth += 1;
        if self.depth > NESTING {
            if self.depth == NESTING + 1 {
                self.problem(at..at + 1, &SyntaxError { message: "blocks are nested too deep", at });
            }
            return;
        }
        self.blocks += 1;
        self.scope.open();
        self.add_labels();
    }

    fn close(&mut self) {
        let Some(depth) = self.depth.checked_sub(1) else { return };
        self.depth = depth;
        if (usize::from(self.braced)..NESTING).contains(&depth) {
            self.scope.close();
        }
    }

    /// Adds the labels of the block that was opened last: branches may lead forward.
    fn add_labels(&mut self) {
        let from = self.labels.partition_point(|label| label.block < self.blocks);
        for label in self.labels[from..].iter().take_while(|label| label.block == self.blocks) {
            if self.scope.label(label.name, label.object, label.at) {
                self.problems.push_back(TextProblem::twice(self.text, label.name));
            }
        }
    }

    fn twice(&mut self, names: &[&'a str]) {
        self.problems.extend(names.iter().map(|name| TextProblem::twice(self.text, name)));
    }

    fn problem(&mut self, statement: Range<usize>, error: &SyntaxError) {
        self.whole = false;
        self.problems.push_back(TextProblem::unread(self.text, statement, error));
    }
}

#[cfg(test)]
mod tests {
    use super::super::Symbol;
    use super::*;
    use crate::spec::Spec;

    fn spec() -> Spec {
        Spec::load(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs"))).expect("a specification")
    }

    /// Each instruction with whether it knows the name that is its first operand, and the problems.
    fn known(text: &str, isa: &Isa) -> (Vec<(String, bool)>, Vec<String>) {
        let module = Module::read(text, isa);
        let show = |problem: &TextProblem<'_>| format!("{}: {:?}", problem.at.start, problem.kind);
        let mut problems: Vec<String> = module.problems.iter().map(show).collect();
        let mut found = Vec::new();
        for body in &module.bodies {
            let mut walk = Walk::new(&module, isa, body);
            while let Some(step) = walk.next_step() {
                match step {
                    WalkStep::TextProblem(problem) => problems.push(show(&problem)),
                    WalkStep::Instruction(line, range) => {
                        let name = line.operands.first().map_or("", |operand| operand.text);
                        found.push((text[range].to_owned(), walk.declarations().symbol(name).is_some()));
                    }
                    _ => {}
                }
            }
        }
        (found, problems)
    }

    #[test]
    fn names_are_those_of_the_blocks_around() {
        let isa = &spec().isa;
        for (text, knows) in [
            (".entry k() { x a; .reg .b32 a; x a; { x a; } x b; { .reg .b32 b; x b; } x b; }", "01101 0"),
            (".entry k() { x L; { x L; M: x M; } L: x M; x k; }", "11101"),
            (
                ".entry k(.param .b32 p) { x p; x g; x f; x t; x u; } .func f() { x p; t: u: .calltargets f; x u; } .global .b32 g;",
                "1000001",
            ),
            (".entry k() { .reg .b32 %r<3>; x %r2; x %r3; { .reg .b64 %r3; x %r3; } }", "101"),
            (".entry k() { .reg .v4 .f32 v; x v.x; x v.q; }", "10"),
        ] {
            let (found, problems) = known(text, isa);
            let bits: String = found.iter().map(|(_, known)| if *known { '1' } else { '0' }).collect();
            assert_eq!((bits, problems), (knows.replace(' ', ""), Vec::new()), "{text}: {found:?}");
        }
    }

    #[test]
    fn an_inner_name_hides_an_outer_one() {
        let isa = &spec().isa;
        let text = ".global .b32 a; .entry k() { x a; .reg .b32 a; x a; { .reg .pred a; x a; } x a; }";
        let module = Module::read(text, isa);
        let mut walk = Walk::new(&module, isa, &module.bodies[0]);
        let mut found = Vec::new();
        while let Some(step) = walk.next_step() {
            if matches!(step, WalkStep::Instruction(..)) {
                found.push(walk.declarations().symbol("a"));
            }
        }
        let register = |of: &str| Some(Symbol::Register(isa.types.iter().position(|known| known.name == of), 1));
        assert_eq!(found, [Some(Symbol::Variable("global")), register(".b32"), register(".pred"), register(".b32")]);
    }

    #[test]
    fn what_is_called_has_a_signature() {
        let isa = &spec().isa;
        let text = ".func (.param .b32 r) f(.reg .b64 a, .param .align 4 .b8 b[6]); .entry k(.param .b32 p) { \
            P: .callprototype _ (.param .b32 _); T: .calltargets f; { .param .b32 q[3]; x f; x P; x T; x k; x q; } x q; }";
        let module = Module::read(text, isa);
        let mut walk = Walk::new(&module, isa, &module.bodies[0]);
        let (mut counts, mut bytes) = (Vec::new(), Vec::new());
        while let Some(step) = walk.next_step() {
            let WalkStep::Instruction(line, _) = step else { continue };
            let (name, known) = (line.operands[0].text, walk.declarations());
            counts.push(known.signature(name).map(|of| (of.results.len(), of.parameters.len())));
            bytes.push(known.argument(name).and_then(|of| of.bytes));
        }
        assert_eq!(counts, [Some((1, 2)), Some((0, 1)), Some((1, 2)), None, None, None]);
        assert_eq!(bytes, [None, None, None, None, Some(12), None]);
        let of = module.scope.signature("f").expect("a function");
        let facts = of.parameters.iter().map(|of| (of.memory, of.array, of.bytes, of.alignment));
        assert_eq!(facts.collect::<Vec<_>>(), [(false, false, Some(8), 8), (true, true, Some(6), 4)]);
    }

    #[test]
    fn problems_have_a_position() {
        let isa = &spec().isa;
        for (text, expected) in [
            (".entry k() { ret; ", "11: Syntax(\"this brace is not closed\")"),
            ("ret; }", "5: Syntax(\"a closing brace has no opening one\")"),
            (".entry k() { .reg .b32 a, a; }", "26: Twice(\"a\")"),
            (".entry k() { .reg .b32 %r<3>, %r2; }", "30: Twice(\"%r2\")"),
            (".entry k(.param .b32 a) { a: L: L: }", "32: Twice(\"L\")"),
            (".global .b32 a; .extern .global .b32 a, b; .func b() { }", ""),
            (".func b() { } .global .b32 b;", "27: Twice(\"b\")"),
            (".entry k() { ret; .entry l() { ret; }", "18: Syntax(\"this begins inside"),
            (".entry k() { .reg .b32 a b; }", "25: Syntax(\"expected `;`\")"),
            (".foo 3;", "0: Directive(\".foo\")"),
            (".entry k() {\nret\n}", "15: Syntax(\"expected `;` after this\")"),
        ] {
            let (_, problems) = known(text, isa);
            let first = problems.last().map_or("", String::as_str);
            assert!(first.starts_with(expected) && problems.len() <= 2, "{text}: {problems:?}");
            assert_eq!(expected.is_empty(), problems.is_empty(), "{text}: {problems:?}");
        }
    }

    #[test]
    fn deep_nesting_is_a_problem() {
        let text = format!(".entry k() {{ {} ret; {} }}", "{".repeat(1 << 16), "}".repeat(1 << 16));
        let (found, problems) = known(&text, &spec().isa);
        assert_eq!((found.len(), problems.len()), (1, 1), "{problems:?}");
    }
}
