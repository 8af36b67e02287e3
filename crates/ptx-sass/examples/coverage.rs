//! Counts the distinct words of machine code that decode, and lists why others do not: `cargo run --release -p ptx-sass
//! --example coverage -- FILE...`
//!
//! The files are those in which the engine `sass` keeps what the disassembler printed: a word a line, with the address that
//! it had, its predicate, its opcode and its operands, between tabs.

use std::collections::BTreeMap;

use ptx_sass::instruction::MachineInstruction;
use ptx_sass::opcode::Step;

/// A word, why it does not decode, and its text.
fn unknown(line: &str) -> Result<Option<(String, String)>, Box<dyn std::error::Error>> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [word, at, predicate, opcode, operands] = fields[..] else {
        return Err(format!("`{line}` has not 5 fields").into());
    };
    let (word, at) = (u128::from_str_radix(word, 16)?, u64::from_str_radix(at, 16)?);
    let why = match MachineInstruction::parse(predicate, opcode, operands) {
        Ok(instruction) => Step::new(&instruction, 0, word, at).err().map(|why| why.to_string()),
        Err(why) => Some(format!("{opcode}: {why}")),
    };
    Ok(why.map(|why| (why, format!("{predicate} {opcode} {operands}"))))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut words, mut unknown_words) = (0, 0);
    let mut reasons: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for path in std::env::args().skip(1) {
        for line in std::fs::read_to_string(&path).map_err(|why| format!("{path}: {why}"))?.lines() {
            words += 1;
            if let Some((why, text)) = unknown(line)? {
                unknown_words += 1;
                reasons.entry(why).or_insert((0, text)).0 += 1;
            }
        }
    }
    println!("{} of {words} words decode", words - unknown_words);
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    for (why, (count, text)) in reasons {
        println!("{count:7} {why}: `{}`", text.trim());
    }
    Ok(())
}
