//! NVIDIA's disassembler, which prints instruction words as text, and a cache of what it printed.
//!
//! Starting it takes a quarter of a second whatever it is given, so all new words of a question go to it at once.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ptx_sass::cubin::WORD_BYTES;
use rustc_hash::FxHashMap;
use serde::Deserialize;

use crate::child::{self, Allowance, End};

/// What the disassembler prints for a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Printed {
    /// The address that the word had then: targets of branches depend on it.
    pub(super) at: u64,
    /// `@!P0`, or empty.
    pub(super) predicate: String,
    /// `IMAD.WIDE.U32`
    pub(super) opcode: String,
    /// `R6,R11,0x4,R6`
    pub(super) operands: String,
}

/// The disassembler.
#[derive(Debug)]
pub(super) struct Disassembler {
    path: PathBuf,
    /// The file with what it printed in earlier runs; `None` keeps nothing.
    cache: Option<PathBuf>,
    known: Mutex<Option<FxHashMap<u128, Printed>>>,
}

/// A word costs microseconds; this is for hundreds of thousands of them.
const LIMITS: Allowance = Allowance { time: Duration::from_secs(120), output: 1 << 30, address_space: None };

impl Disassembler {
    /// The program at `path`, for one generation of machines.
    pub(super) fn new(path: &Path, cache: Option<PathBuf>) -> Self {
        Self { path: path.to_owned(), cache, known: Mutex::default() }
    }

    /// What it prints for each of these words of machine code for `target`, such as `SM90`.
    ///
    /// # Errors
    /// If it cannot be started, or prints something else.
    pub(super) fn print(&self, target: &str, words: &[u128]) -> Result<Vec<Printed>, String> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.get_or_insert_with(|| self.read());
        let mut new: Vec<u128> = words.iter().copied().filter(|word| !known.contains_key(word)).collect();
        new.sort_unstable();
        new.dedup();
        if !new.is_empty() {
            let printed = self.ask(target, &new)?;
            self.keep(&new, &printed);
            known.extend(new.into_iter().zip(printed));
        }
        Ok(words.iter().filter_map(|word| known.get(word).cloned()).collect())
    }

    fn ask(&self, target: &str, words: &[u128]) -> Result<Vec<Printed>, String> {
        let failed = |what: &dyn std::fmt::Display| format!("`{}`: {what}", self.path.display());
        let directory = tempfile::tempdir().map_err(|why| failed(&why))?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let file = directory.path().join("words");
        std::fs::write(&file, bytes).map_err(|why| failed(&why))?;
        let mut command = std::process::Command::new(&self.path);
        command.args(["-b", target, "-ndf", "-json"]).arg(&file);
        let (end, printed) =
            child::run(command, &directory.path().join("printed"), &LIMITS).map_err(|why| failed(&why))?;
        if end != End::Exited(0) {
            let last = String::from_utf8_lossy(&printed).lines().next_back().unwrap_or_default().to_owned();
            return Err(failed(&format!("it ended with {end:?}: {}", crate::words::visible(&last))));
        }
        let printed = parse(&printed).map_err(|why| failed(&why))?;
        if printed.len() != words.len() {
            return Err(failed(&format!("it printed {} instructions for {} words", printed.len(), words.len())));
        }
        Ok(printed)
    }

    /// What earlier runs kept. Lines that are cut off are left out.
    fn read(&self) -> FxHashMap<u128, Printed> {
        let text = self.cache.as_ref().and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
        text.split_inclusive('\n').filter_map(cached).collect()
    }

    /// Adds to what later runs know. A cache that cannot be written costs time, and nothing else.
    fn keep(&self, words: &[u128], printed: &[Printed]) {
        let Some(path) = &self.cache else { return };
        let mut lines = String::new();
        for (word, Printed { at, predicate, opcode, operands }) in words.iter().zip(printed) {
            // Writing to a String cannot fail.
            let _ = writeln!(lines, "{word:032x}\t{at:x}\t{predicate}\t{opcode}\t{operands}");
        }
        let opened = path
            .parent()
            .map(std::fs::create_dir_all)
            .transpose()
            .and_then(|_| std::fs::OpenOptions::new().create(true).append(true).open(path));
        let _ = opened.and_then(|mut file| file.write_all(lines.as_bytes()));
    }
}

/// A line of the cache.
fn cached(line: &str) -> Option<(u128, Printed)> {
    let mut fields = line.strip_suffix('\n')?.split('\t');
    let word = u128::from_str_radix(fields.next()?, 16).ok()?;
    let at = u64::from_str_radix(fields.next()?, 16).ok()?;
    let mut text = || fields.next().map(str::to_owned);
    Some((word, Printed { at, predicate: text()?, opcode: text()?, operands: text()? }))
}

/// The instructions in what `nvdisasm -json` prints: a header, and a list of functions.
fn parse(printed: &[u8]) -> Result<Vec<Printed>, serde_json::Error> {
    #[derive(Deserialize)]
    struct PrintedFunction {
        #[serde(rename = "sass-instructions")]
        instructions: Vec<PrintedText>,
    }
    #[derive(Deserialize)]
    struct PrintedText {
        #[serde(default)]
        predicate: String,
        opcode: String,
        #[serde(default)]
        operands: String,
    }
    let (_, functions): (serde::de::IgnoredAny, Vec<PrintedFunction>) = serde_json::from_slice(printed)?;
    let instructions = functions.into_iter().flat_map(|function| function.instructions).enumerate();
    let printed = |(at, PrintedText { predicate, opcode, operands }): (usize, PrintedText)| Printed {
        at: (at * WORD_BYTES) as u64,
        predicate,
        opcode,
        operands,
    };
    Ok(instructions.map(printed).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_read_from_json() {
        let text = br#"[{"ELF":{}},[{"function-name":"Unknown","sass-instructions":[{"opcode":"NOP"},
            {"predicate":"@P0","opcode":"BRA","operands":"0x40","other-attributes":{"control-flow":"True"}}]}]]"#;
        let printed = |at, predicate: &str, opcode: &str, operands: &str| Printed {
            at,
            predicate: predicate.to_owned(),
            opcode: opcode.to_owned(),
            operands: operands.to_owned(),
        };
        assert_eq!(parse(text).expect("instructions"), [printed(0, "", "NOP", ""), printed(16, "@P0", "BRA", "0x40")]);
        assert!(parse(b"nvdisasm error").is_err());
    }

    #[test]
    fn what_was_printed_is_kept_for_later_runs() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("cache/words");
        let disassembler = || Disassembler::new(Path::new("/nowhere"), Some(path.clone()));
        let printed =
            Printed { at: 32, predicate: "@!P0".into(), opcode: "MOV".into(), operands: "R0,c[0x0][0x28]".into() };
        disassembler().keep(&[7], std::slice::from_ref(&printed));
        // A line that is cut off.
        let mut file = std::fs::OpenOptions::new().append(true).open(&path).expect("the cache");
        file.write_all(b"0009\t0\t").expect("written");
        assert_eq!(disassembler().print("SM90", &[7, 7]), Ok(vec![printed.clone(), printed]));
        assert!(disassembler().print("SM90", &[9]).is_err_and(|why| why.contains("/nowhere")));
    }
}
