//! Makes a module smaller in which something goes wrong: statements go, as long as the same goes wrong.

use std::ops::Range;

use crate::kernel_case::KernelCase;
use crate::must::Must as _;
use crate::ptx::{Module, Walk, WalkStep};
use crate::spec::Spec;

/// Says of each of these cases whether it still goes wrong in the same way.
pub(super) type StillWrong<'w> = dyn Fn(&[KernelCase]) -> Vec<bool> + 'w;

/// Candidates that are asked about at once: starting the disassembler takes as long as compiling some of them.
const TOGETHER: usize = 16;

/// A case whose module has as few statements as were found to go wrong in the same way. The text of others is replaced by blanks, so
/// that lines keep their numbers until [`without_blanks`] takes them out.
pub(super) fn shrunk(spec: &Spec, case: &KernelCase, still: &StillWrong<'_>) -> KernelCase {
    let mut kept = statements(spec, &case.module);
    let without = |kept: &[Range<usize>], gone: &Range<usize>| -> Vec<Range<usize>> {
        [&kept[..gone.start], &kept[gone.end..]].concat()
    };
    let all = kept.clone();
    let of = |kept: &[Range<usize>]| with_statements(case, &all, kept);
    let mut size = kept.len().div_ceil(2).max(1);
    loop {
        let mut at = 0;
        let mut smaller = false;
        while at < kept.len() {
            let parts: Vec<Range<usize>> = (0..TOGETHER)
                .map(|part| at + part * size..(at + (part + 1) * size).min(kept.len()))
                .take_while(|part| part.start < kept.len())
                .collect();
            let candidates: Vec<KernelCase> = parts.iter().map(|part| of(&without(&kept, part))).collect();
            let wrong = still(&candidates);
            let gone: Vec<&Range<usize>> =
                parts.iter().zip(wrong).filter(|(_, wrong)| *wrong).map(|(part, _)| part).collect();
            let end = parts.last().map_or(kept.len(), |part| part.end);
            let together = gone.iter().rev().fold(kept.clone(), |kept, part| without(&kept, part));
            let (now, next) = match gone[..] {
                [] => (kept.clone(), end),
                [only] => (without(&kept, only), end - only.len()),
                _ if still(&[of(&together)]) == [true] => {
                    let gone: usize = gone.iter().map(|part| part.len()).sum();
                    (together, end - gone)
                }
                [first, ..] => (without(&kept, first), first.start),
            };
            smaller |= now.len() < kept.len();
            (kept, at) = (now, next);
        }
        match (size, smaller) {
            (1, false) => break,
            (1, true) => {}
            _ => size = size.div_ceil(2),
        }
    }
    of(&kept)
}

/// The instructions of the bodies of a module, in order.
pub(super) fn statements(spec: &Spec, text: &str) -> Vec<Range<usize>> {
    let module = Module::read(text, &spec.isa);
    let mut found = Vec::new();
    for body in &module.bodies {
        let mut walk = Walk::new(&module, &spec.isa, body);
        while let Some(step) = walk.next_step() {
            if let WalkStep::Instruction(_, at) = step {
                found.push(at);
            }
        }
    }
    found
}

/// The case with only these of all statements.
fn with_statements(case: &KernelCase, all: &[Range<usize>], kept: &[Range<usize>]) -> KernelCase {
    let mut text = case.module.as_bytes().to_vec();
    for gone in all.iter().filter(|of| !kept.contains(of)) {
        let end =
            text[gone.end..].iter().position(|byte| !byte.is_ascii_whitespace()).map_or(gone.end, |at| gone.end + at);
        let end = if text.get(end) == Some(&b';') { end + 1 } else { gone.end };
        for byte in text[gone.start..end].iter_mut().filter(|byte| **byte != b'\n') {
            *byte = b' ';
        }
    }
    let module = String::from_utf8(text).must("whole statements are replaced by blanks");
    KernelCase { module: module.into(), ..case.clone() }
}

/// A text without blank lines.
pub(super) fn without_blanks(text: &str) -> String {
    text.lines().filter(|line| !line.trim().is_empty()).map(|line| line.trim_end().to_owned() + "\n").collect()
}
