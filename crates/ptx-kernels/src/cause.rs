//! From reduced chains to causes: which choices of each line, which numbers and which inputs show it. Chains that differ only in
//! what does not matter have one cause.

use std::collections::{BTreeMap, BTreeSet};

use ptx_spec::must::Must as _;

use crate::chain::{Chain, ChainOperand, ChainStatement, SlotKind};
use crate::chain_text::ChainText;
use crate::compare::{ChainComparison, compare};
use crate::constants::COMMON;
use crate::inputs::ChainRows;
use crate::library::Library;
use crate::reduce::{Reduced, is_same, with_other_choices};

/// A chain that cannot be made simpler, and what of it may be different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainCause {
    /// The chain.
    pub reduced: Reduced,
    /// Its instructions, in order.
    pub lines: Vec<CauseLine>,
    /// How many of the chains that were reduced have this cause.
    pub chains: usize,
}

/// An instruction of a cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CauseLine {
    /// Its text.
    pub text: String,
    /// Its opcode.
    pub opcode: String,
    /// Its choices, by the names of the axes: those that modifiers, suffixes, signs and the guard make.
    pub choices: BTreeMap<String, CauseChoice>,
    /// For each number in it, in order, other numbers that show it as well.
    pub numbers: Vec<CauseChoice>,
}

/// A choice of an instruction of a cause.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CauseChoice {
    /// The value that the chain has.
    pub value: String,
    /// The other values that show it too.
    pub others: BTreeSet<String>,
    /// The values that do not show it.
    pub without: BTreeSet<String>,
}

/// Rows for a chain with another choice: it may need other values.
const ROWS: usize = 32;

/// A chain with one thing changed, and where.
struct VariedChain {
    line: usize,
    place: VariedPlace,
    value: String,
    chain: Chain,
}

/// The thing that is changed in a chain.
enum VariedPlace {
    /// A choice, by the name of its axis.
    Choice(String),
    /// A number, by its position among the numbers of the line.
    Number(usize),
}

/// The causes of reduced chains, those of most chains first.
pub(crate) fn causes(of: &ChainComparison<'_>, library: &Library<'_>, reduced: Vec<Reduced>) -> Vec<ChainCause> {
    let mut distinct: BTreeMap<(usize, String), (Reduced, usize)> = BTreeMap::new();
    for chain in reduced {
        let key = (chain.chain.statements.len(), chain.chain.text());
        distinct.entry(key).or_insert_with(|| (chain, 0)).1 += 1;
    }
    let mut found: Vec<ChainCause> = Vec::new();
    for (cause, chains) in generalised(of, library, distinct.into_values().collect()) {
        match found.iter_mut().find(|known| known.covers(&cause.lines)) {
            Some(known) => known.chains += chains,
            None => found.push(ChainCause { chains, ..cause }),
        }
    }
    found.sort_by_key(|cause| std::cmp::Reverse(cause.chains));
    found
}

/// The causes of distinct chains, each with how many chains have it.
fn generalised(
    of: &ChainComparison<'_>,
    library: &Library<'_>,
    chains: Vec<(Reduced, usize)>,
) -> Vec<(ChainCause, usize)> {
    let varied: Vec<Vec<VariedChain>> = chains.iter().map(|(reduced, _)| varied(library, &reduced.chain)).collect();
    let rows: Vec<ChainRows> = chains
        .iter()
        .map(|(reduced, _)| {
            let mut rows = ChainRows::drawn(&reduced.chain, 1, ROWS);
            rows.rows.splice(0..0, reduced.rows.rows.clone());
            rows
        })
        .collect();
    let text = |of: &Vec<VariedChain>| of.iter().map(|of| ChainText::from(&of.chain)).collect();
    let texts: Vec<Vec<ChainText>> = varied.iter().map(text).collect();
    let all: Vec<(&ChainText, &ChainRows)> =
        texts.iter().zip(&rows).flat_map(|(texts, rows)| texts.iter().map(move |text| (text, rows))).collect();
    let mut answers = compare(of, &all).into_iter();
    let mut found = Vec::new();
    for ((reduced, chains), varied) in chains.into_iter().zip(&varied) {
        let mut lines = cause_lines(library, &reduced.chain);
        for (varied, answer) in varied.iter().zip(answers.by_ref()) {
            let Some(line) = lines.get_mut(varied.line) else { continue };
            let choice = match &varied.place {
                VariedPlace::Choice(axis) => line.choices.entry(axis.clone()).or_default(),
                VariedPlace::Number(at) => match line.numbers.get_mut(*at) {
                    Some(number) => number,
                    None => continue,
                },
            };
            let shows = is_same(&reduced.answer, &answer);
            let values = if shows { &mut choice.others } else { &mut choice.without };
            values.insert(varied.value.clone());
        }
        found.push((ChainCause { reduced, lines, chains }, chains));
    }
    found
}

/// The chains with one choice or number changed.
fn varied(library: &Library<'_>, chain: &Chain) -> Vec<VariedChain> {
    let mut found = Vec::new();
    let places = chain.statements.iter().enumerate();
    let instructions = places.filter_map(|(at, statement)| match statement {
        ChainStatement::Instruction(instruction) => Some((at, instruction)),
        _ => None,
    });
    for (line, (at, instruction)) in instructions.enumerate() {
        let with = |instruction| {
            let mut chain = chain.clone();
            chain.statements[at] = ChainStatement::Instruction(instruction);
            chain
        };
        for other in with_other_choices(library, chain, instruction, |_, _| true) {
            let (place, chain) = (VariedPlace::Choice(other.axis), with(other.instruction));
            found.push(VariedChain { line, place, value: other.value, chain });
        }
        let numbers = instruction.slots().enumerate();
        let numbers = numbers.filter(|(_, (kind, _))| matches!(kind, SlotKind::Constant(_)));
        for (number, (operand, _)) in numbers.enumerate() {
            for value in COMMON {
                let mut other = instruction.clone();
                other.operands[operand] = ChainOperand::Constant(value.to_string());
                if other != *instruction && library.reading(chain, &other.text()).is_some() {
                    let place = VariedPlace::Number(number);
                    found.push(VariedChain { line, place, value: value.to_string(), chain: with(other) });
                }
            }
        }
    }
    found
}

/// The instructions of a chain, with the choices that they make.
pub(crate) fn cause_lines(library: &Library<'_>, chain: &Chain) -> Vec<CauseLine> {
    let line = |instruction: &crate::chain::ChainInstruction| {
        let number = |value: &String| CauseChoice { value: value.clone(), ..CauseChoice::default() };
        let numbers = instruction.numbers().map(number);
        let text = instruction.text();
        let read = library.choices(chain, &text);
        let (opcode, choices) = read.must("chains are drawn and reduced so that each line is valid");
        let choices = choices.into_iter().map(|(axis, value)| (axis, CauseChoice { value, ..CauseChoice::default() }));
        CauseLine { text, opcode, choices: choices.collect(), numbers: numbers.collect() }
    };
    chain.instructions().map(line).collect()
}

impl CauseLine {
    /// The guard, opcode and modifiers of the lines that show it: `@set.{eq,ne}.{s32,u32}.u16`.
    pub fn pattern(&self) -> String {
        let (guard, text) = match self.text.strip_prefix('@') {
            Some(rest) => ("@", rest.split_once(' ').map_or(rest, |(_, rest)| rest)),
            None => ("", self.text.as_str()),
        };
        let operation = text.split_whitespace().next().unwrap_or_default().trim_end_matches(';');
        let mut words = operation.split('.');
        let mut pattern = format!("{guard}{}", words.next().unwrap_or_default());
        let mut used: BTreeSet<&String> = BTreeSet::new();
        for word in words {
            let is_of =
                |(axis, of): &(&String, &CauseChoice)| !used.contains(axis) && of.value.strip_prefix('.') == Some(word);
            let Some((axis, of)) = self.choices.iter().find(is_of) else {
                pattern.push_str(&format!(".{word}"));
                continue;
            };
            used.insert(axis);
            let others = of.others.iter().filter_map(|other| other.strip_prefix('.'));
            let all: BTreeSet<&str> = others.chain([word]).collect();
            match all.len() {
                1 => pattern.push_str(&format!(".{word}")),
                _ => pattern.push_str(&format!(".{{{}}}", all.into_iter().collect::<Vec<_>>().join(","))),
            }
        }
        pattern
    }
}

impl ChainCause {
    /// True if a chain that fails differs only in choices that this cause says show it too.
    pub(crate) fn explains(&self, library: &Library<'_>, chain: &Reduced) -> bool {
        is_same(&self.reduced.answer, &chain.answer) && self.covers(&cause_lines(library, &chain.chain))
    }

    /// True if other lines differ only in choices that this cause says show it too.
    pub(crate) fn covers(&self, lines: &[CauseLine]) -> bool {
        let shows = |(axis, of): (&String, &CauseChoice), theirs: &BTreeMap<String, CauseChoice>| {
            theirs.get(axis).is_none_or(|their| their.value == of.value || of.others.contains(&their.value))
        };
        self.lines.len() == lines.len()
            && self.lines.iter().zip(lines).all(|(of, their)| {
                of.opcode == their.opcode && of.choices.iter().all(|choice| shows(choice, &their.choices))
            })
    }

    /// A name that stays the same from run to run: of the reduced chain.
    pub fn fingerprint(&self) -> String {
        self.reduced.chain.fingerprint()
    }
}
