//! The words in a binary that look like modifiers, so that the assembler may accept them as such.
//!
//! They are read and tried when a run starts, and never stored.

use std::collections::BTreeSet;

use ptx_spec::spec::is_modifier;

/// The maximum length of a word in bytes.
const LONGEST: usize = 32;

/// The texts of a binary that end like a C string and look like a modifier (`.evict_last`), sorted. A text may be the
/// end of a longer one, because linkers let strings share their ends.
pub(super) fn words(binary: &[u8]) -> Vec<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':');
    let mut words = BTreeSet::new();
    let mut dot = None;
    for (at, &byte) in binary.iter().enumerate() {
        match byte {
            b'.' => dot = Some(at),
            0 => {
                let text = dot.take().map(|dot| &binary[dot..at]);
                let word = text.filter(|text| text.len() <= LONGEST).and_then(|text| std::str::from_utf8(text).ok());
                words.extend(word.filter(|word| is_modifier(word)).map(str::to_owned));
            }
            byte if !plain(byte) => dot = None,
            _ => {}
        }
    }
    words.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_end_like_c_strings() {
        let binary = b"\x7fELF\0.evict_last\0.L2::64B\0ld.nc\0.rodata .x\0.2d\0.05\0.a b\0.\0.cut-off\0.at:end\0.v8";
        assert_eq!(words(binary), [".2d", ".L2::64B", ".evict_last", ".nc", ".x"]);
        let long = [b".", [b'a'; 40].as_slice(), b"\0"].concat();
        assert!(words(&long).is_empty());
    }
}
