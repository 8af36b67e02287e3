//! Compares the interpreter with what a GPU measured: `cargo run --release -p ptx-sass --example against_hardware -- TARGET CUBIN WORDS
//! CASES [BLOCK...]`
//!
//! The cubin is for a target like `sm_90`, or `sm_90-O0` if its code was not optimized and waits for no barrier; cases whose entries it lacks are left out. The words of the cubin are printed a line each, as the engine `sass` keeps them. A case is a line: an entry with four addresses of 64 bits,
//! of three inputs and the result; a name; inputs; results, or for a walk over all inputs the number of bits of a block, and the hash of each
//! block. Of a walk the blocks with the numbers at the end of the command line are executed, or all if they have fewer than 20 bits.

use std::collections::HashMap;
use std::error::Error;

use ptx_exec::value::MemoryRegion;
use ptx_sass::cubin::{Cubin, WORD_BYTES};
use ptx_sass::image::Image;
use ptx_sass::instruction::MachineInstruction;
use ptx_sass::machine::{Halt, Thread};
use ptx_sass::opcode::{Step, Unknown};
use ptx_sass::run::run;
use ptx_sass::target::MachineTarget;

/// Where the inputs are; the result follows them.
const PLACE: u64 = 0x7d00_0000_0000;

/// An entry that is ready to run.
struct MeasuredKernel {
    code: Vec<Result<Step, Unknown>>,
    thread: Thread,
    buffer: usize,
}

impl MeasuredKernel {
    /// The result for some inputs.
    fn result(&mut self, inputs: &[u64]) -> Result<u64, String> {
        self.thread.restart();
        let bytes: Vec<u8> = inputs.iter().flat_map(|input| input.to_le_bytes()).collect();
        self.thread.memory.region_mut(self.buffer).poke(0, &bytes);
        match run(&mut self.thread, &self.code, 100_000) {
            Halt::Exit => {
                let region = self.thread.memory.region(self.buffer);
                match region.defined()[24..] == [0xff; 8] {
                    true => Ok(u64::from_le_bytes(region.data()[24..32].try_into().map_err(|_| "no result")?)),
                    false => Err("the result is undefined".to_owned()),
                }
            }
            stop => Err(stop.to_string()),
        }
    }
}

/// The steps of a section.
fn code(data: &[u8], words: &HashMap<u128, (u64, [String; 3])>) -> Vec<Result<Step, Unknown>> {
    let step = |(at, bytes): (usize, &[u8])| {
        let word = u128::from_le_bytes(bytes.try_into().unwrap_or_default());
        let (printed_at, [predicate, opcode, operands]) =
            words.get(&word).ok_or_else(|| Unknown::Opcode(format!("{word:032x}")))?;
        Step::new(&MachineInstruction::parse(predicate, opcode, operands)?, at, word, *printed_at)
    };
    data.chunks_exact(WORD_BYTES).enumerate().map(step).collect()
}

/// Mixes the bits of a number, so that sums of mixed numbers are hashes.
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

fn numbers(text: &str) -> Result<Vec<u64>, std::num::ParseIntError> {
    text.split(';').map(|number| u64::from_str_radix(number, 16)).collect()
}

/// The exponent bits and fraction bits of a type of floats.
fn widths(name: &str) -> Option<(u32, u32)> {
    Some(match name {
        "f16" => (5, 10),
        "bf16" => (8, 7),
        "f32" => (8, 23),
        "f64" => (11, 52),
        _ => return None,
    })
}

/// A number of a type that is likely to be at a border, from a random number.
fn element(random: u64, name: &str) -> (u64, u32) {
    let (more, pick, sign) = (mixed(random), random & 7, random >> 3 & 1);
    if let Some((exponent, fraction)) = widths(name) {
        let width = 1 + exponent + fraction;
        let bias = (1_u64 << (exponent - 1)) - 1;
        let (t, one, infinity) = (fraction, bias << fraction, ((1_u64 << exponent) - 1) << fraction);
        let (unit, half, digits) = (1_u64 << t, 1_u64 << (t - 1), u64::from(t));
        let small = if bias > digits { (bias - digits) << t } else { 2 };
        let smaller = if bias > digits + 1 { (bias - digits - 1) << t } else { 1 };
        let borders = [
            [0, 1, unit - 1, unit, unit + 1, one - 1, one, one + 1, one + half, one + unit - 1, one + unit],
            [
                one + unit + half,
                infinity - 1,
                infinity - 2,
                infinity,
                infinity + half,
                infinity + 1,
                infinity + unit - 1,
            ]
            .into_iter()
            .chain([smaller, small, small + 1, (bias - 1) << t])
            .collect::<Vec<_>>()
            .try_into()
            .unwrap_or_default(),
        ]
        .concat();
        let number = match pick {
            0..3 => more & (u64::MAX >> (64 - width)),
            3..5 => borders[usize::try_from((random >> 8) % borders.len() as u64).unwrap_or(0)] | sign << (width - 1),
            _ => sign << (width - 1) | (bias - 4 + (random >> 10 & 7)) << t | more & (unit - 1),
        };
        return (number, width);
    }
    let width: u32 = name[1..].parse().unwrap_or(64);
    let power = (1_u64 << ((random >> 10) % u64::from(width))).wrapping_add(more & 3).wrapping_sub(1);
    let number = match pick {
        0..3 => more,
        3..5 => (more & 0xff).wrapping_sub(128),
        _ if sign == 1 => power.wrapping_neg(),
        _ => power,
    };
    (number & (u64::MAX >> (64 - width)), width)
}

/// The input of a row.
fn input(row: u64, operand: u64, name: &str) -> u64 {
    let random = mixed(row * 4 + operand);
    match name.split_once('x') {
        None => element(random, name).0,
        Some((base, count)) => (0..count.parse().unwrap_or(1)).fold(0, |all, at| {
            let (number, width) = element(mixed(random.wrapping_add(at)), base);
            all | number << (u64::from(width) * at)
        }),
    }
}

/// The blocks of 16,384 rows whose hashes differ, or the first failure.
fn rows(launched: &mut MeasuredKernel, types: &[&str], hashes: &[u64]) -> Result<Vec<usize>, String> {
    let mut differ = Vec::new();
    for (block, expected) in hashes.iter().enumerate() {
        let mut hash = 0_u64;
        for row in (block as u64) << 14..(block as u64 + 1) << 14 {
            let inputs: Vec<u64> = types.iter().zip(0..).map(|(name, operand)| input(row, operand, name)).collect();
            let result = launched.result(&inputs)?;
            hash = hash.wrapping_add(mixed(row.wrapping_mul(0xd6e8_feb8_6659_fd93).wrapping_add(result)));
        }
        if hash != *expected {
            differ.push(block);
        }
    }
    Ok(differ)
}

/// The blocks of a walk whose hashes differ, or the first failure.
fn walked(launched: &mut MeasuredKernel, bits: u32, hashes: &[u64], blocks: &[usize]) -> Result<Vec<usize>, String> {
    let mut differ = Vec::new();
    let all: Vec<usize> = (0..hashes.len()).collect();
    for block in if bits < 20 { &all } else { blocks } {
        let mut hash = 0_u64;
        for input in (*block as u64) << bits..(*block as u64 + 1) << bits {
            let result = launched.result(&[input])?;
            hash = hash.wrapping_add(mixed(input.wrapping_mul(0xd6e8_feb8_6659_fd93).wrapping_add(result)));
        }
        if hash != hashes[*block] {
            differ.push(*block);
        }
    }
    Ok(differ)
}

/// What differs of the rows of a case, and how many do.
fn differences(launched: &mut MeasuredKernel, inputs: &[Vec<u64>], expected: &[u64]) -> (usize, String) {
    let (mut count, mut first) = (0, String::new());
    for (row, expected) in expected.iter().enumerate() {
        let sources: Vec<u64> = inputs.iter().map(|input| input[row]).collect();
        let found = launched.result(&sources);
        if found.as_ref() != Ok(expected) {
            count += 1;
            if count <= 3 {
                let found = found.map_or_else(|why| why, |found| format!("{found:x}"));
                first.push_str(&format!("\n    {sources:x?}: {found}, measured {expected:x}"));
            }
        }
    }
    (count, first)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [target, cubin, words, cases, blocks @ ..] = &arguments[..] else {
        return Err("a target and three files are needed".into());
    };
    let (target, at_once) = target.strip_suffix("-O0").map_or((target.as_str(), false), |name| (name, true));
    let target = MachineTarget::named(target).ok_or("the target is unknown")?;
    let blocks: Vec<usize> = blocks.iter().map(|block| block.parse()).collect::<Result<_, _>>()?;
    let mut cubin = Cubin::parse(&std::fs::read(cubin)?)?;
    let image = Image::load(&mut cubin, target);
    let mut known = HashMap::new();
    for line in std::fs::read_to_string(words)?.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [word, at, texts @ ..] = &fields[..] else { return Err("a word has not 5 fields".into()) };
        let texts: [&str; 3] = texts.try_into()?;
        known.insert(u128::from_str_radix(word, 16)?, (u64::from_str_radix(at, 16)?, texts.map(str::to_owned)));
    }
    let (mut agreeing, mut all) = (0, 0);
    for line in std::fs::read_to_string(cases)?.lines() {
        let fields: Vec<&str> = line.split('|').collect();
        let [entry, name, inputs @ .., results] = &fields[..] else { return Err("a case has too few fields".into()) };
        let Some(entry) = cubin.entry(entry) else { continue };
        let parameters: Vec<Vec<u8>> = (0..4).map(|at| (PLACE + at * 8).to_le_bytes().to_vec()).collect();
        let mut thread = image.thread(&entry, &parameters);
        thread.at_once = at_once;
        let buffer = thread.memory.add(MemoryRegion::new(PLACE, vec![0; 32], true));
        let mut launched = MeasuredKernel { code: code(&cubin.sections[entry.section].data, &known), thread, buffer };
        all += 1;
        let problem = match inputs {
            ["rows", types] => {
                let types: Vec<&str> = types.split(',').collect();
                match rows(&mut launched, &types, &numbers(results)?) {
                    Ok(differ) if differ.is_empty() => None,
                    Ok(differ) => Some(format!("blocks {differ:?} differ")),
                    Err(why) => Some(why),
                }
            }
            [bits] if !bits.contains(';') => match walked(&mut launched, bits.parse()?, &numbers(results)?, &blocks) {
                Ok(differ) if differ.is_empty() => None,
                Ok(differ) => Some(format!("blocks {differ:?} differ")),
                Err(why) => Some(why),
            },
            _ => {
                let inputs: Vec<Vec<u64>> = inputs.iter().map(|input| numbers(input)).collect::<Result<_, _>>()?;
                let (count, first) = differences(&mut launched, &inputs, &numbers(results)?);
                (count > 0).then(|| format!("{count} rows differ{first}"))
            }
        };
        match problem {
            None => agreeing += 1,
            Some(problem) => println!("{name}: {problem}"),
        }
    }
    println!("{agreeing} of {all} instructions agree with the GPU");
    Ok(())
}
