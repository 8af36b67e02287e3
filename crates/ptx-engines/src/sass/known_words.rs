//! The words of machine code that a disassembler printed so far, and a file of them for later runs.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use rustc_hash::FxHashMap;

use super::printed_word::PrintedWord;

/// The most words that are known of a target: some 10 MB, and half of that in the file. Printing a word again takes microseconds.
const MOST: usize = 1 << 16;

/// The words that were printed so far.
#[derive(Debug, Default)]
pub(super) struct KnownWords {
    /// Where later runs find them.
    file: Option<PathBuf>,
    words: FxHashMap<u128, KnownText>,
}

/// The text of a word; not as [`PrintedWord`], which takes twice the memory.
#[derive(Debug)]
struct KnownText {
    at: u64,
    /// Predicate, opcode and operands, with tabs between them.
    text: Box<str>,
}

impl KnownWords {
    /// The words that earlier runs kept in this file. Lines that are cut off are left out.
    pub(super) fn read(file: PathBuf) -> Self {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let mut words = FxHashMap::default();
        for (word, known) in text.split_inclusive('\n').filter_map(line) {
            if words.len() == MOST {
                break;
            }
            words.insert(word, known);
        }
        Self { file: Some(file), words }
    }

    /// True if a word is known.
    pub(super) fn has(&self, word: u128) -> bool {
        self.words.contains_key(&word)
    }

    /// The text of a word, if it is known.
    pub(super) fn get(&self, word: u128) -> Option<PrintedWord> {
        let KnownText { at, text } = self.words.get(&word)?;
        let mut fields = text.split('\t').map(str::to_owned);
        Some(PrintedWord { word, at: *at, predicate: fields.next()?, opcode: fields.next()?, operands: fields.next()? })
    }

    /// Adds what was not known yet, for later runs as well, up to [`MOST`] words. A file that cannot be written costs time, and
    /// nothing else.
    pub(super) fn add(&mut self, printed: &FxHashMap<u128, PrintedWord>) {
        let mut lines = String::new();
        let mut new: Vec<&PrintedWord> = printed.values().filter(|printed| !self.has(printed.word)).collect();
        new.sort_unstable_by_key(|printed| printed.word);
        new.truncate(MOST.saturating_sub(self.words.len()));
        for PrintedWord { word, at, predicate, opcode, operands } in new {
            let text = format!("{predicate}\t{opcode}\t{operands}");
            // Writing to a String cannot fail.
            let _ = writeln!(lines, "{word:032x}\t{at:x}\t{text}");
            self.words.insert(*word, KnownText { at: *at, text: text.into() });
        }
        let Some(path) = self.file.as_ref().filter(|_| !lines.is_empty()) else { return };
        let opened = path
            .parent()
            .map(std::fs::create_dir_all)
            .transpose()
            .and_then(|_| std::fs::OpenOptions::new().create(true).append(true).open(path));
        let _ = opened.and_then(|mut file| file.write_all(lines.as_bytes()));
    }
}

/// A line of the file.
fn line(line: &str) -> Option<(u128, KnownText)> {
    let mut fields = line.strip_suffix('\n')?.splitn(3, '\t');
    let word = u128::from_str_radix(fields.next()?, 16).ok()?;
    let at = u64::from_str_radix(fields.next()?, 16).ok()?;
    let text = fields.next().filter(|text| text.matches('\t').count() == 2)?;
    Some((word, KnownText { at, text: text.into() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(words: impl Iterator<Item = u128>) -> FxHashMap<u128, PrintedWord> {
        let of = |word| PrintedWord {
            word,
            at: 32,
            predicate: "@!P0".into(),
            opcode: "MOV".into(),
            operands: format!("R{word},c[0x0][0x28]"),
        };
        words.map(|word| (word, of(word))).collect()
    }

    #[test]
    fn what_was_printed_is_kept_for_later_runs() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("cache/13.5.37-SM90");
        let words = printed([7, 8].into_iter());
        KnownWords::read(path.clone()).add(&words);
        // Lines that are cut off.
        let mut file = std::fs::OpenOptions::new().append(true).open(&path).expect("the file");
        file.write_all(b"0009\t0\tMOV\n000a\t0\t").expect("written");
        let known = KnownWords::read(path);
        assert_eq!([known.get(7), known.get(8)], [words.get(&7).cloned(), words.get(&8).cloned()]);
        assert!(known.get(9).is_none() && known.get(10).is_none());
    }

    #[test]
    fn words_beyond_the_limit_are_not_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("13.5.37-SM90");
        let mut known = KnownWords::read(path.clone());
        known.add(&printed(0..MOST as u128 - 1));
        known.add(&printed([MOST as u128, MOST as u128 + 1].into_iter()));
        known.add(&printed([MOST as u128 + 2].into_iter()));
        let lines = std::fs::read_to_string(&path).expect("the file").lines().count();
        let has = [MOST as u128, MOST as u128 + 1, MOST as u128 + 2].map(|word| known.has(word));
        assert_eq!((lines, has), (MOST, [true, false, false]));
        assert!(KnownWords::read(path).has(MOST as u128));
    }
}
