//! The lines of a body, each with the registers that it reads and writes.

use std::ops::Range;

use ptx_spec::judge::{Judge, Reading, arguments};
use ptx_spec::ptx::{Declarations, FunctionBody, Lexer, Line, Module, Symbol, TokenKind, Walk, WalkStep};
use ptx_spec::spec::{Instruction, Role, Spec};
use rustc_hash::FxHashMap;

use crate::chain::SlotKind;
use crate::memory::ChainMemory;
use crate::template::Template;

/// A statement of a body, as far as values flow through it.
pub(super) enum BodyStatement {
    /// A label: what comes to it may come from elsewhere.
    Label,
    Line(RegisterLine),
}

/// A line with its registers, by their numbers.
pub(super) struct RegisterLine {
    pub(super) at: Range<usize>,
    /// Its template, if a chain can have it. Otherwise only the registers are known.
    pub(super) template: Option<Template>,
    pub(super) guard: Option<usize>,
    /// In the order of the line.
    pub(super) sources: Vec<usize>,
    pub(super) destinations: Vec<usize>,
    /// Registers that it also reads, as parts of addresses.
    pub(super) others: Vec<usize>,
    /// True if it may branch, call, or do anything else that is not known.
    pub(super) leaves: bool,
}

/// The registers of a body and its statements.
#[derive(Default)]
pub(super) struct BodyRegisters {
    /// The name of each register.
    pub(super) names: Vec<String>,
    pub(super) statements: Vec<BodyStatement>,
}

/// Reads a body.
pub(super) fn read(spec: &Spec, module: &Module<'_>, body: &FunctionBody<'_>, judge: &Judge<'_>) -> BodyRegisters {
    let mut reader = RegisterReader {
        spec,
        judge,
        numbers: FxHashMap::default(),
        scopes: vec![0, 1],
        opened: 1,
        found: BodyRegisters::default(),
    };
    let mut walk = Walk::new(module, &spec.isa, body);
    while let Some(step) = walk.next_step() {
        match step {
            WalkStep::Label(_) => reader.found.statements.push(BodyStatement::Label),
            WalkStep::Open => {
                reader.opened += 1;
                reader.scopes.push(reader.opened);
            }
            WalkStep::Close => {
                reader.scopes.pop();
            }
            WalkStep::Instruction(line, at) => {
                let line = reader.line(&line, at, walk.declarations());
                reader.found.statements.push(BodyStatement::Line(line));
            }
            // What could not be read may do anything.
            WalkStep::TextProblem(_) => reader.found.statements.push(BodyStatement::Label),
            WalkStep::Declaration(..) | WalkStep::Directive(..) => {}
        }
    }
    reader.found
}

struct RegisterReader<'r> {
    spec: &'r Spec,
    judge: &'r Judge<'r>,
    /// The number of a register by its scope and name.
    numbers: FxHashMap<(usize, String), usize>,
    /// The number of the scope at each depth.
    scopes: Vec<usize>,
    opened: usize,
    found: BodyRegisters,
}

impl RegisterReader<'_> {
    /// The number of a register; none if a name is something else, or a component of a vector.
    fn register(&mut self, name: &str, declarations: &Declarations) -> Option<usize> {
        let Some(Symbol::Register(..)) = declarations.symbol(name) else { return None };
        let scope = *self.scopes.get(declarations.depth(name)?)?;
        let next = self.found.names.len();
        let number = *self.numbers.entry((scope, name.to_owned())).or_insert(next);
        if number == next {
            self.found.names.push(name.to_owned());
        }
        Some(number)
    }

    fn line(&mut self, line: &Line<'_>, at: Range<usize>, declarations: &Declarations) -> RegisterLine {
        let read = self.judge.read(line, declarations);
        let defined = read.as_ref().filter(|(of, reading)| reading.valid() && reading.undefined(of).next().is_none());
        let computed = defined.and_then(|(instruction, reading)| {
            let form = &instruction.forms[reading.form];
            let has = |of: fn(&Role) -> bool| form.operands.iter().any(|operand| of(&operand.role));
            let stores = has(|role| matches!(role, Role::Address { .. })) && !has(|role| *role == Role::Destination);
            match stores {
                true => self.store(line, declarations),
                false => Template::with_holes(&self.spec.isa, (form, &reading.values), &line.to_string(), declarations)
                    .filter(|(template, _)| template.accessed().is_none()),
            }
        });
        let other = self.other(line, at, read.as_ref(), declarations);
        let Some((template, holes)) = computed else { return other };
        match self.in_holes(&template, &holes, declarations) {
            Some([guard, sources, destinations]) => RegisterLine {
                template: Some(template),
                guard: guard.first().copied(),
                others: other.sources.iter().copied().filter(|register| !sources.contains(register)).collect(),
                sources,
                destinations,
                ..other
            },
            None => other,
        }
    }

    /// A store as one to the memory of chains: what it stores does not depend on where.
    fn store(&self, line: &Line<'_>, declarations: &Declarations) -> Option<(Template, Vec<String>)> {
        let text = ChainMemory::standing_in(&line.to_string());
        let line = Line::parse(&text).ok()?;
        let (instruction, reading) = self.judge.read(&line, declarations)?;
        let defined = reading.valid() && reading.undefined(instruction).next().is_none();
        let of = (&instruction.forms[reading.form], &reading.values[..]);
        let found = defined.then(|| Template::with_holes(&self.spec.isa, of, &text, declarations))?;
        found.filter(|(template, _)| template.memory.writes.is_some() && template.memory.reads.is_none())
    }

    /// The registers in the holes of a template: its guard, its sources, and its destinations.
    fn in_holes(
        &mut self,
        template: &Template,
        holes: &[String],
        declarations: &Declarations,
    ) -> Option<[Vec<usize>; 3]> {
        let mut found: [Vec<usize>; 3] = Default::default();
        for (kind, hole) in template.slots().zip(holes) {
            let place = match kind {
                SlotKind::Guard => 0,
                SlotKind::Source(_) => 1,
                SlotKind::Destination(_) => 2,
                SlotKind::Constant(_) | SlotKind::Place(..) => continue,
            };
            found[place].push(self.register(hole, declarations)?);
        }
        Some(found)
    }

    /// A line that does more, or that is not known.
    fn other(
        &mut self,
        line: &Line<'_>,
        at: Range<usize>,
        read: Option<&(&Instruction, Reading)>,
        declarations: &Declarations,
    ) -> RegisterLine {
        let (mut written, mut unknown, mut leaves) = (Vec::new(), read.is_none(), false);
        if let Some((instruction, reading)) = read {
            let form = &instruction.forms[reading.form];
            unknown |= !reading.valid();
            for bound in arguments(form, &reading.values, line) {
                match form.operands[bound.operand].role {
                    Role::Destination => {
                        written.extend(bound.elements(declarations).iter().filter_map(|element| element.register()));
                    }
                    Role::Arguments => unknown = true,
                    Role::Object(_) => leaves = true,
                    _ => {}
                }
            }
        }
        let guard = line.guard.and_then(|(_, name)| self.register(name, declarations));
        let (mut sources, mut destinations) = (Vec::new(), Vec::new());
        let words = line.operands.iter().flat_map(|operand| Lexer::new(operand.text));
        for word in words.filter(|token| token.kind == TokenKind::Word) {
            // The component of a vector, or a suffix.
            let name = word.text.split_once('.').map_or(word.text, |(name, _)| name);
            let name = if declarations.symbol(name).is_some() { name } else { word.text };
            let Some(register) = self.register(name, declarations) else { continue };
            // What is written comes first; the same register may be read after it.
            let is_written = written.iter().position(|of| of.split('.').next() == name.split('.').next());
            if unknown || is_written.is_some() {
                destinations.push(register);
            }
            if unknown || is_written.is_none() {
                sources.push(register);
            }
            is_written.map(|at| written.remove(at));
        }
        RegisterLine { at, template: None, guard, sources, destinations, others: Vec::new(), leaves: leaves || unknown }
    }
}
