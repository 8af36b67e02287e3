//! The flow of values through the registers of a body, as its text has it: which line computed what a line reads. Lines that feed
//! each other can be taken out as a chain without executing the module; what came before them is any value.

mod registers;

use std::ops::Range;

use ptx_spec::judge::Judge;
use ptx_spec::ptx::{FunctionBody, Module};
use ptx_spec::spec::Spec;

use crate::chain::{Chain, ChainInstruction, ChainOperand, ChainStatement, SlotKind};
use crate::memory::ChainMemory;
use crate::slice_draft::{SliceDraft, SliceLine, SliceValue};
use crate::template::Template;
use registers::{BodyRegisters, BodyStatement, RegisterLine};

/// The lines of a body, and the values that flow between them.
///
/// A register has the value of its last definition since the last label; before that, of its only definition in the body, as
/// compilers emit it. Otherwise it can have any value.
#[derive(Clone, Debug)]
pub struct BodyFlow {
    lines: Vec<FlowLine>,
    values: Vec<FlowValue>,
}

/// A line with the values that it reads and writes, by their numbers.
#[derive(Clone, Debug)]
struct FlowLine {
    at: Range<usize>,
    /// Its template and its text with numbers for registers, if a chain can have it.
    template: Option<(Template, String)>,
    guard: Option<usize>,
    sources: Vec<usize>,
    /// The values of its destinations before it; empty if it has no guard.
    before: Vec<usize>,
    written: Vec<usize>,
    /// The line whose carry it reads, if that is known.
    carry: Option<usize>,
}

/// A value of a register.
#[derive(Clone, Debug)]
struct FlowValue {
    /// The line that computes it, if it is known.
    line: Option<usize>,
    register: usize,
    name: String,
    /// The lines that read it.
    used: Vec<usize>,
    /// True if lines may read it that are not known.
    escapes: bool,
}

/// Lines of a body as a chain, the last of which may be a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowSlice {
    /// The chain. Its outputs are what other lines of the body read.
    pub chain: Chain,
    /// The lines, by their positions in the body.
    pub lines: Vec<usize>,
    /// The name of each register of the chain in the body; empty for what was in memory before a store.
    pub names: Vec<String>,
}

impl BodyFlow {
    /// The flow in a body of a module. The judge says which lines are valid: others are not known.
    pub fn new(spec: &Spec, module: &Module<'_>, body: &FunctionBody<'_>, judge: &Judge<'_>) -> Self {
        let BodyRegisters { names, statements } = registers::read(spec, module, body, judge);
        let mut definitions = vec![0_usize; names.len()];
        for statement in &statements {
            if let BodyStatement::Line(line) = statement {
                line.destinations.iter().for_each(|register| definitions[*register] += 1);
            }
        }
        let mut builder = FlowBuilder {
            only: vec![None; names.len()],
            definitions,
            current: vec![None; names.len()],
            early: vec![false; names.len()],
            section: 0,
            open: Vec::new(),
            carry: None,
            names,
            flow: Self { lines: Vec::new(), values: Vec::new() },
        };
        for statement in statements {
            match statement {
                BodyStatement::Label => builder.label(),
                BodyStatement::Line(line) => builder.line(line),
            }
        }
        builder.flow
    }

    /// How many lines it has.
    pub fn count(&self) -> usize {
        self.lines.len()
    }

    /// The bytes of a line in the module.
    pub fn at(&self, line: usize) -> Range<usize> {
        self.lines.get(line).map_or(0..0, |line| line.at.clone())
    }

    /// The text of a line as that of a chain, whatever its registers are; none if a chain cannot have it.
    pub fn text(&self, line: usize) -> Option<&str> {
        self.lines.get(line)?.template.as_ref().map(|(_, text)| text.as_str())
    }

    /// The lines that computed what a line reads, the last first. Those are left out that a chain cannot have.
    pub fn before(&self, line: usize) -> Vec<usize> {
        let Some(of) = self.lines.get(line) else { return Vec::new() };
        let read = of.guard.iter().chain(&of.sources).chain(&of.before);
        let mut before: Vec<usize> = read.filter_map(|value| self.values[*value].line).chain(of.carry).collect();
        before.sort_unstable_by(|a, b| b.cmp(a));
        before.dedup();
        before
    }

    /// True if a line computes a constant: it reads no register.
    pub fn is_constant(&self, line: usize) -> bool {
        let reads = |of: &FlowLine| of.guard.is_some() || !of.sources.is_empty() || of.carry.is_some();
        self.lines.get(line).is_some_and(|of| of.template.is_some() && !reads(of))
    }

    /// Lines as a chain. None if a chain cannot have one of them, if the carry that one reads is not that of another, or if nothing
    /// reads what the last one writes.
    pub fn slice(&self, lines: &[usize]) -> Option<FlowSlice> {
        let mut lines = lines.to_vec();
        lines.sort_unstable();
        lines.dedup();
        let last = *lines.last()?;
        let mut draft = SliceDraft::default();
        let mut memory = None;
        for &at in &lines {
            let line = self.lines.get(at)?;
            let (template, _) = line.template.as_ref()?;
            memory = template.accessed();
            if memory.is_some() && at != last {
                return None;
            }
            if template.reads_carry && !line.carry.is_some_and(|carry| lines.contains(&carry)) {
                return None;
            }
            let held = |value: &usize| {
                let computed = self.values[*value].line.is_some_and(|line| lines.contains(&line));
                HeldFlow { value: *value, computed }
            };
            let all = |values: &[usize]| values.iter().map(held).collect();
            let guard = line.guard.as_ref().map(held);
            draft.add(&SliceLine {
                template,
                guard,
                sources: all(&line.sources),
                before: all(&line.before),
                written: all(&line.written),
            })?;
        }
        let is_read = |value: &usize| {
            let FlowValue { used, escapes, .. } = &self.values[*value];
            *escapes || used.iter().any(|line| !lines.contains(line))
        };
        if memory.is_none() && !self.lines[last].written.iter().any(is_read) {
            return None;
        }
        let written = lines.iter().flat_map(|line| &self.lines[*line].written).filter(|value| is_read(value));
        let outputs = written.filter_map(|value| draft.at_last(&HeldFlow { value: *value, computed: true })).collect();
        let names = draft.named(|held| self.values[held.value].name.clone());
        let SliceDraft { mut chain, .. } = draft;
        chain.outputs = outputs;
        let mut slice = FlowSlice { chain, lines, names };
        memory.into_iter().for_each(|memory| slice.observe(memory));
        Some(slice)
    }
}

impl FlowSlice {
    /// Fills a memory before the chain, and observes it after it.
    fn observe(&mut self, memory: ChainMemory) {
        let mut register = |name: &str| {
            self.chain.registers.push(64);
            self.names.push(name.to_owned());
            self.chain.registers.len() - 1
        };
        let before = [register(""), register("")];
        let after = [register(MEMORY), register(MEMORY)];
        let statements = &mut self.chain.statements;
        statements.insert(0, ChainStatement::Instruction(ChainInstruction::storing(memory, before)));
        statements.push(ChainStatement::Instruction(ChainInstruction::loading(memory, after)));
        self.chain.inputs.extend(before);
        self.chain.outputs.extend(after);
    }
}

/// The name of what is in memory after a store.
const MEMORY: &str = "the memory";

/// A value in a slice.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct HeldFlow {
    value: usize,
    computed: bool,
}

impl SliceValue for HeldFlow {
    fn is_computed(&self) -> bool {
        self.computed
    }
}

/// Follows the values of registers through the lines of a body.
struct FlowBuilder {
    names: Vec<String>,
    /// How often each register is written.
    definitions: Vec<usize>,
    /// The value of the only definition of each register, once it was seen.
    only: Vec<Option<usize>>,
    /// The value of each register since a label, with the number of that label.
    current: Vec<Option<(usize, usize)>>,
    /// The registers that are read before they are written, as in a loop.
    early: Vec<bool>,
    /// The number of the last label.
    section: usize,
    /// The values of registers with several definitions that were written since what leaves was last seen.
    open: Vec<usize>,
    /// The line that wrote the carry since the last label.
    carry: Option<usize>,
    flow: BodyFlow,
}

impl FlowBuilder {
    fn label(&mut self) {
        self.escape();
        self.section += 1;
        self.carry = None;
    }

    /// Notes that what follows may be elsewhere: what it reads is not known.
    fn escape(&mut self) {
        for value in std::mem::take(&mut self.open) {
            // A value that was overwritten since is not read.
            let register = self.flow.values[value].register;
            self.flow.values[value].escapes |= self.now(register) == Some(value);
        }
    }

    fn line(&mut self, line: RegisterLine) {
        let RegisterLine { at, template, guard, sources, destinations, others, leaves } = line;
        let number = self.flow.lines.len();
        let guard = guard.map(|register| self.read(register, number));
        let sources: Vec<usize> = sources.iter().map(|register| self.read(*register, number)).collect();
        for register in others {
            self.read(register, number);
        }
        let kept = if guard.is_some() { &destinations[..] } else { &[] };
        let before = kept.iter().map(|register| self.read(*register, number)).collect();
        let computed = template.is_some().then_some(number);
        let mut written = Vec::new();
        for register in destinations {
            written.push(self.write(register, computed));
        }
        if leaves {
            self.escape();
            self.carry = None;
        }
        let carry = self.carry.filter(|_| template.as_ref().is_some_and(|of| of.reads_carry));
        if template.as_ref().is_some_and(|of| of.writes_carry) {
            self.carry = guard.is_none().then_some(number);
        }
        let template = template.map(normal).map(|template| {
            let text = numbered(&template);
            (template, text)
        });
        self.flow.lines.push(FlowLine { at, template, guard, sources, before, written, carry });
    }

    /// The value of a register since the last label.
    fn now(&self, register: usize) -> Option<usize> {
        self.current[register].filter(|(section, _)| *section == self.section).map(|(_, value)| value)
    }

    /// The value that a line reads in a register.
    fn read(&mut self, register: usize, line: usize) -> usize {
        let only = self.only[register].filter(|_| self.definitions[register] == 1);
        let value = match self.now(register).or(only) {
            Some(value) => value,
            None => {
                self.early[register] = true;
                self.new_value(register, None)
            }
        };
        self.current[register] = Some((self.section, value));
        self.flow.values[value].used.push(line);
        value
    }

    fn write(&mut self, register: usize, line: Option<usize>) -> usize {
        let value = self.new_value(register, line);
        self.current[register] = Some((self.section, value));
        self.flow.values[value].escapes = self.definitions[register] == 1 && self.early[register];
        match self.definitions[register] {
            1 => self.only[register] = Some(value),
            _ => self.open.push(value),
        }
        value
    }

    fn new_value(&mut self, register: usize, line: Option<usize>) -> usize {
        let name = self.names[register].clone();
        self.flow.values.push(FlowValue { line, register, name, used: Vec::new(), escapes: false });
        self.flow.values.len() - 1
    }
}

/// A template whose integers are written as signed decimal numbers, as listed lines are.
fn normal(mut template: Template) -> Template {
    let kinds: Vec<_> = template.slots().collect();
    for (number, kind) in template.numbers.iter_mut().zip(kinds) {
        if let (Some(text), SlotKind::Constant(bits @ (16 | 32 | 64))) = (number, kind) {
            *text = decimal(text, bits).unwrap_or_else(|| text.clone());
        }
    }
    template
}

/// An integer of this many bits as a signed decimal number; none if the text is none.
fn decimal(text: &str, bits: u16) -> Option<String> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let digits = digits.trim_end_matches('U');
    let value: i128 = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => i128::from_str_radix(digits, 16).ok()?,
        // A zero before others begins an octal or binary number.
        None if digits.len() > 1 && digits.starts_with('0') => return None,
        None => digits.parse().ok()?,
    };
    let value = if negative { -value } else { value };
    let (least, most) = (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1);
    let value = if value > most && value <= 2 * most + 1 { value + 2 * least } else { value };
    (least..=most).contains(&value).then(|| value.to_string())
}

/// The text of a line with a number for each of its registers.
fn numbered(template: &Template) -> String {
    let operand = |(at, number): (usize, &Option<String>)| match number {
        Some(number) => ChainOperand::Constant(number.clone()),
        None => ChainOperand::Register(at),
    };
    template.filled(template.numbers.iter().enumerate().map(operand).collect()).text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ptx_spec::environment::{AddressSize, Environment};

    /// Registers, lines with numbers from 0, the last line of a slice, and its lines that all are before it; the text of the chain,
    /// and the names of its inputs.
    type FlowCase = (&'static str, usize, &'static [usize], &'static str, &'static str);

    const CASES: &[FlowCase] = &[
        // Other lines between.
        (
            "neg.s32 a, b; ld.global.u32 d, [p]; add.s32 e, d, 1; slct.s32.s32 c, d, 0x7, a; st.global.u32 [p], c;",
            3,
            &[0, 3],
            "neg.s32 %x1, %x0; slct.s32.s32 %x3, %x2, 7, %x1;",
            "b d",
        ),
        // The last of two definitions.
        (
            "add.s32 a, b, 1; add.s32 a, c, 2; neg.s32 d, a; st.global.u32 [p], d;",
            2,
            &[1, 2],
            "add.s32 %x1, %x0, 2; neg.s32 %x2, %x1;",
            "c",
        ),
        // One of two definitions reaches the line, and which one is not known.
        (
            "add.s32 a, b, 1; @q bra L; add.s32 a, b, 2; L: neg.s32 d, a; st.global.u32 [p], d;",
            3,
            &[3],
            "neg.s32 %x1, %x0;",
            "a",
        ),
        // The only definition, in another block.
        (
            "add.s32 a, b, 1; @q bra L; add.s32 e, b, 2; L: neg.s32 d, a; st.global.u32 [p], d;",
            3,
            &[0, 3],
            "add.s32 %x1, %x0, 1; neg.s32 %x2, %x1;",
            "b",
        ),
        // The only definition, but it comes later.
        ("L: neg.s32 d, a; st.global.u32 [p], d; add.s32 a, b, 1; @q bra L;", 0, &[0], "neg.s32 %x1, %x0;", "a"),
        // A guard may keep what was there.
        (
            "add.s32 a, b, 1; @q neg.s32 a, c; st.global.u32 [p], a;",
            1,
            &[0, 1],
            "add.s32 %x1, %x0, 1; @%x2 neg.s32 %x1, %x3;",
            "b q c",
        ),
        // A carry, which another line in between does not write.
        (
            "add.cc.u32 a, b, c; xor.b32 d, b, c; addc.u32 e, b, 0; st.global.v2.u32 [p], {d, e};",
            2,
            &[0, 2],
            "add.cc.u32 %x2, %x0, %x1; addc.u32 %x3, %x0, 0;",
            "b c",
        ),
        // An inner name hides an outer one.
        (
            "add.s32 a, b, 1; { .reg .b32 a; mul.lo.s32 a, b, 3; st.global.u32 [p], a; } neg.s32 d, a; st.global.u32 [p], d;",
            3,
            &[0, 3],
            "add.s32 %x1, %x0, 1; neg.s32 %x2, %x1;",
            "b",
        ),
        // What is read only within is not observed, what is read elsewhere is.
        (
            "cvt.u32.u16 a, h; mov.b32 {j, i}, a; st.global.u16 [p], i; st.global.u32 [p], a;",
            1,
            &[0, 1],
            "cvt.u32.u16 %x1, %x0; mov.b32 {%x2, %x3}, %x1; -> %x1 %x3",
            "h",
        ),
        // A line that a chain cannot have reads what it writes.
        ("add.s32 a, b, 1; atom.global.add.u32 a, [p], a; st.global.u32 [p], a;", 0, &[0], "add.s32 %x1, %x0, 1;", "b"),
        // A store is one to the memory of chains.
        (
            "add.s32 a, b, 1; st.global.u16 [p+4], {a};",
            1,
            &[0, 1],
            "st.shared.v2.b64 [m_shared+0], {%x2, %x3}; add.s32 %x1, %x0, 1; st.shared.u16 [m_shared+0], {%x1}; \
             ld.shared.v2.b64 {%x4, %x5}, [m_shared+0];",
            "b",
        ),
        // Nothing reads the result.
        ("add.s32 a, b, 1;", 0, &[0], "", ""),
    ];

    #[test]
    fn lines_are_found_that_computed_what_a_line_reads() {
        let spec = Spec::load(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs")))
            .expect("a specification");
        let (ptx, target) = ("8.0".parse().expect("a version"), "sm_90".parse().expect("a target"));
        let judge =
            Judge::new(&spec, &Environment { ptx, target, address_size: AddressSize::Bits64 }).expect("it is known");
        for (body, end, expected, chain, inputs) in CASES {
            let text = format!(
                ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {{ .reg .b32 a, b, c, d, e; .reg .b16 h, i, j; .reg .pred q; \
                 .reg .b64 p; {body} ret; }}"
            );
            let module = Module::read(&text, &spec.isa);
            let flow = BodyFlow::new(&spec, &module, &module.bodies[0], &judge);
            let mut lines = vec![*end];
            while let Some(more) = lines.iter().flat_map(|line| flow.before(*line)).find(|line| !lines.contains(line)) {
                lines.push(more);
            }
            let Some(slice) = flow.slice(&lines) else {
                assert_eq!(*chain, "", "{body}");
                continue;
            };
            assert_eq!(slice.lines, *expected, "{body}");
            let texts: Vec<String> = slice.chain.instructions().map(|of| of.text()).collect();
            let (lines, outputs) = chain.split_once(" -> ").unwrap_or((chain, ""));
            assert_eq!(texts.join(" "), lines, "{body}");
            let observed: Vec<String> = slice.chain.outputs.iter().map(|of| format!("%x{of}")).collect();
            assert!(outputs.is_empty() || outputs == observed.join(" "), "{body}: {observed:?}");
            let names: Vec<&str> = slice.chain.inputs.iter().map(|of| slice.names[*of].as_str()).collect();
            assert_eq!(names.join(" ").trim_end(), *inputs, "{body}");
        }
    }

    #[test]
    fn numbers_are_signed_and_decimal() {
        for (text, bits, expected) in [
            ("0x80000000", 32, Some("-2147483648")),
            ("2147483648", 32, Some("-2147483648")),
            ("0xFU", 16, Some("15")),
            ("-1", 64, Some("-1")),
            ("65536", 16, None),
            ("010", 32, None),
            ("0f3F800000", 32, None),
            ("WARP_SZ", 32, None),
        ] {
            assert_eq!(decimal(text, bits).as_deref(), expected, "{text}");
        }
    }
}
