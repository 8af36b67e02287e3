//! Draws chains: lines from the library, each fed by what those before it wrote, and now and then a branch or a loop.

use ptx_spec::ptx::Declarations;
use ptx_spec::space::Draw;
use rustc_hash::FxHashSet;

use crate::chain::{Chain, ChainInstruction, ChainOperand, ChainStatement, SlotKind};
use crate::constants::constant;
use crate::library::{Library, TemplatePool, pick};
use crate::memory::ChainMemory;
use crate::template::{Template, TemplateKind};

/// Draws of a line that is fed by the line before it, before any other is taken.
const TRIES: usize = 24;
/// Chains that fail to be drawn one after the other before there are taken to be none.
const ATTEMPTS: usize = 1000;

/// An endless series of chains. A seed means the same on every machine.
pub struct ChainDraw<'l, 's> {
    library: &'l Library<'s>,
    draw: Draw,
    pool: TemplatePool,
    /// The pairs of kinds of lines that were drawn, of which the second reads what the first wrote.
    pairs: FxHashSet<(u32, u32)>,
    /// The least and the most lines of a chain.
    lines: (u8, u8),
}

/// A chain that is being drawn.
#[derive(Default)]
struct ChainDraft {
    chain: Chain,
    /// The registers that have a value, the newest last.
    defined: Vec<usize>,
    /// How many blocks are open: what is written there must have had a value before.
    blocks: usize,
    /// True if a line wrote the carry, and none read it yet.
    carry: bool,
    /// The memory that the last line wrote, and where.
    stored: Option<(ChainMemory, u16)>,
    /// The number of the last line's kind.
    last: Option<u32>,
    /// The pairs of kinds of lines of which the second reads what the first wrote.
    pairs: Vec<(u32, u32)>,
}

/// How good a line is as the next one of a chain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// The line does not read what the line before it wrote.
    Apart,
    /// The line reads what the line before it wrote.
    Fed,
    /// The line does, and no line of its kind did after one of that kind.
    New,
}

/// The shapes of chains beside straight lines, for each place between lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Straight,
    If,
    IfElse,
    Loop,
}

impl<'l, 's> ChainDraw<'l, 's> {
    /// The series of a seed, of chains with this least and most number of lines.
    pub fn new(library: &'l Library<'s>, seed: u64, lines: (u8, u8)) -> Self {
        let mut draw = Draw::named("chains", seed);
        let pool = library.pool(&mut draw);
        Self { library, draw, pool, pairs: FxHashSet::default(), lines }
    }

    /// The pairs of kinds of lines so far, of which the second reads what the first wrote.
    pub fn pairs(&self) -> impl Iterator<Item = (&TemplateKind, &TemplateKind)> {
        let kind = |of: u32| &self.pool.kinds[of as usize];
        self.pairs.iter().map(move |(first, second)| (kind(*first), kind(*second)))
    }

    /// The lines that it draws from.
    pub fn pool(&self) -> &TemplatePool {
        &self.pool
    }

    /// True once in this many times.
    fn once_in(&mut self, times: u128) -> bool {
        self.draw.below(times) == Some(0)
    }

    /// The next chain; none if the instructions of the library do not make any, such as those that only read a carry.
    pub fn next_chain(&mut self) -> Option<Chain> {
        (0..ATTEMPTS).find_map(|_| self.attempt())
    }

    fn attempt(&mut self) -> Option<Chain> {
        let (least, most) = self.lines;
        let count = usize::from(least) + usize::try_from(self.draw.below(u128::from(most - least) + 1)?).ok()?;
        let shape = match self.draw.below(16)? {
            0 | 1 => Shape::If,
            2 => Shape::IfElse,
            3 => Shape::Loop,
            _ => Shape::Straight,
        };
        // The block begins before this line, and ends before that one.
        let begin = usize::try_from(self.draw.below(count as u128)?).ok()?;
        let end = begin + 1 + usize::try_from(self.draw.below((count - begin) as u128)?).ok()?;
        let middle = begin + usize::try_from(self.draw.below((end - begin) as u128 + 1)?).ok()?;
        let mut draft = ChainDraft::default();
        for at in 0..=count {
            if shape != Shape::Straight {
                if at == begin {
                    self.open(shape, &mut draft)?;
                }
                if at == middle && shape == Shape::IfElse && at < count {
                    draft.chain.statements.push(ChainStatement::Else);
                    draft.carry = false;
                }
                if at == end {
                    draft.chain.statements.push(ChainStatement::End);
                    draft.carry = false;
                    draft.blocks -= 1;
                }
            }
            if at < count {
                self.line(&mut draft)?;
            }
        }
        self.outputs(&mut draft);
        self.pairs.extend(draft.pairs);
        Some(draft.chain.renumbered())
    }

    fn open(&mut self, shape: Shape, draft: &mut ChainDraft) -> Option<()> {
        let statement = match shape {
            Shape::Loop => ChainStatement::Loop { times: u8::try_from(1 + self.draw.below(4)?).ok()? },
            _ => {
                let predicate = self.existing(draft, 1, true)?;
                ChainStatement::If { predicate, negated: self.once_in(2) }
            }
        };
        draft.chain.statements.push(statement);
        draft.blocks += 1;
        draft.carry = false;
        Some(())
    }

    /// Adds a line, if possible one that reads what the line before it wrote.
    fn line(&mut self, draft: &mut ChainDraft) -> Option<()> {
        let last = draft
            .defined
            .last()
            .map(|last| draft.chain.registers[*last])
            .filter(|_| !draft.chain.statements.is_empty());
        // A carry is read by the next line, or now and then by a later one.
        let waits = draft.carry && !self.once_in(4);
        let mut chosen: Option<(Fit, u32, &Template)> = None;
        for _ in 0..TRIES {
            let (kind, template) = self.pool.draw(&mut self.draw)?;
            if template.reads_carry && !draft.carry {
                continue;
            }
            let feeds = match draft.stored {
                Some((memory, _)) => template.memory.reads == Some(memory),
                None => last.is_none_or(|bits| template.is_fed(bits)),
            };
            let carried = !waits || template.reads_carry;
            let fit = match draft.last.map(|last| (last, kind)) {
                _ if !feeds || !carried => Fit::Apart,
                Some(pair) if self.pairs.contains(&pair) => Fit::Fed,
                _ => Fit::New,
            };
            if chosen.is_none_or(|(known, ..)| known < fit) {
                chosen = Some((fit, kind, template));
            }
            if fit == Fit::New {
                break;
            }
        }
        let (fit, kind, template) = chosen?;
        let template = template.clone();
        let instruction = self.valid(&template, draft)?;
        if let (Some(last), true) = (draft.last, fit > Fit::Apart) {
            draft.pairs.push((last, kind));
        }
        draft.last = Some(kind);
        draft.carry = match template.writes_carry {
            true => !instruction.is_guarded(),
            false => draft.carry && !template.reads_carry,
        };
        draft.stored = template.memory.writes.zip(instruction.place());
        for register in instruction.writes() {
            draft.defined.retain(|known| *known != register);
            draft.defined.push(register);
        }
        draft.chain.statements.push(ChainStatement::Instruction(instruction));
        Some(())
    }

    /// The template with operands, so that it is valid: with drawn numbers, or else with those that it was printed with.
    fn valid(&mut self, template: &Template, draft: &mut ChainDraft) -> Option<ChainInstruction> {
        let instruction = self.filled(template, draft)?;
        let declarations = Declarations::parse(&draft.chain.declarations(), &self.library.spec().isa).ok()?;
        if self.library.valid(&instruction.text(), &declarations).is_some() {
            return Some(instruction);
        }
        let printed = |(at, operand): (usize, ChainOperand)| match template.numbers.get(at) {
            Some(Some(number)) => ChainOperand::Constant(number.clone()),
            _ => operand,
        };
        let operands = instruction.operands.into_iter().enumerate().map(printed).collect();
        let instruction = template.filled(operands);
        self.library.valid(&instruction.text(), &declarations)?;
        Some(instruction)
    }

    fn filled(&mut self, template: &Template, draft: &mut ChainDraft) -> Option<ChainInstruction> {
        if let Some(memory) = template.accessed() {
            draft.fill(memory);
        }
        let guarded = template.slots().any(|kind| kind == SlotKind::Guard);
        let kinds: Vec<SlotKind> = template.slots().collect();
        let mut operands: Vec<Option<ChainOperand>> = vec![None; kinds.len()];
        // One source is most often what was written last, the others are any.
        let mut fed = false;
        for (kind, operand) in kinds.iter().zip(&mut operands) {
            *operand = match kind {
                SlotKind::Guard => Some(ChainOperand::Register(self.existing(draft, 1, true)?)),
                SlotKind::Source(bits) => {
                    let old = std::mem::replace(&mut fed, true);
                    Some(ChainOperand::Register(self.existing(draft, *bits, old)?))
                }
                SlotKind::Constant(bits) => Some(ChainOperand::Constant(self.number(*bits))),
                SlotKind::Place(memory, bytes) => Some(self.place(draft, *memory, *bytes)?),
                SlotKind::Destination(_) => None,
            };
        }
        let mut written: Vec<usize> = Vec::new();
        for (kind, operand) in kinds.iter().zip(&mut operands) {
            if let SlotKind::Destination(bits) = kind {
                let must_exist = guarded || draft.blocks > 0;
                let register = if must_exist || self.once_in(5) {
                    let known: Vec<usize> = draft.defined.iter().copied().filter(|of| !written.contains(of)).collect();
                    self.among(&known, draft, *bits, false).unwrap_or_else(|| draft.input(*bits))
                } else {
                    draft.register(*bits)
                };
                written.push(register);
                *operand = Some(ChainOperand::Register(register));
            }
        }
        Some(template.filled(operands.into_iter().collect::<Option<_>>()?))
    }

    /// A place in a memory: half of the time where the last line wrote.
    fn place(&mut self, draft: &ChainDraft, memory: ChainMemory, bytes: u16) -> Option<ChainOperand> {
        let written = draft.stored.filter(|(of, _)| *of == memory && self.once_in(2)).map(|(_, at)| at - at % bytes);
        let at = match written {
            Some(at) => at,
            None => bytes * u16::try_from(self.draw.below(u128::from(ChainMemory::BYTES / bytes))?).ok()?,
        };
        Some(ChainOperand::Constant(at.to_string()))
    }

    /// The text of a number.
    fn number(&mut self, bits: u16) -> String {
        match bits {
            1 => constant(&mut self.draw, 1).rem_euclid(2).to_string(),
            _ => constant(&mut self.draw, bits).to_string(),
        }
    }

    /// A register of this size that has a value, or a new input.
    fn existing(&mut self, draft: &mut ChainDraft, bits: u16, old: bool) -> Option<usize> {
        if self.once_in(if old { 3 } else { 12 }) {
            return Some(draft.input(bits));
        }
        let known = draft.defined.clone();
        Some(self.among(&known, draft, bits, old).unwrap_or_else(|| draft.input(bits)))
    }

    /// One of some registers that has this size: most often the newest, unless `old`.
    fn among(&mut self, known: &[usize], draft: &ChainDraft, bits: u16, old: bool) -> Option<usize> {
        let fitting: Vec<usize> = known.iter().copied().filter(|of| draft.chain.registers[*of] == bits).collect();
        match fitting.last() {
            Some(newest) if !old && !self.once_in(3) => Some(*newest),
            _ => pick(&mut self.draw, &fitting).copied(),
        }
    }

    /// Chooses what is observed: what the last line wrote, and now and then something else.
    fn outputs(&mut self, draft: &mut ChainDraft) {
        if let Some((memory, _)) = draft.stored {
            let registers = [draft.register(64), draft.register(64)];
            draft.chain.statements.push(ChainStatement::Instruction(ChainInstruction::loading(memory, registers)));
        }
        let written: Vec<usize> = draft.chain.instructions().flat_map(|of| of.writes().collect::<Vec<_>>()).collect();
        let last = draft.chain.instructions().last().map(|last| last.writes().collect::<Vec<_>>()).unwrap_or_default();
        for register in written {
            let observed = last.contains(&register) || draft.blocks == 0 && self.once_in(4);
            if observed && !draft.chain.outputs.contains(&register) {
                draft.chain.outputs.push(register);
            }
        }
    }
}

impl ChainDraft {
    /// A register that nothing wrote yet.
    fn register(&mut self, bits: u16) -> usize {
        self.chain.registers.push(bits);
        self.chain.registers.len() - 1
    }

    /// Gives a memory contents before the first line, if it has none.
    fn fill(&mut self, memory: ChainMemory) {
        if self.chain.instructions().any(|of| of.memory() == Some(memory)) {
            return;
        }
        let registers = [self.input(64), self.input(64)];
        let fill = ChainInstruction::storing(memory, registers);
        self.chain.statements.insert(0, ChainStatement::Instruction(fill));
    }

    /// A new input.
    fn input(&mut self, bits: u16) -> usize {
        let register = self.register(bits);
        self.chain.inputs.push(register);
        self.defined.insert(0, register);
        register
    }
}
