//! Bodies of entries and functions: from text to code.

use std::ops::Range;

use ptx_spec::judge::Judge;
use ptx_spec::ptx::{Declaration, Declarations, FunctionBody, Line, Module, Walk, WalkStep, parameters};
use ptx_spec::spec::Spec;
use rustc_hash::FxHashMap;

use super::code::{CodeBody, CodeLine, CodeOperation, EntryParameter, LocalVariable};
use super::computations::Computations;
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

/// A branch that may lead forward: the instruction, and the label as it is seen from a block.
struct OpenBranch<'a> {
    line: usize,
    block: usize,
    label: &'a str,
}

/// Reads a body.
pub(super) struct BodyReader<'r, 'a, 's> {
    context: &'r ReadContext<'r, 's>,
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
        names: &'r NameScope<'a>,
    ) -> Result<CodeBody, String> {
        let name = body.header.as_ref().map_or("", |header| header.name).to_owned();
        let (lines, locals, parameters) = (Vec::new(), Vec::new(), Vec::new());
        let code = CodeBody { name, lines, slots: 0, locals, frame: 0, parameters };
        let names = NameScopes::new(names, NameScope::default());
        let (outer, labels, branches) = (vec![0], FxHashMap::default(), Vec::new());
        let mut reader = Self { context, names, code, outer, labels, branches };
        reader.header(body)?;
        reader.statements(module, body)?;
        reader.end_branches();
        Ok(reader.code)
    }

    fn header(&mut self, body: &FunctionBody<'a>) -> Result<(), String> {
        let Some(header) = &body.header else { return Err("an instruction is outside of any entry or function".to_owned()) };
        let mut next = windows::PARAMETERS;
        for declaration in parameters(header.parameters).map_err(|why| why.to_string())? {
            match header.function {
                true => self.declare(&declaration)?,
                false => self.entry_parameter(&declaration, &mut next)?,
            }
        }
        for declaration in parameters(header.results).map_err(|why| why.to_string())? {
            self.declare(&declaration)?;
        }
        Ok(())
    }

    fn entry_parameter(&mut self, declaration: &Declaration<'a>, next: &mut u64) -> Result<(), String> {
        for variable in Variables::of(&self.context.spec.isa, declaration)? {
            let address = windows::place(next, variable.size, variable.alignment);
            let parameter = EntryParameter { name: variable.name.to_owned(), address, size: variable.size };
            self.code.parameters.push(parameter);
            self.insert(variable.name, NamedThing::Variable(Space::Param, address));
        }
        Ok(())
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
                WalkStep::Declaration(declaration) => self.declare(&declaration)?,
                WalkStep::Directive(..) => {}
                WalkStep::TextProblem(problem) => return Err(format!("byte {}: {:?}", problem.at.start, problem.kind)),
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
                    let slot = u32::try_from(self.code.slots).map_err(|_| "there are too many registers")?;
                    let register = NamedThing::Register { slot, bits, lanes };
                    self.code.slots += lanes as usize * declarator.family.unwrap_or(1) as usize;
                    let Some(scope) = self.names.innermost() else { continue };
                    match declarator.family {
                        Some(count) => scope.insert_family(declarator.name, count, register),
                        None => scope.insert(declarator.name, register),
                    }
                }
            }
            ".local" | ".param" => {
                for Variables { name, size, alignment } in Variables::of(isa, declaration)? {
                    let offset = windows::place(&mut self.code.frame, size, alignment);
                    self.code.locals.push(LocalVariable { offset, size });
                    self.insert(name, NamedThing::Local(offset));
                }
            }
            _ => {}
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
    ) -> Result<(Option<super::code::CodeGuard>, CodeOperation), Unmodelled> {
        let isa = &self.context.spec.isa;
        let unread = || Unmodelled(format!("`{}` has no specification", line.opcode));
        let (instruction, reading) = self.context.judge.read(line, declarations).ok_or_else(unread)?;
        if let Some(rule) = reading.rules(instruction).next() {
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
            None if instruction.name == "bra" => {
                let label = operands.label("tgt")?;
                let (line, block) = (self.code.lines.len(), self.names.block());
                self.branches.push(OpenBranch { line, block, label });
                CodeOperation::Branch(usize::MAX)
            }
            None => decode(&instruction.name, &operands)?,
        };
        Ok((guard, operation))
    }

    /// Gives branches their targets: labels of the block that the branch is in, or of one around it.
    fn end_branches(&mut self) {
        for branch in std::mem::take(&mut self.branches) {
            let operation = match self.target(branch.block, branch.label) {
                Some(target) => CodeOperation::Branch(target),
                None => CodeOperation::Unmodelled(format!("`{}` is not a label that the line can use", branch.label)),
            };
            self.code.lines[branch.line].operation = operation;
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

/// A variable that is declared: its name, its size and its alignment in bytes.
pub(super) struct Variables<'a> {
    pub(super) name: &'a str,
    pub(super) size: u64,
    pub(super) alignment: u64,
}

impl<'a> Variables<'a> {
    /// The variables of a declaration whose type and size are known.
    ///
    /// # Errors
    /// If the declaration is malformed.
    pub(super) fn of(isa: &ptx_spec::spec::Isa, declaration: &Declaration<'a>) -> Result<Vec<Self>, String> {
        let Some(of) = isa.register_type(declaration.of_type) else { return Ok(Vec::new()) };
        let unit = u64::from(of.bits / 8) * u64::from(declaration.lanes);
        let alignment = u64::from(declaration.alignment.unwrap_or(0)).max(unit);
        let mut found = Vec::new();
        for declarator in declaration.declarators() {
            let declarator = declarator.map_err(|why| why.to_string())?;
            if let Some(size) = declarator.elements.and_then(|elements| elements.checked_mul(unit)) {
                found.push(Self { name: declarator.name, size, alignment });
            }
        }
        Ok(found)
    }
}
