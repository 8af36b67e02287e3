//! Bodies of entries and functions: from text to code.

use std::ops::Range;

use ptx_spec::judge::Judge;
use ptx_spec::ptx::{
    Declaration, Declarations, FunctionBody, Line, Module, ProblemKind, TextProblem, Walk, WalkStep, parameters,
};
use ptx_spec::spec::Spec;
use rustc_hash::FxHashMap;

use super::code::{
    CodeBody, CodeDestination, CodeFormal, CodeGuard, CodeLine, CodeOperation, EntryParameter, LocalVariable,
};
use super::computations::Computations;
use super::declared::{DeclaredVariable, PlacedVariables};
use super::decode::{compute, decode};
use super::line_operands::LineOperands;
use super::names::{NameScope, NameScopes, NamedThing};
use super::windows;
use crate::object::Space;
use crate::semantics::Unmodelled;

/// The things that all lines of a module share.
pub(super) struct ReadContext<'r, 's> {
    pub(super) spec: &'s Spec,
    pub(super) judge: Judge<'s>,
    pub(super) computations: &'r Computations,
}

/// The most registers of a body.
const MOST_SLOTS: usize = 1 << 24;
const TOO_MANY: &str = "a body has too many registers";

/// A branch that may lead forward: the instruction, and the labels as they are seen from a block.
struct OpenBranch<'a> {
    line: usize,
    block: usize,
    labels: Vec<&'a str>,
}

/// The error for a module that has a problem.
pub(super) fn unreadable(text: &str, problem: &TextProblem<'_>) -> String {
    let line = 1 + text[..problem.at.start].bytes().filter(|byte| *byte == b'\n').count();
    let why = match problem.kind {
        ProblemKind::Syntax(why) => why.to_owned(),
        ProblemKind::Directive(name) => format!("`{name}` is not a directive of PTX"),
        ProblemKind::Twice(name) => format!("`{name}` is declared twice"),
    };
    format!("the module cannot be read: line {line}: {why}")
}

/// Reads a body.
pub(super) struct BodyReader<'r, 'a, 's> {
    context: &'r ReadContext<'r, 's>,
    /// The variables of the module, to which those of the body are added that all threads have in common.
    placed: &'r mut PlacedVariables<'a>,
    names: NameScopes<'r, 'a>,
    code: CodeBody,
    /// The block around each block.
    outer: Vec<usize>,
    labels: FxHashMap<(usize, &'a str), usize>,
    branches: Vec<OpenBranch<'a>>,
}

impl<'r, 'a, 's: 'r> BodyReader<'r, 'a, 's> {
    /// Reads a body whose names are inside of those of its module.
    ///
    /// # Errors
    /// If something other than an instruction cannot be read; says what.
    pub(super) fn read(
        context: &'r ReadContext<'r, 's>,
        module: &Module<'a>,
        body: &FunctionBody<'a>,
        (names, placed): (&'r NameScope<'a>, &'r mut PlacedVariables<'a>),
    ) -> Result<CodeBody, String> {
        let name = body.header.as_ref().map_or("", |header| header.name).to_owned();
        let code = CodeBody { name, ..CodeBody::default() };
        let names = NameScopes::new(names, NameScope::default());
        let (outer, labels, branches) = (vec![0], FxHashMap::default(), Vec::new());
        let mut reader = Self { context, placed, names, code, outer, labels, branches };
        reader.header(body)?;
        reader.statements(module, body)?;
        reader.end_branches();
        Ok(reader.code)
    }

    fn header(&mut self, body: &FunctionBody<'a>) -> Result<(), String> {
        let Some(header) = &body.header else {
            return Err("an instruction is outside of any entry or function".to_owned());
        };
        let mut next = windows::PARAMETERS;
        for declaration in parameters(header.parameters).map_err(|why| why.to_string())? {
            if !header.function {
                self.entry_parameter(&declaration, &mut next)?;
                continue;
            }
            let formals = self.formals(&declaration)?;
            self.code.formals.extend(formals);
        }
        for declaration in parameters(header.results).map_err(|why| why.to_string())? {
            let formals = self.formals(&declaration)?;
            self.code.returned.extend(formals);
        }
        Ok(())
    }

    fn entry_parameter(&mut self, declaration: &Declaration<'a>, next: &mut u64) -> Result<(), String> {
        for variable in DeclaredVariable::of(&self.context.spec.isa, declaration)? {
            let size = variable.size.ok_or_else(|| variable.wrong("its size is not known"))?;
            let address = windows::place(next, size, variable.alignment);
            let (name, element) = (variable.name.to_owned(), variable.element);
            self.code.parameters.push(EntryParameter { name, address, size, element });
            self.insert(variable.name, NamedThing::Variable(Space::Param, address));
        }
        Ok(())
    }

    /// Adds parameters or results of a function.
    fn formals(&mut self, declaration: &Declaration<'a>) -> Result<Vec<CodeFormal>, String> {
        self.declare(declaration)?;
        let mut found = Vec::new();
        for declarator in declaration.declarators() {
            let name = declarator.map_err(|why| why.to_string())?.name;
            found.push(match self.names.get(name) {
                Some(NamedThing::Local(offset, size)) => CodeFormal::Memory(offset, size),
                Some(NamedThing::Open) => CodeFormal::Open,
                Some(NamedThing::Register { slot, bits, lanes: 1 }) => {
                    CodeFormal::Register(CodeDestination { slot: Some(slot), bits, twice: false })
                }
                _ => return Err(format!("the parameter `{name}` of `{}` is of an unknown type", self.code.name)),
            });
        }
        Ok(found)
    }

    /// Adds a list of names after a label: `L: .branchtargets a, b;`
    fn list(&mut self, label: &'a str, directive: &str, text: &'a str) {
        let names = text[directive.len()..].trim_end_matches(';').split(',').map(str::trim);
        if let Some(scope) = self.names.innermost() {
            scope.insert_list(label, names.collect());
        }
    }

    fn insert(&mut self, name: &'a str, of: NamedThing) {
        if let Some(scope) = self.names.innermost() {
            scope.insert(name, of);
        }
    }

    fn statements(&mut self, module: &Module<'a>, body: &FunctionBody<'a>) -> Result<(), String> {
        let mut walk = Walk::new(module, &self.context.spec.isa, body);
        while let Some(step) = walk.next_step() {
            match step {
                WalkStep::Instruction(line, at) => self.instruction(&line, at, walk.declarations()),
                WalkStep::Label(name) => {
                    self.labels.insert((self.names.block(), name), self.code.lines.len());
                }
                WalkStep::Open => {
                    self.outer.push(self.names.block());
                    self.names.open(self.outer.len() - 1);
                }
                WalkStep::Close => drop(self.names.close()),
                WalkStep::Declaration(declaration, _) => self.declare(&declaration)?,
                WalkStep::Directive(Some(label), name, text) => self.list(label, name, text),
                WalkStep::Directive(..) => {}
                WalkStep::TextProblem(problem) => return Err(unreadable(module.text, &problem)),
            }
        }
        // The end of a body returns. PTX ISA `control-flow-instructions-ret`.
        let end = body.range.end..body.range.end;
        self.code.lines.push(CodeLine { guard: None, operation: CodeOperation::Return, at: end });
        Ok(())
    }

    /// Adds registers, or variables of a frame. What has no size here is unknown, and so are the lines that name it.
    fn declare(&mut self, declaration: &Declaration<'a>) -> Result<(), String> {
        let isa = &self.context.spec.isa;
        match declaration.space {
            ".reg" => {
                let Some(of) = isa.register_type(declaration.of_type) else { return Ok(()) };
                let (bits, lanes) = (u32::from(of.bits), u32::from(declaration.lanes));
                for declarator in declaration.declarators() {
                    let declarator = declarator.map_err(|why| why.to_string())?;
                    let slot = u32::try_from(self.code.slots).map_err(|_| TOO_MANY)?;
                    let register = NamedThing::Register { slot, bits, lanes };
                    self.code.slots += lanes as usize * declarator.family.unwrap_or(1) as usize;
                    if self.code.slots > MOST_SLOTS {
                        return Err(TOO_MANY.to_owned());
                    }
                    let Some(scope) = self.names.innermost() else { continue };
                    match declarator.family {
                        Some(count) => scope.insert_family(declarator.name, count, register),
                        None => scope.insert(declarator.name, register),
                    }
                }
            }
            ".local" | ".param" => {
                for variable in DeclaredVariable::of(isa, declaration)? {
                    let Some(size) = variable.size else {
                        self.insert(variable.name, NamedThing::Open);
                        continue;
                    };
                    self.code.alignment = self.code.alignment.max(2 * variable.alignment);
                    let offset = windows::place(&mut self.code.frame, size, variable.alignment);
                    self.code.locals.push(LocalVariable { offset, size });
                    self.insert(variable.name, NamedThing::Local(offset, size));
                }
            }
            _ => {
                let Some(space) = PlacedVariables::space(declaration) else { return Ok(()) };
                for variable in DeclaredVariable::of(isa, declaration)? {
                    let name = variable.name;
                    let address = self.placed.place(space, variable)?;
                    self.insert(name, NamedThing::Variable(space, address));
                }
            }
        }
        Ok(())
    }

    fn instruction(&mut self, line: &Line<'a>, at: Range<usize>, declarations: &Declarations) {
        let (guard, operation) = match self.operation(line, declarations) {
            Ok(read) => read,
            Err(Unmodelled(why)) => (None, CodeOperation::Unmodelled(why)),
        };
        self.code.lines.push(CodeLine { guard, operation, at });
    }

    fn operation(
        &mut self,
        line: &Line<'a>,
        declarations: &Declarations,
    ) -> Result<(Option<CodeGuard>, CodeOperation), Unmodelled> {
        let isa = &self.context.spec.isa;
        let unread = || Unmodelled(format!("`{}` has no specification", line.opcode));
        let (instruction, reading) = self.context.judge.read(line, declarations).ok_or_else(unread)?;
        // Compilers write modifiers in other orders, and every assembler takes them.
        let accepted = reading.only_reordered(instruction);
        if let Some(rule) = reading.rules(instruction).next().filter(|_| !accepted) {
            return Err(Unmodelled(format!("the line is not valid: it breaks {}", rule.id)));
        }
        let form = &instruction.forms[reading.form];
        let operands = LineOperands::new(isa, (form, &reading.values), line, declarations, &self.names);
        let guard = operands.guard()?;
        if let Some(rule) = reading.undefined(instruction).next() {
            return Ok((guard, CodeOperation::Undefined(rule.id.clone())));
        }
        let operation = match self.context.computations.get(isa, form, &reading.values, line) {
            Some(computation) => compute(&operands, computation?)?,
            None => match instruction.name.as_str() {
                "bra" => self.branch(vec![operands.label("tgt")?], CodeOperation::Branch(usize::MAX)),
                "brx.idx" => {
                    let list = operands.label("tlist")?;
                    let labels = self.names.list(list).ok_or_else(|| Unmodelled(format!("`{list}` is no list")))?;
                    let switch = CodeOperation::Switch { index: operands.source("index")?, targets: Vec::new() };
                    self.branch(labels.to_vec(), switch)
                }
                other => decode(other, &operands)?,
            },
        };
        Ok((guard, operation))
    }

    /// Notes that an operation needs the positions of labels.
    fn branch(&mut self, labels: Vec<&'a str>, operation: CodeOperation) -> CodeOperation {
        self.branches.push(OpenBranch { line: self.code.lines.len(), block: self.names.block(), labels });
        operation
    }

    /// Gives branches their targets: labels of the block that the branch is in, or of one around it.
    fn end_branches(&mut self) {
        for branch in std::mem::take(&mut self.branches) {
            let found: Option<Vec<usize>> =
                branch.labels.iter().map(|label| self.target(branch.block, label)).collect();
            let operation = &mut self.code.lines[branch.line].operation;
            match (operation, found) {
                (CodeOperation::Switch { targets, .. }, Some(found)) => *targets = found,
                (operation, Some(found)) if found.len() == 1 => *operation = CodeOperation::Branch(found[0]),
                (operation, _) => {
                    let names = branch.labels.join(", ");
                    *operation = CodeOperation::Unmodelled(format!("{names}: not a label that the line can use"));
                }
            }
        }
    }

    /// The position of a label as it is seen from a block.
    fn target(&self, block: usize, label: &str) -> Option<usize> {
        let mut block = block;
        loop {
            if let Some(target) = self.labels.get(&(block, label)) {
                return Some(*target);
            }
            if block == 0 {
                return None;
            }
            block = self.outer[block];
        }
    }
}
